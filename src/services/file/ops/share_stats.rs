//! Get Share Stats: how many bytes the files of a share have.

use crate::operation::xml::Writer;
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;

pub(super) static GET_SHARE_STATS: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Get Share Stats",
        methods: &["GET"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "stats")],
        requires: RequiredPermission::container("r").account_sas_only(),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let view = share.admit_self(&request)?;
    let mut xml = Writer::new();
    xml.open("ShareStats").leaf("ShareUsageBytes", view.tree.used().to_string()).close("ShareStats");
    let stamp = view.about.last_modified;
    Ok(Reply::xml(request.spec.status, xml.finish()).with_state(ETag::of(stamp), stamp))
}
