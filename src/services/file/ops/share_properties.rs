//! Get and Set Share Properties.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static GET_SHARE_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Share Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
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

pub(super) static SET_SHARE_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Share Properties",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "properties")],
        inputs: &[wire::SETTINGS],
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
    Ok(wire::describe_share(&share.admit_self(&request)?, &request))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    let (stamp, settings) = share
        .write(|share| {
            let before = share.admit_self(&request)?.about.settings;
            let settings = before.revise(|name| wire::text(&request, name), request.now)?;
            share.revise(request.now, |about| about.settings = settings);
            Ok((share.properties().last_modified, settings))
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(wire::with_downgrades(reply, &settings, stamp), &settings))
}
