//! Put Page: writes whole pages of a page blob, or clears them.

use crate::operation::{
    Access, BodyFraming, CHECKSUMS, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind,
    Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::pages;
use crate::rules::blob::pages::SequenceConditions;
use crate::rules::blob::tier::Tier;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges::InclusiveRange;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::state::Blob;
use crate::services::blob::wire;
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_PAGE: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Put Page",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "page")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(BodyFraming::INPUTS), Input::Group(CHECKSUMS)],
        encryption: EncryptionCheck::Write,
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    write: String = Header "x-ms-page-write",
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    le: Option<String> = Header "x-ms-if-sequence-number-le",
    lt: Option<String> = Header "x-ms-if-sequence-number-lt",
    eq: Option<String> = Header "x-ms-if-sequence-number-eq",
} }

impl Asked {
    /// The range, and the header that it stood in.
    pub(super) fn range(&self) -> Result<(&'static str, &str), StorageError> {
        let named =
            self.ms_range.as_deref().map(|text| ("x-ms-range", text)).or(self.range.as_deref().map(|text| ("Range", text)));
        named.ok_or_else(|| StorageError::missing_header("x-ms-range"))
    }

    fn sequence(&self) -> Result<SequenceConditions, StorageError> {
        SequenceConditions::read(|name| match name {
            "x-ms-if-sequence-number-le" => self.le.as_deref(),
            "x-ms-if-sequence-number-lt" => self.lt.as_deref(),
            _ => self.eq.as_deref(),
        })
    }
}

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    wire::check_unsupported_headers(&request)?;
    if asked.write.eq_ignore_ascii_case("clear") {
        request.check_no_content()?;
        let blob = write(blobs, &request, &asked, None).await?;
        return Ok(answer(&blob, &request));
    }
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(StorageError::invalid_header("x-ms-page-write", asked.write));
    }
    let claimed = request.claimed_checksums()?;
    // Which of them the answer tells depends on the blob, which is not looked at before its bytes are here.
    let framing: BodyFraming = request.parse()?;
    let received = request.receive(framing, pages::MAX_WRITE, ChecksumKinds { md5: true, crc64: true }).await?;
    claimed.check(received.digests)?;
    let blob = write(blobs, &request, &asked, Some(&received.content)).await?;
    let told = told(&blob, &request, claimed);
    Ok(framing.answer(wire::with_digests(written(&blob, &request), received.digests.only(told))))
}

/// Writes to the pages that the request names, or clears them when there is nothing to write.
pub(super) async fn write(
    blobs: &Blobs,
    request: &Request,
    asked: &Asked,
    bytes: Option<&Content>,
) -> Result<Arc<Blob>, StorageError> {
    let conditions = asked.sequence()?;
    let (header, range) = asked.range()?;
    let container = blobs.container(request)?;
    container
        .write(|container| {
            let admitted = container.admit(request)?;
            let Body::Page { content, sequence } = &admitted.body else { return Err(ErrorCode::InvalidBlobType.into()) };
            conditions.hold(*sequence)?;
            let span: InclusiveRange = pages::read_range(header, range, content.len())?;
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() != span.len()) {
                return Err(StorageError::invalid_header("Content-Length", bytes.len().to_string()));
            }
            let (mut content, sequence) = (content.clone(), *sequence);
            // Only what was cleared after a snapshot was taken can be told of by a difference from one.
            let watched = container.has_snapshots(request.target.blob()?.0);
            container.replace(admitted, request.now, |blob| {
                // By the blob's own stamp: it is later than that of every snapshot taken before, the clock's time may not be.
                match bytes {
                    None if watched => content.clear_at(span.start..span.end + 1, blob.last_modified),
                    None => content.clear(span.start..span.end + 1),
                    Some(bytes) => content.write(span.start, bytes, blob.last_modified),
                }
                blob.body = Body::Page { content, sequence };
            })
        })
        .await
}

/// Which checksums a write of pages answers with. Recorded: the MD5 whatever was claimed from 2019-12-12 on, in 2019-07-07 of a blob with
/// an encryption scope, in 2019-02-02 of a premium blob.
pub(super) fn told(blob: &Blob, request: &Request, claimed: RequestChecksums) -> ChecksumKinds {
    let premium = blob.tier.is_some_and(|placed| matches!(placed.tier, Tier::Premium(_)));
    let scoped = matches!(blob.encryption, Encryption::Scope(_)) && request.version >= Version::V2019_07_07;
    match premium || scoped || request.version >= Version::V2019_12_12 {
        true => claimed.wanted_with_md5(request.version),
        false => claimed.wanted(request.version),
    }
}

/// The answer to a write, without checksums.
pub(super) fn written(blob: &Blob, request: &Request) -> Reply {
    let reply = answer(blob, request).with("x-ms-request-server-encrypted", "true");
    wire::with_encryption(reply, &blob.encryption)
}

/// The state of a blob whose pages, size or sequence number changed.
pub(super) fn answer(blob: &Blob, request: &Request) -> Reply {
    let reply = Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified);
    match &blob.body {
        Body::Page { sequence, .. } => reply.with("x-ms-blob-sequence-number", sequence.to_string()),
        Body::Block { .. } | Body::Append { .. } => reply,
    }
}
