//! Put Message.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::queue::message;
use crate::rules::versions::Version;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::NewMessage;
use crate::services::queue::wire;
use crate::takes;
use uuid::Uuid;

pub(super) static PUT_MESSAGE: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Put Message",
        methods: &["POST"],
        resource: ResourceKind::Messages,
        selectors: &[],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "a", service: "a", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    visibility: Option<String> = Query "visibilitytimeout",
    ttl: Option<String> = Query "messagettl",
} }

async fn run(queues: &Queues, mut call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    let (visible, expires) = message::put_terms(asked.visibility.as_deref(), asked.ttl.as_deref(), call.now, call.version)?;
    let text = wire::read_text(&mut call.body).await?.ok_or_else(|| StorageError::invalid_xml("Error parsing Xml content"))?;
    let new = NewMessage { id: Uuid::from_bytes(call.environment.id()), text, visible, expires };
    let queue = queues.queue(&call)?;
    let put = queue.write(|queue| Ok(queue.put(new, call.now))).await?;
    if call.version < Version::V2016_05_31 {
        return Ok(Reply::new(call.spec.status));
    }
    Ok(Reply::xml(call.spec.status, wire::document(std::iter::once(&*put), wire::MessageView::Put)))
}
