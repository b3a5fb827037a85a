//! Get Account Information of the service, a container or a blob, with the same answer.

use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;

pub(super) static GET_ACCOUNT_INFORMATION: Operation<Blobs> =
    operation("Get Account Information", ResourceKind::Service, ResourceLevel::Service);
pub(super) static GET_CONTAINER_ACCOUNT_INFORMATION: Operation<Blobs> =
    operation("Get Account Information (container)", ResourceKind::Container, ResourceLevel::Container);
pub(super) static GET_BLOB_ACCOUNT_INFORMATION: Operation<Blobs> =
    operation("Get Account Information (blob)", ResourceKind::Blob, ResourceLevel::Object);

/// Every permission of a SAS for blobs: any of them is enough.
const ANY: &str = "racwdxyltfmeopiu";

const fn operation(name: &'static str, resource: ResourceKind, level: ResourceLevel) -> Operation<Blobs> {
    operation!(
        get_account_information,
        OperationSpec {
            name,
            methods: &["GET", "HEAD"],
            resource,
            selectors: &[Selector::Query("restype", "account"), Selector::Query("comp", "properties")],
            requires: RequiredPermission {
                level,
                ..RequiredPermission::object(ANY)
                    .actions(&[&[RoleAction::BlobServiceGetInfo]])
                    .or_anonymous(AnonymousAccess::Container)
            },
            ..OperationSpec::DEFAULT
        }
    )
}

async fn get_account_information(_: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let sku = if request.account.premium { "Premium_LRS" } else { "Standard_RAGRS" };
    let reply = Reply::new(request.spec.status).with("x-ms-sku-name", sku).with("x-ms-account-kind", "StorageV2");
    let hns = (request.version >= Version::V2019_07_07).then_some(if request.account.hns { "true" } else { "false" });
    Ok(reply.with_some("x-ms-is-hns-enabled", hns))
}
