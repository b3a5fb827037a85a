//! Get Page Ranges: which pages of a page blob were written; or, with an earlier snapshot, what changed since then.

use crate::operation::xml::Writer;
use crate::operation::{
    Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector, Source,
    SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::blob::pages;
use crate::rules::blob::version_selector::MALFORMED_TIME;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges::RequestedRange as Range;
use crate::rules::time::Timestamp;
use crate::rules::{listing, ranges};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::store::sparse::Change;

pub(super) static GET_PAGE_RANGES: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Get Page Ranges",
        methods: &["GET"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "pagelist")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(STATE)],
        requires: RequiredPermission::object("r").or_anonymous(AnonymousAccess::Blob),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    previous: Option<String> = Query "prevsnapshot",
    previous_url: Option<String> = Header "x-ms-previous-snapshot-url",
    marker: Option<u64> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
} }

/// The ranges of a page, at most and by default.
const PAGE: usize = 10_000;

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let container = blobs.container(&request)?.read();
    let blob = container.admit(&request).map_err(|error| match error.code() {
        // Recorded: of all that answer 304, this one says what its body would be.
        ErrorCode::NotModified => error.with_header("content-type", "application/xml"),
        _ => error,
    })?;
    blob.check_readable(request.now)?;
    let Body::Page { content, .. } = &blob.body else { return Err(ErrorCode::InvalidBlobType.into()) };
    let size = content.len();
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let span = ranges::resolve(range, size)?.map_or(0..size, |span| span.start..span.end + 1);
    // The SDKs' own tests: a page that a range touches is told whole.
    let span = span.start / pages::PAGE * pages::PAGE..span.end.next_multiple_of(pages::PAGE).min(size);
    // A marker is the offset at which the next page of ranges begins.
    let span = asked.marker.unwrap_or(0).max(span.start)..span.end;
    let max = asked.maxresults.as_deref().map_or(Ok(PAGE), |text| listing::maxresults(Some(text)))?;
    let previous = match (asked.previous, &asked.previous_url) {
        (Some(_), Some(url)) => return Err(StorageError::invalid_header("x-ms-previous-snapshot-url", url)),
        (Some(previous), None) => Some(
            Timestamp::parse_iso(&previous)
                .ok_or_else(|| StorageError::invalid_query("prevsnapshot", &previous, MALFORMED_TIME))?,
        ),
        (None, url) => url.as_deref().map(|url| snapshot_of(&request, url)).transpose()?,
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
        // Recorded: a difference from a snapshot that is named by its URL ends so as well.
        if asked.maxresults.is_some() || asked.marker.is_some() || asked.previous_url.is_some() {
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

/// The snapshot that a URL names; it has to be one of the blob that the request is about.
fn snapshot_of(request: &Request, url: &str) -> Result<Timestamp, StorageError> {
    let bad = || StorageError::invalid_header("x-ms-previous-snapshot-url", url);
    let found = request.sources.find(request, url, SourceAuthorization::Caller).map_err(|_| bad())?;
    let SourceLocation::Here(Source { account, target }) = found else { return Err(bad()) };
    let is_same = account.name == request.account.name
        && target.container()? == request.target.container()?
        && target.blob()?.0 == request.target.blob()?.0;
    target.blob()?.1.snapshot().filter(|_| is_same).ok_or_else(bad)
}
