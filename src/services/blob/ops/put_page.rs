//! Put Page: writes pages of a page blob, or clears them.

use crate::operation::{
    self, BodyFraming, EncryptionCheck, Fields, FromRequest, NamespaceSupport, Operation, OperationSpec, Reply, Request,
    Selector, WriteRange,
};
use crate::rules::blob::pages;
use crate::rules::blob::pages::SequenceConditions;
use crate::rules::blob::tier::Tier;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::wire;
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_PAGE: Operation<Blobs> = operation!(
    put_page,
    Input,
    OperationSpec {
        name: "Put Page",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("comp", "page")],
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

input! { pub(super) Input {
    pages: PageWrite,
    framing: BodyFraming,
    checksums: RequestChecksums,
} }

input! {
    /// A write to pages.
    pub(super) PageWrite {
        mode: WriteMode = Header "x-ms-page-write",
        range: WriteRange,
        conditions: SequenceConditions,
    }
}

words! {
    /// What a write does with a range.
    pub(super) WriteMode { Update = "update", Clear = "clear" }
}

impl FromRequest for SequenceConditions {
    const INPUTS: &'static [operation::Input] =
        &[operation::Input::Headers(&["x-ms-if-sequence-number-le", "x-ms-if-sequence-number-lt", "x-ms-if-sequence-number-eq"])];

    fn from_request(fields: &Fields<'_>) -> Result<SequenceConditions, StorageError> {
        SequenceConditions::read(|name| fields.header(name))
    }
}

async fn put_page(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    let Input { pages: page_write, framing, checksums } = input;
    wire::check_unsupported_headers(&request)?;
    if page_write.mode == WriteMode::Clear {
        request.check_no_content()?;
        let blob = write(blobs, &request, &page_write, None).await?;
        return Ok(answer(&blob, &request));
    }
    // Which checksums are reported depends on the blob, which is looked up only after the body.
    let received = request.receive(framing, pages::MAX_WRITE, ChecksumKinds { md5: true, crc64: true }).await?;
    checksums.check(received.digests)?;
    let blob = write(blobs, &request, &page_write, Some(&received.content)).await?;
    let reported = reported_checksums(&blob, &request, checksums);
    Ok(framing.answer(written(&blob, &request).with_digests(received.digests.only(reported))))
}

/// Writes to the pages that the request names, or clears them if there are no bytes.
pub(super) async fn write(
    blobs: &Blobs,
    request: &Request,
    write: &PageWrite,
    bytes: Option<&Content>,
) -> Result<Arc<Blob>, StorageError> {
    let span = write.range.0;
    let edit = |container: &mut Container| {
        let admitted = container.admit(request)?;
        let Body::Page { content, sequence } = &admitted.body else { return Err(ErrorCode::InvalidBlobType.into()) };
        write.conditions.hold(*sequence)?;
        pages::check_range(span, content.len())?;
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() != span.len()) {
            return Err(StorageError::invalid_header("Content-Length", bytes.len().to_string()));
        }
        let (mut content, sequence) = (content.clone(), *sequence);
        // A difference from a snapshot reports the pages that were cleared after it.
        let has_snapshots = container.has_snapshots(request.target.blob()?.0, request.now);
        container.replace(admitted, request.now, |blob| {
            // The blob's modification time is later than every snapshot before it; the clock's time may not be.
            match bytes {
                None if has_snapshots => content.clear_at(span.start..span.end + 1, blob.last_modified),
                None => content.clear(span.start..span.end + 1),
                Some(bytes) => content.write(span.start, bytes, blob.last_modified),
            }
            blob.body = Body::Page { content, sequence };
        })
    };
    blobs.write(request, edit).await
}

/// The checksums in the answer to a write of pages. They include the MD5, whichever the request has: from 2019-12-12 on, in 2019-07-07 of
/// a blob with an encryption scope, in 2019-02-02 of a premium blob (recorded).
pub(super) fn reported_checksums(blob: &Blob, request: &Request, checksums: RequestChecksums) -> ChecksumKinds {
    let premium = blob.tier.is_some_and(|current| matches!(current.tier, Tier::Premium(_)));
    let scoped = matches!(blob.encryption, Encryption::Scope(_)) && request.version >= Version::V2019_07_07;
    match premium || scoped || request.version >= Version::V2019_12_12 {
        true => checksums.wanted_with_md5(request.version),
        false => checksums.wanted(request.version),
    }
}

/// The answer to a write, without checksums.
pub(super) fn written(blob: &Blob, request: &Request) -> Reply {
    let reply = answer(blob, request).with("x-ms-request-server-encrypted", "true");
    wire::with_encryption(reply, &blob.encryption)
}

/// The state of a blob whose pages, size or sequence number changed.
pub(super) fn answer(blob: &Blob, request: &Request) -> Reply {
    let reply = wire::state(blob, request);
    match &blob.body {
        Body::Page { sequence, .. } => reply.with("x-ms-blob-sequence-number", sequence.to_string()),
        Body::Block { .. } | Body::Append { .. } => reply,
    }
}
