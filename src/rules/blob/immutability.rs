//! Immutable blobs: a blob under an immutability policy or a legal hold can be read and not changed.
//!
//! A policy ends at a date, without a timer; a hold ends when it is released. Both belong to a state of a blob: to overwrite a protected
//! blob creates a new state, and the protected one stays as a version.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::{header, optional_header};
use crate::rules::time::Timestamp;
use crate::rules::wire_name::{WireName, wire_enum};
use serde::{Deserialize, Serialize};

/// The protection of a blob.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    pub policy: Option<Policy>,
    /// Whether it is under a legal hold; `None` if it never was.
    pub hold: Option<bool>,
}

/// An immutability policy.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The end of the policy, to the second.
    pub until: Timestamp,
    pub mode: PolicyMode,
}

wire_enum! {
    /// Whether a policy can be revoked (`x-ms-immutability-policy-mode`).
    /// Stored in this form: fields and variants keep their order.
    #[derive(Default, Serialize, Deserialize)]
    PolicyMode {
        /// It can be shortened and deleted.
        #[default]
        Unlocked "unlocked",
        /// It can only be extended, and never unlocked.
        Locked "locked",
    }
}

const UNTIL: &str = "x-ms-immutability-policy-until-date";
const MODE: &str = "x-ms-immutability-policy-mode";

impl Policy {
    /// Parses the policy of a request; `None` if it has none.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed or past date, or an unknown mode; 400 MissingRequiredHeader for a mode without a
    /// date.
    pub fn read(until: Option<&str>, mode: Option<&str>, now: Timestamp) -> Result<Option<Policy>, StorageError> {
        let mode = optional_header(MODE, mode, PolicyMode::parse)?;
        let Some(text) = until else {
            return if mode.is_none() { Ok(None) } else { Err(StorageError::missing_header(UNTIL)) };
        };
        let until = header(UNTIL, text, |text| Timestamp::parse_http(text).filter(|until| *until > now))?;
        Ok(Some(Policy { until: until.to_second(), mode: mode.unwrap_or_default() }))
    }

    /// Checks that this policy may replace another one.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToPolicy for a policy that would shorten or unlock a locked one.
    pub fn check_replaces(self, before: Option<Policy>) -> Result<(), StorageError> {
        match before {
            Some(Policy { until, mode: PolicyMode::Locked }) if self.mode != PolicyMode::Locked || self.until < until => {
                Err(ErrorCode::BlobImmutableDueToPolicy.into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that this policy may be deleted.
    ///
    /// # Errors
    /// 409 ImmutabilityPolicyDeleteOnLockedPolicy.
    pub fn check_deleted(self) -> Result<(), StorageError> {
        match self.mode {
            PolicyMode::Locked => Err(ErrorCode::ImmutabilityPolicyDeleteOnLockedPolicy.into()),
            PolicyMode::Unlocked => Ok(()),
        }
    }
}

impl Protection {
    /// Checks that the blob may be changed in place. A policy forbids that even after its end.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToLegalHold or BlobImmutableDueToPolicy.
    pub fn admits_change(self) -> Result<(), StorageError> {
        self.admits_unheld()?;
        if self.policy.is_some() { Err(ErrorCode::BlobImmutableDueToPolicy.into()) } else { Ok(()) }
    }

    /// Checks that the blob may be deleted.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToLegalHold, or BlobImmutableDueToPolicy before the policy's end.
    pub fn admits_removal(self, now: Timestamp) -> Result<(), StorageError> {
        self.admits_unheld()?;
        match self.policy {
            Some(policy) if now < policy.until => Err(ErrorCode::BlobImmutableDueToPolicy.into()),
            _ => Ok(()),
        }
    }

    fn admits_unheld(self) -> Result<(), StorageError> {
        if self.hold == Some(true) { Err(ErrorCode::BlobImmutableDueToLegalHold.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn now() -> Timestamp {
        Timestamp::parse_http("Sun, 06 Nov 1994 08:49:37 GMT").unwrap()
    }

    fn policy(days: u64, mode: PolicyMode) -> Policy {
        Policy { until: now().after_seconds(days * DAY), mode }
    }

    fn code<T>(result: Result<T, StorageError>) -> &'static str {
        result.map_or_else(|error| error.code().name(), |_| "ok")
    }

    #[test]
    fn reads_policies() {
        let (later, past) = ("Mon, 07 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (until, mode, expected) in [
            (None, None, Ok(None)),
            (Some(later), None, Ok(Some(policy(1, PolicyMode::Unlocked)))),
            (Some(later), Some("Locked"), Ok(Some(policy(1, PolicyMode::Locked)))),
            (Some(later), Some("unlocked"), Ok(Some(policy(1, PolicyMode::Unlocked)))),
            (Some(later), Some("Mutable"), Err("InvalidHeaderValue")),
            (Some(past), None, Err("InvalidHeaderValue")),
            (Some("soon"), None, Err("InvalidHeaderValue")),
            (Some("1994-11-07T08:49:37Z"), None, Err("InvalidHeaderValue")),
            (None, Some("Locked"), Err("MissingRequiredHeader")),
        ] {
            let read = Policy::read(until, mode, now()).map_err(|error| error.code().name());
            assert_eq!(read, expected, "{until:?} {mode:?}");
        }
    }

    #[test]
    fn a_locked_policy_is_only_extended() {
        let (open, locked) = (PolicyMode::Unlocked, PolicyMode::Locked);
        for (before, after, expected) in [
            (None, policy(1, open), "ok"),
            (None, policy(1, locked), "ok"),
            (Some(policy(2, open)), policy(1, open), "ok"),
            (Some(policy(2, open)), policy(1, locked), "ok"),
            (Some(policy(2, locked)), policy(2, locked), "ok"),
            (Some(policy(2, locked)), policy(3, locked), "ok"),
            (Some(policy(2, locked)), policy(1, locked), "BlobImmutableDueToPolicy"),
            (Some(policy(2, locked)), policy(3, open), "BlobImmutableDueToPolicy"),
        ] {
            assert_eq!(code(after.check_replaces(before)), expected, "{before:?} {after:?}");
        }
        assert_eq!(code(policy(1, open).check_deleted()), "ok");
        assert_eq!(code(policy(1, locked).check_deleted()), "ImmutabilityPolicyDeleteOnLockedPolicy");
    }

    #[test]
    fn what_is_protected_is_neither_changed_nor_removed() {
        let kept = Some(policy(1, PolicyMode::Unlocked));
        let (held, ruled) = ("BlobImmutableDueToLegalHold", "BlobImmutableDueToPolicy");
        for (policy, hold, change, removal, removal_later) in [
            (None, None, "ok", "ok", "ok"),
            (None, Some(false), "ok", "ok", "ok"),
            (None, Some(true), held, held, held),
            (kept, None, ruled, ruled, "ok"),
            (kept, Some(false), ruled, ruled, "ok"),
            (kept, Some(true), held, held, held),
        ] {
            let protection = Protection { policy, hold };
            let got = [
                code(protection.admits_change()),
                code(protection.admits_removal(now().after_seconds(DAY - 1))),
                code(protection.admits_removal(now().after_seconds(DAY))),
            ];
            assert_eq!(got, [change, removal, removal_later], "{protection:?}");
        }
    }
}
