//! Delete Message: by who holds it.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::services::queue::queues::Queues;
use crate::takes;

pub(super) static DELETE_MESSAGE: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Delete Message",
        methods: &["DELETE"],
        resource: ResourceKind::Message,
        selectors: &[],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "p", service: "p", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

takes! { Asked {
    receipt: String = Query "popreceipt",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    Receipt::check_form(&asked.receipt)?;
    let queue = queues.queue(&request)?;
    let id = message::id(request.message())?;
    queue.write(|queue| queue.delete(id, &asked.receipt, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
