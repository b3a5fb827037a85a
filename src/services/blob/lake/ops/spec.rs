//! What most operations on a file system or a path declare. A declaration names only what differs.

use crate::operation::{Access, OperationSpec, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::lake::access::Action;
use crate::rules::lease::LeaseCheck;

/// An operation on a file system.
pub(super) const FILE_SYSTEM: OperationSpec = OperationSpec {
    resource: ResourceKind::Container,
    selectors: &[Selector::Query("resource", "filesystem")],
    ..OperationSpec::DEFAULT
};

/// A read of a path.
pub(super) const READ: OperationSpec = OperationSpec {
    resource: ResourceKind::Blob,
    path_action: Some(Action::Read),
    requires: RequiredPermission::object("r").actions(&[&[RoleAction::BlobRead]]),
    conditions: ConditionSupport::Read,
    lease: LeaseCheck::IfPresent,
    ..OperationSpec::DEFAULT
};

/// A change of a path.
pub(super) const WRITE: OperationSpec = OperationSpec {
    methods: &["PATCH"],
    resource: ResourceKind::Blob,
    path_action: Some(Action::Overwrite),
    requires: RequiredPermission::object("w").actions(&[&[RoleAction::BlobWrite]]),
    access: Access::Write,
    conditions: ConditionSupport::Write,
    lease: LeaseCheck::Required,
    ..OperationSpec::DEFAULT
};
