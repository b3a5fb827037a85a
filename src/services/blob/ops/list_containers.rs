//! List Containers: the account's containers in order of their names, a page at a time.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;
use crate::services::shared::listing;

pub(super) static LIST_CONTAINERS: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "List Containers",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("comp", "list")],
        inputs: &[Input::Group(listing::INPUTS)],
        requires: RequiredPermission::service("l").account_sas_only(),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "deleted", "system"];

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let containers = blobs.account(&request.account.name)?.resources.read();
    listing::answer_lines(&request, &containers, "Containers", INCLUDE, &names::SYSTEM, |xml, line, include| {
        wire::write_container(xml, line, include.contains(&"metadata"), &request);
    })
}
