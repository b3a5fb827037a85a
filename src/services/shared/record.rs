//! How that is written down which services share: times, metadata, leases, stored access policies, copies.
//!
//! These forms are parts of records, and stay as they are for ever: a record that needs another one gets another version, and both are
//! read.

use crate::rules::auth::sas::Policy;
use crate::rules::lease;
use crate::rules::lease::LeaseDuration;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::shared::copying;
use crate::services::shared::copying::Outcome;
use serde::{Deserialize, Serialize};

/// Names and values in their order.
pub type Pairs<'a> = Vec<(&'a str, &'a str)>;

/// Metadata, as records have it.
pub fn pairs(metadata: &Metadata) -> Pairs<'_> {
    metadata.iter().collect()
}

/// A moment that may be missing, as records have it: its ticks.
pub fn ticks(time: Option<Timestamp>) -> Option<u64> {
    time.map(Timestamp::ticks)
}

/// The moment that may be missing.
pub fn time(ticks: Option<u64>) -> Option<Timestamp> {
    ticks.map(Timestamp::from_ticks)
}

/// A lease.
#[derive(Debug, Serialize, Deserialize)]
pub enum Lease {
    /// Nobody's.
    Available,
    /// Somebody's: who, for how many seconds at a time (none: for ever), until when.
    Leased([u8; 16], Option<u32>, Option<u64>),
    /// Its time was over.
    Expired([u8; 16], Option<u32>),
    /// Broken from this moment on.
    Breaking([u8; 16], u64),
    /// Broken.
    Broken([u8; 16]),
}

impl From<lease::Lease> for Lease {
    fn from(lease: lease::Lease) -> Lease {
        let seconds = |term| if let LeaseDuration::Fixed(seconds) = term { Some(seconds) } else { None };
        match lease {
            lease::Lease::Available => Lease::Available,
            lease::Lease::Leased { id, term, until } => Lease::Leased(id.0, seconds(term), ticks(until)),
            lease::Lease::Expired { id, term } => Lease::Expired(id.0, seconds(term)),
            lease::Lease::Breaking { id, until } => Lease::Breaking(id.0, until.ticks()),
            lease::Lease::Broken { id } => Lease::Broken(id.0),
        }
    }
}

impl From<Lease> for lease::Lease {
    fn from(lease: Lease) -> lease::Lease {
        let (id, term) = (lease::LeaseId, |seconds: Option<u32>| seconds.map_or(LeaseDuration::Infinite, LeaseDuration::Fixed));
        match lease {
            Lease::Available => lease::Lease::Available,
            Lease::Leased(by, seconds, until) => lease::Lease::Leased { id: id(by), term: term(seconds), until: time(until) },
            Lease::Expired(by, seconds) => lease::Lease::Expired { id: id(by), term: term(seconds) },
            Lease::Breaking(by, until) => lease::Lease::Breaking { id: id(by), until: Timestamp::from_ticks(until) },
            Lease::Broken(by) => lease::Lease::Broken { id: id(by) },
        }
    }
}

/// A stored access policy: its name, from when, until when, its letters.
pub type StoredPolicy<'a> = (&'a str, Option<u64>, Option<u64>, Option<&'a str>);

/// Stored access policies, as records have them.
pub fn policies(policies: &[Policy]) -> Vec<StoredPolicy<'_>> {
    fn one(policy: &Policy) -> StoredPolicy<'_> {
        (&policy.id, ticks(policy.start), ticks(policy.expiry), policy.permissions.as_deref())
    }
    policies.iter().map(one).collect()
}

/// The stored access policy.
pub fn policy((id, start, expiry, permissions): StoredPolicy<'_>) -> Policy {
    Policy { id: id.to_owned(), start: time(start), expiry: time(expiry), permissions: permissions.map(str::to_owned) }
}

/// How far a copy was: when it ended, and how many bytes were copied.
#[derive(Debug, Serialize, Deserialize)]
pub enum Progress<'a> {
    /// It was going on.
    Pending,
    /// Everything came.
    Success(u64, u64),
    /// Somebody stopped it.
    Aborted(u64, u64),
    /// It went wrong, and why.
    Failed(u64, u64, &'a str),
}

/// What became of a copy whose server stopped.
const STOPPED: &str = "500 InternalServerError \"Copy failed when the server was stopped.\"";

impl<'a> From<&'a copying::Progress> for Progress<'a> {
    fn from(progress: &'a copying::Progress) -> Progress<'a> {
        match progress {
            copying::Progress::Pending(_) => Progress::Pending,
            copying::Progress::Over { at, bytes, outcome } => match outcome {
                Outcome::Success => Progress::Success(at.ticks(), *bytes),
                Outcome::Aborted => Progress::Aborted(at.ticks(), *bytes),
                Outcome::Failed(why) => Progress::Failed(at.ticks(), *bytes, why),
            },
        }
    }
}

impl Progress<'_> {
    /// How far the copy is. One that was going on has failed, and of its end nothing is known but that it came after its begin.
    pub fn ended(self, begun: Timestamp) -> copying::Progress {
        let over = |at, bytes, outcome| copying::Progress::Over { at: Timestamp::from_ticks(at), bytes, outcome };
        match self {
            Progress::Pending => over(begun.ticks(), 0, Outcome::Failed(STOPPED.into())),
            Progress::Success(at, bytes) => over(at, bytes, Outcome::Success),
            Progress::Aborted(at, bytes) => over(at, bytes, Outcome::Aborted),
            Progress::Failed(at, bytes, why) => over(at, bytes, Outcome::Failed(why.into())),
        }
    }
}
