//! Roles: what a principal may do by role-based access control (RBAC).
//!
//! Every operation declares the actions that it needs, as a part of its [`RequiredPermission`](super::permissions::RequiredPermission).
//! A role permits a set of actions. Names, ids and actions are those of Azure's built-in roles. Sources: "Authorize with Microsoft Entra
//! ID" in the REST reference, with its tables of the actions that each operation needs, and "Azure built-in roles for Storage".

use std::fmt;

/// Declares the actions, with their names below `Microsoft.Storage/storageAccounts/`.
macro_rules! actions {
    ($($action:ident = $name:literal,)*) => {
        /// An action that a role can permit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RoleAction { $($action,)* }

        impl RoleAction {
            /// All of them.
            pub const ALL: &'static [RoleAction] = &[$(RoleAction::$action,)*];

            /// The name below `Microsoft.Storage/storageAccounts/`.
            pub const fn name(self) -> &'static str {
                match self { $(RoleAction::$action => $name,)* }
            }
        }
    };
}

actions! {
    BlobServiceRead = "blobServices/read",
    BlobServiceWrite = "blobServices/write",
    BlobServiceGetInfo = "blobServices/getInfo/action",
    BlobDelegationKey = "blobServices/generateUserDelegationKey/action",
    ContainerRead = "blobServices/containers/read",
    ContainerWrite = "blobServices/containers/write",
    ContainerDelete = "blobServices/containers/delete",
    ContainerGetAcl = "blobServices/containers/getAcl/action",
    ContainerSetAcl = "blobServices/containers/setAcl/action",
    BlobRead = "blobServices/containers/blobs/read",
    BlobWrite = "blobServices/containers/blobs/write",
    BlobDelete = "blobServices/containers/blobs/delete",
    BlobDeleteVersion = "blobServices/containers/blobs/deleteBlobVersion/action",
    BlobPermanentDelete = "blobServices/containers/blobs/permanentDelete/action",
    BlobAdd = "blobServices/containers/blobs/add/action",
    BlobFilter = "blobServices/containers/blobs/filter/action",
    BlobMove = "blobServices/containers/blobs/move/action",
    BlobManageOwnership = "blobServices/containers/blobs/manageOwnership/action",
    BlobModifyPermissions = "blobServices/containers/blobs/modifyPermissions/action",
    BlobRunAsSuperUser = "blobServices/containers/blobs/runAsSuperUser/action",
    BlobImmutability = "blobServices/containers/blobs/immutableStorage/runAsSuperUser/action",
    BlobTagsRead = "blobServices/containers/blobs/tags/read",
    BlobTagsWrite = "blobServices/containers/blobs/tags/write",
    QueueServiceRead = "queueServices/read",
    QueueServiceWrite = "queueServices/write",
    QueueDelegationKey = "queueServices/generateUserDelegationKey/action",
    QueueRead = "queueServices/queues/read",
    QueueWrite = "queueServices/queues/write",
    QueueDelete = "queueServices/queues/delete",
    QueueGetAcl = "queueServices/queues/getAcl/action",
    QueueSetAcl = "queueServices/queues/setAcl/action",
    MessageRead = "queueServices/queues/messages/read",
    MessageWrite = "queueServices/queues/messages/write",
    MessageDelete = "queueServices/queues/messages/delete",
    MessageAdd = "queueServices/queues/messages/add/action",
    MessageProcess = "queueServices/queues/messages/process/action",
    TableServiceRead = "tableServices/read",
    TableServiceWrite = "tableServices/write",
    TableDelegationKey = "tableServices/generateUserDelegationKey/action",
    TableRead = "tableServices/tables/read",
    TableWrite = "tableServices/tables/write",
    TableDelete = "tableServices/tables/delete",
    TableGetAcl = "tableServices/tables/getAcl/action",
    TableSetAcl = "tableServices/tables/setAcl/action",
    EntityRead = "tableServices/tables/entities/read",
    EntityWrite = "tableServices/tables/entities/write",
    EntityDelete = "tableServices/tables/entities/delete",
    EntityAdd = "tableServices/tables/entities/add/action",
    EntityUpdate = "tableServices/tables/entities/update/action",
    FileServiceRead = "fileServices/read",
    FileServiceWrite = "fileServices/write",
    FileDelegationKey = "fileServices/generateUserDelegationKey/action",
    ShareRead = "fileServices/shares/read",
    ShareWrite = "fileServices/shares/write",
    ShareDelete = "fileServices/shares/delete",
    ShareRestore = "fileServices/shares/restore/action",
    ShareLease = "fileServices/shares/lease/action",
    FileRead = "fileServices/fileshares/files/read",
    FileWrite = "fileServices/fileshares/files/write",
    FileDelete = "fileServices/fileshares/files/delete",
    FileModifyPermissions = "fileServices/fileshares/files/modifypermissions/action",
    FileReadBackup = "fileServices/readFileBackupSemantics/action",
    FileWriteBackup = "fileServices/writeFileBackupSemantics/action",
    FileTakeOwnership = "fileServices/takeOwnership/action",
    FileRunAsAdministrator = "fileServices/runAsBuiltInFileAdministrator/action",
}

