//! Leases: which client may write to a blob, or delete a container, and for how long.
//!
//! A lease is a value, and every rule is a function of it and of the current time ([`seen`]): no timer expires or breaks it. The two tables
//! of the reference, "outcomes of lease operations" and "outcomes of use attempts", are [`step`] and [`check`]; the tests below have the
//! form of those tables.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::guid;
use crate::rules::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;
use uuid::fmt::Simple;

/// The id of a lease, a GUID: a client that sends it holds the lease.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeaseId(pub [u8; 16]);

impl LeaseId {
    /// Parses the forms that .NET's `Guid` writes: `D` (with hyphens), `N` (32 digits), `B` (`{…}`) and `P` (`(…)`), in any letter case.
    pub fn parse(text: &str) -> Option<LeaseId> {
        let within = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        let id = match within('{', '}').or_else(|| within('(', ')')) {
            None if text.len() == Simple::LENGTH => Uuid::try_parse(text).ok(),
            wrapped => guid(wrapped.unwrap_or(text)),
        };
        id.map(|id| LeaseId(id.into_bytes()))
    }
}

impl fmt::Display for LeaseId {
    /// Lower case with hyphens, the form of `x-ms-lease-id` in responses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Uuid::from_bytes(self.0).fmt(f)
    }
}

/// The duration of a lease.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeaseDuration {
    /// Until it is released or broken.
    Infinite,
    /// A number of seconds, 15 to 60, from the last acquire or renew.
    Fixed(u32),
}

impl LeaseDuration {
    /// Parses `x-ms-lease-duration`: `-1`, or 15 to 60 seconds.
    pub fn parse(text: &str) -> Option<LeaseDuration> {
        match text {
            "-1" => Some(LeaseDuration::Infinite),
            _ => text.parse().ok().filter(|seconds| (15..=60).contains(seconds)).map(LeaseDuration::Fixed),
        }
    }

    fn end(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            LeaseDuration::Infinite => None,
            LeaseDuration::Fixed(seconds) => Some(now.after_seconds(seconds.into())),
        }
    }
}

/// The lease of a resource. The stored value may be out of date; [`seen`] returns the current one.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lease {
    /// There is no holder, and no last holder that could renew it.
    #[default]
    Available,
    /// A client holds it, until a time or without end.
    Leased {
        id: LeaseId,
        /// The duration, which a renewal starts again.
        term: LeaseDuration,
        until: Option<Timestamp>,
    },
    /// The holder may still renew it, until another client writes or acquires.
    Expired { id: LeaseId, term: LeaseDuration },
    /// A client broke it; it is held until this time.
    Breaking { id: LeaseId, until: Timestamp },
    /// Other clients can acquire it, and its last holder cannot renew it.
    Broken { id: LeaseId },
}

impl Lease {
    /// `x-ms-lease-status`: locked while a write needs its id.
    pub fn status(self, now: Timestamp) -> &'static str {
        if seen(self, now).is_active() { "locked" } else { "unlocked" }
    }

    /// `x-ms-lease-state`.
    pub fn state(self, now: Timestamp) -> &'static str {
        match seen(self, now) {
            Lease::Available => "available",
            Lease::Leased { .. } => "leased",
            Lease::Expired { .. } => "expired",
            Lease::Breaking { .. } => "breaking",
            Lease::Broken { .. } => "broken",
        }
    }

    /// `x-ms-lease-duration`, which only a leased resource has.
    pub fn duration(self, now: Timestamp) -> Option<&'static str> {
        match seen(self, now) {
            Lease::Leased { term: LeaseDuration::Infinite, .. } => Some("infinite"),
            Lease::Leased { term: LeaseDuration::Fixed(_), .. } => Some("fixed"),
            _ => None,
        }
    }

    /// `x-ms-lease-time` after a break: the seconds until others can acquire the lease, rounded down (recorded); 0 after the break.
    pub fn time_left(self, now: Timestamp) -> u64 {
        match seen(self, now) {
            Lease::Breaking { until, .. } => now.seconds_apart(until),
            _ => 0,
        }
    }

    /// The id of the current or last holder.
    pub fn id(self) -> Option<LeaseId> {
        match self {
            Lease::Available => None,
            Lease::Leased { id, .. } | Lease::Expired { id, .. } | Lease::Breaking { id, .. } | Lease::Broken { id } => Some(id),
        }
    }

    fn is_active(self) -> bool {
        matches!(self, Lease::Leased { .. } | Lease::Breaking { .. })
    }
}

