//! The check of access: what a principal may do with a path, by its owner, its owning group and its ACL.
//!
//! Account keys and most shared access signatures are the super user, whom no ACL limits. Source: "Access control lists in Azure Data Lake
//! Storage" in the reference, with its tables of the permissions that each operation needs.

use crate::rules::auth::roles::{ActionSet, RoleAction};
use crate::rules::auth::token::Identity;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::acl::{Acl, is_same_id};
use crate::rules::lake::permissions::Rwx;

/// The owner and the owning group of what the super user creates.
pub const SUPER_USER: &str = "$superuser";

/// A user, a service principal or a managed identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Its object id.
    pub oid: String,
    /// The object ids of its groups.
    pub groups: Vec<String>,
}

impl Principal {
    fn is_in(&self, group: &str) -> bool {
        is_same_id(&self.oid, group) || self.groups.iter().any(|known| is_same_id(known, group))
    }
}

/// What a role permits a principal in spite of ACLs. Storage Blob Data Owner is the super user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// No role: ACLs alone decide.
    None,
    /// Storage Blob Data Reader.
    Reader,
    /// Storage Blob Data Contributor.
    Contributor,
}

/// Whose request it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The holder of an account key, of a signature without a principal, or nobody.
    SuperUser,
    /// A principal that no ACL limits, with this object id: a Storage Blob Data Owner, or the agent of a signature (`saoid`).
    Trusted(String),
    Principal(Principal, Role),
}

/// The access control of a path.
#[derive(Clone, Copy, Debug)]
pub struct AccessControl<'a> {
    pub owner: &'a str,
    pub group: &'a str,
    pub acl: &'a Acl,
}

/// What a request does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Reads content.
    Read,
    /// Reads properties, with those of the user.
    GetProperties,
    /// Reads the status or the access control.
    GetStatus,
    /// Lists the entries of a directory.
    List,
    /// Checks that the caller has these permissions (`fsAction`).
    CheckAccess(Rwx),
    /// Creates a path that does not exist.
    Create,
    /// Appends or flushes.
    Append,
    /// Truncates a file, or replaces properties. The tables do not have it; POSIX needs write for it.
    Overwrite,
    /// Deletes a path.
    Delete,
    /// Renames a path: needed for the source, and for a destination that is replaced.
    Rename,
    /// Sets permissions or the ACL.
    SetAccess,
    /// Sets the owning group.
    SetGroup(&'a str),
    /// Sets the owner.
    SetOwner,
}

/// What the caller must be, beside having permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ownership {
    Anybody,
    /// The owner of the path.
    Owner,
    SuperUser,
}

impl Action<'_> {
    /// The permissions on the path itself.
    fn on_path(self) -> Rwx {
        match self {
            Action::Read | Action::GetProperties => Rwx::READ,
            Action::List => Rwx::READ.union(Rwx::EXECUTE),
            Action::Append => Rwx::READ.union(Rwx::WRITE),
            Action::Overwrite => Rwx::WRITE,
            Action::CheckAccess(wanted) => wanted,
            _ => Rwx::NONE,
        }
    }

    /// The permissions on the directory of the path. All directories above need execute.
    fn on_parent(self) -> Rwx {
        match self {
            Action::Create | Action::Delete | Action::Rename => Rwx::WRITE.union(Rwx::EXECUTE),
            _ => Rwx::EXECUTE,
        }
    }

    fn ownership(self) -> Ownership {
        match self {
            Action::SetAccess | Action::SetGroup(_) => Ownership::Owner,
            Action::SetOwner => Ownership::SuperUser,
            _ => Ownership::Anybody,
        }
    }

    /// Returns true if the sticky bit of the directory limits it to owners.
    fn is_sticky(self) -> bool {
        matches!(self, Action::Delete | Action::Rename)
    }
}