/// A set of actions.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionSet(u128);

impl ActionSet {
    /// The set of a caller that no role limits. It differs from the union of all actions: a principal with every role is limited by roles.
    pub const ALL: ActionSet = ActionSet(u128::MAX);
    pub const NONE: ActionSet = ActionSet(0);

    /// A set of these actions.
    pub const fn of(actions: &[RoleAction]) -> ActionSet {
        let (mut set, mut at) = (0, 0);
        while at < actions.len() {
            set |= 1 << actions[at] as u32;
            at += 1;
        }
        ActionSet(set)
    }

    pub const fn contains(self, action: RoleAction) -> bool {
        self.0 & ActionSet::of(&[action]).0 != 0
    }

    pub const fn union(self, other: ActionSet) -> ActionSet {
        ActionSet(self.0 | other.0)
    }
}

impl fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == ActionSet::ALL {
            return f.write_str("ALL");
        }
        f.debug_set()
            .entries(RoleAction::ALL.iter().filter(|action| self.contains(**action)).map(|action| action.name()))
            .finish()
    }
}

/// Lists of actions, of which one is needed as a whole.
pub type RoleActions = &'static [&'static [RoleAction]];

/// The actions that an operation needs: all of one of these lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredActions(pub RoleActions);

impl RequiredActions {
    /// An operation without a declaration: no role permits it. A test checks that every operation has one.
    pub const UNDECLARED: RequiredActions = RequiredActions(&[]);

    /// Returns true if the set is sufficient.
    pub fn are_in(self, set: ActionSet) -> bool {
        set == ActionSet::ALL || self.0.iter().any(|all| all.iter().all(|action| set.contains(*action)))
    }
}

impl fmt::Display for RequiredActions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, all) in self.0.iter().enumerate() {
            let names: Vec<&str> = all.iter().map(|action| action.name()).collect();
            write!(f, "{}{}", if at == 0 { "" } else { " or " }, names.join(" and "))?;
        }
        Ok(())
    }
}

/// The actions that a service requires for the operations that several services have.
#[derive(Clone, Copy, Debug)]
pub struct ServiceActions {
    /// Get Service Properties and Get Service Stats.
    pub service_read: RoleActions,
    /// Set Service Properties.
    pub service_write: RoleActions,
    /// Get User Delegation Key.
    pub delegation_key: RoleActions,
    /// Reading or listing containers, queues, tables or shares.
    pub read: RoleActions,
    /// Changing one.
    pub write: RoleActions,
    pub get_acl: RoleActions,
    pub set_acl: RoleActions,
    /// Restoring a deleted one.
    pub restore: RoleActions,
    /// Leasing one.
    pub lease: RoleActions,
    /// Leasing a blob or a file.
    pub lease_object: RoleActions,
}

