//! Get and Set Container ACL: how public a container is, and its stored access policies.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;
use crate::services::shared::policies;

pub(super) static GET_CONTAINER_ACL: Operation<Blobs> = operation!(
    get,
    OperationSpec {
        name: "Get Container ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_CONTAINER_ACL: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Container ACL",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        inputs: &[Input::Group(wire::ACCESS)],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

/// The permissions that a policy of a container can give.
const LETTERS: &str = "racwdxyltfmeopi";

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?.read();
    container.check_container(&request)?;
    let about = container.properties();
    Ok(Reply::xml(request.spec.status, policies::document(&about.policies))
        .with_state(container.etag(), about.last_modified)
        .with_some("x-ms-blob-public-access", about.access.name()))
}

async fn set(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    let access = wire::read_public_access(&request)?;
    let stored = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let container = blobs.container(&request)?;
    let (etag, stamp) = container
        .write(|container| {
            container.check_container(&request)?;
            container.revise(request.now, |about| {
                about.access = access;
                about.policies = stored.into();
            });
            Ok((container.etag(), container.properties().last_modified))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(etag, stamp))
}
