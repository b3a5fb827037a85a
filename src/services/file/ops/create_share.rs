//! Create Share.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::file::share::Settings;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::Share;
use crate::services::file::wire;

pub(super) static CREATE_SHARE: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Create Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
        inputs: &[wire::SETTINGS, METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "cw",
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

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let settings = Settings::make(|name| wire::text(&request, name), request.account.premium, request.now)?;
    let share = Share::new(request.now, request.metadata()?, settings);
    let stamp = share.properties().last_modified;
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            shares.check_free(request.container(), request.now)?;
            shares.insert(request.container().into(), files.cell(share));
            Ok(())
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(reply, &settings))
}
