//! List Containers: the account's containers in order of their names, a page at a time.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;
use crate::services::shared::listing;

pub(super) static LIST_CONTAINERS: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "List Containers",
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
    run: |blobs, request| Box::pin(run(blobs, request)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "deleted", "system"];

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let containers = blobs.account(&request.account.name)?.resources.read();
    listing::answer_lines(&request, &containers, "Containers", INCLUDE, &names::SYSTEM, |xml, line, include| {
        wire::write_container(xml, line, include.contains(&"metadata"), &request);
    })
}
