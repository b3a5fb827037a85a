//! Get and Set Container ACL: the public access to a container, and its stored access policies.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{PublicAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::shared::policies;

pub(super) static GET_CONTAINER_ACL: Operation<Blobs> = operation!(
    get_container_acl,
    OperationSpec {
        name: "Get Container ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_CONTAINER_ACL: Operation<Blobs> = operation!(
    set_container_acl,
    Input,
    OperationSpec {
        name: "Set Container ACL",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    access: Option<PublicAccess> = Header "x-ms-blob-public-access",
} }

/// The permissions that a policy of a container can give.
const LETTERS: &str = "racwdxyltfmeopi";

async fn get_container_acl(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?.read();
    container.check_container(&request)?;
    let properties = container.properties();
    Ok(Reply::xml(request.spec.status, policies::document(&properties.policies))
        .with_state(container.etag(), properties.last_modified)
        .with_some("x-ms-blob-public-access", properties.access.name()))
}

async fn set_container_acl(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    let stored = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let container = blobs.container(&request)?;
    let (etag, last_modified) = container
        .write(|container| {
            container.check_container(&request)?;
            container.revise(request.now, |properties| {
                properties.access = input.access.unwrap_or(PublicAccess::Private);
                properties.policies = stored.into();
            });
            Ok((container.etag(), container.properties().last_modified))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(etag, last_modified))
}
