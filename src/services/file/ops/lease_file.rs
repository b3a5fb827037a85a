//! Lease File: acquire, change, release, break. A file's lease is infinite, and cannot be renewed.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::{LeaseAction, LeaseDuration, LeaseId};
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE;
use crate::services::file::state::{CurrentPath, WantedNode};
use crate::services::file::wire;
use crate::services::shared::lease::{Acquire, Break, Change, LeaseInput, Release};

pub(super) static ACQUIRE: Operation<Files> = operation::<Acquire>("Acquire File Lease");
pub(super) static CHANGE: Operation<Files> = operation::<Change>("Change File Lease");
pub(super) static RELEASE: Operation<Files> = operation::<Release>("Release File Lease");
pub(super) static BREAK: Operation<Files> = operation::<Break>("Break File Lease");

const fn operation<I: LeaseInput>(name: &'static str) -> Operation<Files> {
    operation!(
        run::<I>,
        (CurrentPath, I),
        OperationSpec {
            name,
            selectors: const { &[Selector::Query("comp", "lease"), I::SELECTOR] },
            requires: RequiredPermission::object(I::LETTERS),
            status: I::STATUS,
            ..WRITE
        }
    )
}

async fn run<I: LeaseInput>(files: &Files, request: Request, (at, input): (CurrentPath, I)) -> Result<Reply, StorageError> {
    let action = match input.action(LeaseId(request.environment.id()))? {
        LeaseAction::Acquire { term: LeaseDuration::Fixed(seconds), .. } => {
            return Err(StorageError::invalid_header("x-ms-lease-duration", seconds.to_string()));
        }
        // A break of a file's lease is immediate.
        LeaseAction::Break { .. } => LeaseAction::Break { period: Some(0) },
        action => action,
    };
    let share = files.share(&request)?;
    let (node, lease) = share
        .write(|share| {
            let file = share.admit(&request, &at, WantedNode::Content, FileAccess::Look)?;
            share.step_file_lease(&file, action, request.now)
        })
        .await?;
    Ok(I::answer(wire::state(&node, &request), lease, &request))
}
