//! Get Blob Properties, and Set Blob Properties: what a reader is told of the content, and a page blob's size and sequence
//! number.

use crate::operation::{ENCRYPTED, Operation, Request, OperationSpec, Reply, ResourceKind, STATE, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::blob::pages;
use crate::rules::blob::pages::Action;
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::ops::put_page;
use crate::services::blob::wire;
use crate::services::blob::wire::{ContentHeaderSource, DescribedPart};
use crate::takes;

pub(super) static GET_BLOB_PROPERTIES: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Get Blob Properties",
        methods: &["HEAD"],
        resource: ResourceKind::Blob,
        selectors: &[],
        inputs: &[ENCRYPTED, STATE],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Blob },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, request| Box::pin(get(blobs, request)),
};

pub(super) static SET_BLOB_PROPERTIES: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Blob Properties",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "properties")],
        inputs: &[Asked::FIELDS, wire::CONTENT],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 200,
    },
    run: |blobs, request| Box::pin(set(blobs, request)),
};

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let blob = blobs.container(&request)?.read().admit(&request)?;
    let reply = wire::describe(Reply::new(request.spec.status), &blob, DescribedPart::Whole, &request);
    Ok(wire::with_tier(reply, &blob, &request).bytes(blob.body.slice(0..0), blob.size()))
}

takes! { Asked {
    size: Option<String> = Header "x-ms-blob-content-length",
    action: Option<String> = Header "x-ms-sequence-number-action",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

/// What the request does not say of the content is cleared, unless it only speaks of a page blob's size or sequence number.
async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let says_nothing = ContentHeaders::read(&request, ContentHeaderSource::ByName) == ContentHeaders::default();
    let only_pages = says_nothing && (asked.size.is_some() || asked.action.is_some());
    let headers = ContentHeaders::read_all(&request);
    let size = asked.size.as_deref().map(pages::read_size).transpose()?;
    let action = asked.action.as_deref().map(|action| Action::read(action, asked.sequence.as_deref())).transpose()?;
    let shown = request.encryption()?;
    let container = blobs.container(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            admitted.check_online(request.now)?;
            // No key or scope need be shown, but one that is shown must be the blob's.
            if shown != Encryption::Service {
                admitted.encryption.admits_writer(&shown)?;
            }
            let body = match (&admitted.body, size, action) {
                (body, None, None) => body.clone(),
                (Body::Page { content, sequence }, ..) => {
                    let mut content = content.clone();
                    if size.is_some_and(|size| admitted.tier.is_some_and(|placed| !placed.tier.holds(size))) {
                        return Err(ErrorCode::ContentLengthLargerThanTierLimit.into());
                    }
                    size.into_iter().for_each(|size| content.resize(size));
                    Body::Page { content, sequence: action.map_or(Ok(*sequence), |action| action.apply(*sequence))? }
                }
                _ => return Err(ErrorCode::InvalidBlobType.into()),
            };
            container.replace(admitted, request.now, |blob| {
                blob.body = body;
                if !only_pages {
                    blob.headers = headers;
                }
            })
        })
        .await?;
    Ok(put_page::answer(&blob, &request))
}
