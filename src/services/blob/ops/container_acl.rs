//! Get and Set Container ACL: how public a container is, and its stored access policies.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;
use crate::services::shared::policies;

pub(super) static GET_CONTAINER_ACL: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Get Container ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_CONTAINER_ACL: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Container ACL",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "acl")],
        inputs: &[wire::ACCESS],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

/// The permissions that a policy of a container can give.
const LETTERS: &str = "racwdxyltfmeopi";

async fn get(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let container = blobs.container(&call)?.read();
    container.check_container(&call)?;
    let about = container.properties();
    Ok(Reply::xml(call.spec.status, policies::document(&about.policies))
        .with_state(container.etag(), about.last_modified)
        .with_some("x-ms-blob-public-access", about.access.name()))
}

async fn set(blobs: &Blobs, mut call: OperationRequest) -> Result<Reply, StorageError> {
    let access = wire::read_public_access(&call)?;
    let stored = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let container = blobs.container(&call)?;
    let (etag, stamp) = container
        .write(|container| {
            container.check_container(&call)?;
            container.revise(call.now, |about| {
                about.access = access;
                about.policies = stored.into();
            });
            Ok((container.etag(), container.properties().last_modified))
        })
        .await?;
    Ok(Reply::new(call.spec.status).with_state(etag, stamp))
}
