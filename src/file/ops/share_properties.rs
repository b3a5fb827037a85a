//! Get and Set Share Properties.

use super::super::{files::Files, wire};
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, etag::ETag, fault::StorageError, lease::LeaseCheck};

pub(super) static GET_SHARE_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Share Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
        inputs: &[wire::SNAPSHOT],
        requires: RequiredPermission { level: ResourceLevel::Container, account: "r", service: "", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_SHARE_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Share Properties",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "properties")],
        inputs: &[wire::SETTINGS],
        requires: RequiredPermission { level: ResourceLevel::Container, account: "w", service: "", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

async fn get(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let share = files.share(&call)?.read();
    Ok(wire::describe_share(&share.admit_self(&call)?, &call))
}

async fn set(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let share = files.share(&call)?;
    let (stamp, settings) = share
        .write(|share| {
            let before = share.admit_self(&call)?.about.settings;
            let settings = before.revise(|name| wire::text(&call, name), call.now)?;
            share.revise(call.now, |about| about.settings = settings);
            Ok((share.properties().last_modified, settings))
        })
        .await?;
    let reply = Reply::new(call.spec.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(wire::with_downgrades(reply, &settings, stamp), &settings))
}
