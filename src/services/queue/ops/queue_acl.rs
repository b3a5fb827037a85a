//! Get and Set Queue ACL: the stored access policies of a queue.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::error::StorageError;
use crate::services::queue::queues::Queues;
use crate::services::shared::policies;

pub(super) static GET_QUEUE_ACL: Operation<Queues> = operation!(
    get,
    OperationSpec {
        name: "Get Queue ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_QUEUE_ACL: Operation<Queues> = operation!(
    set,
    OperationSpec {
        name: "Set Queue ACL",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

/// The permissions that a policy of a queue can give: read, add, update, process.
const LETTERS: &str = "raup";

async fn get(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let queue = queues.queue(&request)?.read();
    Ok(Reply::xml(request.spec.status, policies::document(queue.policies())))
}

async fn set(queues: &Queues, mut request: Request) -> Result<Reply, StorageError> {
    let stored = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let queue = queues.queue(&request)?;
    queue
        .write(|queue| {
            queue.set_policies(stored.into());
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
