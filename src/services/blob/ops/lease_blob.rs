//! Lease Blob: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::lease::{Lease, LeaseAction, LeaseCheck};
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;
use crate::services::shared::lease::{self, Acquire, Break, Change, LeaseTarget, Release, Renew};

pub(super) static ACQUIRE: Operation<Blobs> = lease::operation::<BlobLease, Acquire>("Acquire Blob Lease");
pub(super) static RENEW: Operation<Blobs> = lease::operation::<BlobLease, Renew>("Renew Blob Lease");
pub(super) static CHANGE: Operation<Blobs> = lease::operation::<BlobLease, Change>("Change Blob Lease");
pub(super) static RELEASE: Operation<Blobs> = lease::operation::<BlobLease, Release>("Release Blob Lease");
pub(super) static BREAK: Operation<Blobs> = lease::operation::<BlobLease, Break>("Break Blob Lease");

struct BlobLease;

impl LeaseTarget for BlobLease {
    type State = Container;
    type Input = ();
    const RESTYPE: Option<Selector> = None;
    const SPEC: OperationSpec = OperationSpec { lease: LeaseCheck::None, ..WRITE };

    fn step(
        container: &mut Container,
        request: &Request,
        (): &(),
        action: LeaseAction,
    ) -> Result<(Timestamp, Lease), StorageError> {
        container.step_blob_lease(request, action)
    }
}
