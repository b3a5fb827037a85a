//! The operations that take their bytes from a URL instead of the request: Put Blob, Put Block, Append Block, Put Page and Copy Blob
//! From URL. Each is its plain twin with a source; what they share, finding and checking that source, is [`Fetched`].

use crate::operation::{
    Access, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, ReplyFuture, Request, ResourceKind,
    SOURCE_CONDITIONS, Selector, Source, SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::TierSupport;
use crate::rules::blob::{blocks, pages};
use crate::rules::checksums::{ChecksumKinds, Digests, Hasher, Md5, RequestChecksums};
use crate::rules::conditions::{ConditionSupport, CurrentState, UnmetCondition};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::ranges::RequestedRange as Range;
use crate::rules::versions::Version;
use crate::rules::{conditions, copy_source, ranges};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::copy_properties::BlobCopy;
use crate::services::blob::ops::{append_block, put_block, put_page};
use crate::services::blob::remote_source::RemoteBlob;
use crate::services::blob::wire::ContentHeaderSource;
use crate::services::blob::{copy_properties, last_access, remote_source, wire};
use crate::services::shared::remote_source::{RemoteSource, named_if_unmet};
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_BLOB_FROM_URL: Operation<Blobs> = row(
    "Put Blob From URL",
    &[SOURCE, Selector::Header("x-ms-blob-type", "BlockBlob")],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(<Part as FromRequest>::INPUTS),
        Input::Group(SHOWN),
        Input::Group(<Options as FromRequest>::INPUTS),
        Input::Group(wire::NewBlobHeaders::INPUTS),
        Input::Group(wire::CONTENT),
        Input::Group(SOURCE_CONDITIONS),
    ],
    "cw",
    ConditionSupport::CopyTargetIfMatch,
    201,
    |blobs, request| Ok(Box::pin(put_blob(blobs, request))),
);
pub(super) static COPY_BLOB_FROM_URL: Operation<Blobs> = row(
    "Copy Blob From URL",
    &[SOURCE, Selector::Header("x-ms-requires-sync", "true"), Selector::Lacks("x-ms-blob-type")],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(SHOWN),
        Input::Group(<Options as FromRequest>::INPUTS),
        Input::Group(wire::NewBlobHeaders::INPUTS),
        Input::Group(SOURCE_CONDITIONS),
    ],
    "cw",
    ConditionSupport::Create,
    202,
    |blobs, request| Ok(Box::pin(copy_blob(blobs, request))),
);
pub(super) static PUT_BLOCK_FROM_URL: Operation<Blobs> = row(
    "Put Block From URL",
    &[Selector::Query("comp", "block"), SOURCE],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(<Part as FromRequest>::INPUTS),
        Input::Group(SHOWN),
        Input::Group(<put_block::Asked as FromRequest>::INPUTS),
        Input::Group(SOURCE_CONDITIONS),
    ],
    put_block::STAGES.account,
    ConditionSupport::None,
    201,
    |blobs, request| Ok(Box::pin(put_block(blobs, request))),
);
pub(super) static APPEND_BLOCK_FROM_URL: Operation<Blobs> = row(
    "Append Block From URL",
    &[Selector::Query("comp", "appendblock"), SOURCE],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(<Part as FromRequest>::INPUTS),
        Input::Group(SHOWN),
        Input::Group(<append_block::Asked as FromRequest>::INPUTS),
        Input::Group(SOURCE_CONDITIONS),
    ],
    "aw",
    ConditionSupport::Write,
    201,
    |blobs, request| Ok(Box::pin(append_block(blobs, request))),
);
pub(super) static PUT_PAGE_FROM_URL: Operation<Blobs> = row(
    "Put Page From URL",
    &[Selector::Query("comp", "page"), SOURCE],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(<Part as FromRequest>::INPUTS),
        Input::Group(SHOWN),
        Input::Group(<put_page::Asked as FromRequest>::INPUTS),
        Input::Group(SOURCE_CONDITIONS),
    ],
    "w",
    ConditionSupport::Write,
    201,
    |blobs, request| Ok(Box::pin(put_page(blobs, request))),
);

/// What is said of a source that is not as it should be. Recorded: at 2019-02-02 that it could not be verified, at 2020-08-04 the
/// source's own sentence.
fn not_as_wanted(version: Version, unmet: UnmetCondition) -> StorageError {
    let source = StorageError::from(ErrorCode::ConditionNotMet).with_status(unmet.status());
    let error = copy_source::refused(version, &source);
    match version < Version::V2019_12_12 {
        true => error.with_message("Could not verify the copy source within the specified time."),
        false => error,
    }
}

/// What tells each of them from its twin.
const SOURCE: Selector = Selector::HasHeader("x-ms-copy-source");

