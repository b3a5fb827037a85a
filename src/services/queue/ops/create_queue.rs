//! Create Queue. Creating a queue that exists succeeds if the metadata is the same.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::Queue;

pub(super) static CREATE_QUEUE: Operation<Queues> = operation!(
    run,
    Metadata,
    OperationSpec {
        name: "Create Queue",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        requires: RequiredPermission::container("cw").account_sas_only().actions(&[&[RoleAction::QueueWrite]]),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

/// The status if the queue exists.
const EXISTS: u16 = 204;

async fn run(queues: &Queues, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    let account = queues.account(&request.account.name)?;
    let status = account
        .resources
        .write(|index| match index.get(request.target.resource_name()?) {
            Some(queue) if queue.read().metadata.is_same_as(&metadata) => Ok(EXISTS),
            Some(_) => Err(ErrorCode::QueueAlreadyExists.into()),
            None => {
                index.insert(request.target.resource_name()?.into(), queues.cell(Queue::new(metadata)));
                Ok(request.spec.status)
            }
        })
        .await?;
    Ok(Reply::new(status))
}
