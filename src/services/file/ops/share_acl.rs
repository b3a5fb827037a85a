//! Get and Set Share ACL: the stored access policies of a share.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::{CurrentShare, ShareProperties};
use crate::services::file::wire;
use crate::services::shared::policies;

pub(super) static GET_SHARE_ACL: Operation<Files> = operation!(
    get,
    CurrentShare,
    OperationSpec {
        name: "Get Share ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_SHARE_ACL: Operation<Files> = operation!(
    set,
    CurrentShare,
    OperationSpec {
        name: "Set Share ACL",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

/// The permissions that a policy of a share can grant.
const LETTERS: &str = "rcwdl";

async fn get(files: &Files, request: Request, _: CurrentShare) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let properties = share.admit_share(&request, None)?.properties;
    Ok(wire::with_share_state(Reply::xml(request.spec.status, policies::document(&properties.policies)), properties))
}

async fn set(files: &Files, mut request: Request, _: CurrentShare) -> Result<Reply, StorageError> {
    let policies = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let share = files.share(&request)?;
    let change = |properties: &mut ShareProperties| {
        properties.policies = policies.into();
        Ok(())
    };
    let properties = share.write(|share| share.set_properties(&request, change)).await?;
    Ok(wire::share_state(&properties, &request))
}
