//! What most operations on a container or a blob declare. A declaration names only what differs.

use crate::operation::{Access, OperationSpec, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::lake::access::Action;
use crate::rules::lease::LeaseCheck;

/// A read of a blob.
pub(super) const READ: OperationSpec = OperationSpec {
    methods: &["GET"],
    resource: ResourceKind::Blob,
    path_action: Some(Action::Read),
    requires: RequiredPermission::object("r").actions(&[&[RoleAction::BlobRead]]).or_anonymous(AnonymousAccess::Blob),
    conditions: ConditionSupport::Read,
    lease: LeaseCheck::IfPresent,
    ..OperationSpec::DEFAULT
};

/// A write to a blob.
pub(super) const WRITE: OperationSpec = OperationSpec {
    methods: &["PUT"],
    resource: ResourceKind::Blob,
    path_action: Some(Action::Overwrite),
    requires: RequiredPermission::object("w").actions(&[&[RoleAction::BlobWrite]]),
    access: Access::Write,
    conditions: ConditionSupport::Write,
    lease: LeaseCheck::Required,
    ..OperationSpec::DEFAULT
};

/// A read of a container. It checks neither conditions nor the lease.
pub(super) const READ_CONTAINER: OperationSpec =
    OperationSpec { methods: &["GET"], resource: ResourceKind::Container, ..OperationSpec::DEFAULT };

/// A write to a container. It checks neither conditions nor the lease.
pub(super) const WRITE_CONTAINER: OperationSpec = OperationSpec {
    methods: &["PUT"],
    resource: ResourceKind::Container,
    selectors: &[Selector::Query("restype", "container")],
    access: Access::Write,
    ..OperationSpec::DEFAULT
};
