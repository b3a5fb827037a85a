//! Blob Batch: many deletions, or many changes of tier, in one request. Each part is performed and answered as if it were a request of
//! its own: with its own authorization, and whether or not others fail.

use crate::operation::{Access, BatchContentType, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::batch;
use crate::rules::batch::BatchPart;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::delete_blob::DELETE_BLOB;
use crate::services::blob::ops::set_blob_tier::SET_BLOB_TIER;
use std::fmt::Write;

pub(super) static BATCH: Operation<Blobs> = operation!(
    batch,
    BatchContentType,
    OperationSpec { name: "Blob Batch", selectors: &[Selector::Query("comp", "batch")], ..SPEC }
);

/// The request of Azure's JavaScript client when the path begins with the account, which that client treats as a container.
pub(super) static PATH_STYLE_BATCH: Operation<Blobs> =
    operation!(batch, BatchContentType, OperationSpec { name: "Blob Batch (path style)", selectors: OF_CONTAINER, ..SPEC });

pub(super) static CONTAINER_BATCH: Operation<Blobs> = operation!(
    batch,
    BatchContentType,
    OperationSpec {
        name: "Blob Batch (container)",
        resource: ResourceKind::Container,
        selectors: OF_CONTAINER,
        requires: RequiredPermission::container(ANY).actions(&[&[RoleAction::ContainerWrite]]),
        ..SPEC
    }
);

const OF_CONTAINER: &[Selector] = &[Selector::Query("restype", "container"), Selector::Query("comp", "batch")];

const SPEC: OperationSpec = OperationSpec {
    methods: &["POST"],
    requires: RequiredPermission::service(ANY).account_sas_only().actions(&[&[RoleAction::ContainerWrite]]),
    access: Access::Write,
    status: 202,
    ..OperationSpec::DEFAULT
};

/// Every permission of a SAS for blobs: any is enough for the batch, and each part needs its own.
const ANY: &str = "racwdxyltfmeopiu";

/// The operations that a part can be.
static OPERATIONS: [&OperationSpec; 2] = [&DELETE_BLOB.spec, &SET_BLOB_TIER.spec];

async fn batch(blobs: &Blobs, mut request: Request, content_type: BatchContentType) -> Result<Reply, StorageError> {
    if request.spec.resource == ResourceKind::Container {
        blobs.resource(&request)?;
    }
    let body = request.body.bytes(batch::LONGEST).await?;
    let boundary = format!("batchresponse_{}", uuid::Uuid::from_bytes(request.environment.id()));
    let mut text = String::new();
    match batch::parse(&content_type.0, &body) {
        Ok(parts) => {
            for part in &parts {
                write_part(&mut text, &boundary, part.id.as_deref(), &answer(&request, Ok(part)).await);
            }
        }
        // The refusal of the batch is the answer of a single part without Content-ID. Azure refuses in this way too many parts
        // (Azure/azure-sdk-for-java#6725), a Content-Type without a boundary (Azure/Azurite#2421), and a malformed body
        // (Azure/azure-rest-api-specs#12782).
        Err(error) => write_part(&mut text, &boundary, None, &answer(&request, Err(error)).await),
    }
    _ = write!(text, "--{boundary}--");
    Ok(Reply::new(request.spec.status).with("content-type", format!("multipart/mixed; boundary={boundary}")).text(text))
}

async fn answer(request: &Request, part: Result<&BatchPart, StorageError>) -> String {
    request.parts.answer(request, part, &OPERATIONS).await
}

fn write_part(text: &mut String, boundary: &str, id: Option<&str>, answer: &str) {
    let id = id.map(|id| format!("Content-ID: {id}\r\n")).unwrap_or_default();
    _ = write!(text, "--{boundary}\r\nContent-Type: application/http\r\n{id}\r\n{answer}");
}
