//! The stored form of what services share: times, metadata, leases, stored access policies, copies.
//!
//! These forms are parts of records and never change. A record that needs another form gets a new version, and both are read.

use crate::rules::auth::sas::Policy;
use crate::rules::lease;
use crate::rules::lease::LeaseDuration;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::shared::copying;
use crate::services::shared::copying::Outcome;
use serde::{Deserialize, Serialize};

/// Names and values, in order.
pub type Pairs<'a> = Vec<(&'a str, &'a str)>;

pub fn pairs(metadata: &Metadata) -> Pairs<'_> {
    metadata.iter().collect()
}

pub fn ticks(time: Option<Timestamp>) -> Option<u64> {
    time.map(Timestamp::ticks)
}

pub fn time(ticks: Option<u64>) -> Option<Timestamp> {
    ticks.map(Timestamp::from_ticks)
}

/// A lease.
#[derive(Debug, Serialize, Deserialize)]
pub enum Lease {
    Available,
    /// Its id, its duration in seconds unless it is infinite, and its end.
    Leased([u8; 16], Option<u32>, Option<u64>),
    /// Its id and duration.
    Expired([u8; 16], Option<u32>),
    /// Its id, and when it is broken.
    Breaking([u8; 16], u64),
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
            Lease::Leased(bytes, seconds, until) => {
                lease::Lease::Leased { id: id(bytes), term: term(seconds), until: time(until) }
            }
            Lease::Expired(bytes, seconds) => lease::Lease::Expired { id: id(bytes), term: term(seconds) },
            Lease::Breaking(bytes, until) => lease::Lease::Breaking { id: id(bytes), until: Timestamp::from_ticks(until) },
            Lease::Broken(bytes) => lease::Lease::Broken { id: id(bytes) },
        }
    }
}

/// A stored access policy: its id, start, expiry and permissions.
pub type StoredPolicy<'a> = (&'a str, Option<u64>, Option<u64>, Option<&'a str>);

pub fn policies(policies: &[Policy]) -> Vec<StoredPolicy<'_>> {
    fn one(policy: &Policy) -> StoredPolicy<'_> {
        (&policy.id, ticks(policy.start), ticks(policy.expiry), policy.permissions.as_deref())
    }
    policies.iter().map(one).collect()
}

pub fn policy((id, start, expiry, permissions): StoredPolicy<'_>) -> Policy {
    Policy { id: id.to_owned(), start: time(start), expiry: time(expiry), permissions: permissions.map(str::to_owned) }
}

/// The progress of a copy: when it ended, the number of bytes copied, and why it failed.
#[derive(Debug, Serialize, Deserialize)]
pub enum Progress<'a> {
    Pending,
    Success(u64, u64),
    Aborted(u64, u64),
    Failed(u64, u64, &'a str),
}

/// The description of a copy that was pending when the server stopped.
const STOPPED: &str = "500 InternalServerError \"Copy failed when the server was stopped.\"";

impl<'a> From<&'a copying::Progress> for Progress<'a> {
    fn from(progress: &'a copying::Progress) -> Progress<'a> {
        match progress {
            copying::Progress::Pending(_) => Progress::Pending,
            copying::Progress::Over { at, bytes, outcome } => match outcome {
                Outcome::Success => Progress::Success(at.ticks(), *bytes),
                Outcome::Aborted => Progress::Aborted(at.ticks(), *bytes),
                Outcome::Failed(description) => Progress::Failed(at.ticks(), *bytes, description),
            },
        }
    }
}

impl Progress<'_> {
    /// The progress after a restart. A pending copy has failed, at its start for want of a better time.
    pub fn ended(self, started: Timestamp) -> copying::Progress {
        let over = |at, bytes, outcome| copying::Progress::Over { at: Timestamp::from_ticks(at), bytes, outcome };
        match self {
            Progress::Pending => over(started.ticks(), 0, Outcome::Failed(STOPPED.into())),
            Progress::Success(at, bytes) => over(at, bytes, Outcome::Success),
            Progress::Aborted(at, bytes) => over(at, bytes, Outcome::Aborted),
            Progress::Failed(at, bytes, description) => over(at, bytes, Outcome::Failed(description.into())),
        }
    }
}
