//! A shared access signature, its stored policy, and the checks of when, from where and how it may be used.

use crate::rules::auth::permissions::{Authorization, Permissions, SasScope};
use crate::rules::auth::roles::ActionSet;
use crate::rules::auth::sas::kind::{IpRange, Protocol, SasKind};
use crate::rules::auth::sas::parameters::{Parameters, refused};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The response headers that a signature may set, with the parameters that do.
pub(super) const OVERRIDES: [(&str, &str); 5] = [
    ("rscc", "cache-control"),
    ("rscd", "content-disposition"),
    ("rsce", "content-encoding"),
    ("rscl", "content-language"),
    ("rsct", "content-type"),
];

/// Parameters that are signed since a version. A signature of an earlier version does not cover them.
pub(super) const SINCE: [(&str, &str); 8] = [
    ("ses", "2020-12-06"),
    ("saoid", "2020-02-10"),
    ("suoid", "2020-02-10"),
    ("scid", "2020-02-10"),
    ("sduoid", "2025-07-05"),
    ("skdutid", "2025-07-05"),
    ("srh", "2026-04-06"),
    ("srq", "2026-04-06"),
];

/// A well-formed shared access signature. Its HMAC is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sas {
    /// The version whose rules it was signed by (`sv`).
    pub version: Version,
    pub kind: SasKind,
    /// `sp`; `None` if a stored policy has them.
    pub permissions: Option<Permissions>,
    /// `st`
    pub start: Option<Timestamp>,
    /// `se`; `None` if a stored policy has it.
    pub expiry: Option<Timestamp>,
    /// The addresses that it may be used from (`sip`).
    pub ip: Option<IpRange>,
    /// `spr`
    pub protocol: Protocol,
    /// The letter of the service that it is used for: one of `b`, `q`, `t`, `f`.
    pub(super) service: char,
    pub(super) parameters: Parameters,
}

/// A stored access policy of a container, queue, table or share, for the signatures that name it (`si`).
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub id: String,
    pub start: Option<Timestamp>,
    pub expiry: Option<Timestamp>,
    /// The permission letters.
    pub permissions: Option<String>,
}

/// The limits of a signature and its stored policy together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// `None` if it is always valid before the expiry.
    pub start: Option<Timestamp>,
    /// Excluded.
    pub expiry: Timestamp,
    pub permissions: Permissions,
}

