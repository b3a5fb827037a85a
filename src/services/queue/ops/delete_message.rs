//! Delete Message: by who holds it.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::services::queue::queues::Queues;

pub(super) static DELETE_MESSAGE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Delete Message",
        methods: &["DELETE"],
        resource: ResourceKind::Message,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("p"),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    receipt: String = Query "popreceipt",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    Receipt::check_form(&asked.receipt)?;
    let queue = queues.queue(&request)?;
    let id = message::id(request.target.message_id()?)?;
    queue.write(|queue| queue.delete(id, &asked.receipt, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
