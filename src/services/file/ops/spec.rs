//! What most operations on a share, a directory or a file declare. A declaration names only what differs.

use crate::operation::{Access, OperationSpec, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::lease::LeaseCheck;

/// A read of a directory or a file, without a check of its lease.
pub(super) const READ: OperationSpec = OperationSpec {
    methods: &["GET"],
    resource: ResourceKind::Path,
    requires: RequiredPermission::object("r").actions(&[&[RoleAction::FileRead, RoleAction::FileReadBackup]]),
    ..OperationSpec::DEFAULT
};

/// A write to a directory or a file, without a check of its lease.
pub(super) const WRITE: OperationSpec = OperationSpec {
    methods: &["PUT"],
    resource: ResourceKind::Path,
    requires: RequiredPermission::object("w").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
    access: Access::Write,
    ..OperationSpec::DEFAULT
};

/// A read of a file.
pub(super) const READ_FILE: OperationSpec = OperationSpec { lease: LeaseCheck::IfPresent, ..READ };

/// A write to a file.
pub(super) const WRITE_FILE: OperationSpec = OperationSpec { lease: LeaseCheck::Required, ..WRITE };

/// A read of a share.
pub(super) const READ_SHARE: OperationSpec = OperationSpec {
    methods: &["GET"],
    resource: ResourceKind::Share,
    requires: RequiredPermission::container("r").account_sas_only().actions(&[&[RoleAction::ShareRead]]),
    lease: LeaseCheck::IfPresent,
    ..OperationSpec::DEFAULT
};

/// A write to a share, which creates something.
pub(super) const WRITE_SHARE: OperationSpec = OperationSpec {
    methods: &["PUT"],
    resource: ResourceKind::Share,
    requires: RequiredPermission::container("cw").account_sas_only().actions(&[&[RoleAction::ShareWrite]]),
    access: Access::Write,
    lease: LeaseCheck::IfPresent,
    status: 201,
    ..OperationSpec::DEFAULT
};
