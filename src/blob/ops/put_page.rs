//! Put Page: writes whole pages of a page blob, or clears them.

use super::super::blobs::Blobs;
use super::super::body::Body;
use super::super::state::Blob;
use super::super::wire;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STRUCTURED_BODY, Secondary, Shape, Sign, CHECKSUMS};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Claimed, Wanted};
use crate::rules::encryption::Encryption;
use crate::rules::fault::{Code, Fault};
use crate::rules::pages::{self, SequenceConditions};
use crate::rules::range::Span;
use crate::rules::{condition::Accepts, lease::Guard, tier::Tier, version::Version};
use crate::store::content::Content;
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_PAGE: Op<Blobs> = Op {
    row: Row {
        name: "Put Page",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "page")],
        takes: &[ENCRYPTED, Asked::FIELDS, STRUCTURED_BODY, CHECKSUMS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    write: String = Header "x-ms-page-write",
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    le: Option<String> = Header "x-ms-if-sequence-number-le",
    lt: Option<String> = Header "x-ms-if-sequence-number-lt",
    eq: Option<String> = Header "x-ms-if-sequence-number-eq",
} }

impl Asked {
    /// The range, and the header that it stood in.
    pub(super) fn range(&self) -> Result<(&'static str, &str), Fault> {
        let named = self.ms_range.as_deref().map(|text| ("x-ms-range", text)).or(self.range.as_deref().map(|text| ("Range", text)));
        named.ok_or_else(|| Fault::missing_header("x-ms-range"))
    }

    fn sequence(&self) -> Result<SequenceConditions, Fault> {
        SequenceConditions::read(|name| match name {
            "x-ms-if-sequence-number-le" => self.le.as_deref(),
            "x-ms-if-sequence-number-lt" => self.lt.as_deref(),
            _ => self.eq.as_deref(),
        })
    }
}

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    wire::check_kept(&call)?;
    if asked.write.eq_ignore_ascii_case("clear") {
        call.check_no_content()?;
        let blob = write(blobs, &call, &asked, None).await?;
        return Ok(answer(&blob, &call));
    }
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(Fault::header("x-ms-page-write", asked.write));
    }
    let claimed = call.claimed_checksums()?;
    // Which of them the answer tells depends on the blob, which is not looked at before its bytes are here.
    let received = call.receive(pages::MAX_WRITE, Wanted { md5: true, crc64: true }).await?;
    claimed.check(received.digests)?;
    let blob = write(blobs, &call, &asked, Some(&received.content)).await?;
    let told = told(&blob, &call, claimed);
    Ok(wire::with_digests(written(&blob, &call), received.digests.only(told)).with_structured(&call))
}

/// Writes to the pages that the request names, or clears them when there is nothing to write.
pub(super) async fn write(blobs: &Blobs, call: &Call, asked: &Asked, bytes: Option<&Content>) -> Result<Arc<Blob>, Fault> {
    let conditions = asked.sequence()?;
    let (header, range) = asked.range()?;
    let container = blobs.container(call)?;
    container
        .write(|container| {
            let admitted = container.admit(call)?;
            let Body::Page { content, sequence } = &admitted.body else { return Err(Code::InvalidBlobType.into()) };
            conditions.hold(*sequence)?;
            let span: Span = pages::read_range(header, range, content.len())?;
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() != span.len()) {
                return Err(Fault::header("Content-Length", bytes.len().to_string()));
            }
            let (mut content, sequence) = (content.clone(), *sequence);
            // Only what was cleared after a snapshot was taken can be told of by a difference from one.
            let watched = container.has_snapshots(call.blob());
            container.replace(admitted, call.now, |blob| {
                // By the blob's own stamp: it is later than that of every snapshot taken before, the clock's time may not be.
                match bytes {
                    None if watched => content.clear_at(span.start..span.end + 1, blob.stamp),
                    None => content.clear(span.start..span.end + 1),
                    Some(bytes) => content.write(span.start, bytes, blob.stamp),
                }
                blob.body = Body::Page { content, sequence };
            })
        })
        .await
}

/// Which checksums a write of pages answers with. Recorded: the MD5 whatever was claimed from 2019-12-12 on, in 2019-07-07 of a blob with
/// an encryption scope, in 2019-02-02 of a premium blob.
pub(super) fn told(blob: &Blob, call: &Call, claimed: Claimed) -> Wanted {
    let premium = blob.tier.is_some_and(|placed| matches!(placed.tier, Tier::Premium(_)));
    let scoped = matches!(blob.encryption, Encryption::Scope(_)) && call.version >= Version::V2019_07_07;
    match premium || scoped || call.version >= Version::V2019_12_12 {
        true => claimed.wanted_with_md5(call.version),
        false => claimed.wanted(call.version),
    }
}

/// The answer to a write, without checksums.
pub(super) fn written(blob: &Blob, call: &Call) -> Reply {
    let reply = answer(blob, call).with("x-ms-request-server-encrypted", "true");
    wire::with_encryption(reply, &blob.encryption)
}

/// The state of a blob whose pages, size or sequence number changed.
pub(super) fn answer(blob: &Blob, call: &Call) -> Reply {
    let reply = Reply::new(call.row.status).with_state(blob.etag(), blob.stamp);
    match &blob.body {
        Body::Page { sequence, .. } => reply.with("x-ms-blob-sequence-number", sequence.to_string()),
        Body::Block { .. } | Body::Append { .. } => reply,
    }
}
