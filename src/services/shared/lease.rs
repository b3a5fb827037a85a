//! The messages of the lease operations, which blobs, containers and later shares and files have alike: five verbs on one path, told
//! apart by `x-ms-lease-action`. The rules are `rules::lease`; here they are read and answered.

use crate::operation::{Field, FieldLocation, FromField, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration, LeaseId};

/// A verb: its row's signs, its fields, its permission, its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseActionName {
    /// Take it.
    Acquire,
    /// Start its term again.
    Renew,
    /// Go on under another id.
    Change,
    /// Give it back.
    Release,
    /// Take it from its holder.
    Break,
}

const fn header<T: FromField>(name: &'static str) -> Field {
    Field { place: FieldLocation::Header, name, required: T::REQUIRED }
}

impl LeaseActionName {
    /// The sign that selects it.
    pub const fn sign(self) -> Selector {
        Selector::Header(
            "x-ms-lease-action",
            match self {
                LeaseActionName::Acquire => "acquire",
                LeaseActionName::Renew => "renew",
                LeaseActionName::Change => "change",
                LeaseActionName::Release => "release",
                LeaseActionName::Break => "break",
            },
        )
    }

    /// The headers that it reads.
    pub const fn fields(self) -> &'static [&'static [Field]] {
        match self {
            LeaseActionName::Acquire => {
                const { &[&[header::<LeaseDuration>("x-ms-lease-duration"), header::<Option<LeaseId>>("x-ms-proposed-lease-id")]] }
            }
            LeaseActionName::Renew | LeaseActionName::Release => const { &[&[header::<LeaseId>("x-ms-lease-id")]] },
            LeaseActionName::Change => {
                const { &[&[header::<LeaseId>("x-ms-lease-id"), header::<LeaseId>("x-ms-proposed-lease-id")]] }
            }
            LeaseActionName::Break => const { &[&[header::<Option<u64>>("x-ms-lease-break-period")]] },
        }
    }

    /// The letters of a SAS that permit it: whoever may delete may break.
    pub const fn letters(self) -> &'static str {
        match self {
            LeaseActionName::Break => "wd",
            _ => "w",
        }
    }

    /// The status of its success.
    pub const fn status(self) -> u16 {
        match self {
            LeaseActionName::Acquire => 201,
            LeaseActionName::Break => 202,
            LeaseActionName::Renew | LeaseActionName::Change | LeaseActionName::Release => 200,
        }
    }

    /// Reads what the request asks.
    ///
    /// # Errors
    /// 400 for a missing or malformed id, duration or period.
    pub fn ask(self, request: &Request) -> Result<LeaseAction, StorageError> {
        let id = |name| LeaseId::from_field(request, FieldLocation::Header, name);
        Ok(match self {
            LeaseActionName::Acquire => LeaseAction::Acquire {
                term: LeaseDuration::from_field(request, FieldLocation::Header, "x-ms-lease-duration")?,
                proposed: Option::<LeaseId>::from_field(request, FieldLocation::Header, "x-ms-proposed-lease-id")?,
                fresh: LeaseId(request.environment.id()),
            },
            LeaseActionName::Renew => LeaseAction::Renew { id: id("x-ms-lease-id")? },
            LeaseActionName::Change => LeaseAction::Change { id: id("x-ms-lease-id")?, proposed: id("x-ms-proposed-lease-id")? },
            LeaseActionName::Release => LeaseAction::Release { id: id("x-ms-lease-id")? },
            LeaseActionName::Break => LeaseAction::Break { period: period(request)? },
        })
    }

    /// Answers with the lease that came of it.
    pub fn answer(self, reply: Reply, lease: Lease, request: &Request) -> Reply {
        match self {
            LeaseActionName::Acquire | LeaseActionName::Renew | LeaseActionName::Change => {
                reply.with_some("x-ms-lease-id", lease.id().map(|id| id.to_string()))
            }
            LeaseActionName::Release => reply,
            LeaseActionName::Break => reply.with("x-ms-lease-time", lease.time_left(request.now).to_string()),
        }
    }
}

/// The longest break period, in seconds.
const MAX_PERIOD: u64 = 60;

fn period(request: &Request) -> Result<Option<u32>, StorageError> {
    match Option::<u64>::from_field(request, FieldLocation::Header, "x-ms-lease-break-period")? {
        Some(seconds) if seconds > MAX_PERIOD => {
            Err(StorageError::invalid_header("x-ms-lease-break-period", seconds.to_string()))
        }
        seconds => Ok(seconds.map(|seconds| seconds as u32)),
    }
}
