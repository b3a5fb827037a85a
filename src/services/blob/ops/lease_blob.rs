//! Lease Blob: acquire, renew, change, release, break.

use crate::operation::{OperationSpec, Reply, Request, ResourceKind};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lake::access::Action;
use crate::rules::lease::{Lease, LeaseAction};
use crate::services::blob::state::Container;
use crate::services::shared::lease::Leased;

pub(in crate::services::blob) struct LeasedBlob;

impl Leased for LeasedBlob {
    type Resource = Container;
    type Input = ();
    const SPEC: OperationSpec = OperationSpec {
        resource: ResourceKind::Blob,
        path_action: Some(Action::Overwrite),
        conditions: ConditionSupport::Write,
        ..OperationSpec::DEFAULT
    };

    fn step(container: &mut Container, request: &Request, (): &(), action: LeaseAction) -> Result<(Reply, Lease), StorageError> {
        let (last_modified, lease) = container.step_blob_lease(request, action)?;
        Ok((Reply::new(request.spec.status).with_state(ETag::of(last_modified), last_modified), lease))
    }
}