const fn row(
    name: &'static str,
    signs: &'static [Selector],
    takes: &'static [Input],
    letters: &'static str,
    accepts: ConditionSupport,
    status: u16,
    start: for<'a> fn(&'a Blobs, Request) -> Result<ReplyFuture<'a>, StorageError>,
) -> Operation<Blobs> {
    Operation {
        spec: OperationSpec {
            name,
            methods: &["PUT"],
            resource: ResourceKind::Blob,
            selectors: signs,
            inputs: takes,
            requires: RequiredPermission::object(letters),
            access: Access::Write,
            conditions: accepts,
            lease: LeaseCheck::Required,
            encryption: EncryptionCheck::Write,
            status,
            ..OperationSpec::DEFAULT
        },
        start,
    }
}

input! { pub(super) Asked {
    source: String = Header "x-ms-copy-source",
    md5: Option<String> = Header "x-ms-source-content-md5",
    crc64: Option<String> = Header "x-ms-source-content-crc64",
} }

impl Asked {
    /// What the request says of the source's bytes.
    fn claimed(&self) -> Result<RequestChecksums, StorageError> {
        RequestChecksums::read(self.md5.as_deref(), self.crc64.as_deref())
    }
}

input! { pub(super) Part {
    range: Option<String> = Header "x-ms-source-range",
} }

/// What a request shows for its source: to this server, or passed on to another.
const SHOWN: &[Input] = &[
    Input::header("x-ms-copy-source-authorization"),
    Input::header("x-ms-file-request-intent"),
    Input::header("x-ms-source-encryption-key"),
    Input::header("x-ms-source-encryption-key-sha256"),
    Input::header("x-ms-source-encryption-algorithm"),
];

input! { pub(super) Options {
    properties: Option<bool> = Header "x-ms-copy-source-blob-properties",
    tags: Option<String> = Header "x-ms-copy-source-tag-option",
} }

/// Bytes of Copy Blob From URL, at most: 256 MiB. What is larger is copied by Copy Blob.
const COPY_LIMIT: u64 = 256 << 20;

/// Which checksum an operation answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CopyReply {
    /// The one that the client named, or else the one of the version.
    AsClaimed,
    /// The MD5, whatever the version: recorded of Append Block From URL.
    Md5,
    /// Both, for the operation to choose from.
    Both,
}

/// A source that the caller may read, as it was when the operation began, and what was asked for of its bytes.
struct FetchedSource {
    origin: CopySource,
    headers: ContentHeaders,
    metadata: Metadata,
    /// Its tags, if they were asked for.
    tags: Option<Tags>,
    content: Content,
    /// The checksums that the answer has.
    digests: Digests,
    /// The MD5 of the bytes, if it was asked for.
    md5: Option<Md5>,
}

/// What a source's type is known by.
enum CopySource {
    /// Its own body.
    Here(Body),
    /// What its server says of it.
    Elsewhere(RemoteBlob),
}

/// What is asked for of a source.
#[derive(Clone, Copy, Debug)]
struct SourceRequirements {
    /// The most bytes.
    limit: u64,
    answers: CopyReply,
    /// Whether all of it is, whatever range the request names.
    whole: bool,
    /// Whether its tags are.
    tags: bool,
    /// Whether the MD5 of the bytes is, which the answer need not have.
    md5: bool,
    /// Whether an unmet condition on it has a name of its own.
    names_unmet: bool,
}

impl SourceRequirements {
    /// Only bytes, as many at most, of a source that brings the right to read it.
    fn bytes(limit: u64, answers: CopyReply) -> SourceRequirements {
        SourceRequirements { limit, answers, whole: false, tags: false, md5: false, names_unmet: false }
    }
}

impl FetchedSource {
    /// Finds the source, holds its conditions, and takes as many of its bytes as were asked for. Those of this server are shared, not
    /// copied.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of what went wrong (recorded: 304 and 412 for conditions); 413 for more bytes than are
    /// wanted; 400 for checksums that are not those of the bytes.
    async fn read(blobs: &Blobs, request: &Request, want: SourceRequirements) -> Result<FetchedSource, StorageError> {
        let asked = request.parse::<Asked>()?;
        let range = if want.whole { None } else { request.parse::<Part>()?.range };
        wire::check_unsupported_headers(request)?;
        request.check_no_content()?;
        let claimed = asked.claimed()?;
        let wanted = match want.answers {
            CopyReply::AsClaimed => claimed.wanted(request.version),
            CopyReply::Md5 => claimed.wanted_with_md5(request.version),
            CopyReply::Both => ChecksumKinds { md5: true, crc64: true },
        };
        let computed = ChecksumKinds { md5: wanted.md5 || want.md5, ..wanted };
        let fetched = match request.sources.find(request, &asked.source, SourceAuthorization::Shown)? {
            SourceLocation::Here(source) => {
                FetchedSource::here(blobs, request, &source, range.as_deref(), want, computed).await?
            }
            SourceLocation::Elsewhere => {
                FetchedSource::elsewhere(request, &asked.source, range.as_deref(), want, computed).await?
            }
        };
        claimed.check(fetched.digests)?;
        Ok(FetchedSource { md5: fetched.digests.md5, digests: fetched.digests.only(wanted), ..fetched })
    }

