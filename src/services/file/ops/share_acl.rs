//! Get and Set Share ACL: the stored access policies of a share.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::shared::policies;

pub(super) static GET_SHARE_ACL: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Share ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_SHARE_ACL: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set Share ACL",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
        requires: RequiredPermission::owner(ResourceLevel::Container),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

/// The permissions that a policy of a share can give.
const LETTERS: &str = "rcwdl";

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let about = share.admit_self(&request)?.about;
    let reply = Reply::xml(request.spec.status, policies::document(&about.policies));
    Ok(reply.with_state(ETag::of(about.last_modified), about.last_modified))
}

async fn set(files: &Files, mut request: Request) -> Result<Reply, StorageError> {
    let stored = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let share = files.share(&request)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&request)?;
            share.revise(request.now, |about| about.policies = stored.into());
            Ok(share.properties().last_modified)
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp))
}
