//! Lease Container: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction};
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::blob::state::Container;
use crate::services::shared::described::Described;
use crate::services::shared::lease::{self, Acquire, Break, Change, LeaseTarget, Release, Renew};

pub(super) static ACQUIRE: Operation<Blobs> = lease::operation::<ContainerLease, Acquire>("Acquire Container Lease");
pub(super) static RENEW: Operation<Blobs> = lease::operation::<ContainerLease, Renew>("Renew Container Lease");
pub(super) static CHANGE: Operation<Blobs> = lease::operation::<ContainerLease, Change>("Change Container Lease");
pub(super) static RELEASE: Operation<Blobs> = lease::operation::<ContainerLease, Release>("Release Container Lease");
pub(super) static BREAK: Operation<Blobs> = lease::operation::<ContainerLease, Break>("Break Container Lease");

struct ContainerLease;

impl LeaseTarget for ContainerLease {
    type State = Container;
    type Input = ();
    const RESTYPE: Option<Selector> = Container::RESTYPE;
    const SPEC: OperationSpec = OperationSpec {
        requires: RequiredPermission::container("w").account_sas_only(),
        conditions: ConditionSupport::Dates,
        ..WRITE_CONTAINER
    };

    fn step(
        container: &mut Container,
        request: &Request,
        (): &(),
        action: LeaseAction,
    ) -> Result<(Timestamp, Lease), StorageError> {
        container.check_container(request)?;
        Ok((container.properties().last_modified, container.step_lease(action, request.now)?))
    }
}
