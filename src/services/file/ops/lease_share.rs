//! Lease Share, also for a snapshot: acquire, renew, change, release, break.

use crate::operation::{OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction};
use crate::services::file::state::{Share, ShareSnapshotQuery};
use crate::services::file::wire;
use crate::services::shared::described::Described;
use crate::services::shared::lease::Leased;

pub(super) struct LeasedShare;

impl Leased for LeasedShare {
    type Resource = Share;
    type Input = ShareSnapshotQuery;
    const SPEC: OperationSpec = OperationSpec { resource: ResourceKind::Share, ..OperationSpec::DEFAULT };
    const RESTYPE: Option<Selector> = Share::RESTYPE;

    fn step(
        share: &mut Share,
        request: &Request,
        ShareSnapshotQuery(snapshot): &ShareSnapshotQuery,
        action: LeaseAction,
    ) -> Result<(Reply, Lease), StorageError> {
        // The response to a release also has a lease time (recorded).
        let time = matches!(action, LeaseAction::Release { .. }).then_some("0");
        let reply = wire::share_state(share.view(*snapshot)?.properties, request).with_some("x-ms-lease-time", time);
        Ok((reply, share.step_lease(*snapshot, action, request.now)?))
    }
}
