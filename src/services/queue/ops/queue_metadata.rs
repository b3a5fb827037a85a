//! Get and Set Queue Metadata; with the former, how many messages there are.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::queue::queues::Queues;

pub(super) static GET_QUEUE_METADATA: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Get Queue Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "r",
            service: "r",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |queues, request| Box::pin(get(queues, request)),
};

pub(super) static SET_QUEUE_METADATA: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Set Queue Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |queues, request| Box::pin(set(queues, request)),
};

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
