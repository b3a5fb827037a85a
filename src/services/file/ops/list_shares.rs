//! List Shares: the shares of an account in the order of their names, a page at a time, each after its snapshots.

use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::file::files::Files;
use crate::services::file::state::ShareView;
use crate::services::file::wire;
use crate::services::shared::listing;

pub(super) static LIST_SHARES: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "List Shares",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("comp", "list")],
        inputs: listing::INPUTS,
        requires: RequiredPermission::service("l").account_sas_only(),
        ..OperationSpec::DEFAULT
    }
);

/// The words of `include`.
const INCLUDE: &[&str] = &["metadata", "snapshots", "deleted"];

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let shares = files.account(&request.account.name)?.resources.read();
    listing::answer_lines(&request, &shares, "Shares", INCLUDE, &[], |xml, line, include| {
        let metadata = include.contains(&"metadata");
        let mut write = |view: &ShareView<'_>| wire::write_share(xml, line, view, metadata, &request);
        if include.contains(&"snapshots") && line.deleted.is_none() {
            line.state.snapshots().for_each(|view| write(&view));
        }
        write(&line.state.current());
    })
}
