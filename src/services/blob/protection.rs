//! Immutability policies and legal holds on the wire, in requests and in answers.

use crate::operation::xml::Writer;
use crate::operation::{FieldLocation, Fields, FromField, FromRequest, Input, Reply, Request};
use crate::rules::blob::immutability::{Policy, Protection};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::state::Blob;

const UNTIL: &str = "x-ms-immutability-policy-until-date";
const MODE: &str = "x-ms-immutability-policy-mode";
const HOLD: &str = "x-ms-legal-hold";

/// The protection of a new blob. A caller needs the permission to protect.
impl FromRequest for Protection {
    const INPUTS: &'static [Input] = &[Input::header(UNTIL), Input::header(MODE), Input::header(HOLD)];

    /// Returns 400 for malformed headers, and UnsupportedHeader in an account without immutability; 403 for a SAS without `i`.
    fn from_request(fields: &Fields<'_>) -> Result<Protection, StorageError> {
        let Some(first) = [UNTIL, MODE, HOLD].into_iter().find(|name| fields.has_header(name)) else {
            return Ok(Protection::default());
        };
        if !fields.account.immutability {
            return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", first));
        }
        if !fields.authorization.allows("i") {
            return Err(fields.authorization.missing_permission("i"));
        }
        let hold = FromField::from_field(fields, FieldLocation::Header, HOLD)?;
        Ok(Protection { policy: Policy::read(fields.header(UNTIL), fields.header(MODE), fields.now)?, hold })
    }
}

/// The policy of Set Blob Immutability Policy.
impl FromRequest for Policy {
    const INPUTS: &'static [Input] = &[Input::required_header(UNTIL), Input::header(MODE)];

    fn from_request(fields: &Fields<'_>) -> Result<Policy, StorageError> {
        Policy::read(fields.header(UNTIL), fields.header(MODE), fields.now)?.ok_or_else(|| StorageError::missing_header(UNTIL))
    }
}

/// Checks that the account has immutable storage.
///
/// # Errors
/// 409 BlobOperationNotSupported.
pub(super) fn check_account(request: &Request) -> Result<(), StorageError> {
    if request.account.immutability { Ok(()) } else { Err(ErrorCode::BlobOperationNotSupported.into()) }
}

/// Adds the headers of a policy.
pub(super) fn with_policy(reply: Reply, policy: Option<Policy>) -> Reply {
    reply.with_some(UNTIL, policy.map(|policy| policy.until.rfc1123())).with_some(MODE, policy.map(|policy| policy.mode.name()))
}

/// Adds the headers of a blob's protection.
pub(super) fn describe(reply: Reply, blob: &Blob) -> Reply {
    let hold = blob.protection.hold.map(|hold| hold.to_string());
    with_policy(reply, blob.protection.policy).with_some(HOLD, hold)
}

/// Writes the elements of a listing that includes them.
pub(super) fn write(xml: &mut Writer, blob: &Blob, with_policy: bool, with_hold: bool) {
    if let Some(policy) = blob.protection.policy.filter(|_| with_policy) {
        xml.leaf("ImmutabilityPolicyUntilDate", policy.until.rfc1123()).leaf("ImmutabilityPolicyMode", policy.mode.name());
    }
    xml.leaf_some("LegalHold", blob.protection.hold.filter(|_| with_hold).map(|hold| hold.to_string()));
}
