//! Get Account Information, asked of the service, a container or a blob: the answer is the same.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;

pub(super) static GET_ACCOUNT_INFORMATION: Operation<Blobs> =
    at("Get Account Information", ResourceKind::Service, ResourceLevel::Service);
pub(super) static GET_CONTAINER_ACCOUNT_INFORMATION: Operation<Blobs> =
    at("Get Account Information (container)", ResourceKind::Container, ResourceLevel::Container);
pub(super) static GET_BLOB_ACCOUNT_INFORMATION: Operation<Blobs> =
    at("Get Account Information (blob)", ResourceKind::Blob, ResourceLevel::Object);

/// Every letter that a SAS for blobs can have: it tells nothing that the holder of one may not know.
const ANY: &str = "racwdxyltfmeopiu";

const fn at(name: &'static str, shape: ResourceKind, level: ResourceLevel) -> Operation<Blobs> {
    Operation {
        spec: OperationSpec {
            name,
            methods: &["GET", "HEAD"],
            resource: shape,
            selectors: &[Selector::Query("restype", "account"), Selector::Query("comp", "properties")],
            requires: RequiredPermission { level, ..RequiredPermission::object(ANY).or_anonymous(AnonymousAccess::Container) },
            access: Access::Read,
            status: 200,
            ..OperationSpec::DEFAULT
        },
        start: |_, request| Ok(Box::pin(run(request))),
    }
}

async fn run(request: Request) -> Result<Reply, StorageError> {
    let sku = if request.account.premium { "Premium_LRS" } else { "Standard_RAGRS" };
    let reply = Reply::new(request.spec.status).with("x-ms-sku-name", sku).with("x-ms-account-kind", "StorageV2");
    let hns = (request.version >= Version::V2019_07_07).then_some(if request.account.hns { "true" } else { "false" });
    Ok(reply.with_some("x-ms-is-hns-enabled", hns))
}
