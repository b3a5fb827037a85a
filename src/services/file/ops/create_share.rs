//! Create Share.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::file::share::Settings;
use crate::services::file::files::Files;
use crate::services::file::state::Share;
use crate::services::file::wire;

pub(super) static CREATE_SHARE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Create Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
        inputs: &[Input::Group(wire::SETTINGS), Input::Group(METADATA)],
        requires: RequiredPermission::container("cw").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let settings = Settings::make(|name| wire::text(&request, name), request.account.premium, request.now)?;
    let share = Share::new(request.now, request.metadata()?, settings);
    let stamp = share.properties().last_modified;
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            shares.check_free(request.target.share()?, request.now)?;
            shares.insert(request.target.share()?.into(), files.cell(share));
            Ok(())
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(reply, &settings))
}
