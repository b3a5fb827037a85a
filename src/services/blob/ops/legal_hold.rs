//! Set Blob Legal Hold: a blob, a snapshot or a version stays as it is until the hold is released.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::protection;

pub(super) static SET_LEGAL_HOLD: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Set Blob Legal Hold",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "legalhold")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(STATE)],
        requires: RequiredPermission::object("i"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            container.amend(admitted, |blob| blob.protection.hold = Some(asked.hold));
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status).with("x-ms-legal-hold", asked.hold.to_string()))
}
