//! Lease File: acquire, change, release, break. A file's lease is infinite, and cannot be renewed.

use crate::operation::{Operation, OperationSpec, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::{Lease, LeaseAction, LeaseDuration};
use crate::rules::time::Timestamp;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE;
use crate::services::file::state::{CurrentPath, Share, WantedNode};
use crate::services::shared::lease::{self, Acquire, Break, Change, LeaseTarget, Release};

pub(super) static ACQUIRE: Operation<Files> = lease::operation::<FileLease, Acquire>("Acquire File Lease");
pub(super) static CHANGE: Operation<Files> = lease::operation::<FileLease, Change>("Change File Lease");
pub(super) static RELEASE: Operation<Files> = lease::operation::<FileLease, Release>("Release File Lease");
pub(super) static BREAK: Operation<Files> = lease::operation::<FileLease, Break>("Break File Lease");

struct FileLease;

impl LeaseTarget for FileLease {
    type State = Share;
    type Input = CurrentPath;
    const RESTYPE: Option<Selector> = None;
    const SPEC: OperationSpec = WRITE;

    fn supported(action: LeaseAction) -> Result<LeaseAction, StorageError> {
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
        at: &CurrentPath,
        action: LeaseAction,
    ) -> Result<(Timestamp, Lease), StorageError> {
        let file = share.admit(request, at, WantedNode::Content, FileAccess::Look)?;
        Ok((file.last_modified, share.step_file_lease(&file, action, request.now)?))
    }
}
