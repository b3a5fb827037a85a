//! Blob Batch: many deletions, or many changes of tier, in one request. Each part is performed and answered as if it had come alone:
//! with its own authorization, and whatever becomes of the others.

use crate::operation::{Access, CONTENT_TYPE, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::batch;
use crate::rules::batch::BatchPart;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::delete_blob::DELETE_BLOB;
use crate::services::blob::ops::set_blob_tier::SET_BLOB_TIER;
use std::fmt::Write;

pub(super) static BATCH: Operation<Blobs> =
    within("Blob Batch", ResourceKind::Service, &[Selector::Query("comp", "batch")], OF_ACCOUNT);

/// What Azure's JavaScript client sends where the account stands in the path: it takes the account for a container.
pub(super) static PATH_STYLE_BATCH: Operation<Blobs> = within(
    "Blob Batch (path style)",
    ResourceKind::Service,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "batch")],
    OF_ACCOUNT,
);

pub(super) static CONTAINER_BATCH: Operation<Blobs> = within(
    "Blob Batch (container)",
    ResourceKind::Container,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "batch")],
    RequiredPermission::container(ANY),
);

/// Every letter that a SAS for blobs can have: what the parts do needs their own.
const ANY: &str = "racwdxyltfmeopiu";

const OF_ACCOUNT: RequiredPermission = RequiredPermission::service(ANY).account_sas_only();

/// What a part can be.
static ROWS: [&OperationSpec; 2] = [&DELETE_BLOB.spec, &SET_BLOB_TIER.spec];

const fn within(
    name: &'static str,
    shape: ResourceKind,
    signs: &'static [Selector],
    permit: RequiredPermission,
) -> Operation<Blobs> {
    operation!(
        run,
        OperationSpec {
            name,
            methods: &["POST"],
            resource: shape,
            selectors: signs,
            inputs: &[Input::Group(CONTENT_TYPE)],
            requires: permit,
            access: Access::Write,
            status: 202,
            ..OperationSpec::DEFAULT
        }
    )
}

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    if request.spec.resource == ResourceKind::Container {
        blobs.container(&request)?;
    }
    let body = request.body.bytes(batch::LONGEST).await?;
    let kind = request.header("content-type").ok_or_else(|| StorageError::missing_header("Content-Type"))?;
    let boundary = format!("batchresponse_{}", uuid::Uuid::from_bytes(request.environment.id()));
    let mut text = String::new();
    match batch::parse(&kind, &body) {
        Ok(parts) => {
            for part in &parts {
                put(&mut text, &boundary, part.id.as_deref(), &answer(&request, Ok(part)).await);
            }
        }
        // What is wrong with the batch as a whole is told as the answer of a part that has no Content-ID. Azure refused too many parts so
        // (Azure/azure-sdk-for-java#6725), a Content-Type without a boundary (Azure/Azurite#2421), and a malformed body
        // (Azure/azure-rest-api-specs#12782).
        Err(error) => put(&mut text, &boundary, None, &answer(&request, Err(error)).await),
    }
    _ = write!(text, "--{boundary}--");
    Ok(Reply::new(request.spec.status).with("content-type", format!("multipart/mixed; boundary={boundary}")).text(text))
}

async fn answer(request: &Request, part: Result<&BatchPart, StorageError>) -> String {
    request.parts.answer(request, part, &ROWS).await
}

/// Adds a part's answer.
fn put(text: &mut String, boundary: &str, id: Option<&str>, answer: &str) {
    let id = id.map(|id| format!("Content-ID: {id}\r\n")).unwrap_or_default();
    _ = write!(text, "--{boundary}\r\nContent-Type: application/http\r\n{id}\r\n{answer}");
}
