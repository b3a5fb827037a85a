//! The lease operations of blobs, containers, files and shares: five actions, selected by `x-ms-lease-action`. The rules are in
//! `rules::lease`.

use crate::operation::xml::Writer;
use crate::operation::{FromRequest, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration, LeaseId};
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, with_state};

/// The input of a lease operation.
pub trait LeaseInput: FromRequest + Send + Sync + 'static {
    /// The value of `x-ms-lease-action`.
    const ACTION: &'static str;
    /// The letters of a SAS that permit it. The permission to delete includes the permission to break.
    const LETTERS: &'static str = "w";
    /// The status of success.
    const STATUS: u16 = 200;
    const SELECTOR: Selector = Selector::Header("x-ms-lease-action", Self::ACTION);

    /// The action on a lease. `new_id` is for a lease for which the client proposes no id.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a break period of more than sixty seconds.
    fn action(self, new_id: LeaseId) -> Result<LeaseAction, StorageError>;

    /// Adds the headers that report the resulting lease.
    fn answer(reply: Reply, lease: Lease, _: Timestamp) -> Reply {
        reply.with_some("x-ms-lease-id", lease.id().map(|id| id.to_string()))
    }
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
    const STATUS: u16 = 201;

    fn action(self, new_id: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Acquire { term: self.duration, proposed: self.proposed, fresh: new_id })
    }
}

impl LeaseInput for Renew {
    const ACTION: &'static str = "renew";

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Renew { id: self.id })
    }
}

impl LeaseInput for Change {
    const ACTION: &'static str = "change";

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Change { id: self.id, proposed: self.proposed })
    }
}

impl LeaseInput for Release {
    const ACTION: &'static str = "release";

    fn action(self, _: LeaseId) -> Result<LeaseAction, StorageError> {
        Ok(LeaseAction::Release { id: self.id })
    }

    fn answer(reply: Reply, _: Lease, _: Timestamp) -> Reply {
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

    fn answer(reply: Reply, lease: Lease, now: Timestamp) -> Reply {
        reply.with("x-ms-lease-time", lease.time_left(now).to_string())
    }
}

/// A kind of resource that can be leased: a blob, a container, a file or a share.
pub trait LeaseTarget: 'static {
    /// The container or the share that the resource is or lies in.
    type State: Described;
    /// What names the resource, besides the target of the request.
    type Input: FromRequest + Send + Sync + 'static;
    /// The `restype` of the operations, if they have one.
    const RESTYPE: Option<Selector>;
    /// What all five operations declare. The letters of the permission are those of the action.
    const SPEC: OperationSpec;
    /// Whether the answer to a release has a lease time.
    const RELEASE_REPORTS_TIME: bool = false;

    /// Returns the action that the resource supports in place of this one.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a duration that it does not support.
    fn supported(action: LeaseAction) -> Result<LeaseAction, StorageError> {
        Ok(action)
    }

    /// Performs an action on the lease, and returns the lease and the Last-Modified of the resource, which does not change.
    ///
    /// # Errors
    /// 404; 412 for a condition; 409 when the lease does not allow the action.
    fn step(
        state: &mut Self::State,
        request: &Request,
        input: &Self::Input,
        action: LeaseAction,
    ) -> Result<(Timestamp, Lease), StorageError>;
}

/// Declares an operation on the leases of a kind of resource.
pub const fn operation<T: LeaseTarget, I: LeaseInput>(name: &'static str) -> Operation<ServiceAccounts<T::State>> {
    let selectors = const {
        match T::RESTYPE {
            Some(restype) => &[restype, Selector::Query("comp", "lease"), I::SELECTOR] as &[Selector],
            None => &[Selector::Query("comp", "lease"), I::SELECTOR],
        }
    };
    let requires = RequiredPermission {
        account: I::LETTERS,
        service: if T::SPEC.requires.service.is_empty() { "" } else { I::LETTERS },
        ..T::SPEC.requires
    };
    operation!(run::<T, I>, (T::Input, I), OperationSpec { name, selectors, requires, status: I::STATUS, ..T::SPEC })
}

async fn run<T: LeaseTarget, I: LeaseInput>(
    accounts: &ServiceAccounts<T::State>,
    request: Request,
    (target, input): (T::Input, I),
) -> Result<Reply, StorageError> {
    let action = T::supported(input.action(LeaseId(request.environment.id()))?)?;
    let cell = T::State::find(accounts, &request)?;
    let (last_modified, lease) = cell.write(|state| T::step(state, &request, &target, action)).await?;
    let reply = I::answer(with_state(Reply::new(request.spec.status), Some(last_modified)), lease, request.now);
    let is_reported = T::RELEASE_REPORTS_TIME && matches!(action, LeaseAction::Release { .. });
    Ok(reply.with_some("x-ms-lease-time", is_reported.then_some("0")))
}

/// Adds the headers that report a lease.
pub fn with_lease(reply: Reply, lease: Lease, now: Timestamp) -> Reply {
    reply
        .with("x-ms-lease-status", lease.status(now))
        .with("x-ms-lease-state", lease.state(now))
        .with_some("x-ms-lease-duration", lease.duration(now))
}

/// Writes the elements of a list that report a lease.
pub fn write_lease(xml: &mut Writer, lease: Lease, now: Timestamp) {
    xml.leaf("LeaseStatus", lease.status(now)).leaf("LeaseState", lease.state(now));
    xml.leaf_some("LeaseDuration", lease.duration(now));
}
