//! The operations that read their bytes from a URL instead of the request: Put Blob, Put Block, Append Block, Put Page and Copy Blob
//! From URL. What they share is [`FetchedSource`].

use crate::operation::{
    self, EncryptionCheck, Input, Operation, OperationSpec, Reply, Request, Selector, Source, SourceAuthorization,
    SourceConditions, SourceEncryption, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::TierSupport;
use crate::rules::blob::{blocks, pages};
use crate::rules::checksums::{ChecksumKinds, Digests, Md5, RequestChecksums};
use crate::rules::conditions::{ConditionSupport, CurrentState, FailedCondition};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::rules::ranges::RequestedRange;
use crate::rules::versions::Version;
use crate::rules::{conditions, copy_source, ranges};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::BlobCopy;
use crate::services::blob::ops::append_block::AppendConditions;
use crate::services::blob::ops::put_page::{PageWrite, WriteMode};
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::ops::{append_block, put_block, put_page};
use crate::services::blob::remote_source::RemoteBlob;
use crate::services::blob::state::{Container, NewBlob};
use crate::services::blob::wire::NewBlobHeaders;
use crate::services::blob::{copy_properties, last_access, remote_source, wire};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource, condition_error};
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_BLOB_FROM_URL: Operation<Blobs> = operation!(
    put_blob,
    PutBlobInput,
    spec(
        "Put Blob From URL",
        &[SOURCE, Selector::Header("x-ms-blob-type", "BlockBlob")],
        CREATES,
        ConditionSupport::CopyTargetIfMatch,
        201,
    )
);
pub(super) static COPY_BLOB_FROM_URL: Operation<Blobs> = operation!(
    copy_blob,
    CopyBlobInput,
    spec(
        "Copy Blob From URL",
        &[SOURCE, Selector::Header("x-ms-requires-sync", "true"), Selector::Lacks("x-ms-blob-type")],
        CREATES,
        ConditionSupport::Create,
        202,
    )
);
pub(super) static PUT_BLOCK_FROM_URL: Operation<Blobs> = operation!(
    put_block,
    PutBlockInput,
    spec("Put Block From URL", &[Selector::Query("comp", "block"), SOURCE], put_block::REQUIRED, ConditionSupport::None, 201,)
);
pub(super) static APPEND_BLOCK_FROM_URL: Operation<Blobs> = operation!(
    append_block,
    AppendBlockInput,
    spec("Append Block From URL", &[Selector::Query("comp", "appendblock"), SOURCE], APPENDS, ConditionSupport::Write, 201,)
);
pub(super) static PUT_PAGE_FROM_URL: Operation<Blobs> = operation!(
    put_page,
    PutPageInput,
    spec("Put Page From URL", &[Selector::Query("comp", "page"), SOURCE], WRITE.requires, ConditionSupport::Write, 201)
);

