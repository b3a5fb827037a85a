//! Get User Delegation Key: a key with which a user signs shared access signatures for one service.

use crate::operation::xml::Writer;
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector, Service, xml};
use crate::rules::auth::delegation;
use crate::rules::auth::delegation::UserDelegationKey;
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::guid;
use crate::rules::versions::Version;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::service::ServiceResource;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The largest `KeyInfo`, in bytes.
const LIMIT: u64 = 16 << 10;

/// Declares the operation of a service.
pub const fn operation<S: ServiceResource>() -> Operation<ServiceAccounts<S>> {
    operation!(
        run,
        OperationSpec {
            name: "Get User Delegation Key",
            methods: &["POST"],
            resource: ResourceKind::Service,
            selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "userdelegationkey")],
            requires: RequiredPermission::BEARER_TOKEN.actions(S::ACTIONS.delegation_key),
            access: Access::Write,
            ..OperationSpec::DEFAULT
        }
    )
}

async fn run<S: ServiceResource>(service: &ServiceAccounts<S>, mut request: Request) -> Result<Reply, StorageError> {
    let document = request.body.bytes(LIMIT).await?;
    let info = xml::parse(&document, "KeyInfo")?;
    let start = info.text_of("Start").filter(|text| !text.is_empty());
    let (start, expiry) = delegation::validity(start, info.need("Expiry")?, request.now)?;
    let delegated_tid = info.text_of("DelegatedUserTid").unwrap_or_default();
    if !delegated_tid.is_empty() && (request.version < Version::V2026_04_06 || guid(delegated_tid).is_none()) {
        return Err(StorageError::invalid_xml_node("DelegatedUserTid", delegated_tid));
    }
    // Only users pass the authorization, and an account derives all delegation keys from its first key.
    let missing = || ErrorCode::InternalError.with_reason("there is no user, or the account has no key");
    let (user, secret) = request.user.as_ref().zip(request.account.keys.first()).ok_or_else(missing)?;
    let key = UserDelegationKey {
        oid: user.oid.clone(),
        tid: user.tid.clone(),
        start,
        expiry,
        service: service.kind().letter(),
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
