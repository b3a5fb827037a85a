//! Get Blob Properties, and Set Blob Properties: what a reader is told of the content, and a page blob's size and sequence
//! number.

use crate::operation::{
    Access, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::blob::pages;
use crate::rules::blob::pages::Action;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::ops::put_page;
use crate::services::blob::wire;
use crate::services::blob::wire::{ContentHeaderSource, DescribedPart};

pub(super) static GET_BLOB_PROPERTIES: Operation<Blobs> = operation!(
    get,
    OperationSpec {
        name: "Get Blob Properties",
        methods: &["HEAD"],
        resource: ResourceKind::Blob,
        inputs: &[Input::Group(STATE)],
        encryption: EncryptionCheck::Read,
        requires: RequiredPermission::object("r").or_anonymous(AnonymousAccess::Blob),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_BLOB_PROPERTIES: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Blob Properties",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "properties")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::CONTENT)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        encryption: EncryptionCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let blob = blobs.container(&request)?.read().admit(&request)?;
    let reply = wire::describe(Reply::new(request.spec.status), &blob, DescribedPart::Whole, &request);
    Ok(wire::with_tier(reply, &blob, &request).bytes(blob.body.slice(0..0), blob.size()))
}

input! { pub(super) Asked {
    size: Option<String> = Header "x-ms-blob-content-length",
    action: Option<String> = Header "x-ms-sequence-number-action",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

/// What the request does not say of the content is cleared, unless it only speaks of a page blob's size or sequence number.
async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let says_nothing = ContentHeaders::read(&request, ContentHeaderSource::ByName) == ContentHeaders::default();
    let only_pages = says_nothing && (asked.size.is_some() || asked.action.is_some());
    let headers = ContentHeaders::read_all(&request);
    let size = asked.size.as_deref().map(pages::read_size).transpose()?;
    let action = asked.action.as_deref().map(|action| Action::read(action, asked.sequence.as_deref())).transpose()?;
    let container = blobs.container(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            admitted.check_online(request.now)?;
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
