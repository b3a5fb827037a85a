//! Create Queue: creating one that is there already with the same metadata does nothing, and is no mistake.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::Queue;

pub(super) static CREATE_QUEUE: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Create Queue",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        selectors: &[],
        inputs: &[METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "cw",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

/// The status when the queue was there already.
const THERE: u16 = 204;

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let account = queues.account(&request.account.name)?;
    let status = account
        .resources
        .write(|named| match named.get(request.queue()) {
            Some(queue) if queue.read().metadata().says_as(&metadata) => Ok(THERE),
            Some(_) => Err(ErrorCode::QueueAlreadyExists.into()),
            None => {
                named.insert(request.queue().into(), queues.cell(Queue::new(metadata)));
                Ok(request.spec.status)
            }
        })
        .await?;
    Ok(Reply::new(status))
}