const CREATES: RequiredPermission = RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]);
const APPENDS: RequiredPermission = RequiredPermission::object("aw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]);

/// The selector that distinguishes each of them from the operation with a body.
const SOURCE: Selector = Selector::HasHeader("x-ms-copy-source");

const fn spec(
    name: &'static str,
    selectors: &'static [Selector],
    requires: RequiredPermission,
    conditions: ConditionSupport,
    status: u16,
) -> OperationSpec {
    OperationSpec { name, selectors, requires, conditions, encryption: EncryptionCheck::Write, status, ..WRITE }
}

input! { pub(super) PutBlobInput {
    source: SourceInput,
    range: SourceRange,
    options: SourceOptions,
    new: NewBlobHeaders,
    content: ContentHeaders,
} }

input! { pub(super) CopyBlobInput {
    source: SourceInput,
    options: SourceOptions,
    new: NewBlobHeaders,
} }

input! { pub(super) PutBlockInput {
    source: SourceInput,
    range: SourceRange,
    id: BlockId = Query "blockid",
} }

input! { pub(super) AppendBlockInput {
    source: SourceInput,
    range: SourceRange,
    conditions: AppendConditions,
} }

input! { pub(super) PutPageInput {
    source: SourceInput,
    range: SourceRange,
    pages: PageWrite,
} }

input! {
    /// The source, and what the request states about it.
    pub(super) SourceInput {
        url: String = Header "x-ms-copy-source",
        checksums: SourceChecksums,
        forwarded: ForwardedHeaders,
        encryption: SourceEncryption,
        conditions: SourceConditions,
    }
}

parsed_input! {
    /// The checksums of the bytes that are copied.
    pub(super) SourceChecksums(RequestChecksums) = [Input::Headers(&["x-ms-source-content-md5", "x-ms-source-content-crc64"])],
    |fields| RequestChecksums::read(fields.header("x-ms-source-content-md5"), fields.header("x-ms-source-content-crc64"))
}

parsed_input! {
    /// The part of the source that is copied.
    pub(super) SourceRange(RequestedRange) = [Input::header("x-ms-source-range")],
    |fields| Ok(fields.header("x-ms-source-range").map_or(RequestedRange::Whole, RequestedRange::parse))
}

input! {
    /// What else than the content is copied.
    pub(super) SourceOptions {
        properties: Option<bool> = Header "x-ms-copy-source-blob-properties",
        tags: Option<TagOption> = Header "x-ms-copy-source-tag-option",
    }
}

words! {
    pub(super) TagOption {
        /// The copy has the tags of the request.
        Replace = "REPLACE",
        /// The copy has the tags of the source.
        Copy = "COPY",
    }
}

impl SourceOptions {
    /// Returns true if the source's tags are copied.
    ///
    /// # Errors
    /// 400 BothUserTagsAndSourceTagsCopyPresentException if the request has tags too.
    fn copies_tags(&self, new: &NewBlobHeaders) -> Result<bool, StorageError> {
        match self.tags == Some(TagOption::Copy) {
            true if new.has_tags() => Err(ErrorCode::BothUserTagsAndSourceTagsCopyPresentException.into()),
            copies => Ok(copies),
        }
    }
}

/// The refusal of a source that does not meet a condition. In 2019-02-02 its message is that the source could not be verified, in
/// 2020-08-04 it is the source's own (recorded).
fn condition_not_met(version: Version, failed: FailedCondition) -> StorageError {
    let source = StorageError::from(ErrorCode::ConditionNotMet).with_status(failed.status());
    let error = copy_source::refused(version, &source);
    match version < Version::V2019_12_12 {
        true => error.with_message("Could not verify the copy source within the specified time."),
        false => error,
    }
}

/// The most bytes of Copy Blob From URL: 256 MiB. Copy Blob copies larger sources.
const COPY_LIMIT: u64 = 256 << 20;

/// The checksums in the answer of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportedChecksums {
    /// The one in the request, or else that of the version.
    AsRequested,
    /// The MD5 in every version (recorded: Append Block From URL).
    Md5,
    /// Both; the operation chooses.
    Both,
}

/// A source in the state in which the operation found it, and the requested part of its bytes.
struct FetchedSource {
    origin: CopySource,
    headers: ContentHeaders,
    metadata: Metadata,
    /// Its tags, if they are copied.
    tags: Option<Tags>,
    content: Content,
    /// The checksums for the answer.
    digests: Digests,
    /// The MD5 of the bytes, if it was required.
    md5: Option<Md5>,
}

/// Where the type of a source comes from.
enum CopySource {
    Local(Body),
    Remote(RemoteBlob),
}

/// What an operation needs of its source.
#[derive(Clone, Copy, Debug)]
struct SourceRequirements {
    range: RequestedRange,
    /// The most bytes.
    limit: u64,
    reported: ReportedChecksums,
    tags: bool,
    /// The MD5 of the bytes, whether or not the answer has it.
    md5: bool,
    /// Whether a failed condition has an error code of its own.
    names_failed_condition: bool,
}

impl SourceRequirements {
    fn bytes(range: RequestedRange, limit: u64, reported: ReportedChecksums) -> SourceRequirements {
        SourceRequirements { range, limit, reported, tags: false, md5: false, names_failed_condition: false }
    }
}

impl FetchedSource {
    /// Finds the source, checks the conditions on it, and reads the requested part. Bytes of this server are shared, not copied.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of the source's refusal (304 and 412 for conditions are recorded); 413 for more bytes than
    /// the limit; 400 for checksums that do not match the bytes.
    async fn read(
        blobs: &Blobs,
        request: &Request,
        input: &SourceInput,
        want: SourceRequirements,
    ) -> Result<FetchedSource, StorageError> {
        request.check_no_content()?;
        let SourceChecksums(checksums) = input.checksums;
        let wanted = match want.reported {
            ReportedChecksums::AsRequested => checksums.wanted(request.version),
            ReportedChecksums::Md5 => checksums.wanted_with_md5(request.version),
            ReportedChecksums::Both => ChecksumKinds { md5: true, crc64: true },
        };
        let computed = ChecksumKinds { md5: wanted.md5 || want.md5, ..wanted };
        let fetched = match request.sources.find(request, &input.url, SourceAuthorization::Presented)? {
            SourceLocation::Local(source) => FetchedSource::local(blobs, request, &source, input, want, computed).await?,
            SourceLocation::Remote => FetchedSource::remote(request, input, want, computed).await?,
        };
        checksums.check(fetched.digests)?;
        Ok(FetchedSource { md5: fetched.digests.md5, digests: fetched.digests.only(wanted), ..fetched })
    }

