//! Get and Set Share ACL: the stored access policies of a share.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::shared::policies;

pub(super) static GET_SHARE_ACL: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Share ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
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
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_SHARE_ACL: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Share ACL",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "acl")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

/// The permissions that a policy of a share can give.
const LETTERS: &str = "rcwdl";

async fn get(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let share = files.share(&call)?.read();
    let about = share.admit_self(&call)?.about;
    let reply = Reply::xml(call.spec.status, policies::document(&about.policies));
    Ok(reply.with_state(ETag::of(about.last_modified), about.last_modified))
}

async fn set(files: &Files, mut call: OperationRequest) -> Result<Reply, StorageError> {
    let stored = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let share = files.share(&call)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&call)?;
            share.revise(call.now, |about| about.policies = stored.into());
            Ok(share.properties().last_modified)
        })
        .await?;
    Ok(Reply::new(call.spec.status).with_state(ETag::of(stamp), stamp))
}
