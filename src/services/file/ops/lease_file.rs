//! Lease File: acquire, change, release, break. A file's lease is infinite, and cannot be renewed.

use crate::operation::{OperationSpec, Reply, Request, ResourceKind};
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration};
use crate::services::file::state::{CurrentPath, Share, WantedNode};
use crate::services::file::wire;
use crate::services::shared::lease::Leased;

pub(super) struct LeasedFile;

impl Leased for LeasedFile {
    type Resource = Share;
    type Input = CurrentPath;
    const SPEC: OperationSpec = OperationSpec { resource: ResourceKind::Path, ..OperationSpec::DEFAULT };

    fn check_action(action: LeaseAction) -> Result<LeaseAction, StorageError> {
        match action {
            LeaseAction::Acquire { term: LeaseDuration::Fixed(seconds), .. } => {
                Err(StorageError::invalid_header("x-ms-lease-duration", seconds.to_string()))
            }
            // A break of a file's lease is immediate.
            LeaseAction::Break { .. } => Ok(LeaseAction::Break { period: Some(0) }),
            action => Ok(action),
        }
    }

    fn step(
        share: &mut Share,
        request: &Request,
        path: &CurrentPath,
        action: LeaseAction,
    ) -> Result<(Reply, Lease), StorageError> {
        let file = share.admit(request, path, WantedNode::Content, FileAccess::Look)?;
        Ok((wire::state(&file, request), share.step_file_lease(&file, action, request.now)?))
    }
}
