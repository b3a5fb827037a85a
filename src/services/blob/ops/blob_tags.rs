//! Get and Set Blob Tags: the index tags of a blob. They change neither its entity tag nor its Last-Modified.

use crate::operation::{
    Access, CHECKSUMS, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector, VERSION,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static GET_BLOB_TAGS: Operation<Blobs> = operation!(
    get,
    OperationSpec {
        name: "Get Blob Tags",
        methods: &["GET"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "tags")],
        inputs: &[Input::Group(STATE), Input::Group(CONDITIONS)],
        requires: RequiredPermission::object("t"),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_BLOB_TAGS: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Blob Tags",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "tags")],
        inputs: &[Input::Group(VERSION), Input::Group(CONDITIONS), Input::Group(CHECKSUMS)],
        requires: RequiredPermission::object("t"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

/// Conditions on the blob whose tags are meant: from 2026-02-06 on, `x-ms-blob-if-none-match` of the present tag is 304 to a reader.
const CONDITIONS: &[Input] = &[
    Input::header(conditions::BLOB.if_match),
    Input::header(conditions::BLOB.if_none_match),
    Input::header(conditions::BLOB.if_modified_since),
    Input::header(conditions::BLOB.if_unmodified_since),
];

/// The largest document of tags, in bytes.
const LIMIT: u64 = 64 << 10;

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let blob = blobs.container(&request)?.read().admit(&request)?;
    Ok(Reply::xml(request.spec.status, wire::tags(&blob.tags)))
}

async fn set(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    let claimed = request.claimed_checksums()?;
    let (document, digests) = request.body.document(LIMIT, claimed.wanted(request.version)).await?;
    claimed.check(digests)?;
    let tags = wire::read_tags(&document)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            container.amend(admitted, |blob| blob.tags = tags);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
