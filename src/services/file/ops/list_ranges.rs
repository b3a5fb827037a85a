//! List Ranges: the written ranges of a file; or, with an earlier snapshot of the share, the ranges that changed since then.

use crate::operation::{MaxResults, Operation, OperationSpec, ReadRange, Reply, Request, Selector, SnapshotTime};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::ranges;
use crate::services::file::files::Files;
use crate::services::file::node::SECTOR;
use crate::services::file::ops::spec::READ_FILE;
use crate::services::file::state::{NodePath, WantedNode};
use crate::services::file::wire::half_open;
use crate::services::shared::changes::{self, RangeListNames};
use crate::store::sparse::Change;

pub(super) static LIST_RANGES: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec { name: "List Ranges", selectors: &[Selector::Query("comp", "rangelist")], ..READ_FILE }
);

input! { pub(super) Input {
    range: ReadRange,
    previous: Option<SnapshotTime> = Query "prevsharesnapshot",
    supports_rename: Option<bool> = Header "x-ms-file-support-rename",
    // The offset at which the page begins.
    marker: Option<u64> = Query "marker",
    max_results: MaxResults,
    at: NodePath,
} }

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let share = files.resource(&request)?.read();
    let file = share.admit(&request, &input.at, WantedNode::Content, FileAccess::Read)?;
    let size = file.content()?.content.len();
    let range = ranges::resolve(input.range.0, size)?.map_or(0..size, half_open);
    let range = input.marker.unwrap_or(0).max(range.start)..range.end;
    let changes = match input.previous {
        None => file.content()?.changes(None, range),
        Some(SnapshotTime(previous)) => {
            let earlier = share.snapshot(previous).ok_or(ErrorCode::PreviousSnapshotNotFound)?;
            if input.at.snapshot.is_some_and(|snapshot| snapshot < previous) {
                return Err(ErrorCode::PreviousSnapshotCannotBeNewer.into());
            }
            let then = earlier.tree().node(file.id);
            // The reference: a file that has been renamed since is only listed if the request supports it.
            if then.is_some_and(|then| then.places != file.places) && input.supports_rename != Some(true) {
                return Err(ErrorCode::PreviousSnapshotOperationNotSupported.into());
            }
            let before = then.and_then(|node| node.file()).map(|before| (before, earlier.at()));
            file.content()?.changes(before, range)
        }
    };
    let changes = in_sectors(changes, size);

    let names = RangeListNames { root: "Ranges", written: "Range" };
    let max = input.max_results.0;
    Ok(Reply::xml(request.spec.status, changes::document(names, &changes, max.unwrap_or(usize::MAX), max.is_some()))
        .with_state(file.etag(), file.last_modified)
        .with("x-ms-content-length", size.to_string()))
}

/// Extends written ranges to whole sectors, or the end of the file, and joins those that then meet.
fn in_sectors(changes: Vec<Change>, size: u64) -> Vec<Change> {
    let mut extended: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        let Change::Written(range) = change else {
            extended.push(change);
            continue;
        };
        let (start, end) = (range.start / SECTOR * SECTOR, range.end.next_multiple_of(SECTOR).min(size));
        match extended.last_mut() {
            Some(Change::Written(last)) if last.end >= start => last.end = last.end.max(end),
            Some(Change::Cleared(last)) => {
                let start = start.max(last.end);
                extended.push(Change::Written(start..end));
            }
            _ => extended.push(Change::Written(start..end)),
        }
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_ranges_extend_to_whole_sectors() {
        use Change::{Cleared, Written};
        for (changes, expected) in [
            (vec![Written(0..5)], vec![Written(0..512)]),
            (vec![Written(10..20), Written(600..700)], vec![Written(0..1024)]),
            (vec![Written(1100..1200)], vec![Written(1024..1500)]),
            (
                vec![Written(0..512), Cleared(512..1024), Written(1024..1030)],
                vec![Written(0..512), Cleared(512..1024), Written(1024..1500)],
            ),
        ] {
            assert_eq!(in_sectors(changes.clone(), 1500), expected, "{changes:?}");
        }
    }
}