/// The actions that access control lists can permit to a principal whose roles do not: those on paths.
pub const PERMITTED_BY_ACL: ActionSet = ActionSet::of(&[
    RoleAction::BlobRead,
    RoleAction::BlobWrite,
    RoleAction::BlobAdd,
    RoleAction::BlobDelete,
    RoleAction::BlobMove,
    RoleAction::BlobModifyPermissions,
    RoleAction::BlobManageOwnership,
]);

impl Role {
    /// Returns true if the role permits the action whatever the ACLs are.
    fn permits(self, action: Action<'_>) -> bool {
        let is_read = matches!(action, Action::Read | Action::GetProperties | Action::GetStatus | Action::List);
        match self {
            Role::None => false,
            Role::Reader => is_read || matches!(action, Action::CheckAccess(wanted) if self.on_path().contains(wanted)),
            Role::Contributor => action.ownership() == Ownership::Anybody,
        }
    }

    /// The permissions on a path that an action need not have from the ACL: with Reader, an append only needs write.
    fn on_path(self) -> Rwx {
        match self {
            Role::None => Rwx::NONE,
            Role::Reader => Rwx::READ.union(Rwx::EXECUTE),
            Role::Contributor => Rwx::ALL,
        }
    }
}

impl Caller {
    /// The bearer of a token, whose roles permit these actions on the container.
    pub fn of_token(identity: &Identity, actions: ActionSet) -> Caller {
        let role = match () {
            () if actions.contains(RoleAction::BlobRunAsSuperUser) => return Caller::Trusted(identity.oid.clone()),
            () if actions.contains(RoleAction::BlobWrite) => Role::Contributor,
            () if actions.contains(RoleAction::BlobRead) => Role::Reader,
            () => Role::None,
        };
        Caller::Principal(Principal { oid: identity.oid.clone(), groups: identity.groups.clone() }, role)
    }

    /// The holder of a user delegation SAS: the agent of it (`saoid`), whom no ACL limits, or the user whose ACLs are checked (`suoid`).
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue for both.
    pub fn of_signature(agent: &str, user: &str) -> Result<Caller, StorageError> {
        match (agent, user) {
            ("", "") => Ok(Caller::SuperUser),
            (agent, "") => Ok(Caller::Trusted(agent.to_owned())),
            ("", user) => Ok(Caller::Principal(Principal { oid: user.to_owned(), groups: Vec::new() }, Role::None)),
            (_, user) => Err(StorageError::invalid_query("suoid", user, "A signature has either saoid or suoid.")),
        }
    }

    /// Returns true if ACLs limit the caller.
    pub fn is_limited(&self) -> bool {
        matches!(self, Caller::Principal(..))
    }

    /// Returns true if the caller has an identity.
    pub fn is_principal(&self) -> bool {
        *self != Caller::SuperUser
    }

    /// The owner of what the caller creates.
    pub fn owner(&self) -> &str {
        match self {
            Caller::SuperUser => SUPER_USER,
            Caller::Trusted(oid) => oid,
            Caller::Principal(principal, _) => &principal.oid,
        }
    }

