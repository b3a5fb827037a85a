//! The lease actions of an append or a flush (`x-ms-lease-action`): one request acquires, renews or releases the lease of the file that it
//! writes.

use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseCheck, LeaseDuration, LeaseId, LeasedResource, check, step};
use crate::rules::time::Timestamp;
use crate::rules::wire_name::{WireName, wire_enum};

wire_enum! {
    /// What a write does with the lease.
    WriteLeaseAction {
        /// Acquires it before the write.
        Acquire "acquire",
        /// Starts its duration again.
        AutoRenew "auto-renew",
        /// Releases it after the write, which has to flush.
        Release "release",
        /// Acquires it before the write, which has to flush, and releases it after that.
        AcquireRelease "acquire-release",
    }
}

/// The lease headers of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLease {
    /// `None` if the write only shows the id.
    action: Option<(WriteLeaseAction, Option<Acquired>)>,
    /// `x-ms-lease-id`.
    id: Option<LeaseId>,
}

/// The lease that a write acquires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Acquired {
    id: LeaseId,
    term: LeaseDuration,
}

/// The lease after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseAfterWrite {
    pub lease: Lease,
    /// Whether it was renewed (`x-ms-lease-renewed`); `None` if the write does not renew.
    pub renewed: Option<bool>,
}

const ACTION: &str = "x-ms-lease-action";
const ID: &str = "x-ms-lease-id";
const PROPOSED: &str = "x-ms-proposed-lease-id";
const DURATION: &str = "x-ms-lease-duration";

