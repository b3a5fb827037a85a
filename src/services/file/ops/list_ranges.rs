//! List Ranges: which bytes of a file were written; or, with an earlier snapshot of the share, what changed since then.

use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::rules::{listing, ranges};
use crate::services::file::files::Files;
use crate::services::file::node::SECTOR;
use crate::services::file::state::{WantedNode, read_snapshot};
use crate::services::file::wire;
use crate::store::sparse::Change;

pub(super) static LIST_RANGES: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "List Ranges",
        methods: &["GET"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "rangelist")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    previous: Option<String> = Query "prevsharesnapshot",
    renamed: Option<bool> = Header "x-ms-file-support-rename",
    marker: Option<u64> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
} }

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let max = asked.maxresults.as_deref().map(|text| listing::maxresults(Some(text))).transpose()?;
    let share = files.share(&request)?.read();
    let file = share.admit(&request, WantedNode::Content, FileAccess::Read)?;
    let size = file.content()?.content.len();
    let range =
        asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(ranges::RequestedRange::Whole, ranges::RequestedRange::parse);
    let span = ranges::resolve(range, size)?.map_or(0..size, |span| span.start..span.end + 1);
    // A marker is the offset at which the next page of ranges begins.
    let span = asked.marker.unwrap_or(0).max(span.start)..span.end;
    let changes = match &asked.previous {
        None => file.content()?.changes(None, span),
        Some(previous) => {
            let taken = read_snapshot("prevsharesnapshot", previous)?;
            let earlier = share.snapshot(taken).ok_or(ErrorCode::PreviousSnapshotNotFound)?;
            if share.view(&request)?.taken.is_some_and(|asked| asked < taken) {
                return Err(ErrorCode::PreviousSnapshotCannotBeNewer.into());
            }
            let then = earlier.tree().node(file.id);
            // Documented: a file that had another name then is only followed where that is asked for.
            if then.is_some_and(|then| then.places != file.places) && asked.renamed != Some(true) {
                return Err(ErrorCode::PreviousSnapshotOperationNotSupported.into());
            }
            let before = then.and_then(|node| node.file()).map(|before| (before, earlier.at()));
            file.content()?.changes(before, span)
        }
    };
    let changes = in_sectors(changes, size);

    let mut xml = Writer::new();
    xml.nest("Ranges", |xml| {
        for change in changes.iter().take(max.unwrap_or(usize::MAX)) {
            let (element, range) = match change {
                Change::Written(range) => ("Range", range),
                Change::Cleared(range) => ("ClearRange", range),
            };
            xml.open(element).leaf("Start", range.start.to_string()).leaf("End", (range.end - 1).to_string()).close(element);
        }
        if let Some(max) = max {
            let next = changes.get(max).map(|change| match change {
                Change::Written(range) | Change::Cleared(range) => range.start.to_string(),
            });
            xml.leaf("NextMarker", next.unwrap_or_default());
        }
    });
    Ok(Reply::xml(request.spec.status, xml.finish())
        .with_state(file.etag(), file.last_modified)
        .with("x-ms-content-length", size.to_string()))
}

/// Written ranges grown to whole sectors, or the end of the file, and joined where they then meet.
fn in_sectors(changes: Vec<Change>, size: u64) -> Vec<Change> {
    let mut grown: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        let Change::Written(range) = change else {
            grown.push(change);
            continue;
        };
        let (start, end) = (range.start / SECTOR * SECTOR, range.end.next_multiple_of(SECTOR).min(size));
        match grown.last_mut() {
            Some(Change::Written(last)) if last.end >= start => last.end = last.end.max(end),
            Some(Change::Cleared(last)) => {
                let start = start.max(last.end);
                grown.push(Change::Written(start..end));
            }
            _ => grown.push(Change::Written(start..end)),
        }
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_in_sectors() {
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
