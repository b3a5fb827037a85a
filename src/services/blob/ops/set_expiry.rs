//! Set Blob Expiry: sets when a blob expires. Only accounts with a hierarchical namespace support it.

use crate::operation::{Access, Fields, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::expiry::ExpiryOption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;

pub(super) static SET_EXPIRY: Operation<Blobs> = operation!(
    set_expiry,
    ExpiryOption,
    OperationSpec {
        name: "Set Blob Expiry",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "expiry")],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        ..OperationSpec::DEFAULT
    }
);

const OPTION: &str = "x-ms-expiry-option";
const TIME: &str = "x-ms-expiry-time";

impl FromRequest for ExpiryOption {
    const INPUTS: &'static [Input] = &[Input::required_header(OPTION), Input::header(TIME)];

    /// Returns 400 HierarchicalNamespaceNotEnabled in other accounts.
    fn from_request(fields: &Fields<'_>) -> Result<ExpiryOption, StorageError> {
        check_account(fields)?;
        let option = fields.header(OPTION).ok_or_else(|| StorageError::missing_header(OPTION))?;
        ExpiryOption::read(option, fields.header(TIME))
    }
}

/// When a new blob expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewBlobExpiry(pub(super) Option<Timestamp>);

impl FromRequest for NewBlobExpiry {
    const INPUTS: &'static [Input] = &[Input::header(OPTION), Input::header(TIME)];

    fn from_request(fields: &Fields<'_>) -> Result<NewBlobExpiry, StorageError> {
        if !fields.has_header(OPTION) {
            return Ok(NewBlobExpiry(None));
        }
        ExpiryOption::from_request(fields)?.at(fields.now, fields.now).map(NewBlobExpiry)
    }
}

async fn set_expiry(blobs: &Blobs, request: Request, option: ExpiryOption) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            let expires = option.at(admitted.created, request.now)?;
            Ok(container.amend(admitted, |blob| blob.expires = expires))
        })
        .await?;
    // The ETag and the modification time do not change (recorded).
    Ok(Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified))
}

fn check_account(request: &Request) -> Result<(), StorageError> {
    if request.account.hns { Ok(()) } else { Err(ErrorCode::HierarchicalNamespaceNotEnabled.into()) }
}
