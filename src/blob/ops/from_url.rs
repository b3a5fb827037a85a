//! The operations that take their bytes from a URL instead of the request: Put Blob, Put Block, Append Block, Put Page and Copy Blob
//! From URL. Each is its plain twin with a source; what they share, finding and checking that source, is [`Fetched`].

use super::super::blobs::Blobs;
use super::super::body::{Body, ContentHeaders, Copied};
use super::super::state::Blob;
use super::super::wire::{self, Describes};
use super::{append_block, put_block, put_page};
use crate::op::{Call, ENCRYPTED, Done, Field, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Claimed, Digests, Hasher, Wanted};
use crate::rules::condition::{self, Accepts, Stored, Unmet};
use crate::rules::encryption::Encryption;
use crate::rules::fault::{Code, Fault};
use crate::rules::range::{self, Asked as Range};
use crate::rules::tags::Tags;
use crate::rules::{blocks, lease::Guard, pages, tier::Kept};
use crate::store::content::Content;
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_BLOB_FROM_URL: Op<Blobs> = row(
    "Put Blob From URL",
    &[SOURCE, Sign::Header("x-ms-blob-type", "BlockBlob")],
    &[ENCRYPTED, Asked::FIELDS, Options::FIELDS, wire::Given::FIELDS],
    "cw",
    Accepts::Create,
    201,
    |blobs, call| Box::pin(put_blob(blobs, call)),
);
pub(super) static COPY_BLOB_FROM_URL: Op<Blobs> = row(
    "Copy Blob From URL",
    &[SOURCE, Sign::Header("x-ms-requires-sync", "true"), Sign::Lacks("x-ms-blob-type")],
    &[ENCRYPTED, Asked::FIELDS, Options::FIELDS, wire::Given::FIELDS],
    "cw",
    Accepts::Create,
    202,
    |blobs, call| Box::pin(copy_blob(blobs, call)),
);
pub(super) static PUT_BLOCK_FROM_URL: Op<Blobs> = row(
    "Put Block From URL",
    &[Sign::Query("comp", "block"), SOURCE],
    &[ENCRYPTED, Asked::FIELDS, put_block::Asked::FIELDS],
    "w",
    Accepts::None,
    201,
    |blobs, call| Box::pin(put_block(blobs, call)),
);
pub(super) static APPEND_BLOCK_FROM_URL: Op<Blobs> = row(
    "Append Block From URL",
    &[Sign::Query("comp", "appendblock"), SOURCE],
    &[ENCRYPTED, Asked::FIELDS, append_block::Asked::FIELDS],
    "aw",
    Accepts::Write,
    201,
    |blobs, call| Box::pin(append_block(blobs, call)),
);
pub(super) static PUT_PAGE_FROM_URL: Op<Blobs> = row(
    "Put Page From URL",
    &[Sign::Query("comp", "page"), SOURCE],
    &[ENCRYPTED, Asked::FIELDS, put_page::Asked::FIELDS],
    "w",
    Accepts::Write,
    201,
    |blobs, call| Box::pin(put_page(blobs, call)),
);

/// What tells each of them from its twin.
const SOURCE: Sign = Sign::HasHeader("x-ms-copy-source");

const fn row(
    name: &'static str,
    signs: &'static [Sign],
    takes: &'static [&'static [Field]],
    letters: &'static str,
    accepts: Accepts,
    status: u16,
    run: for<'a> fn(&'a Blobs, Call) -> Done<'a>,
) -> Op<Blobs> {
    Op {
        row: Row {
            name,
            methods: &["PUT"],
            shape: Shape::Blob,
            signs,
            takes,
            permit: Permit { level: Level::Object, account: letters, service: letters, public: Public::Never },
            secondary: Secondary::Refused,
            accepts,
            lease: Guard::Write,
            status,
        },
        run,
    }
}

takes! { Asked {
    source: String = Header "x-ms-copy-source",
    range: Option<String> = Header "x-ms-source-range",
    md5: Option<String> = Header "x-ms-source-content-md5",
    crc64: Option<String> = Header "x-ms-source-content-crc64",
} }

takes! { Options {
    properties: Option<bool> = Header "x-ms-copy-source-blob-properties",
    tags: Option<String> = Header "x-ms-copy-source-tag-option",
} }

/// Bytes of Copy Blob From URL, at most: 256 MiB. What is larger is copied by Copy Blob.
const COPY_LIMIT: u64 = 256 << 20;

/// Which checksum an operation answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answers {
    /// The one that the client named, or else the one of the version.
    AsClaimed,
    /// The MD5, whatever the version: recorded of Append Block From URL.
    Md5,
}

/// A source that the caller may read, as it was when the operation began, and what was asked for of its bytes.
struct Fetched {
    blob: Arc<Blob>,
    url: String,
    content: Content,
    digests: Digests,
}