    async fn here(
        blobs: &Blobs,
        request: &Request,
        source: &Source,
        range: Option<&str>,
        want: SourceRequirements,
        wanted: ChecksumKinds,
    ) -> Result<FetchedSource, StorageError> {
        let lost = |error: StorageError| copy_source::refused(request.version, &error);
        let from = blobs.find(&source.account.name, source.target.container()?).map_err(lost)?;
        let blob =
            from.read().source(source, request.now).map_err(|error| if error.status() == 409 { error } else { lost(error) })?;
        let stored = CurrentState { etag: blob.etag(), modified: blob.last_modified, tags: &blob.tags };
        conditions::check_source(&request.conditions_named(&conditions::SOURCE)?, &stored).map_err(|unmet| {
            match want.names_unmet {
                true => unmet.of_source().into(),
                false => not_as_wanted(request.version, unmet),
            }
        })?;
        blob.check_online(request.now)?;
        // The request's own key is the destination's.
        blob.encryption.admits_reader(&request.source_encryption()?)?;

        let size = blob.body.len();
        let span = range.map_or(Range::Whole, Range::parse);
        let span = ranges::resolve(span, size).map_err(lost)?.map_or(0..size, |span| span.start..span.end + 1);
        if span.end - span.start > want.limit {
            return Err(StorageError::too_large(want.limit));
        }
        last_access::keep(&from, &source.account, source.target.blob()?.0, &blob, request.now).await;
        let mut hasher = Hasher::new(wanted);
        if wanted != ChecksumKinds::default() {
            for chunk in blob.body.slice(span.clone()) {
                hasher.update(&chunk.read()?);
            }
        }
        Ok(FetchedSource {
            origin: CopySource::Here(blob.body.clone()),
            headers: blob.headers.clone(),
            metadata: blob.metadata.clone(),
            tags: want.tags.then(|| blob.tags.clone()),
            content: Content::from_chunks(blob.body.slice(span)),
            digests: hasher.finish(),
            md5: None,
        })
    }

    async fn elsewhere(
        request: &Request,
        url: &str,
        range: Option<&str>,
        want: SourceRequirements,
        wanted: ChecksumKinds,
    ) -> Result<FetchedSource, StorageError> {
        let named = |error| if want.names_unmet { named_if_unmet(request, error) } else { error };
        let source = RemoteSource::open(request, url, range).await.map_err(named)?;
        let described = source.described()?;
        let tags = match want.tags {
            true => Some(remote_source::tags(request, url).await?),
            false => None,
        };
        let received = source.answer.receive(&request.store, source.part, want.limit, wanted).await?;
        Ok(FetchedSource {
            headers: described.headers.clone(),
            metadata: described.metadata.clone(),
            origin: CopySource::Elsewhere(described),
            tags,
            content: received.content,
            digests: received.digests,
            md5: None,
        })
    }
}

impl FetchedSource {
    /// All of it, as a body of its own type.
    fn body(&self, request: &Request) -> Result<Body, StorageError> {
        match &self.origin {
            CopySource::Here(body) => Ok(body.clone()),
            CopySource::Elsewhere(described) => described.body(&request.store, &self.content, request.now),
        }
    }
}

async fn put_blob(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let options = request.parse::<Options>()?;
    let given = wire::NewBlobHeaders::read(&request, TierSupport::Standard)?;
    let tags = copies_tags(&options, &request)?;
    let limit = blocks::put_blob_limit(request.version);
    let want =
        SourceRequirements { tags, md5: true, names_unmet: true, ..SourceRequirements::bytes(limit, CopyReply::AsClaimed) };
    let fetched = FetchedSource::read(blobs, &request, want).await?;
    let stated = ContentHeaders::read(&request, ContentHeaderSource::ByName);
    let md5 = fetched.md5.map(|md5| Box::from(md5.to_string()));
    let headers = match options.properties {
        Some(false) => stated,
        // The MD5 of the whole source is not that of a part.
        _ if request.parse::<Part>()?.range.is_some() => stated.over(&ContentHeaders { md5: None, ..fetched.headers }),
        _ => stated.over(&fetched.headers),
    };
    let metadata = if options.properties == Some(false) { Metadata::default() } else { fetched.metadata };
    // The content has an MD5 whether or not the source had one or gave its properties (recorded).
    let headers = ContentHeaders { md5: headers.md5.or(md5), ..headers };
    let body = Body::Block { content: fetched.content, blocks: Arc::default() };
    let container = blobs.container(&request)?;
    let keeping = blobs.retention_policy(&request)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(&request)?;
            Ok(container.create(claimed, request.now, keeping, |new| {
                // The source's metadata comes with its properties, unless the request brings its own: Azure.Storage.DataMovement asks
                // for `x-ms-copy-source-blob-properties: false` in order to change or drop any of them, and leaves it out to keep all.
                let mut blob = new.blob(body, headers);
                blob.metadata = metadata;
                blob = given.apply(blob);
                blob.tags = fetched.tags.unwrap_or(blob.tags);
                blob
            }))
        })
        .await?;
    let reply =
        Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_digests(wire::with_written(reply, &blob), fetched.digests))
}

