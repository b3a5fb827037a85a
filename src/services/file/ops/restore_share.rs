//! Restore Share: brings a deleted share back within its days of retention, under its name or another one.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::rules::retention;
use crate::services::file::files::Files;
use crate::takes;

pub(super) static RESTORE_SHARE: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Restore Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "undelete")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    name: String = Header "x-ms-deleted-share-name",
    version: String = Header "x-ms-deleted-share-version",
} }

async fn run(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    let account = files.account(&call.account.name)?;
    account
        .resources
        .write(|shares| {
            // What is no version is that of no share: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            shares.restore(&asked.name, born, call.container(), call.now)
        })
        .await?;
    let stamp = files.share(&call)?.read().properties().last_modified;
    Ok(Reply::new(call.spec.status).with_state(ETag::of(stamp), stamp))
}