impl WriteLease {
    /// Parses the headers. `find` returns the value of a header that is there and not empty. `is_flush` is true for a flush, and for an
    /// append with `flush=true`.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed header, or a release without a flush; 400 MissingRequiredHeader for an action without its
    /// ids or duration.
    pub fn read<'a>(find: impl Fn(&'static str) -> Option<&'a str>, is_flush: bool) -> Result<WriteLease, StorageError> {
        let id = |name| {
            let parse = |text| LeaseId::parse(text).ok_or_else(|| StorageError::invalid_header(name, text));
            find(name).map(parse).transpose()
        };
        let shown = id(ID)?;
        let Some(text) = find(ACTION) else { return Ok(WriteLease { action: None, id: shown }) };
        let invalid = || StorageError::invalid_header(ACTION, text);
        let action = WriteLeaseAction::parse(text).ok_or_else(invalid)?;
        if matches!(action, WriteLeaseAction::Release | WriteLeaseAction::AcquireRelease) && !is_flush {
            return Err(invalid());
        }
        let acquired = match action {
            WriteLeaseAction::Acquire | WriteLeaseAction::AcquireRelease => {
                let id = id(PROPOSED)?.ok_or_else(|| StorageError::missing_header(PROPOSED))?;
                let text = find(DURATION).ok_or_else(|| StorageError::missing_header(DURATION))?;
                let term = LeaseDuration::parse(text).ok_or_else(|| StorageError::invalid_header(DURATION, text))?;
                Some(Acquired { id, term })
            }
            WriteLeaseAction::AutoRenew | WriteLeaseAction::Release if shown.is_none() => {
                return Err(StorageError::missing_header(ID));
            }
            WriteLeaseAction::AutoRenew | WriteLeaseAction::Release => None,
        };
        Ok(WriteLease { action: Some((action, acquired)), id: shown })
    }

    /// The lease after the write.
    ///
    /// # Errors
    /// 409 for a lease that cannot be acquired; 412 for a missing or wrong id, in the words of the Blob service.
    pub fn apply(self, lease: Lease, now: Timestamp) -> Result<LeaseAfterWrite, StorageError> {
        let change = |lease, action| step(lease, action, LeasedResource::Blob, now);
        let (lease, id) = match self.action {
            Some((_, Some(Acquired { id, term }))) => {
                (change(lease, LeaseAction::Acquire { term, proposed: Some(id), fresh: id })?, Some(id))
            }
            _ => (lease, self.id),
        };
        check(lease, LeaseCheck::Required, id, LeasedResource::Blob, now)?;
        let (lease, renewed) = match (self.action, id) {
            (Some((WriteLeaseAction::AutoRenew, _)), Some(id)) => (change(lease, LeaseAction::Renew { id })?, Some(true)),
            (Some((WriteLeaseAction::Release | WriteLeaseAction::AcquireRelease, _)), Some(id)) => {
                (change(lease, LeaseAction::Release { id })?, None)
            }
            _ => (lease, None),
        };
        Ok(LeaseAfterWrite { lease, renewed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    const B: &str = "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb";

    fn at(second: u64) -> Timestamp {
        Timestamp::from_unix(1_000_000, 0).after_seconds(second)
    }

    fn read(action: &str, id: &str, proposed: &str, duration: &str, is_flush: bool) -> Result<WriteLease, StorageError> {
        let headers = [(ACTION, action), (ID, id), (PROPOSED, proposed), (DURATION, duration)];
        let find = |name| headers.iter().find(|(known, value)| *known == name && !value.is_empty()).map(|(_, value)| *value);
        WriteLease::read(find, is_flush)
    }

    #[test]
    fn headers_are_read() {
        for (action, id, proposed, duration, is_flush, expected) in [
            ("", "", "", "", false, "ok"),
            ("", A, "", "", false, "ok"),
            ("acquire", "", A, "15", false, "ok"),
            ("Auto-Renew", A, "", "", false, "ok"),
            ("release", A, "", "", true, "ok"),
            ("acquire-release", "", A, "-1", true, "ok"),
            ("release", A, "", "", false, "InvalidHeaderValue"),
            ("acquire-release", "", A, "-1", false, "InvalidHeaderValue"),
            ("break", A, "", "", true, "InvalidHeaderValue"),
            ("acquire", "", A, "14", false, "InvalidHeaderValue"),
            ("acquire", "", "x", "15", false, "InvalidHeaderValue"),
            ("", "x", "", "", false, "InvalidHeaderValue"),
            ("acquire", "", "", "15", false, "MissingRequiredHeader"),
            ("acquire", "", A, "", false, "MissingRequiredHeader"),
            ("auto-renew", "", "", "", false, "MissingRequiredHeader"),
            ("release", "", "", "", true, "MissingRequiredHeader"),
        ] {
            let got = read(action, id, proposed, duration, is_flush).map_or_else(|error| error.code().name(), |_| "ok");
            assert_eq!(got, expected, "{action} {id} {proposed} {duration} {is_flush}");
        }
    }

    #[test]
    fn a_write_changes_the_lease() {
        let id = |text| LeaseId::parse(text).unwrap();
        let leased = |text, from: u64| Lease::Leased { id: id(text), term: LeaseDuration::Fixed(30), until: Some(at(from + 30)) };
        let after = |lease, renewed| Ok((lease, renewed));
        let available = Lease::Available;
        for (lease, action, shown, expected) in [
            (available, "", "", after(available, None)),
            (leased(A, 0), "", A, after(leased(A, 0), None)),
            (leased(A, 0), "", "", Err("LeaseIdMissing")),
            (leased(A, 0), "", B, Err("LeaseIdMismatchWithBlobOperation")),
            (available, "", A, Err("LeaseNotPresentWithBlobOperation")),
            (available, "acquire", "", after(leased(B, 10), None)),
            (leased(A, 0), "acquire", "", Err("LeaseAlreadyPresent")),
            (available, "acquire-release", "", after(available, None)),
            (leased(A, 0), "auto-renew", A, after(leased(A, 10), Some(true))),
            (leased(A, 0), "auto-renew", B, Err("LeaseIdMismatchWithBlobOperation")),
            (available, "auto-renew", A, Err("LeaseNotPresentWithBlobOperation")),
            (leased(A, 0), "release", A, after(available, None)),
            (leased(A, 0), "release", B, Err("LeaseIdMismatchWithBlobOperation")),
        ] {
            let write = read(action, shown, B, "30", true).unwrap();
            let got = write.apply(lease, at(10)).map(|after| (after.lease, after.renewed)).map_err(|error| error.code().name());
            assert_eq!(got, expected, "{lease:?} {action} {shown}");
        }
    }
}
