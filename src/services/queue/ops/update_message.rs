//! Update Message: sets a message aside for a while, with another text if the request carries one.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;
use crate::takes;

pub(super) static UPDATE_MESSAGE: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Update Message",
        methods: &["PUT"],
        resource: ResourceKind::Message,
        selectors: &[],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "u", service: "u", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

takes! { Asked {
    receipt: String = Query "popreceipt",
    visibility: String = Query "visibilitytimeout",
} }

async fn run(queues: &Queues, mut request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    Receipt::check_form(&asked.receipt)?;
    let visible = message::aside_until(&asked.visibility, request.now)?;
    let text = wire::read_text(&mut request.body).await?;
    let queue = queues.queue(&request)?;
    let id = message::id(request.message())?;
    let updated = queue.write(|queue| queue.update(id, &asked.receipt, visible, text, request.now)).await?;
    Ok(Reply::new(request.spec.status)
        .with("x-ms-popreceipt", updated.receipt.text())
        .with("x-ms-time-next-visible", updated.visible.rfc1123()))
}