async fn copy_blob(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let options = request.parse::<Options>()?;
    let given = wire::NewBlobHeaders::read(&request, TierSupport::Standard)?;
    let tags = copies_tags(&options, &request)?;
    let want = SourceRequirements { whole: true, tags, ..SourceRequirements::bytes(COPY_LIMIT, CopyReply::AsClaimed) };
    let fetched = FetchedSource::read(blobs, &request, want).await?;
    let body = fetched.body(&request)?;
    let source = request.parse::<Asked>()?.source;
    let id = request.environment.id();
    let container = blobs.container(&request)?;
    let keeping = blobs.retention_policy(&request)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(&request)?;
            if claimed.current().is_some_and(|blob| blob.body.type_name() != body.type_name()) {
                return Err(ErrorCode::InvalidBlobType.into());
            }
            Ok(container.create(claimed, request.now, keeping, |new| {
                let mut blob = new.blob(body, fetched.headers);
                blob.metadata = fetched.metadata;
                blob.copy = Some(Arc::new(BlobCopy::whole(
                    id,
                    copy_properties::without_signature(&source),
                    blob.body.len(),
                    blob.last_modified,
                )));
                blob = given.apply(blob);
                blob.tags = fetched.tags.unwrap_or(blob.tags);
                blob
            }))
        })
        .await?;
    let reply = Reply::new(request.spec.status)
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", "success");
    Ok(wire::with_digests(wire::with_written(reply, &blob), fetched.digests))
}

/// Whether the source's tags are to be copied (`x-ms-copy-source-tag-option: COPY`).
fn copies_tags(options: &Options, request: &Request) -> Result<bool, StorageError> {
    match options.tags.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("REPLACE") => Ok(false),
        Some("COPY") if request.has_header("x-ms-tags") => Err(ErrorCode::BothUserTagsAndSourceTagsCopyPresentException.into()),
        Some("COPY") => Ok(true),
        Some(other) => Err(StorageError::invalid_header("x-ms-copy-source-tag-option", other)),
    }
}

async fn put_block(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    put_block::check_stages(&request)?;
    let id = put_block::block_id(&request)?;
    let fetched = FetchedSource::read(
        blobs,
        &request,
        SourceRequirements::bytes(blocks::put_block_limit(request.version), CopyReply::AsClaimed),
    )
    .await?;
    let reply = put_block::stage(blobs, &request, id, fetched.content).await?;
    Ok(wire::with_digests(reply, fetched.digests))
}

/// Recorded: of bytes for an append or a page blob it is said that the checksum is another, and not which.
fn briefly(error: StorageError) -> StorageError {
    match error.code() {
        ErrorCode::Md5Mismatch | ErrorCode::Crc64Mismatch => error.code().into(),
        _ => error,
    }
}

async fn append_block(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let fetched = FetchedSource::read(
        blobs,
        &request,
        SourceRequirements::bytes(blocks::append_block_limit(request.version), CopyReply::Md5),
    )
    .await
    .map_err(briefly)?;
    let reply = append_block::add(blobs, &request, &fetched.content).await?;
    Ok(wire::with_digests(reply, fetched.digests))
}

async fn put_page(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<put_page::Asked>()?;
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(StorageError::invalid_header("x-ms-page-write", asked.write));
    }
    let claimed = request.parse::<Asked>()?.claimed()?;
    let fetched = FetchedSource::read(blobs, &request, SourceRequirements::bytes(pages::MAX_WRITE, CopyReply::Both))
        .await
        .map_err(briefly)?;
    let blob = put_page::write(blobs, &request, &asked, Some(&fetched.content)).await?;
    // Recorded in 2019-02-02: with a customer's key it tells the MD5, which Put Page does not.
    let keyed = matches!(blob.encryption, Encryption::Key(_)) && request.version >= Version::V2019_02_02;
    let told = if keyed { claimed.wanted_with_md5(request.version) } else { put_page::told(&blob, &request, claimed) };
    Ok(wire::with_digests(put_page::written(&blob, &request), fetched.digests.only(told)))
}