/// An action on a lease (`x-ms-lease-action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAction {
    /// Acquires it; the holder may acquire it again with another duration.
    Acquire {
        term: LeaseDuration,
        proposed: Option<LeaseId>,
        /// The id if the client proposes none.
        fresh: LeaseId,
    },
    /// Starts its duration again.
    Renew { id: LeaseId },
    /// Changes its id.
    Change { id: LeaseId, proposed: LeaseId },
    /// Ends it now.
    Release { id: LeaseId },
    /// Ends it without its id.
    Break {
        /// The seconds until it is broken, 0 to 60, if it does not expire sooner. Without it, the lease expires normally.
        period: Option<u32>,
    },
}

/// The leased resource, which is named in error codes and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeasedResource {
    /// Its lease protects its content, properties, metadata and tags.
    Blob,
    /// Its lease only protects it from deletion.
    Container,
    /// A share, or a snapshot of one: as a container, with the same codes.
    Share,
    /// As a blob. Its leases are infinite.
    File,
}

impl LeasedResource {
    /// Its noun in messages, and the errors for a wrong lease id and for a missing lease.
    const fn words(self) -> (&'static str, ErrorCode, ErrorCode) {
        use ErrorCode as E;
        let of_container = (E::LeaseIdMismatchWithContainerOperation, E::LeaseNotPresentWithContainerOperation);
        match self {
            LeasedResource::Blob => ("the blob", E::LeaseIdMismatchWithBlobOperation, E::LeaseNotPresentWithBlobOperation),
            LeasedResource::Container => ("the container", of_container.0, of_container.1),
            LeasedResource::Share => ("the file share", of_container.0, of_container.1),
            LeasedResource::File => ("the file", E::LeaseIdMismatchWithFileOperation, E::LeaseNotPresentWithFileOperation),
        }
    }

    fn error(self, code: ErrorCode) -> StorageError {
        let original = match code {
            _ if self == LeasedResource::Blob => return code.into(),
            ErrorCode::LeaseIdMissing | ErrorCode::LeaseLost | ErrorCode::LeaseNotPresentWithLeaseOperation => "the blob",
            ErrorCode::LeaseIdMismatchWithLeaseOperation if self != LeasedResource::Container => "the blob/container",
            _ => "the container",
        };
        code.with_message(code.message().replace(original, self.words().0))
    }
}

/// How an operation respects the lease of its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseCheck {
    /// It ignores the lease.
    None,
    /// A lease id in the request must be the right one.
    IfPresent,
    /// The request must have the id of an active lease.
    Required,
}

/// The lease at this time: it may have expired, or its break may have ended.
pub fn seen(lease: Lease, now: Timestamp) -> Lease {
    match lease {
        Lease::Leased { id, term, until: Some(end) } if end <= now => Lease::Expired { id, term },
        Lease::Breaking { id, until } if until <= now => Lease::Broken { id },
        lasting => lasting,
    }
}

