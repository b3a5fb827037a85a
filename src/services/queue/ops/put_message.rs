//! Put Message.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::queue::inputs::PutTimes;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::NewMessage;
use crate::services::queue::wire;
use uuid::Uuid;

pub(super) static PUT_MESSAGE: Operation<Queues> = operation!(
    run,
    PutTimes,
    OperationSpec {
        name: "Put Message",
        methods: &["POST"],
        resource: ResourceKind::Messages,
        requires: RequiredPermission::object("a").actions(&[&[RoleAction::MessageAdd], &[RoleAction::MessageWrite]]),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, mut request: Request, PutTimes { visible, expires }: PutTimes) -> Result<Reply, StorageError> {
    let text = wire::read_text(&mut request.body).await?.ok_or_else(|| StorageError::invalid_xml("Error parsing Xml content"))?;
    let new = NewMessage { id: Uuid::from_bytes(request.environment.id()), text, visible, expires };
    let queue = queues.resource(&request)?;
    let message = queue.write(|queue| Ok(queue.put(new, request.now))).await?;
    if request.version < Version::V2016_05_31 {
        return Ok(Reply::new(request.spec.status));
    }
    Ok(Reply::xml(request.spec.status, wire::document(std::iter::once(&*message), wire::MessageView::Put)))
}