impl Sas {
    /// A parameter, decoded, such as `sig`, `spk` or `skoid`; empty if it is absent.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name)
    }

    /// The HMAC in base64 (`sig`).
    pub fn signature(&self) -> &str {
        self.parameter("sig")
    }

    /// The id of the stored policy (`si`).
    pub fn identifier(&self) -> Option<&str> {
        Some(self.parameter("si")).filter(|id| !id.is_empty())
    }

    /// The encryption scope that writes must use (`ses`).
    pub fn encryption_scope(&self) -> Option<&str> {
        Some(self.parameter("ses")).filter(|scope| !scope.is_empty())
    }

    /// The response headers that it sets for reads (`rscc` and the like, since 2013-08-15), in lower case. An account SAS sets none,
    /// because it does not sign them.
    pub fn overrides(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let apply = self.version >= Version::V2013_08_15 && !matches!(self.kind, SasKind::Account { .. });
        OVERRIDES
            .iter()
            .map(|(parameter, header)| (*header, self.parameter(parameter)))
            .filter(move |(_, value)| apply && !value.is_empty())
    }

    /// Merges the signature with its stored policy. Each field is in one of them, and never in both. `policy` is the policy of the
    /// resource with the id [`Sas::identifier`], if it exists. A user delegation key limits the time of its signatures.
    ///
    /// # Errors
    /// 403 AuthenticationFailed for a field in both or in none, and for an unknown policy.
    pub fn merged(&self, policy: Option<&Policy>) -> Result<Effective, StorageError> {
        let none = Policy::default();
        let policy = match (self.identifier(), policy) {
            (None, _) => &none,
            (Some(_), Some(policy)) => policy,
            (Some(_), None) => return Err(refused("SAS identifier cannot be found for specified signed identifier")),
        };
        let stored_letters = policy.permissions.as_deref().filter(|text| !text.is_empty()).and_then(Permissions::parse);
        let start = one_of(self.start, policy.start)?;
        let expiry = one_of(self.expiry, policy.expiry)?
            .ok_or_else(|| refused("Signed expiry must be specified in signature or SAS identifier"))?;
        let permissions = one_of(self.permissions, stored_letters)?
            .ok_or_else(|| refused("Signed permission must be specified in signature or SAS identifier"))?;
        Ok(match self.kind {
            SasKind::UserDelegation { key_start, key_expiry, .. } => {
                Effective { start: start.max(Some(key_start)), expiry: expiry.min(key_expiry), permissions }
            }
            _ => Effective { start, expiry, permissions },
        })
    }

    /// The authorization of a caller with this signature, whose signer may do these actions, after signature, time, address and protocol were checked.
    pub fn authorization(&self, effective: &Effective, actions: ActionSet) -> Authorization {
        let scope = match self.kind {
            SasKind::Account { services, types } => SasScope::Account { services, types },
            SasKind::Service { .. } | SasKind::UserDelegation { .. } => SasScope::Resource,
        };
        Authorization::Sas { scope, letters: effective.permissions, actions }
    }

    /// Checks that it may be used from this address.
    ///
    /// # Errors
    /// 403 AuthorizationSourceIPMismatch.
    pub fn check_ip(&self, peer: IpAddr) -> Result<(), StorageError> {
        match (self.ip, peer.to_canonical()) {
            (None, _) => Ok(()),
            (Some(range), IpAddr::V4(peer)) if (range.first..=range.last).contains(&peer) => Ok(()),
            (Some(range), peer) => {
                Err(ErrorCode::AuthorizationSourceIPMismatch
                    .with_reason(format!("{peer} is not in {}-{}", range.first, range.last)))
            }
        }
    }

    /// Checks that it may be used over HTTPS or plain HTTP.
    ///
    /// # Errors
    /// 403 AuthorizationProtocolMismatch.
    pub fn check_protocol(&self, https: bool) -> Result<(), StorageError> {
        if https || self.protocol == Protocol::Any { Ok(()) } else { Err(ErrorCode::AuthorizationProtocolMismatch.into()) }
    }

    /// Checks that its version signs all its parameters, and that the values which it sets are valid in headers.
    ///
    /// # Errors
    /// 403 AuthenticationFailed for a parameter that is signed since a later version; 400 InvalidQueryParameterValue for a value with a
    /// control character.
    pub fn check_version(&self) -> Result<(), StorageError> {
        let is_later = |(name, date): &&(&str, &str)| !self.parameter(name).is_empty() && !self.version.is_since(date);
        if let Some((name, date)) = SINCE.iter().find(is_later) {
            return Err(refused(format!("The parameter {name} is part of a signature since version {date}.")));
        }
        let is_invalid = |value: &str| value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t');
        let Some((header, value)) = self.overrides().find(|(_, value)| is_invalid(value)) else { return Ok(()) };
        let parameter = OVERRIDES.iter().find(|(_, known)| *known == header).map_or("", |(parameter, _)| parameter);
        let reason = format!("The header {header} cannot have control characters.");
        Err(StorageError::invalid_query(parameter, value.escape_debug().to_string(), reason))
    }

    /// The refusal of a signature that matches no key. It has the string to sign, so that the client can compare.
    pub fn mismatch(string_to_sign: &str) -> StorageError {
        refused(format!("Signature did not match. String to sign used was {string_to_sign}"))
    }
}

impl Effective {
    /// Checks that it is valid now.
    ///
    /// # Errors
    /// 403 AuthenticationFailed with the times.
    pub fn check_time(&self, now: Timestamp) -> Result<(), StorageError> {
        let start = self.start.unwrap_or(now);
        if (start..self.expiry).contains(&now) {
            return Ok(());
        }
        let [from, until, at] = [start, self.expiry, now].map(Timestamp::rfc1123);
        Err(refused(match start >= self.expiry {
            true => format!("Signed expiry time [{until}] has to be after signed start time [{from}]"),
            false => {
                format!("Signature not valid in the specified time frame: Start [{from}] - Expiry [{until}] - Current [{at}]")
            }
        }))
    }
}

/// A field of the signature or of the stored policy.
fn one_of<T>(signed: Option<T>, stored: Option<T>) -> Result<Option<T>, StorageError> {
    if signed.is_some() && stored.is_some() {
        return Err(refused("Access policy fields can be associated with signature or SAS identifier but not both"));
    }
    Ok(signed.or(stored))
}
