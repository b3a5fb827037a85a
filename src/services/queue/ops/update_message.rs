//! Update Message: sets a message aside for a while, with another text if the request carries one.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary};
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
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    receipt: String = Query "popreceipt",
    visibility: String = Query "visibilitytimeout",
} }

async fn run(queues: &Queues, mut call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    Receipt::check_form(&asked.receipt)?;
    let visible = message::aside_until(&asked.visibility, call.now)?;
    let text = wire::read_text(&mut call.body).await?;
    let queue = queues.queue(&call)?;
    let id = message::id(call.message())?;
    let updated = queue.write(|queue| queue.update(id, &asked.receipt, visible, text, call.now)).await?;
    Ok(Reply::new(call.spec.status)
        .with("x-ms-popreceipt", updated.receipt.text())
        .with("x-ms-time-next-visible", updated.visible.rfc1123()))
}
