//! Restore Share: brings a deleted share back within its days of retention, under its name or another one.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
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
    run: |files, request| Box::pin(run(files, request)),
};

takes! { Asked {
    name: String = Header "x-ms-deleted-share-name",
    version: String = Header "x-ms-deleted-share-version",
} }

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            // What is no version is that of no share: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            shares.restore(&asked.name, born, request.container(), request.now)
        })
        .await?;
    let stamp = files.share(&request)?.read().properties().last_modified;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp))
}
