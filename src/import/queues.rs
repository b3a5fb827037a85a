//! Queues and their messages, with their visibility and dequeue count.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, Senders};
use crate::import::workspace::{Database, Document, list, number, string, text};
use crate::rules::names;
use crate::rules::queue::message::TEXT;
use crate::rules::time::Timestamp;
use crate::services::queue::StoredMessage;
use uuid::Uuid;

/// Imports queues and messages.
///
/// # Errors
/// When the import cannot continue.
pub async fn import(senders: &Senders, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    let sender = &senders.queue;
    for document in from.collection("$QUEUES_COLLECTION$") {
        let (account, name) = (string(document, "accountName"), string(document, "name"));
        let request = || ImportRequest::put(&format!("/{name}"));
        report.advance();
        report.count("queues", name, sender.send(account, request().metadata(document)).await)?;
        policies::import(sender, (account, name), request(), list(document, "queueAcl"), report).await?;
    }
    for document in from.collection("$MESSAGES_COLLECTION$") {
        let outcome = import_message(senders, from, document).await;
        report.advance();
        report.count("messages", string(document, "queueName"), outcome)?;
    }
    Ok(())
}

async fn import_message(senders: &Senders, from: &Database, document: &Document) -> Result<(), ItemError> {
    let not_imported = |reason: &str| ItemError::NotImported(reason.to_owned());
    let unreadable_time = || not_imported("one of its times cannot be read");
    let environment = &senders.queue.environment;
    let now = environment.now();
    let time = |name| text(document, name).and_then(Timestamp::parse_iso).ok_or_else(unreadable_time);
    let (inserted, expires) = (time("insertionTime")?, time("expirationTime")?);
    // Azurite's time for a message that never expires lacks the ticks.
    let expires = if expires.after_seconds(1) == Timestamp::NEVER { Timestamp::NEVER } else { expires };
    if expires <= now {
        return Err(not_imported("they had expired"));
    }
    let visible = number(document, "timeNextVisible").ok_or_else(unreadable_time)?;
    let visible = Timestamp::from_unix((visible / 1000) as i64, (visible % 1000) as u32 * 10_000);
    let bytes = from.content(document)?.ok_or_else(|| not_imported("its text is not in the workspace"))?;
    let message = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= TEXT && !text.contains(names::unfit_for_xml));
    let message = message.ok_or_else(|| not_imported("its text is not one that a message can have"))?;
    let id = text(document, "messageId").and_then(|id| Uuid::try_parse(id).ok());
    let message = StoredMessage {
        id: id.unwrap_or_else(|| Uuid::from_bytes(environment.id())),
        text: message.into(),
        inserted,
        expires,
        visible,
        dequeued: number(document, "dequeueCount").unwrap_or(0),
    };
    let queue = senders.queues.find(string(document, "accountName"), string(document, "queueName"));
    let queue = queue.map_err(|_| not_imported("its queue is not there"))?;
    let restored = queue.write(|queue| Ok(queue.restore(message))).await.map_err(|error| ItemError::Fatal(error.into()))?;
    if restored { Ok(()) } else { Err(not_imported("another one has its id")) }
}
