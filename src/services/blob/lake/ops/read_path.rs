//! Read a file, and get the properties of a path.

use crate::operation::{EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::READ;
use crate::services::blob::lake::wire as lake;
use crate::services::blob::lake::wire::Upn;
use crate::services::blob::ops::get_blob;
use crate::services::blob::wire;
use crate::services::blob::wire::DescribedPart;

pub(super) static READ_FILE: Operation<Blobs> = operation!(
    read_file,
    (StateQuery, get_blob::Input),
    OperationSpec { name: "Read Path", methods: &["GET"], encryption: EncryptionCheck::Read, ..READ }
);

pub(super) static GET_PROPERTIES: Operation<Blobs> = operation!(
    get_properties,
    Upn,
    OperationSpec {
        name: "Get Path Properties",
        methods: &["HEAD"],
        path_action: Some(Action::GetProperties),
        encryption: EncryptionCheck::Read,
        ..READ
    }
);

pub(super) static GET_STATUS: Operation<Blobs> = operation!(
    get_status,
    Upn,
    OperationSpec {
        name: "Get Path Status",
        methods: &["HEAD"],
        path_action: Some(Action::GetStatus),
        selectors: &[Selector::Query("action", "getStatus")],
        requires: RequiredPermission::object("re").actions(&[&[RoleAction::BlobRead]]),
        ..READ
    }
);

async fn read_file(
    blobs: &Blobs,
    request: Request,
    (state, input): (StateQuery, get_blob::Input),
) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    let reply = get_blob::get_blob(blobs, request, (state, input)).await?;
    Ok(lake::with_properties(lake::describe(reply, &blob), &blob))
}

async fn get_properties(blobs: &Blobs, request: Request, Upn: Upn) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    let reply = wire::describe(Reply::new(request.spec.status), &blob, DescribedPart::Whole, &request);
    let reply = lake::with_properties(lake::describe(reply, &blob), &blob);
    Ok(wire::with_tier(reply, &blob, &request).bytes(blob.body.slice(0..0), blob.size()))
}

/// The properties without those of the user.
async fn get_status(blobs: &Blobs, request: Request, Upn: Upn) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    let reply = wire::describe_content(Reply::new(request.spec.status), &blob.headers);
    let reply = lake::describe(reply.with_state(blob.etag(), blob.last_modified), &blob);
    Ok(reply.bytes(blob.body.slice(0..0), blob.size()))
}