    /// The owning group of what the caller creates in a directory with this group.
    pub fn group_of_new<'a>(&self, parent: &'a str) -> &'a str {
        match self {
            Caller::SuperUser => SUPER_USER,
            Caller::Trusted(_) | Caller::Principal(..) => parent,
        }
    }

    /// Checks an action. `above` has the directories from the root down to the path's own; `path` is `None` if the path does not exist.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub fn check(
        &self,
        action: Action<'_>,
        above: &[AccessControl<'_>],
        path: Option<AccessControl<'_>>,
    ) -> Result<(), StorageError> {
        let Caller::Principal(principal, role) = self else { return Ok(()) };
        let owns = |node: &AccessControl<'_>| is_same_id(node.owner, &principal.oid);
        let is_owner = match action.ownership() {
            Ownership::Anybody => true,
            Ownership::Owner => path.as_ref().is_some_and(owns),
            Ownership::SuperUser => false,
        };
        let is_member = !matches!(action, Action::SetGroup(group) if !principal.is_in(group));
        let is_admitted = match role.permits(action) {
            true => true,
            false => self.is_admitted(action, above, path),
        };
        // A role permits more than the sticky bit of a directory, which only limits those that need its ACL.
        let is_sticky =
            action.is_sticky() && !role.permits(action) && above.last().is_some_and(|parent| parent.acl.base().is_sticky());
        let may_remove = !is_sticky || path.iter().chain(above.last()).any(owns);
        refuse_unless(is_owner && is_member && is_admitted && may_remove)
    }

    fn is_admitted(&self, action: Action<'_>, above: &[AccessControl<'_>], path: Option<AccessControl<'_>>) -> bool {
        let parent = above.len().saturating_sub(1);
        let wanted = |at| if at == parent { action.on_parent() } else { Rwx::EXECUTE };
        above.iter().enumerate().all(|(at, directory)| self.has(wanted(at), directory))
            && path.is_none_or(|path| self.has_on_path(action.on_path(), &path))
    }

    /// Checks one directory of a recursive list (`rx`).
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub fn check_listed(&self, directory: &AccessControl<'_>) -> Result<(), StorageError> {
        refuse_unless(self.has_on_path(Rwx::READ.union(Rwx::EXECUTE), directory))
    }

    /// Checks one directory of a recursive deletion (`rwx`). Files need nothing.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub fn check_emptied(&self, directory: &AccessControl<'_>) -> Result<(), StorageError> {
        refuse_unless(self.has_on_path(Rwx::ALL, directory))
    }

    /// As [`Caller::has`], with the permissions that the role has on any path.
    fn has_on_path(&self, wanted: Rwx, path: &AccessControl<'_>) -> bool {
        match self {
            Caller::SuperUser | Caller::Trusted(_) => true,
            Caller::Principal(principal, role) => role.on_path().union(permissions(principal, path)).contains(wanted),
        }
    }

    /// Returns true if the access control of a path gives the caller these permissions.
    fn has(&self, wanted: Rwx, path: &AccessControl<'_>) -> bool {
        match self {
            Caller::SuperUser | Caller::Trusted(_) => true,
            Caller::Principal(principal, _) => permissions(principal, path).contains(wanted),
        }
    }
}

/// The permissions of a principal on a path: those of the first class that it belongs to. The mask limits all but the owner and others.
fn permissions(principal: &Principal, path: &AccessControl<'_>) -> Rwx {
    let (base, mask) = (path.acl.base(), path.acl.mask().unwrap_or(Rwx::ALL));
    if is_same_id(path.owner, &principal.oid) {
        return base.user();
    }
    if let Some(entry) = path.acl.user(&principal.oid) {
        return entry.intersection(mask);
    }
    let owning = [(path.group, base.group())];
    let groups = owning.into_iter().chain(path.acl.groups()).filter(|(group, _)| principal.is_in(group));
    let all = groups.map(|(_, permissions)| permissions).reduce(Rwx::union);
    all.map_or(base.other(), |permissions| permissions.intersection(mask))
}

