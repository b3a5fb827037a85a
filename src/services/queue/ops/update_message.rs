//! Update Message: sets a message aside for a while, with another text if the request carries one.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static UPDATE_MESSAGE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Update Message",
        methods: &["PUT"],
        resource: ResourceKind::Message,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("u"),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    receipt: String = Query "popreceipt",
    visibility: String = Query "visibilitytimeout",
} }

async fn run(queues: &Queues, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    Receipt::check_form(&asked.receipt)?;
    let visible = message::aside_until(&asked.visibility, request.now)?;
    let text = wire::read_text(&mut request.body).await?;
    let queue = queues.queue(&request)?;
    let id = message::id(request.target.message_id()?)?;
    let updated = queue.write(|queue| queue.update(id, &asked.receipt, visible, text, request.now)).await?;
    Ok(Reply::new(request.spec.status)
        .with("x-ms-popreceipt", updated.receipt.text())
        .with("x-ms-time-next-visible", updated.visible.rfc1123()))
}