impl ServiceActions {
    pub const BLOB: ServiceActions = ServiceActions {
        service_read: &[&[RoleAction::BlobServiceRead]],
        service_write: &[&[RoleAction::BlobServiceWrite]],
        delegation_key: &[&[RoleAction::BlobDelegationKey]],
        read: &[&[RoleAction::ContainerRead]],
        write: &[&[RoleAction::ContainerWrite]],
        get_acl: &[&[RoleAction::ContainerGetAcl]],
        set_acl: &[&[RoleAction::ContainerSetAcl]],
        restore: &[&[RoleAction::ContainerWrite]],
        lease: &[&[RoleAction::ContainerWrite]],
        lease_object: &[&[RoleAction::BlobWrite]],
    };
    pub const QUEUE: ServiceActions = ServiceActions {
        service_read: &[&[RoleAction::QueueServiceRead]],
        service_write: &[&[RoleAction::QueueServiceWrite]],
        delegation_key: &[&[RoleAction::QueueDelegationKey]],
        read: &[&[RoleAction::QueueRead]],
        write: &[&[RoleAction::QueueWrite]],
        get_acl: &[&[RoleAction::QueueGetAcl]],
        set_acl: &[&[RoleAction::QueueSetAcl]],
        ..ServiceActions::NONE
    };
    pub const TABLE: ServiceActions = ServiceActions {
        service_read: &[&[RoleAction::TableServiceRead]],
        service_write: &[&[RoleAction::TableServiceWrite]],
        delegation_key: &[&[RoleAction::TableDelegationKey]],
        read: &[&[RoleAction::TableRead]],
        write: &[&[RoleAction::TableWrite]],
        get_acl: &[&[RoleAction::TableGetAcl]],
        set_acl: &[&[RoleAction::TableSetAcl]],
        ..ServiceActions::NONE
    };
    pub const FILE: ServiceActions = ServiceActions {
        service_read: &[&[RoleAction::FileServiceRead]],
        service_write: &[&[RoleAction::FileServiceWrite]],
        delegation_key: &[&[RoleAction::FileDelegationKey]],
        read: &[&[RoleAction::ShareRead]],
        write: &[&[RoleAction::ShareWrite]],
        // Shares have no actions of their own for access policies.
        get_acl: &[&[RoleAction::ShareRead]],
        set_acl: &[&[RoleAction::ShareWrite]],
        restore: &[&[RoleAction::ShareRestore]],
        lease: &[&[RoleAction::ShareLease]],
        lease_object: &[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]],
    };
    /// No actions, for operations that a service does not have.
    const NONE: ServiceActions = ServiceActions {
        service_read: &[],
        service_write: &[],
        delegation_key: &[],
        read: &[],
        write: &[],
        get_acl: &[],
        set_acl: &[],
        restore: &[],
        lease: &[],
        lease_object: &[],
    };
}

/// A built-in role.
#[derive(Debug, PartialEq, Eq)]
pub struct Role {
    /// Its name in Azure.
    pub name: &'static str,
    /// Its id in Azure, a GUID.
    pub id: &'static str,
    /// Its short name here.
    pub short: &'static str,
    pub actions: ActionSet,
}

/// Declares a role.
macro_rules! role {
    ($name:literal, $id:literal, $short:literal, [$($action:ident),* $(,)?]) => {
        Role { name: $name, id: $id, short: $short, actions: ActionSet::of(&[$(RoleAction::$action),*]) }
    };
}