    async fn local(
        blobs: &Blobs,
        request: &Request,
        source: &Source,
        input: &SourceInput,
        want: SourceRequirements,
        wanted: ChecksumKinds,
    ) -> Result<FetchedSource, StorageError> {
        let refuse = |error: StorageError| copy_source::refused(request.version, &error);
        let from = blobs.find(&source.account.name, source.target.resource_name()?).map_err(refuse)?;
        let blob =
            from.read().source(source, request.now).map_err(|error| if error.status() == 409 { error } else { refuse(error) })?;
        let stored = CurrentState { etag: blob.etag(), modified: blob.last_modified, tags: &blob.tags };
        conditions::check_source(&input.conditions.0, &stored).map_err(|failed| match want.names_failed_condition {
            true => failed.of_source().into(),
            false => condition_not_met(request.version, failed),
        })?;
        blob.check_online(request.now)?;
        blob.encryption.admits_reader(&input.encryption.0)?;

        let size = blob.body.len();
        let span = ranges::resolve(want.range, size).map_err(refuse)?.map_or(0..size, |span| span.start..span.end + 1);
        if span.end - span.start > want.limit {
            return Err(StorageError::too_large(want.limit));
        }
        last_access::record(&from, &source.account, source.target.blob()?.0, &blob, request.now).await;
        Ok(FetchedSource {
            origin: CopySource::Local(blob.body.clone()),
            headers: blob.headers.clone(),
            metadata: blob.metadata.clone(),
            tags: want.tags.then(|| blob.tags.clone()),
            digests: operation::digest(blob.body.slice(span.clone()), wanted)?,
            content: Content::from_chunks(blob.body.slice(span)),
            md5: None,
        })
    }

    async fn remote(
        request: &Request,
        input: &SourceInput,
        want: SourceRequirements,
        wanted: ChecksumKinds,
    ) -> Result<FetchedSource, StorageError> {
        let (conditions, headers) = (&input.conditions.0, &input.forwarded);
        let rename = |error| if want.names_failed_condition { condition_error(conditions, error) } else { error };
        let named = NamedSource { url: &input.url, range: want.range, conditions, headers };
        let source = RemoteSource::open(request, named).await.map_err(rename)?;
        let described = RemoteBlob::read(&source)?;
        let tags = match want.tags {
            true => Some(remote_source::tags(request, &input.url, headers).await?),
            false => None,
        };
        let received = source.answer.receive(&request.store, source.part, want.limit, wanted).await?;
        Ok(FetchedSource {
            headers: described.headers.clone(),
            metadata: described.metadata.clone(),
            origin: CopySource::Remote(described),
            tags,
            content: received.content,
            digests: received.digests,
            md5: None,
        })
    }
}

impl FetchedSource {
    /// A body of the source's type with all its bytes.
    fn body(&self, request: &Request) -> Result<Body, StorageError> {
        match &self.origin {
            CopySource::Local(body) => Ok(body.clone()),
            CopySource::Remote(described) => described.body(&request.store, &self.content, request.now),
        }
    }
}

async fn put_blob(blobs: &Blobs, request: Request, input: PutBlobInput) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let PutBlobInput { source, range, options, new, content } = input;
    new.check_tier(TierSupport::Standard)?;
    let limit = blocks::put_blob_limit(request.version);
    let bytes = SourceRequirements::bytes(range.0, limit, ReportedChecksums::AsRequested);
    let want = SourceRequirements { tags: options.copies_tags(&new)?, md5: true, names_failed_condition: true, ..bytes };
    let fetched = FetchedSource::read(blobs, &request, &source, want).await?;
    let md5 = fetched.md5.map(|md5| Box::from(md5.to_string()));
    let headers = match options.properties {
        Some(false) => content,
        // The MD5 of the source is not that of a part of it.
        _ if range.0 != RequestedRange::Whole => content.over(&ContentHeaders { md5: None, ..fetched.headers }),
        _ => content.over(&fetched.headers),
    };
    let metadata = if options.properties == Some(false) { Metadata::default() } else { fetched.metadata };
    // The content has an MD5 whether or not the source had one or gave its properties (recorded).
    let headers = ContentHeaders { md5: headers.md5.or(md5), ..headers };
    let body = Body::Block { content: fetched.content, blocks: Arc::default() };
    let make = |blob: NewBlob| {
        // The source's metadata is copied with its properties, unless the request has its own: Azure.Storage.DataMovement sends
        // `x-ms-copy-source-blob-properties: false` to change or drop any of them, and omits the header to keep all.
        let mut blob = blob.blob(body, headers);
        blob.metadata = metadata;
        blob = new.apply(blob, request.now);
        blob.tags = fetched.tags.unwrap_or(blob.tags);
        blob
    };
    let retention = blobs.retention_policy(&request)?;
    let create = |container: &mut Container| {
        let claimed = container.claim(&request)?;
        container.create(claimed, request.now, retention, make)
    };
    let blob = blobs.write(&request, create).await?;
    Ok(wire::written(&blob, &request).with_digests(fetched.digests))
}

