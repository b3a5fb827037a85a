//! Get and Set Share Metadata.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static GET_SHARE_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Share Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        inputs: &[wire::SNAPSHOT],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "r",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, request| Box::pin(get(files, request)),
};

pub(super) static SET_SHARE_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Share Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        inputs: &[METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, request| Box::pin(set(files, request)),
};

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let about = share.admit_self(&request)?.about;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(about.last_modified), about.last_modified).with_metadata(&about.metadata))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let share = files.share(&request)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&request)?;
            share.revise(request.now, |about| about.metadata = metadata);
            Ok(share.properties().last_modified)
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp))
}
