//! Get and Set Queue ACL: the stored access policies of a queue.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::queue::queues::Queues;
use crate::services::shared::policies;

pub(super) static GET_QUEUE_ACL: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Get Queue ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "acl")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |queues, request| Box::pin(get(queues, request)),
};

pub(super) static SET_QUEUE_ACL: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Set Queue ACL",
        methods: &["PUT"],
        resource: ResourceKind::Queue,
        selectors: &[Selector::Query("comp", "acl")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "",
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