impl Fetched {
    /// Finds the source, holds its conditions, and takes as many of its bytes as were asked for. They are shared, not copied.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of what went wrong (recorded: 304 and 412 for conditions); 413 over `limit` bytes; 400 for
    /// checksums that are not those of the bytes.
    fn read(blobs: &Blobs, call: &Call, limit: u64, answers: Answers) -> Result<Fetched, Fault> {
        let asked = Asked::of(call)?;
        wire::check_kept(call)?;
        call.check_no_content()?;
        let claimed = Claimed::read(asked.md5.as_deref(), asked.crc64.as_deref())?;
        let source = call.sources.find(call, &asked.source)?;
        let lost = |fault: Fault| Code::CannotVerifyCopySource.saying(fault.says().to_owned()).status_of(fault.status());
        let from = blobs.find(&source.account.name, &source.target.container).map_err(lost)?.read();
        let blob = from.source(&source).map_err(lost)?;
        let stored = Stored { etag: blob.etag(), modified: blob.stamp, tags: &blob.tags };
        condition::source_holds(&call.conditions_named(&condition::SOURCE)?, &stored).map_err(|unmet| {
            let status = if unmet == Unmet::Match { 412 } else { 304 };
            Code::CannotVerifyCopySource.saying(Code::ConditionNotMet.says()).status_of(status)
        })?;
        blob.check_online(call.now)?;
        // The request's key is the destination's; none is brought for the source.
        blob.encryption.admits_reader(&Encryption::Service)?;

        let size = blob.body.len();
        let span = asked.range.as_deref().map_or(Range::Whole, Range::parse);
        let span = range::resolve(span, size).map_err(lost)?.map_or(0..size, |span| span.start..span.end + 1);
        if span.end - span.start > limit {
            return Err(Fault::too_large(limit));
        }
        let wanted = match answers {
            Answers::AsClaimed => claimed.wanted(call.version),
            Answers::Md5 => Wanted { md5: true, crc64: claimed.crc64.is_some() },
        };
        let mut hasher = Hasher::new(wanted);
        blob.body.slice(span.clone()).for_each(|chunk| hasher.update(&chunk));
        let digests = hasher.finish();
        claimed.check(digests)?;
        let content = Content::from_chunks(blob.body.slice(span));
        Ok(Fetched { blob, url: asked.source, content, digests })
    }
}

async fn put_blob(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let options = Options::of(&call)?;
    let given = wire::Given::read(&call, Kept::Standard)?;
    let fetched = Fetched::read(blobs, &call, blocks::put_blob_limit(call.version), Answers::AsClaimed)?;
    let stated = ContentHeaders::read(&call, Describes::ByName);
    let headers = match options.properties {
        Some(false) => stated,
        _ => stated.over(&fetched.blob.headers),
    };
    let tags = source_tags(&options, &call, &fetched)?;
    let body = Body::Block { content: fetched.content, blocks: Arc::default() };
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(&call)?;
            Ok(container.create(claimed, call.now, keeping, |new| {
                let mut blob = given.apply(new.blob(body, headers));
                blob.tags = tags.unwrap_or(blob.tags);
                blob
            }))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(blob.etag(), blob.stamp).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_digests(wire::with_made(reply, &blob), fetched.digests))
}

async fn copy_blob(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let options = Options::of(&call)?;
    let given = wire::Given::read(&call, Kept::Standard)?;
    let fetched = Fetched::read(blobs, &call, COPY_LIMIT, Answers::AsClaimed)?;
    let tags = source_tags(&options, &call, &fetched)?;
    let id = call.world.id();
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(&call)?;
            Ok(container.create(claimed, call.now, keeping, |new| {
                let original = &fetched.blob;
                let mut blob = new.blob(original.body.clone(), original.headers.clone());
                blob.metadata = original.metadata.clone();
                let (source, bytes) = (wire::without_signature(&fetched.url), blob.body.len());
                blob.copy = Some(Arc::new(Copied { id, source, bytes, completed: blob.stamp }));
                blob = given.apply(blob);
                blob.tags = tags.unwrap_or(blob.tags);
                blob
            }))
        })
        .await?;
    let reply = Reply::new(call.row.status)
        .with_state(blob.etag(), blob.stamp)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", "success");
    Ok(wire::with_digests(wire::with_made(reply, &blob), fetched.digests))
}

/// The source's tags, if they are to be copied (`x-ms-copy-source-tag-option: COPY`).
fn source_tags(options: &Options, call: &Call, fetched: &Fetched) -> Result<Option<Tags>, Fault> {
    match options.tags.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("REPLACE") => Ok(None),
        Some("COPY") if call.has_header("x-ms-tags") => Err(Code::BothUserTagsAndSourceTagsCopyPresentException.into()),
        Some("COPY") => Ok(Some(fetched.blob.tags.clone())),
        Some(other) => Err(Fault::header("x-ms-copy-source-tag-option", other)),
    }
}

async fn put_block(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let id = put_block::block_id(&call)?;
    let fetched = Fetched::read(blobs, &call, blocks::put_block_limit(call.version), Answers::AsClaimed)?;
    let reply = put_block::stage(blobs, &call, id, fetched.content).await?;
    Ok(wire::with_digests(reply, fetched.digests))
}

async fn append_block(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let fetched = Fetched::read(blobs, &call, blocks::append_block_limit(call.version), Answers::Md5)?;
    let reply = append_block::add(blobs, &call, &fetched.content).await?;
    Ok(wire::with_digests(reply, fetched.digests))
}

async fn put_page(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = put_page::Asked::of(&call)?;
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(Fault::header("x-ms-page-write", asked.write));
    }
    let answers = if put_page::answers_md5(&call) { Answers::Md5 } else { Answers::AsClaimed };
    let fetched = Fetched::read(blobs, &call, pages::MAX_WRITE, answers)?;
    let blob = put_page::write(blobs, &call, &asked, Some(&fetched.content)).await?;
    Ok(wire::with_digests(put_page::written(&blob, &call), fetched.digests))
}
