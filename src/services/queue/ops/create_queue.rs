//! Create Queue: creating one that is there already with the same metadata does nothing, and is no mistake.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::queue::queues::Queues;
use crate::services::queue::state::Queue;

pub(super) static CREATE_QUEUE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Create Queue",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        inputs: &[Input::Group(METADATA)],
        requires: RequiredPermission::container("cw").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

/// The status when the queue was there already.
const THERE: u16 = 204;

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let account = queues.account(&request.account.name)?;
    let status = account
        .resources
        .write(|named| match named.get(request.target.queue()?) {
            Some(queue) if queue.read().metadata().says_as(&metadata) => Ok(THERE),
            Some(_) => Err(ErrorCode::QueueAlreadyExists.into()),
            None => {
                named.insert(request.target.queue()?.into(), queues.cell(Queue::new(metadata)));
                Ok(request.spec.status)
            }
        })
        .await?;
    Ok(Reply::new(status))
}
