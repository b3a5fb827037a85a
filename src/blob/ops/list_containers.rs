//! List Containers: the account's containers in order of their names, a page at a time.

use super::super::{blobs::Blobs, wire};
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck, name};
use crate::service::listing;

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
    run: |blobs, call| Box::pin(run(blobs, call)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "deleted", "system"];

async fn run(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let containers = blobs.account(&call.account.name)?.resources.read();
    listing::answer_lines(&call, &containers, "Containers", INCLUDE, &name::SYSTEM, |xml, line, include| {
        wire::write_container(xml, line, include.contains(&"metadata"), &call);
    })
}
