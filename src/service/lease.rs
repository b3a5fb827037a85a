//! The messages of the lease operations, which blobs, containers and later shares and files have alike: five verbs on one path, told
//! apart by `x-ms-lease-action`. The rules are `rules::lease`; here they are read and answered.

use crate::op::{Call, Field, Given, Place, Reply, Sign};
use crate::rules::fault::Fault;
use crate::rules::lease::{Ask, Id, Lease, Term};

/// A verb: its row's signs, its fields, its permission, its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
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

const fn header<T: Given>(name: &'static str) -> Field {
    Field { place: Place::Header, name, required: T::REQUIRED }
}

impl Verb {
    /// The sign that selects it.
    pub const fn sign(self) -> Sign {
        Sign::Header(
            "x-ms-lease-action",
            match self {
                Verb::Acquire => "acquire",
                Verb::Renew => "renew",
                Verb::Change => "change",
                Verb::Release => "release",
                Verb::Break => "break",
            },
        )
    }

    /// The headers that it reads.
    pub const fn fields(self) -> &'static [&'static [Field]] {
        match self {
            Verb::Acquire => {
                const { &[&[header::<Term>("x-ms-lease-duration"), header::<Option<Id>>("x-ms-proposed-lease-id")]] }
            }
            Verb::Renew | Verb::Release => const { &[&[header::<Id>("x-ms-lease-id")]] },
            Verb::Change => const { &[&[header::<Id>("x-ms-lease-id"), header::<Id>("x-ms-proposed-lease-id")]] },
            Verb::Break => const { &[&[header::<Option<u64>>("x-ms-lease-break-period")]] },
        }
    }

    /// The letters of a SAS that permit it: whoever may delete may break.
    pub const fn letters(self) -> &'static str {
        match self {
            Verb::Break => "wd",
            _ => "w",
        }
    }

    /// The status of its success.
    pub const fn status(self) -> u16 {
        match self {
            Verb::Acquire => 201,
            Verb::Break => 202,
            Verb::Renew | Verb::Change | Verb::Release => 200,
        }
    }

    /// Reads what the request asks.
    ///
    /// # Errors
    /// 400 for a missing or malformed id, duration or period.
    pub fn ask(self, call: &Call) -> Result<Ask, Fault> {
        let id = |name| Id::given(call, Place::Header, name);
        Ok(match self {
            Verb::Acquire => Ask::Acquire {
                term: Term::given(call, Place::Header, "x-ms-lease-duration")?,
                proposed: Option::<Id>::given(call, Place::Header, "x-ms-proposed-lease-id")?,
                fresh: Id(call.world.id()),
            },
            Verb::Renew => Ask::Renew { id: id("x-ms-lease-id")? },
            Verb::Change => Ask::Change { id: id("x-ms-lease-id")?, proposed: id("x-ms-proposed-lease-id")? },
            Verb::Release => Ask::Release { id: id("x-ms-lease-id")? },
            Verb::Break => Ask::Break { period: period(call)? },
        })
    }

    /// Answers with the lease that came of it.
    pub fn answer(self, reply: Reply, lease: Lease, call: &Call) -> Reply {
        match self {
            Verb::Acquire | Verb::Renew | Verb::Change => reply.with_some("x-ms-lease-id", lease.id().map(|id| id.to_string())),
            Verb::Release => reply,
            Verb::Break => reply.with("x-ms-lease-time", lease.time_left(call.now).to_string()),
        }
    }
}

/// The longest break period, in seconds.
const MAX_PERIOD: u64 = 60;

fn period(call: &Call) -> Result<Option<u32>, Fault> {
    match Option::<u64>::given(call, Place::Header, "x-ms-lease-break-period")? {
        Some(seconds) if seconds > MAX_PERIOD => Err(Fault::header("x-ms-lease-break-period", seconds.to_string())),
        seconds => Ok(seconds.map(|seconds| seconds as u32)),
    }
}
