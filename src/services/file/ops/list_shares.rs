//! List Shares: the account's shares in order of their names, a page at a time, each after its snapshots.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::ShareView;
use crate::services::file::wire;
use crate::services::shared::listing;

pub(super) static LIST_SHARES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "List Shares",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("comp", "list")],
        inputs: &[listing::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Service, account: "l", service: "", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, request| Box::pin(run(files, request)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "snapshots", "deleted"];

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let shares = files.account(&request.account.name)?.resources.read();
    listing::answer_lines(&request, &shares, "Shares", INCLUDE, &[], |xml, line, include| {
        let metadata = include.contains(&"metadata");
        let mut write = |view: &ShareView<'_>| wire::write_share(xml, line, view, metadata, &request);
        if include.contains(&"snapshots") && line.deleted.is_none() {
            line.state.snapshots().for_each(|view| write(&view));
        }
        write(&line.state.live());
    })
}