fn refuse_unless(is_permitted: bool) -> Result<(), StorageError> {
    match is_permitted {
        true => Ok(()),
        false => Err(ErrorCode::AuthorizationPermissionMismatch.with_reason("the access control list does not permit it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lake::acl::AclEntries;
    use crate::rules::lake::path::PathKind;
    use crate::rules::lake::permissions::Permissions;

    fn acl(text: &str) -> Acl {
        let sticky = text.strip_suffix(" sticky");
        let base = Permissions::default().with_sticky(sticky.is_some());
        Acl::from(base).set(&AclEntries::parse(sticky.unwrap_or(text)).unwrap(), PathKind::Directory).unwrap()
    }

    fn principal(oid: &str, groups: &[&str]) -> Principal {
        Principal { oid: oid.into(), groups: groups.iter().map(|group| (*group).into()).collect() }
    }

    #[test]
    fn the_first_class_of_the_caller_decides() {
        let all = "user::r--,user:ann:rwx,group::-w-,group:red:--x,group:blue:rw-,mask::rw-,other::rwx";
        for (oid, groups, text, expected) in [
            ("owner", &[][..], all, "r--"),
            ("OWNER", &["red"], all, "r--"),
            ("ann", &[], all, "rw-"),
            ("ann", &["staff", "blue"], all, "rw-"),
            ("bob", &["staff"], all, "-w-"),
            ("bob", &["red"], all, "---"),
            ("bob", &["staff", "red"], all, "-w-"),
            ("bob", &["RED", "blue"], all, "rw-"),
            ("bob", &["green"], all, "rwx"),
            ("staff", &[], all, "-w-"),
            ("bob", &["staff"], "user::rwx,group::rwx,other::---", "rwx"),
            ("bob", &[], "user::rwx,group::rwx,other::--x", "--x"),
        ] {
            let acl = acl(text);
            let path = AccessControl { owner: "owner", group: "staff", acl: &acl };
            assert_eq!(permissions(&principal(oid, groups), &path).to_string(), expected, "{oid} {groups:?} {text}");
        }
    }

    /// What `ann`, who is not the owner, needs: the ACL of the root, of the directory and of the path.
    #[test]
    fn each_action_needs_its_permissions() {
        let user = |rwx: &str| acl(&format!("user::---,user:ann:{rwx},group::---,other::---"));
        #[rustfmt::skip]
        let table = [
            (Action::Read,                     "--x", "--x", "r--"),
            (Action::GetProperties,            "--x", "--x", "r--"),
            (Action::GetStatus,                "--x", "--x", "---"),
            (Action::List,                     "--x", "--x", "r-x"),
            (Action::CheckAccess(Rwx::ALL),    "--x", "--x", "rwx"),
            (Action::Append,                   "--x", "--x", "rw-"),
            (Action::Overwrite,                "--x", "--x", "-w-"),
            (Action::Create,                   "--x", "-wx", "---"),
            (Action::Delete,                   "--x", "-wx", "---"),
            (Action::Rename,                   "--x", "-wx", "---"),
        ];
        for (action, root, directory, path) in table {
            let check = |texts: [&str; 3], role| {
                let acls = texts.map(user);
                let [root, directory, path] = acls.each_ref().map(|acl| AccessControl { owner: "o", group: "g", acl });
                Caller::Principal(principal("ann", &[]), role).check(action, &[root, directory], Some(path)).is_ok()
            };
            let needed = [root, directory, path];
            assert!(check(needed, Role::None), "{action:?}");
            assert!(check(["rwx"; 3], Role::None), "{action:?}");
            for at in 0..3 {
                for letter in ["r", "w", "x"].iter().filter(|letter| needed[at].contains(**letter)) {
                    let less = needed[at].replace(letter, "-");
                    let mut texts = needed;
                    texts[at] = &less;
                    assert!(!check(texts, Role::None), "{action:?} {texts:?}");
                }
            }
            assert!(check(["---"; 3], Role::Contributor), "{action:?}");
            let is_read = matches!(action, Action::Read | Action::GetProperties | Action::GetStatus | Action::List);
            assert_eq!(check(["---"; 3], Role::Reader), is_read, "{action:?}");
        }
    }

    #[test]
    fn a_reader_needs_only_write_to_append() {
        let (above, path) = (acl("user::---,group::---,other::--x"), acl("user::---,group::---,other::-w-"));
        let [above, path] = [&above, &path].map(|acl| AccessControl { owner: "o", group: "g", acl });
        for (role, permitted) in [(Role::None, false), (Role::Reader, true), (Role::Contributor, true)] {
            let caller = Caller::Principal(principal("ann", &[]), role);
            assert_eq!(caller.check(Action::Append, &[above], Some(path)).is_ok(), permitted, "{role:?}");
        }
        let reader = Caller::Principal(principal("ann", &[]), Role::Reader);
        assert!(reader.check(Action::CheckAccess(Rwx::READ), &[path], Some(path)).is_ok());
        assert!(reader.check(Action::CheckAccess(Rwx::WRITE), &[path], Some(path)).is_err());
    }

    #[test]
    fn owners_change_access() {
        let (open, none) = (acl("user::--x,group::--x,other::--x"), acl("user::---,group::---,other::---"));
        for (oid, role, action, permitted) in [
            ("owner", Role::None, Action::SetAccess, true),
            ("owner", Role::None, Action::SetGroup("red"), true),
            ("owner", Role::None, Action::SetGroup("blue"), false),
            ("owner", Role::Contributor, Action::SetOwner, false),
            ("ann", Role::None, Action::SetAccess, false),
            ("ann", Role::Contributor, Action::SetAccess, false),
            ("ann", Role::Contributor, Action::SetGroup("red"), false),
        ] {
            let [above, path] = [&open, &none].map(|acl| AccessControl { owner: "owner", group: "g", acl });
            let caller = Caller::Principal(principal(oid, &["red"]), role);
            assert_eq!(caller.check(action, &[above], Some(path)).is_ok(), permitted, "{oid} {role:?} {action:?}");
            assert!(Caller::SuperUser.check(action, &[path], Some(path)).is_ok());
        }
        // The owner, too, traverses the directories above.
        let path = AccessControl { owner: "owner", group: "g", acl: &open };
        let closed = AccessControl { owner: "o", group: "g", acl: &none };
        let owner = Caller::Principal(principal("owner", &[]), Role::None);
        let error = owner.check(Action::SetAccess, &[closed], Some(path)).unwrap_err();
        assert_eq!((error.code().name(), error.status()), ("AuthorizationPermissionMismatch", 403));
    }

    #[test]
    fn in_a_sticky_directory_owners_delete_and_rename() {
        let (sticky, open) = (acl("user::rwx,group::rwx,other::rwx sticky"), acl("user::rwx,group::rwx,other::rwx"));
        for (oid, acl, action, permitted) in [
            ("ann", &sticky, Action::Delete, false),
            ("ann", &sticky, Action::Rename, false),
            ("ann", &sticky, Action::Create, true),
            ("ann", &sticky, Action::Append, true),
            ("ann", &open, Action::Delete, true),
            ("of-directory", &sticky, Action::Delete, true),
            ("of-child", &sticky, Action::Rename, true),
        ] {
            let directory = AccessControl { owner: "of-directory", group: "g", acl };
            let child = AccessControl { owner: "of-child", group: "g", acl: &open };
            let caller = Caller::Principal(principal(oid, &[]), Role::None);
            assert_eq!(caller.check(action, &[directory], Some(child)).is_ok(), permitted, "{oid} {action:?}");
            assert!(Caller::SuperUser.check(action, &[directory], Some(child)).is_ok());
        }
    }

    #[test]
    fn recursive_requests_check_each_directory() {
        for (rwx, listed, emptied) in [("r-x", true, false), ("rwx", true, true), ("-wx", false, false), ("r--", false, false)] {
            let acl = acl(&format!("user::---,group::---,other::{rwx}"));
            let directory = AccessControl { owner: "o", group: "g", acl: &acl };
            let caller = Caller::Principal(principal("ann", &[]), Role::None);
            assert_eq!((caller.check_listed(&directory).is_ok(), caller.check_emptied(&directory).is_ok()), (listed, emptied));
            let contributor = Caller::Principal(principal("ann", &[]), Role::Contributor);
            assert!(contributor.check_emptied(&directory).is_ok() && Caller::SuperUser.check_emptied(&directory).is_ok());
        }
    }

    #[test]
    fn owners_of_new_paths() {
        let ann = Caller::Principal(principal("ann", &[]), Role::None);
        assert_eq!((ann.owner(), ann.group_of_new("staff")), ("ann", "staff"));
        assert_eq!((Caller::SuperUser.owner(), Caller::SuperUser.group_of_new("staff")), (SUPER_USER, SUPER_USER));
    }
}