async fn copy_blob(blobs: &Blobs, request: Request, input: CopyBlobInput) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let CopyBlobInput { source, options, new } = input;
    new.check_tier(TierSupport::Standard)?;
    let whole = RequestedRange::Whole;
    let bytes = SourceRequirements::bytes(whole, COPY_LIMIT, ReportedChecksums::AsRequested);
    let want = SourceRequirements { tags: options.copies_tags(&new)?, ..bytes };
    let fetched = FetchedSource::read(blobs, &request, &source, want).await?;
    let body = fetched.body(&request)?;
    let id = request.environment.id();
    let retention = blobs.retention_policy(&request)?;
    let create = |container: &mut Container| {
        let claimed = container.claim(&request)?;
        claimed.check_type(&body)?;
        container.create(claimed, request.now, retention, |blob| {
            let mut blob = blob.blob(body, fetched.headers);
            blob.metadata = fetched.metadata;
            blob = new.apply(blob, request.now);
            let url = copy_properties::without_signature(&source.url);
            blob.copy = Some(Arc::new(BlobCopy::whole(id, url, blob.body.len(), blob.last_modified)));
            blob.tags = fetched.tags.unwrap_or(blob.tags);
            blob
        })
    };
    let blob = blobs.write(&request, create).await?;
    Ok(wire::copied(&blob, &request, id, "success").with_digests(fetched.digests))
}

async fn put_block(blobs: &Blobs, request: Request, input: PutBlockInput) -> Result<Reply, StorageError> {
    put_block::check_permission(&request)?;
    wire::check_unsupported_headers(&request)?;
    let limit = blocks::put_block_limit(request.version);
    let want = SourceRequirements::bytes(input.range.0, limit, ReportedChecksums::AsRequested);
    let fetched = FetchedSource::read(blobs, &request, &input.source, want).await?;
    let reply = put_block::stage(blobs, &request, input.id, fetched.content).await?;
    Ok(reply.with_digests(fetched.digests))
}

/// The refusal of an append or a page blob does not contain the right checksum (recorded).
fn without_details(error: StorageError) -> StorageError {
    match error.code() {
        ErrorCode::Md5Mismatch | ErrorCode::Crc64Mismatch => error.code().into(),
        _ => error,
    }
}

async fn append_block(blobs: &Blobs, request: Request, input: AppendBlockInput) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let limit = blocks::append_block_limit(request.version);
    let want = SourceRequirements::bytes(input.range.0, limit, ReportedChecksums::Md5);
    let fetched = FetchedSource::read(blobs, &request, &input.source, want).await.map_err(without_details)?;
    let reply = append_block::append(blobs, &request, &input.conditions, &fetched.content).await?;
    Ok(reply.with_digests(fetched.digests))
}

async fn put_page(blobs: &Blobs, request: Request, input: PutPageInput) -> Result<Reply, StorageError> {
    if input.pages.mode == WriteMode::Clear {
        return Err(StorageError::invalid_header("x-ms-page-write", "clear"));
    }
    wire::check_unsupported_headers(&request)?;
    let want = SourceRequirements::bytes(input.range.0, pages::MAX_WRITE, ReportedChecksums::Both);
    let fetched = FetchedSource::read(blobs, &request, &input.source, want).await.map_err(without_details)?;
    let blob = put_page::write(blobs, &request, &input.pages, Some(&fetched.content)).await?;
    // With a customer's key, 2019-02-02 reports the MD5, which Put Page does not (recorded).
    let has_key = matches!(blob.encryption, Encryption::Key(_)) && request.version >= Version::V2019_02_02;
    let SourceChecksums(checksums) = input.source.checksums;
    let reported = match has_key {
        true => checksums.wanted_with_md5(request.version),
        false => put_page::reported_checksums(&blob, &request, checksums),
    };
    Ok(put_page::written(&blob, &request).with_digests(fetched.digests.only(reported)))
}
