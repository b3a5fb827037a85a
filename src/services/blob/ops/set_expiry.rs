//! Set Blob Expiry: sets when a blob expires. Only accounts with a hierarchical namespace support it.

use crate::operation::{Fields, FromRequest, Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::blob::expiry::ExpiryOption;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Blob;
use crate::services::blob::wire;

pub(super) static SET_EXPIRY: Operation<Blobs> = operation!(
    set_expiry,
    ExpiryOption,
    OperationSpec {
        name: "Set Blob Expiry",
        selectors: &[Selector::Query("comp", "expiry")],
        conditions: ConditionSupport::None,
        ..WRITE
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

parsed_input! {
    /// When a new blob expires.
    pub(in crate::services::blob) NewBlobExpiry(Option<Timestamp>) = [Input::Headers(&[OPTION, TIME])],
    |fields| {
        if !fields.has_header(OPTION) && !fields.has_header(TIME) {
            return Ok(None);
        }
        ExpiryOption::from_request(fields)?.at(fields.now, fields.now)
    }
}

async fn set_expiry(blobs: &Blobs, request: Request, option: ExpiryOption) -> Result<Reply, StorageError> {
    let set = |blob: &mut Blob| {
        if blob.directory().is_some() {
            // Only files expire (reference). No source has the code of the service.
            return Err(ErrorCode::ResourceTypeMismatch.into());
        }
        blob.expires = option.at(blob.created, request.now)?;
        // The ETag and the modification time do not change (recorded).
        Ok(wire::state(blob, &request))
    };
    blobs.amend(&request, set).await
}

fn check_account(request: &Request) -> Result<(), StorageError> {
    if request.account.hns { Ok(()) } else { Err(ErrorCode::HierarchicalNamespaceNotEnabled.into()) }
}
