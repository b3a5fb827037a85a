//! Lease Share, also for a snapshot: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseCheck};
use crate::rules::time::Timestamp;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::{Share, ShareSnapshotQuery};
use crate::services::shared::described::Described;
use crate::services::shared::lease::{self, Acquire, Break, Change, LeaseTarget, Release, Renew};

pub(super) static ACQUIRE: Operation<Files> = lease::operation::<ShareLease, Acquire>("Acquire Share Lease");
pub(super) static RENEW: Operation<Files> = lease::operation::<ShareLease, Renew>("Renew Share Lease");
pub(super) static CHANGE: Operation<Files> = lease::operation::<ShareLease, Change>("Change Share Lease");
pub(super) static RELEASE: Operation<Files> = lease::operation::<ShareLease, Release>("Release Share Lease");
pub(super) static BREAK: Operation<Files> = lease::operation::<ShareLease, Break>("Break Share Lease");

struct ShareLease;

impl LeaseTarget for ShareLease {
    type State = Share;
    type Input = ShareSnapshotQuery;
    const RESTYPE: Option<Selector> = Share::RESTYPE;
    const SPEC: OperationSpec = OperationSpec { lease: LeaseCheck::None, ..WRITE_SHARE };
    // The response to a release also has a lease time (recorded).
    const RELEASE_REPORTS_TIME: bool = true;

    fn step(
        share: &mut Share,
        request: &Request,
        snapshot: &ShareSnapshotQuery,
        action: LeaseAction,
    ) -> Result<(Timestamp, Lease), StorageError> {
        let last_modified = share.view(snapshot.0)?.properties.last_modified;
        Ok((last_modified, share.step_lease(snapshot.0, action, request.now)?))
    }
}
