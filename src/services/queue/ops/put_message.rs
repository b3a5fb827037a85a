//! Put Message.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::rules::versions::Version;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::NewMessage;
use crate::services::queue::wire;
use uuid::Uuid;

pub(super) static PUT_MESSAGE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Put Message",
        methods: &["POST"],
        resource: ResourceKind::Messages,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("a"),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    visibility: Option<String> = Query "visibilitytimeout",
    ttl: Option<String> = Query "messagettl",
} }

async fn run(queues: &Queues, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let (visible, expires) = message::put_terms(asked.visibility.as_deref(), asked.ttl.as_deref(), request.now, request.version)?;
    let text = wire::read_text(&mut request.body).await?.ok_or_else(|| StorageError::invalid_xml("Error parsing Xml content"))?;
    let new = NewMessage { id: Uuid::from_bytes(request.environment.id()), text, visible, expires };
    let queue = queues.queue(&request)?;
    let put = queue.write(|queue| Ok(queue.put(new, request.now))).await?;
    if request.version < Version::V2016_05_31 {
        return Ok(Reply::new(request.spec.status));
    }
    Ok(Reply::xml(request.spec.status, wire::document(std::iter::once(&*put), wire::MessageView::Put)))
}