/// The lease after an action.
///
/// # Errors
/// 409 for an action that is not allowed.
pub fn step(lease: Lease, action: LeaseAction, subject: LeasedResource, now: Timestamp) -> Result<Lease, StorageError> {
    use Lease::{Available, Breaking, Broken, Expired, Leased};
    let granted = |id, term: LeaseDuration| Ok(Leased { id, term, until: term.end(now) });
    let broken_at = |id, until| Ok(if until <= now { Broken { id } } else { Breaking { id, until } });
    let after = |period: Option<u32>| period.map(|seconds| now.after_seconds(seconds.into()));

    let next = match (action, seen(lease, now)) {
        (LeaseAction::Acquire { term, proposed, fresh }, Available | Broken { .. } | Expired { .. }) => {
            granted(proposed.unwrap_or(fresh), term)
        }
        (LeaseAction::Acquire { term, proposed: Some(mine), .. }, Leased { id, .. }) if mine == id => granted(id, term),
        (LeaseAction::Acquire { proposed: Some(mine), .. }, Breaking { id, .. }) if mine == id => {
            Err(ErrorCode::LeaseIsBreakingAndCannotBeAcquired)
        }
        (LeaseAction::Acquire { .. }, Leased { .. } | Breaking { .. }) => Err(ErrorCode::LeaseAlreadyPresent),

        (LeaseAction::Break { .. }, Available) => Err(ErrorCode::LeaseNotPresentWithLeaseOperation),
        (LeaseAction::Break { period }, Leased { id, until, .. }) => {
            broken_at(id, after(period).into_iter().chain(until).min().unwrap_or(now))
        }
        (LeaseAction::Break { period }, Breaking { id, until }) => {
            broken_at(id, after(period).map_or(until, |sooner| until.min(sooner)))
        }
        (LeaseAction::Break { .. }, Broken { id } | Expired { id, .. }) => Ok(Broken { id }),

        (LeaseAction::Change { id: mine, proposed }, Leased { id, term, until }) if mine == id || proposed == id => {
            Ok(Leased { id: proposed, term, until })
        }
        (LeaseAction::Change { id: mine, proposed }, Breaking { id, .. }) if mine == id || proposed == id => {
            Err(ErrorCode::LeaseIsBreakingAndCannotBeChanged)
        }
        (LeaseAction::Change { .. }, Leased { .. } | Breaking { .. }) => Err(ErrorCode::LeaseIdMismatchWithLeaseOperation),
        (LeaseAction::Change { .. }, Available | Broken { .. } | Expired { .. }) => {
            Err(ErrorCode::LeaseNotPresentWithLeaseOperation)
        }

        (LeaseAction::Renew { id: mine }, Leased { id, term, .. } | Expired { id, term }) if mine == id => granted(id, term),
        (LeaseAction::Renew { id: mine }, Breaking { id, .. } | Broken { id }) if mine == id => {
            Err(ErrorCode::LeaseIsBrokenAndCannotBeRenewed)
        }
        (LeaseAction::Release { id: mine }, held) if held.id() == Some(mine) => Ok(Available),
        (LeaseAction::Renew { .. } | LeaseAction::Release { .. }, _) => Err(ErrorCode::LeaseIdMismatchWithLeaseOperation),
    };
    next.map_err(|code| subject.error(code))
}

/// Checks the lease id of a request (`x-ms-lease-id`).
///
/// # Errors
/// 412 for a missing or wrong id.
pub fn check(
    lease: Lease,
    required: LeaseCheck,
    shown: Option<LeaseId>,
    subject: LeasedResource,
    now: Timestamp,
) -> Result<(), StorageError> {
    let lease = seen(lease, now);
    let (_, mismatch, not_present) = subject.words();
    let error = match (required, shown) {
        (LeaseCheck::None, _) | (LeaseCheck::IfPresent, None) => return Ok(()),
        (LeaseCheck::Required, None) if lease.is_active() => ErrorCode::LeaseIdMissing,
        (LeaseCheck::Required, None) => return Ok(()),
        (LeaseCheck::IfPresent | LeaseCheck::Required, Some(mine)) => match lease {
            Lease::Leased { id, .. } | Lease::Breaking { id, .. } if id == mine => return Ok(()),
            Lease::Leased { .. } | Lease::Breaking { .. } => mismatch,
            Lease::Broken { .. } | Lease::Expired { .. } => ErrorCode::LeaseLost,
            Lease::Available => not_present,
        },
    };
    Err(subject.error(error))
}

