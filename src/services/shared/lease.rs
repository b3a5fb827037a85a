//! The lease operations of blobs, containers, files and shares: five actions, selected by `x-ms-lease-action`. The rules are in
//! `rules::lease`.

use crate::operation::{FromRequest, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration, LeaseId};

/// The input of a lease operation.
pub trait LeaseInput: FromRequest + Send + Sync + 'static {
    /// The value of `x-ms-lease-action`.
    const ACTION: &'static str;
    /// The letters of a SAS that permit it. The permission to delete includes the permission to break.
    const LETTERS: &'static str;
    /// The status of success.
    const STATUS: u16;
    const SELECTOR: Selector = Selector::Header("x-ms-lease-action", Self::ACTION);

    /// The action on a lease. `new_id` is for a lease for which the client proposes no id.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a break period of more than sixty seconds.
    fn action(self, new_id: LeaseId) -> Result<LeaseAction, StorageError>;

    /// Adds the headers that report the resulting lease.
    fn answer(reply: Reply, lease: Lease, request: &Request) -> Reply;
}

input! { pub Acquire {
    duration: LeaseDuration = Header "x-ms-lease-duration",
    proposed: Option<LeaseId> = Header "x-ms-proposed-lease-id",
} }

input! { pub Renew {
    id: LeaseId = Header "x-ms-lease-id",
} }

input! { pub Change {
    id: LeaseId = Header "x-ms-lease-id",
    proposed: LeaseId = Header "x-ms-proposed-lease-id",
} }

input! { pub Release {
    id: LeaseId = Header "x-ms-lease-id",
} }

input! { pub Break {
    period: Option<u64> = Header "x-ms-lease-break-period",
} }

/// The longest break period, in seconds.
const MAX_PERIOD: u64 = 60;

impl LeaseInput for Acquire {
    const ACTION: &'static str = "acquire";
    const LETTERS: &'static str = "w";
    const STATUS: u16 = 201;

    fn action(self, new_id: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Acquire { term: self.duration, proposed: self.proposed, fresh: new_id })
    }

    fn answer(reply: Reply, lease: Lease, _: &Request) -> Reply {
        with_id(reply, lease)
    }
}

impl LeaseInput for Renew {
    const ACTION: &'static str = "renew";
    const LETTERS: &'static str = "w";
    const STATUS: u16 = 200;

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Renew { id: self.id })
    }

    fn answer(reply: Reply, lease: Lease, _: &Request) -> Reply {
        with_id(reply, lease)
    }
}

impl LeaseInput for Change {
    const ACTION: &'static str = "change";
    const LETTERS: &'static str = "w";
    const STATUS: u16 = 200;

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Change { id: self.id, proposed: self.proposed })
    }

    fn answer(reply: Reply, lease: Lease, _: &Request) -> Reply {
        with_id(reply, lease)
    }
}

impl LeaseInput for Release {
    const ACTION: &'static str = "release";
    const LETTERS: &'static str = "w";
    const STATUS: u16 = 200;

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Release { id: self.id })
    }

    fn answer(reply: Reply, _: Lease, _: &Request) -> Reply {
        reply
    }
}

impl LeaseInput for Break {
    const ACTION: &'static str = "break";
    const LETTERS: &'static str = "wd";
    const STATUS: u16 = 202;

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        match self.period {
            Some(seconds) if seconds > MAX_PERIOD => {
                Err(StorageError::invalid_header("x-ms-lease-break-period", seconds.to_string()))
            }
            seconds => Ok(LeaseAction::Break { period: seconds.map(|seconds| seconds as u32) }),
        }
    }

    fn answer(reply: Reply, lease: Lease, request: &Request) -> Reply {
        reply.with("x-ms-lease-time", lease.time_left(request.now).to_string())
    }
}

fn with_id(reply: Reply, lease: Lease) -> Reply {
    reply.with_some("x-ms-lease-id", lease.id().map(|id| id.to_string()))
}
