//! Queues and their messages, each as far on its way as it was.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, Document, list, number, text};
use crate::operation::ServiceKind;
use crate::rules::names;
use crate::rules::queue::message::TEXT;
use crate::rules::time::Timestamp;
use crate::services::queue::StoredMessage;
use uuid::Uuid;

/// Brings queues and messages over.
///
/// # Errors
/// When nothing can be written any more.
pub async fn bring(door: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    for document in from.collection("$QUEUES_COLLECTION$") {
        let (account, name) = (text(document, "accountName").unwrap_or_default(), text(document, "name").unwrap_or_default());
        let ask = ImportRequest::new("PUT", &format!("/{name}")).metadata(document);
        report.count("queues", name, door.ask(ServiceKind::Queue, account, ask).await)?;
        let policies = list(document, "queueAcl");
        if !policies.is_empty() {
            let ask = ImportRequest::new("PUT", &format!("/{name}")).query("comp", "acl").body(policies::document(policies));
            report.count("lists of access policies", name, door.ask(ServiceKind::Queue, account, ask).await)?;
        }
    }
    for document in from.collection("$MESSAGES_COLLECTION$") {
        let name = text(document, "queueName").unwrap_or_default();
        report.count("messages", name, message(door, from, document).await)?;
    }
    Ok(())
}

async fn message(door: &RequestSender, from: &Database, document: &Document) -> Result<(), ItemError> {
    let left = |why: &str| ItemError::NotImported(why.to_owned());
    let now = door.environment.now();
    let time = |name| text(document, name).and_then(Timestamp::parse_iso).ok_or_else(|| left("one of its times cannot be read"));
    let (inserted, expires) = (time("insertionTime")?, time("expirationTime")?);
    // Azurite's word for never lacks the ticks.
    let expires = if expires.after_seconds(1) == Timestamp::NEVER { Timestamp::NEVER } else { expires };
    if expires <= now {
        return Err(left("their time was over"));
    }
    let visible = number(document, "timeNextVisible").ok_or_else(|| left("one of its times cannot be read"))?;
    let visible = Timestamp::from_unix((visible / 1000) as i64, (visible % 1000) as u32 * 10_000);
    let bytes = document
        .get("persistency")
        .map(|pointer| from.bytes(pointer))
        .transpose()
        .map_err(|error| ItemError::NotImported(error.to_string()))?;
    let bytes = bytes.flatten().ok_or_else(|| left("its text is not in the workspace"))?;
    let message = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= TEXT && !text.contains(names::unfit_for_xml));
    let message = message.ok_or_else(|| left("its text is not one that a message can have"))?;
    let id = text(document, "messageId").and_then(|id| Uuid::try_parse(id).ok());
    let id = id.unwrap_or_else(|| Uuid::from_bytes(door.environment.id()));
    let kept = StoredMessage {
        id,
        text: message.into(),
        inserted,
        expires,
        visible,
        dequeued: number(document, "dequeueCount").unwrap_or(0),
    };
    let (account, name) = (text(document, "accountName").unwrap_or_default(), text(document, "queueName").unwrap_or_default());
    let queue = door.queues.find(account, name).map_err(|_| left("its queue is not there"))?;
    let put = queue.write(|queue| Ok(queue.restore(kept))).await.map_err(|error| ItemError::Fatal(error.into()))?;
    if put { Ok(()) } else { Err(left("another one has its id")) }
}
