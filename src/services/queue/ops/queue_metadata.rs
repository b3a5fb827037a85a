//! Get and Set Queue Metadata; with the former, how many messages there are.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::queue::queues::Queues;

pub(super) static GET_QUEUE_METADATA: Operation<Queues> = operation!(
    get,
    OperationSpec {
        name: "Get Queue Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_QUEUE_METADATA: Operation<Queues> = operation!(
    set,
    OperationSpec {
        name: "Set Queue Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(METADATA)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn get(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let queue = queues.queue(&request)?.read();
    let count = queue.count(request.now).to_string();
    Ok(Reply::new(request.spec.status).with("x-ms-approximate-messages-count", count).with_metadata(queue.metadata()))
}

async fn set(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let queue = queues.queue(&request)?;
    queue
        .write(|queue| {
            queue.set_metadata(metadata);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
