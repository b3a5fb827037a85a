//! The lease operations of blobs, containers, files and shares: five actions, selected by `x-ms-lease-action`. The rules are in
//! `rules::lease`.

use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration, LeaseId};
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::Described;
use crate::services::shared::resource::Resource;

/// What can be leased: a blob, a container, a file or a share.
pub trait Leased: 'static {
    /// The container or share that it is or belongs to.
    type Resource: Described;
    /// The input beyond that of the action.
    type Input: FromRequest + Send + Sync + 'static;
    /// What its operations declare: the kind of resource and the conditions.
    const SPEC: OperationSpec;
    /// The `restype` of a container or a share.
    const RESTYPE: Option<Selector> = None;

    /// Checks an action, before the resource is looked up, and returns it as it applies here.
    ///
    /// # Errors
    /// 400 for an action that is not possible here.
    fn check_action(action: LeaseAction) -> Result<LeaseAction, StorageError> {
        Ok(action)
    }

    /// Performs an action, and returns the reply without the headers of the action, and the resulting lease.
    ///
    /// # Errors
    /// 404 or 412 if there is nothing to lease or a condition is not met; 409 if the state of the lease does not allow the action.
    fn step(
        resource: &mut Self::Resource,
        request: &Request,
        input: &Self::Input,
        action: LeaseAction,
    ) -> Result<(Reply, Lease), StorageError>;
}

/// Declares an operation: the action `I` on the lease of an `L`.
pub const fn operation<L: Leased, I: LeaseInput>(name: &'static str) -> Operation<ServiceAccounts<L::Resource>> {
    let requires = match L::RESTYPE {
        Some(_) => RequiredPermission::container(I::LETTERS).account_sas_only().actions(L::Resource::ACTIONS.lease),
        None => RequiredPermission::object(I::LETTERS).actions(L::Resource::ACTIONS.lease_object),
    };
    let selectors = const {
        let (comp, action) = (Selector::Query("comp", "lease"), Selector::Header("x-ms-lease-action", I::ACTION));
        match L::RESTYPE {
            Some(restype) => &[restype, comp, action] as &[Selector],
            None => &[comp, action],
        }
    };
    operation!(
        run::<L, I>,
        (L::Input, I),
        OperationSpec { name, methods: &["PUT"], selectors, requires, access: Access::Write, status: I::STATUS, ..L::SPEC }
    )
}

async fn run<L: Leased, I: LeaseInput>(
    accounts: &ServiceAccounts<L::Resource>,
    request: Request,
    (input, action): (L::Input, I),
) -> Result<Reply, StorageError> {
    let action = L::check_action(action.action(LeaseId(request.environment.id()))?)?;
    let resource = L::Resource::find(accounts, &request)?;
    let (reply, lease) = resource.write(|resource| L::step(resource, &request, &input, action)).await?;
    Ok(I::answer(reply, lease, &request))
}

/// The input of a lease operation.
pub trait LeaseInput: FromRequest + Send + Sync + 'static {
    /// The value of `x-ms-lease-action`.
    const ACTION: &'static str;
    /// The letters of a SAS that permit it. The permission to delete includes the permission to break.
    const LETTERS: &'static str = "w";
    /// The status of success.
    const STATUS: u16 = 200;

    /// The action on a lease. `new_id` is for a lease for which the client proposes no id.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a break period of more than sixty seconds.
    fn action(self, new_id: LeaseId) -> Result<LeaseAction, StorageError>;

    /// Adds the headers that report the resulting lease.
    fn answer(reply: Reply, lease: Lease, _: &Request) -> Reply {
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
