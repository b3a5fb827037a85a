//! Get and Set Share Properties.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static GET_SHARE_PROPERTIES: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Share Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
        inputs: &[Input::Group(wire::SNAPSHOT)],
        requires: RequiredPermission::container("r").account_sas_only(),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_SHARE_PROPERTIES: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set Share Properties",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "properties")],
        inputs: &[Input::Group(wire::SETTINGS)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

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
