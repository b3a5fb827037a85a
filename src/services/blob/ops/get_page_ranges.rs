//! Get Page Ranges: the written pages of a page blob, or the changes since an earlier snapshot.

use crate::operation::xml::Writer;
use crate::operation::{
    Operation, OperationSpec, Reply, Request, ResourceKind, Selector, Source, SourceAuthorization, SourceLocation, StateQuery,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::blob::pages;
use crate::rules::blob::version_selector::MALFORMED_TIME;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::wire::{MaxResults, ReadRange};
use crate::store::sparse::Change;

pub(super) static GET_PAGE_RANGES: Operation<Blobs> = operation!(
    get_page_ranges,
    (StateQuery, Input),
    OperationSpec {
        name: "Get Page Ranges",
        methods: &["GET"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "pagelist")],
        requires: RequiredPermission::object("r").or_anonymous(AnonymousAccess::Blob),
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    range: ReadRange,
    previous: Option<String> = Query "prevsnapshot",
    previous_url: Option<String> = Header "x-ms-previous-snapshot-url",
    marker: Option<u64> = Query "marker",
    max: Option<MaxResults> = Query "maxresults",
} }

/// The ranges of a page, at most and by default.
const PAGE: usize = 10_000;

async fn get_page_ranges(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    if let Some(url) = input.previous_url.as_deref().filter(|_| input.previous.is_some()) {
        return Err(StorageError::invalid_header("x-ms-previous-snapshot-url", url));
    }
    let container = blobs.container(&request)?.read();
    let blob = container.admit(&request).map_err(|error| match error.code() {
        // Only this operation answers 304 with a Content-Type (recorded).
        ErrorCode::NotModified => error.with_header("content-type", "application/xml"),
        _ => error,
    })?;
    blob.check_readable(request.now)?;
    let Body::Page { content, .. } = &blob.body else { return Err(ErrorCode::InvalidBlobType.into()) };
    let size = content.len();
    let span = ranges::resolve(input.range.0, size)?.map_or(0..size, |span| span.start..span.end + 1);
    // A page that the range touches is reported as a whole (the SDKs' own tests).
    let span = span.start / pages::PAGE * pages::PAGE..span.end.next_multiple_of(pages::PAGE).min(size);
    // A marker is the offset at which the next page of ranges begins.
    let span = input.marker.unwrap_or(0).max(span.start)..span.end;
    let max = input.max.map_or(PAGE, |max| max.0);
    let previous = match (&input.previous_url, input.previous.as_deref()) {
        (Some(url), _) => Some(snapshot_of(&request, url)?),
        (None, text) => text.map(snapshot_time).transpose()?,
    };
    let changes = match previous {
        None => content.written(span).into_iter().map(Change::Written).collect(),
        Some(previous) => {
            let (taken, earlier) = container.snapshot_before(&request, previous)?;
            match &earlier.body {
                Body::Page { content: before, .. } if earlier.created == blob.created => content.changes(before, taken, span),
                _ => return Err(ErrorCode::BlobOverwritten.into()),
            }
        }
    };

    let mut xml = Writer::new();
    xml.nest("PageList", |xml| {
        for change in changes.iter().take(max) {
            let (element, range) = match change {
                Change::Written(range) => ("PageRange", range),
                Change::Cleared(range) => ("ClearRange", range),
            };
            xml.open(element).leaf("Start", range.start.to_string()).leaf("End", (range.end - 1).to_string()).close(element);
        }
        // A difference from a snapshot that is named by its URL ends with a marker too (recorded).
        if input.max.is_some() || input.marker.is_some() || input.previous_url.is_some() {
            let next = changes.get(max).map(|change| match change {
                Change::Written(range) | Change::Cleared(range) => range.start.to_string(),
            });
            xml.leaf("NextMarker", next.unwrap_or_default());
        }
    });
    Ok(Reply::xml(request.spec.status, xml.finish())
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-blob-content-length", size.to_string()))
}

/// The moment in `prevsnapshot=`.
fn snapshot_time(text: &str) -> Result<Timestamp, StorageError> {
    Timestamp::parse_iso(text).ok_or_else(|| StorageError::invalid_query("prevsnapshot", text, MALFORMED_TIME))
}

/// The snapshot that a URL names, which must be one of the blob that the request names.
fn snapshot_of(request: &Request, url: &str) -> Result<Timestamp, StorageError> {
    let invalid = || StorageError::invalid_header("x-ms-previous-snapshot-url", url);
    let found = request.sources.find(request, url, SourceAuthorization::Caller).map_err(|_| invalid())?;
    let SourceLocation::Local(Source { account, target }) = found else { return Err(invalid()) };
    let is_same = account.name == request.account.name
        && target.container()? == request.target.container()?
        && target.blob()?.0 == request.target.blob()?.0;
    target.blob()?.1.snapshot().filter(|_| is_same).ok_or_else(invalid)
}
