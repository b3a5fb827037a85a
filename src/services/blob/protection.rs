//! Immutability policies and legal holds on the wire: what a request gives a blob, and what a reader is told of it.

use crate::operation::xml::Writer;
use crate::operation::{FromRequest, Input, Reply, Request};
use crate::rules::blob::immutability::{Policy, Protection};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::state::Blob;

input! { pub(super) Asked {
    until: Option<String> = Header "x-ms-immutability-policy-until-date",
    mode: Option<String> = Header "x-ms-immutability-policy-mode",
    hold: Option<bool> = Header "x-ms-legal-hold",
} }

/// The headers by which a request that makes a blob protects it.
pub(super) const INPUTS: &[Input] = <Asked as FromRequest>::INPUTS;

/// Reads what a request that makes a blob protects it with. Whoever protects needs the right to.
///
/// # Errors
/// 400 for what is malformed, UnsupportedHeader in an account without immutability; 403 for a SAS without `i`.
pub(super) fn read(request: &Request) -> Result<Protection, StorageError> {
    let fields = Input::fields(INPUTS);
    let Some(first) = fields.iter().find(|field| request.has_header(field.name)) else { return Ok(Protection::default()) };
    if !request.account.immutability {
        return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", first.name));
    }
    if !request.authorization.allows("i") {
        return Err(request.authorization.missing_permission("i"));
    }
    let asked = request.parse::<Asked>()?;
    Ok(Protection { policy: Policy::read(asked.until.as_deref(), asked.mode.as_deref(), request.now)?, hold: asked.hold })
}

/// Checks that the account has immutable storage at all.
///
/// # Errors
/// 409 BlobOperationNotSupported.
pub(super) fn check_account(request: &Request) -> Result<(), StorageError> {
    if request.account.immutability { Ok(()) } else { Err(ErrorCode::BlobOperationNotSupported.into()) }
}

/// Adds a policy.
pub(super) fn with_policy(reply: Reply, policy: Option<Policy>) -> Reply {
    reply
        .with_some("x-ms-immutability-policy-until-date", policy.map(|policy| policy.until.rfc1123()))
        .with_some("x-ms-immutability-policy-mode", policy.map(|policy| policy.mode.name()))
}

/// Adds what a reader of a blob is told.
pub(super) fn describe(reply: Reply, blob: &Blob) -> Reply {
    let hold = blob.protection.hold.map(|held| held.to_string());
    with_policy(reply, blob.protection.policy).with_some("x-ms-legal-hold", hold)
}

/// Writes what a listing tells, if it is asked for.
pub(super) fn write(xml: &mut Writer, blob: &Blob, policy: bool, hold: bool) {
    if let Some(kept) = blob.protection.policy.filter(|_| policy) {
        xml.leaf("ImmutabilityPolicyUntilDate", kept.until.rfc1123()).leaf("ImmutabilityPolicyMode", kept.mode.name());
    }
    xml.leaf_some("LegalHold", blob.protection.hold.filter(|_| hold).map(|held| held.to_string()));
}