/// The lease after a write. An expired or broken lease ends, so that its last holder cannot renew it after a change that it does not know;
/// an active one remains.
pub fn after_write(lease: Lease, now: Timestamp) -> Lease {
    if seen(lease, now).is_active() { lease } else { Lease::Available }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: LeaseId = LeaseId([0xa; 16]);
    const B: LeaseId = LeaseId([0xb; 16]);
    const C: LeaseId = LeaseId([0xc; 16]);
    /// The id that is given when none is proposed.
    const X: LeaseId = LeaseId([0xf; 16]);

    fn at(second: u64) -> Timestamp {
        Timestamp::from_unix(1_000_000, 0).after_seconds(second)
    }

    const THIRTY: LeaseDuration = LeaseDuration::Fixed(30);

    fn leased(id: LeaseId) -> Lease {
        Lease::Leased { id, term: THIRTY, until: Some(at(30)) }
    }

    fn breaking(until: u64) -> Lease {
        Lease::Breaking { id: A, until: at(until) }
    }

    /// The five states as they are stored, each with the second of the test. The last two are the result of time alone.
    fn states() -> [(Lease, u64); 5] {
        [(Lease::Available, 10), (leased(A), 10), (breaking(25), 10), (breaking(25), 25), (leased(A), 30)]
    }

    fn shown(outcome: Result<Lease, StorageError>) -> String {
        let name = |id| {
            if id == A {
                'A'
            } else if id == B {
                'B'
            } else if id == C {
                'C'
            } else {
                'X'
            }
        };
        match outcome {
            Ok(Lease::Available) => "Available".into(),
            Ok(Lease::Leased { id, .. }) => format!("Leased({})", name(id)),
            Ok(Lease::Expired { id, .. }) => format!("Expired({})", name(id)),
            Ok(Lease::Breaking { id, .. }) => format!("Breaking({})", name(id)),
            Ok(Lease::Broken { id }) => format!("Broken({})", name(id)),
            Err(error) => format!("{} {}", error.status(), error.code().name()),
        }
    }

    #[test]
    fn lease_operations() {
        const PRESENT: &str = "409 LeaseAlreadyPresent";
        const NOT_PRESENT: &str = "409 LeaseNotPresentWithLeaseOperation";
        const MISMATCH: &str = "409 LeaseIdMismatchWithLeaseOperation";
        const NO_ACQUIRE: &str = "409 LeaseIsBreakingAndCannotBeAcquired";
        const NO_CHANGE: &str = "409 LeaseIsBreakingAndCannotBeChanged";
        const NO_RENEW: &str = "409 LeaseIsBrokenAndCannotBeRenewed";
        let acquire = |proposed| LeaseAction::Acquire { term: THIRTY, proposed, fresh: X };
        let change = |id, proposed| LeaseAction::Change { id, proposed };
        let give_up = |period| LeaseAction::Break { period };
        #[rustfmt::skip]
        let table = [
            // action                       Available      Leased(A)      Breaking(A)    Broken(A)    Expired(A)
            (acquire(None),                ["Leased(X)",   PRESENT,       PRESENT,       "Leased(X)", "Leased(X)"]),
            (acquire(Some(A)),             ["Leased(A)",   "Leased(A)",   NO_ACQUIRE,    "Leased(A)", "Leased(A)"]),
            (acquire(Some(B)),             ["Leased(B)",   PRESENT,       PRESENT,       "Leased(B)", "Leased(B)"]),
            (give_up(Some(0)),             [NOT_PRESENT,   "Broken(A)",   "Broken(A)",   "Broken(A)", "Broken(A)"]),
            (give_up(Some(10)),            [NOT_PRESENT,   "Breaking(A)", "Breaking(A)", "Broken(A)", "Broken(A)"]),
            (give_up(None),                [NOT_PRESENT,   "Breaking(A)", "Breaking(A)", "Broken(A)", "Broken(A)"]),
            (change(A, B),                 [NOT_PRESENT,   "Leased(B)",   NO_CHANGE,     NOT_PRESENT, NOT_PRESENT]),
            (change(B, A),                 [NOT_PRESENT,   "Leased(A)",   NO_CHANGE,     NOT_PRESENT, NOT_PRESENT]),
            (change(B, C),                 [NOT_PRESENT,   MISMATCH,      MISMATCH,      NOT_PRESENT, NOT_PRESENT]),
            (LeaseAction::Renew { id: A },         [MISMATCH,      "Leased(A)",   NO_RENEW,      NO_RENEW,    "Leased(A)"]),
            (LeaseAction::Renew { id: B },         [MISMATCH,      MISMATCH,      MISMATCH,      MISMATCH,    MISMATCH]),
            (LeaseAction::Release { id: A },       [MISMATCH,      "Available",   "Available",   "Available", "Available"]),
            (LeaseAction::Release { id: B },       [MISMATCH,      MISMATCH,      MISMATCH,      MISMATCH,    MISMATCH]),
        ];
        for (action, row) in table {
            for ((lease, second), outcome) in states().into_iter().zip(row) {
                for subject in [LeasedResource::Blob, LeasedResource::Container, LeasedResource::Share, LeasedResource::File] {
                    assert_eq!(
                        shown(step(lease, action, subject, at(second))),
                        outcome,
                        "{action:?} of {}",
                        lease.state(at(second))
                    );
                }
            }
        }
    }

    #[test]
    fn uses() {
        const OK: &str = "ok";
        const ABSENT: &str = "412 LeaseNotPresentWithBlobOperation";
        const OTHER: &str = "412 LeaseIdMismatchWithBlobOperation";
        const MISSING: &str = "412 LeaseIdMissing";
        const LOST: &str = "412 LeaseLost";
        #[rustfmt::skip]
        let table = [
            // use                    Available  Leased(A)  Breaking(A)  Broken(A)  Expired(A)
            (LeaseCheck::Required, Some(A),  [ABSENT,    OK,        OK,          LOST,      LOST]),
            (LeaseCheck::Required, Some(B),  [ABSENT,    OTHER,     OTHER,       LOST,      LOST]),
            (LeaseCheck::Required, None,     [OK,        MISSING,   MISSING,     OK,        OK]),
            (LeaseCheck::IfPresent,  Some(A),  [ABSENT,    OK,        OK,          LOST,      LOST]),
            (LeaseCheck::IfPresent,  Some(B),  [ABSENT,    OTHER,     OTHER,       LOST,      LOST]),
            (LeaseCheck::IfPresent,  None,     [OK,        OK,        OK,          OK,        OK]),
            (LeaseCheck::None,  Some(B),  [OK,        OK,        OK,          OK,        OK]),
        ];
        for (guard, id, row) in table {
            for ((lease, second), outcome) in states().into_iter().zip(row) {
                let outcome_of = |subject| match check(lease, guard, id, subject, at(second)) {
                    Ok(()) => OK.to_owned(),
                    Err(error) => format!("{} {}", error.status(), error.code().name()),
                };
                assert_eq!(outcome_of(LeasedResource::Blob), outcome, "{guard:?} {id:?}");
                for (subject, with) in [
                    (LeasedResource::Container, "WithContainer"),
                    (LeasedResource::Share, "WithContainer"),
                    (LeasedResource::File, "WithFile"),
                ] {
                    assert_eq!(outcome_of(subject), outcome.replace("WithBlob", with), "{guard:?} {id:?}");
                }
            }
        }
    }

    #[test]
    fn messages_name_the_leased_resource() {
        for (subject, missing, mismatch) in [
            (LeasedResource::Blob, "lease on the blob and", "the lease ID for the blob."),
            (LeasedResource::Container, "lease on the container and", "the lease ID for the container."),
            (LeasedResource::Share, "lease on the file share and", "the lease ID for the file share."),
            (LeasedResource::File, "lease on the file and", "the lease ID for the file."),
        ] {
            let message = |id| check(leased(A), LeaseCheck::Required, id, subject, at(10)).unwrap_err().message().to_owned();
            assert!(message(None).contains(missing), "{}", message(None));
            assert!(message(Some(B)).ends_with(mismatch), "{}", message(Some(B)));
        }
    }

    #[test]
    fn what_headers_say() {
        let rows = [
            ("available", "unlocked", None),
            ("leased", "locked", Some("fixed")),
            ("breaking", "locked", None),
            ("broken", "unlocked", None),
            ("expired", "unlocked", None),
        ];
        for ((lease, second), row) in states().into_iter().zip(rows) {
            assert_eq!((lease.state(at(second)), lease.status(at(second)), lease.duration(at(second))), row);
        }
        let endless = Lease::Leased { id: A, term: LeaseDuration::Infinite, until: None };
        assert_eq!(endless.duration(Timestamp::NEVER), Some("infinite"));
    }

    #[test]
    fn a_write_ends_an_expired_or_broken_lease() {
        let kept = [Lease::Available, leased(A), breaking(25), Lease::Available, Lease::Available];
        for ((lease, second), kept) in states().into_iter().zip(kept) {
            assert_eq!(after_write(lease, at(second)), kept);
        }
        let renewed = step(after_write(leased(A), at(40)), LeaseAction::Renew { id: A }, LeasedResource::Blob, at(41));
        assert_eq!(shown(renewed), "409 LeaseIdMismatchWithLeaseOperation");
    }

    #[test]
    fn breaks_end_at_the_soonest_of_period_and_term() {
        let endless = Lease::Leased { id: A, term: LeaseDuration::Infinite, until: None };
        for (lease, period, left) in [
            (endless, None, 0),
            (endless, Some(60), 60),
            (leased(A), None, 20),
            (leased(A), Some(5), 5),
            (leased(A), Some(60), 20),
            (breaking(25), None, 15),
            (breaking(25), Some(60), 15),
            (breaking(25), Some(3), 3),
        ] {
            let next = step(lease, LeaseAction::Break { period }, LeasedResource::Blob, at(10)).unwrap();
            assert_eq!(next.time_left(at(10)), left, "{lease:?} {period:?}");
            assert_eq!(next.state(at(10).after_seconds(left)), "broken");
        }
        // A lease of 20 s, broken within its first second, has 19 s left (recorded).
        assert_eq!(breaking(20).time_left(at(0).next()), 19);
    }

    #[test]
    fn terms_start_again_on_acquire_and_renew_but_not_on_change() {
        let ends = |action, second| match step(leased(A), action, LeasedResource::Blob, at(second)).unwrap() {
            Lease::Leased { until, .. } => until,
            other => panic!("{other:?}"),
        };
        assert_eq!(ends(LeaseAction::Renew { id: A }, 29), Some(at(59)));
        assert_eq!(ends(LeaseAction::Renew { id: A }, 100), Some(at(130)));
        assert_eq!(ends(LeaseAction::Change { id: A, proposed: B }, 29), Some(at(30)));
        assert_eq!(ends(LeaseAction::Acquire { term: LeaseDuration::Infinite, proposed: Some(A), fresh: X }, 29), None);
    }

    #[test]
    fn messages_name_the_blob_or_container() {
        let message = |subject| check(leased(A), LeaseCheck::Required, None, subject, at(0)).unwrap_err().message().to_owned();
        assert_eq!(
            message(LeasedResource::Blob),
            "There is currently a lease on the blob and no lease ID was specified in the request."
        );
        assert_eq!(
            message(LeasedResource::Container),
            "There is currently a lease on the container and no lease ID was specified in the request."
        );
        let lost = check(leased(A), LeaseCheck::Required, Some(A), LeasedResource::Container, at(30)).unwrap_err();
        assert_eq!(lost.message(), "A lease ID was specified, but the lease for the container has expired.");
        let mismatch = step(Lease::Available, LeaseAction::Renew { id: A }, LeasedResource::Container, at(0)).unwrap_err();
        assert_eq!(mismatch.message(), ErrorCode::LeaseIdMismatchWithLeaseOperation.message());
    }

    #[test]
    fn reads_ids_and_terms() {
        let plain = "fdf3dbce-187a-4360-9809-8931e27f32c1";
        let id = LeaseId::parse(plain).unwrap();
        assert_eq!(id.to_string(), plain);
        let forms = [plain.to_uppercase(), plain.replace('-', ""), format!("{{{plain}}}"), format!("({plain})")];
        for text in forms {
            assert_eq!(LeaseId::parse(&text), Some(id), "{text}");
        }
        let bare = plain.replace('-', "");
        for text in
            ["", "bad_id", "'d92e6954-3274-4715-811c-727ca7145303'", &plain[1..], &format!("{{{plain})"), &format!("{{{bare}}}")]
        {
            assert_eq!(LeaseId::parse(text), None, "{text}");
        }
        assert_eq!(LeaseId::parse("+df3dbce-187a-4360-9809-8931e27f32c1"), None);
        assert_eq!(LeaseId::parse("fdf3dbce1-87a-4360-9809-8931e27f32c1"), None);

        for (text, term) in [
            ("-1", Some(LeaseDuration::Infinite)),
            ("15", Some(LeaseDuration::Fixed(15))),
            ("60", Some(LeaseDuration::Fixed(60))),
            ("14", None),
            ("61", None),
            ("0", None),
            ("-2", None),
            ("", None),
            ("15s", None),
            ("99999999999", None),
        ] {
            assert_eq!(LeaseDuration::parse(text), term, "{text}");
        }
    }
}
