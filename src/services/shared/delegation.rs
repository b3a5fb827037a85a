//! Get User Delegation Key, which every service has alike: the row, and what it does. A service adds it to its table with
//! [`ROW`] and a handler that calls [`lend`].

use crate::operation::xml::Writer;
use crate::operation::{Access, OperationSpec, Reply, Request, ResourceKind, Selector, ServiceKind, xml};
use crate::rules::auth::delegation;
use crate::rules::auth::delegation::UserDelegationKey;
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::versions::Version;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The largest `KeyInfo`, in bytes.
const LIMIT: u64 = 16 << 10;

/// The operation, as every service declares it.
pub const ROW: OperationSpec = OperationSpec {
    name: "Get User Delegation Key",
    methods: &["POST"],
    resource: ResourceKind::Service,
    selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "userdelegationkey")],
    requires: RequiredPermission::BEARER_TOKEN,
    access: Access::Write,
    status: 200,
    ..OperationSpec::DEFAULT
};

/// Lends the user who asks a key for signatures on this service.
///
/// # Errors
/// 400 for a body that is not a `KeyInfo`, or asks for more than a week.
pub async fn lend(kind: ServiceKind, mut request: Request) -> Result<Reply, StorageError> {
    let document = request.body.bytes(LIMIT).await?;
    let info = xml::parse(&document, "KeyInfo")?;
    let start = info.text_of("Start").filter(|text| !text.is_empty());
    let (start, expiry) = delegation::term(start, info.need("Expiry")?, request.now)?;
    let delegated_tid = info.text_of("DelegatedUserTid").unwrap_or_default();
    if !delegated_tid.is_empty() && (request.version < Version::V2026_04_06 || !names::is_guid(delegated_tid)) {
        return Err(StorageError::invalid_xml_node("DelegatedUserTid", delegated_tid));
    }
    // The row lets nobody in but users, and the first of an account's keys is the one that it lends from.
    let nobody = || ErrorCode::InternalError.with_reason("no user, or no key to lend from");
    let (user, secret) = request.user.as_ref().zip(request.account.keys.first()).ok_or_else(nobody)?;
    let key = UserDelegationKey {
        oid: user.oid.clone(),
        tid: user.tid.clone(),
        start,
        expiry,
        service: kind.letter(),
        version: request.version.to_string(),
        delegated_tid: delegated_tid.to_owned(),
    };
    let value = STANDARD.encode(key.value(&request.account.name, secret));
    Ok(Reply::xml(request.spec.status, write(&key, &value)))
}

fn write(key: &UserDelegationKey, value: &str) -> String {
    let mut xml = Writer::new();
    xml.open("UserDelegationKey")
        .leaf("SignedOid", &key.oid)
        .leaf("SignedTid", &key.tid)
        .leaf("SignedStart", key.start.iso_to_second())
        .leaf("SignedExpiry", key.expiry.iso_to_second())
        .leaf("SignedService", key.service.to_string())
        .leaf("SignedVersion", &key.version)
        .leaf_some("SignedDelegatedUserTid", Some(&key.delegated_tid).filter(|tid| !tid.is_empty()))
        .leaf("Value", value)
        .close("UserDelegationKey");
    xml.finish()
}