/// The built-in roles for data, and the one for the management of an account, which permits everything but data.
#[rustfmt::skip]
pub static ROLES: &[Role] = &[
    role!("Storage Blob Data Owner", "b7e6dc6d-f1e8-4753-8033-0f276bb0955b", "blob-owner", [
        BlobDelegationKey, ContainerRead, ContainerWrite, ContainerDelete, ContainerGetAcl, ContainerSetAcl, BlobRead, BlobWrite,
        BlobDelete, BlobDeleteVersion, BlobPermanentDelete, BlobAdd, BlobFilter, BlobMove, BlobManageOwnership, BlobModifyPermissions,
        BlobRunAsSuperUser, BlobImmutability, BlobTagsRead, BlobTagsWrite,
    ]),
    role!("Storage Blob Data Contributor", "ba92f5b4-2d11-453d-a403-e96b0029c9fe", "blob-contributor", [
        BlobDelegationKey, ContainerRead, ContainerWrite, ContainerDelete, BlobRead, BlobWrite, BlobDelete, BlobAdd, BlobMove,
    ]),
    role!("Storage Blob Data Reader", "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1", "blob-reader", [
        BlobDelegationKey, ContainerRead, BlobRead,
    ]),
    role!("Storage Blob Delegator", "db58b8e5-c6ad-4a2a-8342-4190687cbf4a", "blob-delegator", [BlobDelegationKey]),
    role!("Storage Queue Data Contributor", "974c5e8b-45b9-4653-ba55-5f855dd0fb88", "queue-contributor", [
        QueueRead, QueueWrite, QueueDelete, MessageRead, MessageWrite, MessageDelete, MessageProcess,
    ]),
    role!("Storage Queue Data Reader", "19e7f393-937e-4f77-808e-94535e297925", "queue-reader", [QueueRead, MessageRead]),
    role!("Storage Queue Data Message Processor", "8a0f0c08-91a1-4084-bc3d-661d67233fed", "queue-processor", [
        MessageRead, MessageProcess,
    ]),
    role!("Storage Queue Data Message Sender", "c6a89b2d-59bc-44d0-9896-0f6e12d7b80a", "queue-sender", [MessageAdd]),
    role!("Storage Queue Delegator", "7ee386e9-84f0-448e-80a6-f185f6533131", "queue-delegator", [QueueDelegationKey]),
    role!("Storage Table Data Contributor", "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3", "table-contributor", [
        TableRead, TableWrite, TableDelete, EntityRead, EntityWrite, EntityDelete, EntityAdd, EntityUpdate,
    ]),
    role!("Storage Table Data Reader", "76199698-9eea-4c19-bc75-cec21354c6b6", "table-reader", [TableRead, EntityRead]),
    role!("Storage Table Delegator", "965033a5-c8eb-4f35-b82f-fef460a3606d", "table-delegator", [TableDelegationKey]),
    role!("Storage File Data Privileged Contributor", "69566ab7-960f-475b-8e7c-b3118f30c6bd", "file-contributor", [
        FileRead, FileWrite, FileDelete, FileModifyPermissions, FileReadBackup, FileWriteBackup,
    ]),
    role!("Storage File Data Privileged Reader", "b8eda974-7b85-4f76-af95-65846b26df6d", "file-reader", [FileRead, FileReadBackup]),
    // Over REST a role permits nothing without the actions of a backup, which of the roles for SMB only those of administrators have.
    role!("Storage File Data SMB Share Reader", "aba4ae5f-2193-4029-9191-0cb91df5e314", "smb-reader", [FileRead]),
    role!("Storage File Data SMB Share Contributor", "0c867c2a-1d8c-454a-a3db-ab2ea1bdc8bb", "smb-contributor", [
        FileRead, FileWrite, FileDelete,
    ]),
    role!("Storage File Data SMB Share Elevated Contributor", "a7264617-510b-434b-a828-9731dc254ea7", "smb-elevated", [
        FileRead, FileWrite, FileDelete, FileModifyPermissions,
    ]),
    role!("Storage File Data SMB Admin", "bbf004e3-0e4b-4f86-ae4f-1f8fb47b357b", "smb-admin", [
        FileRead, FileWrite, FileDelete, FileModifyPermissions, FileReadBackup, FileWriteBackup, FileTakeOwnership,
    ]),
    role!("Storage File Data SMB MI Admin", "a235d3ee-5935-4cfb-8cc5-a3303ad5995e", "smb-mi-admin", [
        FileRead, FileWrite, FileDelete, FileModifyPermissions, FileReadBackup, FileWriteBackup, FileTakeOwnership,
        FileRunAsAdministrator,
    ]),
    role!("Storage File Data SMB Take Ownership", "5d9bac3f-34b2-432f-bde5-78aa8e73ce6b", "smb-take-ownership", [FileTakeOwnership]),
    role!("Storage File Delegator", "765a04e0-5de8-4bb2-9bf6-b2a30bc03e91", "file-delegator", [FileDelegationKey]),
    role!("Storage Account Contributor", "17d1049b-9a84-46fb-8f53-869881c3d3ab", "account-contributor", [
        BlobServiceRead, BlobServiceWrite, BlobServiceGetInfo, BlobDelegationKey, ContainerRead, ContainerWrite, ContainerDelete,
        ContainerGetAcl, ContainerSetAcl, QueueServiceRead, QueueServiceWrite, QueueDelegationKey, QueueRead, QueueWrite, QueueDelete,
        QueueGetAcl, QueueSetAcl, TableServiceRead, TableServiceWrite, TableDelegationKey, TableRead, TableWrite, TableDelete,
        TableGetAcl, TableSetAcl, FileServiceRead, FileServiceWrite, FileDelegationKey, ShareRead, ShareWrite, ShareDelete,
        ShareRestore, ShareLease,
    ]),
];

/// Short names for the roles of several services, or of the only service that has such a role.
const GROUPS: &[(&str, &[&str])] = &[
    ("owner", &["blob-owner", "queue-contributor", "table-contributor", "file-contributor", "account-contributor"]),
    ("contributor", &["blob-contributor", "queue-contributor", "table-contributor", "file-contributor"]),
    ("reader", &["blob-reader", "queue-reader", "table-reader", "file-reader"]),
    ("delegator", &["blob-delegator", "queue-delegator", "table-delegator", "file-delegator"]),
    ("processor", &["queue-processor"]),
    ("sender", &["queue-sender"]),
    ("none", &[]),
];

/// The roles that a name stands for: a role by its name, its id or its short name, or several by the name of a group. Letter case does
/// not matter. `None` for an unknown name.
pub fn by_name(name: &str) -> Option<Vec<&'static Role>> {
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    if let Some((_, members)) = GROUPS.iter().find(|(group, _)| is(group)) {
        return Some(ROLES.iter().filter(|role| members.contains(&role.short)).collect());
    }
    let found = ROLES.iter().find(|role| is(role.name) || is(role.id) || is(role.short));
    found.map(|role| vec![role])
}

/// The names of the groups of roles, for messages and pages.
pub fn group_names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(name, _)| *name)
}

