//! Lease Container: acquire, renew, change, release, break.

use crate::operation::{OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction};
use crate::services::blob::state::Container;
use crate::services::shared::described::Described;
use crate::services::shared::lease::Leased;

pub(super) struct LeasedContainer;

impl Leased for LeasedContainer {
    type Resource = Container;
    type Input = ();
    const SPEC: OperationSpec =
        OperationSpec { resource: ResourceKind::Container, conditions: ConditionSupport::Dates, ..OperationSpec::DEFAULT };
    const RESTYPE: Option<Selector> = Container::RESTYPE;

    fn step(container: &mut Container, request: &Request, (): &(), action: LeaseAction) -> Result<(Reply, Lease), StorageError> {
        container.check_container(request)?;
        let lease = container.step_lease(action, request.now)?;
        let last_modified = container.properties().last_modified;
        Ok((Reply::new(request.spec.status).with_state(container.etag(), last_modified), lease))
    }
}
