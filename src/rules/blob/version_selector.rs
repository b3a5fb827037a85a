//! Which state of a blob a request names: the blob itself, a snapshot or a version.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;

/// A state of a blob. Earlier states come in the order of their times, and before the blob itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VersionSelector {
    /// The state that was created at this time.
    Earlier(Timestamp, VersionKind),
    /// The blob itself.
    Base,
}

/// Why an earlier state of a blob exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VersionKind {
    /// A client took a snapshot.
    Snapshot,
    /// The account has versioning, and the blob was overwritten or deleted.
    Version,
}

/// The message about a malformed time.
pub const MALFORMED_TIME: &str = "Must be in the specific snapshot date time format.";

impl VersionSelector {
    /// Parses the values of `snapshot=` and `versionid=`; an empty one counts as absent.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue for a malformed time; 400 MutuallyExclusiveQueryParameters for both.
    pub fn parse(snapshot: Option<&str>, version: Option<&str>) -> Result<VersionSelector, StorageError> {
        let time = |name: &'static str, text: Option<&str>| {
            let parse = |text| Timestamp::parse_iso(text).ok_or_else(|| StorageError::invalid_query(name, text, MALFORMED_TIME));
            text.filter(|text| !text.is_empty()).map(parse).transpose()
        };
        match (time("snapshot", snapshot)?, time("versionid", version)?) {
            (Some(_), Some(_)) => Err(ErrorCode::MutuallyExclusiveQueryParameters.into()),
            (Some(snapshot), None) => Ok(VersionSelector::Earlier(snapshot, VersionKind::Snapshot)),
            (None, Some(id)) => Ok(VersionSelector::Earlier(id, VersionKind::Version)),
            (None, None) => Ok(VersionSelector::Base),
        }
    }

    /// The time by which a listing orders it: the blob itself is the last.
    pub fn time(self) -> Timestamp {
        match self {
            VersionSelector::Earlier(time, _) => time,
            VersionSelector::Base => Timestamp::NEVER,
        }
    }

    /// The time of a snapshot; `None` for everything else.
    pub fn snapshot(self) -> Option<Timestamp> {
        match self {
            VersionSelector::Earlier(time, VersionKind::Snapshot) => Some(time),
            _ => None,
        }
    }
}