/// All short names: those of groups, then those of roles.
pub fn short_names() -> impl Iterator<Item = &'static str> {
    group_names().chain(ROLES.iter().map(|role| role.short))
}

/// A role that a principal has, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub role: &'static Role,
    /// The container, queue, table or share for which it holds. `None`: the whole account.
    pub scope: Option<String>,
}

/// What the roles of a principal permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rights {
    /// Everything: neither the server nor the token assigns roles.
    #[default]
    All,
    /// What these roles permit together. Without any: nothing.
    Assigned(Vec<Assignment>),
}

impl Rights {
    /// The actions on a container, queue, table or share; `None` is the account itself.
    pub fn on(&self, container: Option<&str>) -> ActionSet {
        let Rights::Assigned(assignments) = self else { return ActionSet::ALL };
        let holds = |assignment: &&Assignment| match (&assignment.scope, container) {
            (None, _) => true,
            (Some(scope), Some(name)) => scope.eq_ignore_ascii_case(name),
            (Some(_), None) => false,
        };
        assignments.iter().filter(holds).fold(ActionSet::NONE, |set, assignment| set.union(assignment.role.actions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RoleAction::*;

    #[test]
    fn the_actions_fit_into_a_set() {
        assert!(RoleAction::ALL.len() < 128, "{}", RoleAction::ALL.len());
        for action in RoleAction::ALL {
            let set = ActionSet::of(&[*action]);
            let held: Vec<_> = RoleAction::ALL.iter().filter(|other| set.contains(**other)).collect();
            assert_eq!(held, [action]);
        }
    }

    #[test]
    fn a_role_has_a_name_an_id_and_a_short_name_of_its_own() {
        for role in ROLES {
            for name in [role.name, role.id, role.short, &role.name.to_lowercase(), &role.id.to_uppercase()] {
                assert_eq!(by_name(name), Some(vec![role]), "{name}");
            }
            assert!(uuid::Uuid::parse_str(role.id).is_ok(), "{}", role.id);
        }
        assert_eq!(short_names().collect::<std::collections::HashSet<_>>().len(), GROUPS.len() + ROLES.len());
    }

    #[test]
    fn a_short_name_can_mean_the_roles_of_all_services() {
        let names = |name: &str| by_name(name).map(|roles| roles.iter().map(|role| role.name).collect::<Vec<_>>());
        for (group, members) in GROUPS {
            assert_eq!(by_name(group).map(|roles| roles.len()), Some(members.len()), "{group}");
        }
        let readers = vec![
            "Storage Blob Data Reader",
            "Storage Queue Data Reader",
            "Storage Table Data Reader",
            "Storage File Data Privileged Reader",
        ];
        assert_eq!(names("Reader"), Some(readers));
        assert_eq!(names("none"), Some(vec![]));
        for unknown in ["", "writer", "Storage Blob Data", "storage blob data owner "] {
            assert_eq!(names(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn one_list_of_actions_is_sufficient() {
        let required = RequiredActions(&[&[MessageProcess], &[MessageDelete, MessageRead]]);
        for (held, sufficient) in [
            (&[MessageProcess][..], true),
            (&[MessageDelete, MessageRead], true),
            (&[MessageDelete], false),
            (&[MessageRead], false),
            (&[], false),
        ] {
            assert_eq!(required.are_in(ActionSet::of(held)), sufficient, "{held:?}");
        }
        for (required, none, all) in [(RequiredActions::UNDECLARED, false, true), (RequiredActions(&[&[]]), true, true)] {
            assert_eq!((required.are_in(ActionSet::NONE), required.are_in(ActionSet::ALL)), (none, all));
        }
        let text = "queueServices/queues/messages/process/action or queueServices/queues/messages/delete and \
                    queueServices/queues/messages/read";
        assert_eq!(required.to_string(), text);
    }

    #[test]
    fn a_role_permits_its_actions_in_its_scope_only() {
        let assignment =
            |name, scope: Option<&str>| Assignment { role: by_name(name).unwrap()[0], scope: scope.map(str::to_owned) };
        let rights = Rights::Assigned(vec![assignment("blob-reader", None), assignment("blob-contributor", Some("photos"))]);
        for (container, reads, writes) in
            [(None, true, false), (Some("photos"), true, true), (Some("PHOTOS"), true, true), (Some("photo"), true, false)]
        {
            let set = rights.on(container);
            assert_eq!((set.contains(BlobRead), set.contains(BlobWrite)), (reads, writes), "{container:?}");
        }
        assert_eq!(Rights::Assigned(Vec::new()).on(Some("photos")), ActionSet::NONE);
        assert_eq!(Rights::All.on(None), ActionSet::ALL);
    }
}
