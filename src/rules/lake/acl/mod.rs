//! Access control lists: who may read, write and traverse a path.
//!
//! The access ACL of a path has entries for its owner, its owning group and others, for named users and groups, and a mask that limits all
//! of them but the owner and others. A directory may also have a default ACL, which its new entries inherit. The model is that of POSIX
//! 1003.1e; where the reference is silent, the comments name the tests of hadoop-azure (`ITestAzureBlobFilesystemAcl`) that ran against
//! the service.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;
use crate::rules::lake::permissions::{Permissions, Rwx, Umask};
use crate::rules::wire_name::{WireName, wire_enum};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The most entries of an access ACL, and of a default ACL: those of the owner, the owning group, others and the mask included.
const ENTRIES: usize = 32;

wire_enum! {
    /// The type of an entry.
    EntryKind {
        User "user",
        Group "group",
        Mask "mask",
        Other "other",
    }
}

/// The ACL that an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Access,
    Default,
}

/// What an entry is for: `user:ID`, `default:mask:`.
#[derive(Clone, Debug, Eq)]
struct EntryName {
    scope: Scope,
    kind: EntryKind,
    /// The id of a named user or group; empty for the owner, the owning group, the mask and others.
    id: Box<str>,
}

impl PartialEq for EntryName {
    fn eq(&self, other: &EntryName) -> bool {
        (self.scope, self.kind) == (other.scope, other.kind) && is_same_id(&self.id, &other.id)
    }
}

impl EntryName {
    fn parse(scope: Scope, kind: &str, id: &str) -> Option<EntryName> {
        let kind = EntryKind::parse_exact(kind)?;
        let has_no_id = id.is_empty() || matches!(kind, EntryKind::User | EntryKind::Group);
        has_no_id.then(|| EntryName { scope, kind, id: id.into() })
    }
}

/// Returns true if two texts name the same user or group: ids are GUIDs, which clients write in either case.
pub fn is_same_id(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The entries of a request that sets or modifies an ACL (`x-ms-acl`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AclEntries(Vec<(EntryName, Rwx)>);

impl AclEntries {
    /// Parses `[default:]type:[id]:rwx`, separated by commas.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList, also for two entries of the same scope, type and id.
    pub fn parse(text: &str) -> Result<AclEntries, StorageError> {
        let entry = |scope, parts: &[&str]| match parts {
            [kind, id, permissions] => Some((EntryName::parse(scope, kind, id)?, Rwx::parse(permissions)?)),
            _ => None,
        };
        let entries = parse_list(text, entry)?;
        check_unique(text, entries.iter().map(|(name, _)| name))?;
        Ok(AclEntries(entries))
    }

    /// The entries that apply to a path: files have no default ACL, so that recursive changes skip those entries (recorded).
    fn applicable(&self, kind: PathKind) -> AclEntries {
        let applies = |scope| kind == PathKind::Directory || scope == Scope::Access;
        AclEntries(self.0.iter().filter(|(name, _)| applies(name.scope)).cloned().collect())
    }

    fn has(&self, scope: Scope) -> bool {
        self.of(scope).next().is_some()
    }

    fn of(&self, scope: Scope) -> impl Iterator<Item = (&EntryName, Rwx)> {
        self.0.iter().filter(move |(name, _)| name.scope == scope).map(|(name, permissions)| (name, *permissions))
    }
}

/// The names of entries that a request removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AclEntryNames(Vec<EntryName>);

impl AclEntryNames {
    /// Parses `[default:]type[:id]`, separated by commas.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList, also for the entries of the owner, the owning group and others in the access ACL, which cannot be
    /// removed.
    pub fn parse(text: &str) -> Result<AclEntryNames, StorageError> {
        let name = |scope, parts: &[&str]| match parts {
            [kind] => EntryName::parse(scope, kind, ""),
            [kind, id] => EntryName::parse(scope, kind, id),
            _ => None,
        };
        let names = parse_list(text, name)?;
        check_unique(text, names.iter())?;
        let is_base = |name: &EntryName| name.scope == Scope::Access && name.id.is_empty() && name.kind != EntryKind::Mask;
        match names.iter().any(is_base) {
            true => Err(invalid(text, "it removes an entry that every ACL has")),
            false => Ok(AclEntryNames(names)),
        }
    }
}

/// Parses the parts of an ACL; `parse` gets the scope of an entry and what follows it.
fn parse_list<T>(text: &str, parse: impl Fn(Scope, &[&str]) -> Option<T>) -> Result<Vec<T>, StorageError> {
    let entry = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.split_first() {
            Some((&"default", rest)) => parse(Scope::Default, rest),
            _ => parse(Scope::Access, &parts),
        }
    };
    let entries = text.split(',').map(|part| entry(part).ok_or_else(|| invalid(text, "an entry is malformed")));
    entries.collect()
}

fn check_unique<'a>(text: &str, names: impl Iterator<Item = &'a EntryName>) -> Result<(), StorageError> {
    let mut seen: Vec<&EntryName> = Vec::new();
    for name in names {
        // Longer lists are refused anyway, so that the search is short.
        if seen.contains(&name) || seen.len() == 2 * ENTRIES {
            return Err(invalid(text, "an entry is there twice, or there are too many"));
        }
        seen.push(name);
    }
    Ok(())
}

fn invalid(text: &str, why: &str) -> StorageError {
    ErrorCode::InvaldAccessControlList.with_reason(format!("x-ms-acl is {text:?}: {why}"))
}

/// An entry for a named user or group.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NamedEntry {
    is_group: bool,
    id: Box<str>,
    permissions: Rwx,
}

/// The entries of one scope.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entries {
    /// Those of the owner, the owning group and others.
    base: Permissions,
    mask: Option<Rwx>,
    /// Users, then groups, each in the order in which they were added.
    named: Vec<NamedEntry>,
}

impl Entries {
    fn put(&mut self, name: &EntryName, permissions: Rwx) {
        match name.kind {
            EntryKind::Mask => self.mask = Some(permissions),
            EntryKind::Other => self.base = self.base.with_other(permissions),
            EntryKind::User if name.id.is_empty() => self.base = self.base.with_user(permissions),
            EntryKind::Group if name.id.is_empty() => self.base = self.base.with_group(permissions),
            EntryKind::User | EntryKind::Group => match self.position(name) {
                Some(at) => self.named[at].permissions = permissions,
                None => {
                    let is_group = name.kind == EntryKind::Group;
                    let at = self.named.partition_point(|entry| !entry.is_group || is_group);
                    self.named.insert(at, NamedEntry { is_group, id: name.id.clone(), permissions });
                }
            },
        }
    }

    /// The index of the entry of a named user or group.
    fn position(&self, name: &EntryName) -> Option<usize> {
        let is_group = name.kind == EntryKind::Group;
        self.named.iter().position(|entry| entry.is_group == is_group && is_same_id(&entry.id, &name.id))
    }

    /// Puts entries, and computes the mask if they have one for a named user or group and none for the mask (`testModifyAclEntries`,
    /// `testSetAclCustomMask`). Otherwise the mask remains (`testModifyAclEntriesWithAccessMask`).
    fn put_all<'a>(mut self, entries: impl Iterator<Item = (&'a EntryName, Rwx)>) -> Entries {
        let (mut has_named, mut has_mask) = (false, false);
        for (name, permissions) in entries {
            has_named |= !name.id.is_empty();
            has_mask |= name.kind == EntryKind::Mask;
            self.put(name, permissions);
        }
        if has_named && !has_mask {
            self.compute_mask();
        }
        self
    }

    /// Makes the mask the union of all entries that it limits, if there is a mask or one is needed.
    fn compute_mask(&mut self) {
        if self.mask.is_some() || !self.named.is_empty() {
            let named = self.named.iter().map(|entry| entry.permissions);
            self.mask = Some(named.fold(self.base.group(), Rwx::union));
        }
    }

    /// Removes the mask and the entries of named users and groups. Absent entries are ignored (recorded).
    ///
    /// # Errors
    /// 400 InvaldAccessControlList if the mask is removed and still needed.
    fn remove_all(mut self, names: &[&EntryName]) -> Result<Entries, StorageError> {
        let mut is_changed = false;
        for name in names.iter().filter(|name| !name.id.is_empty()) {
            if let Some(at) = self.position(name) {
                self.named.remove(at);
                is_changed = true;
            }
        }
        let removes_mask = names.iter().any(|name| name.kind == EntryKind::Mask);
        if removes_mask && self.mask.is_some() {
            if !self.named.is_empty() {
                return Err(ErrorCode::InvaldAccessControlList.with_reason("entries of named users or groups need the mask"));
            }
            self.mask = None;
        } else if is_changed {
            self.compute_mask();
        }
        Ok(self)
    }

    /// # Errors
    /// 400 InvaldAccessControlList.
    fn check_size(&self) -> Result<(), StorageError> {
        let count = 3 + usize::from(self.mask.is_some()) + self.named.len();
        let error =
            || ErrorCode::InvaldAccessControlList.with_reason(format!("the ACL would have {count} entries, more than {ENTRIES}"));
        if count <= ENTRIES { Ok(()) } else { Err(error()) }
    }

    /// Writes the entries in their canonical order.
    fn write(&self, scope: Scope, text: &mut Vec<String>) {
        let prefix = if scope == Scope::Default { "default:" } else { "" };
        let named = |groups: bool| {
            let kind = if groups { "group" } else { "user" };
            let entries = self.named.iter().filter(move |entry| entry.is_group == groups);
            entries.map(move |entry| format!("{prefix}{kind}:{}:{}", entry.id, entry.permissions))
        };
        text.push(format!("{prefix}user::{}", self.base.user()));
        text.extend(named(false));
        text.push(format!("{prefix}group::{}", self.base.group()));
        text.extend(named(true));
        text.extend(self.mask.map(|mask| format!("{prefix}mask::{mask}")));
        text.push(format!("{prefix}other::{}", self.base.other()));
    }
}

/// The access ACL of a path, and the default ACL of a directory. Most paths only have permission bits: two bytes and an empty pointer.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acl {
    /// The entries of the owner, the owning group and others, and the sticky bit.
    base: Permissions,
    extended: Option<Arc<Extended>>,
}

/// What only some ACLs have.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Extended {
    mask: Option<Rwx>,
    named: Vec<NamedEntry>,
    default: Option<Entries>,
}

impl From<Permissions> for Acl {
    fn from(base: Permissions) -> Acl {
        Acl { base, extended: None }
    }
}

/// The access control that a request gives a new path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewAccess {
    /// `x-ms-permissions` and `x-ms-umask`.
    Permissions { permissions: Option<Permissions>, umask: Option<Umask> },
    /// `x-ms-acl`, to which no umask applies (recorded).
    Acl(AclEntries),
}

impl NewAccess {
    /// Parses the headers of a request that creates a path.
    ///
    /// # Errors
    /// 400 for malformed values; 400 InvalidHeaderValue for permissions beside an ACL. No source has the code of the service for that.
    pub fn read(permissions: Option<&str>, umask: Option<&str>, acl: Option<&str>) -> Result<NewAccess, StorageError> {
        match (permissions, acl) {
            (Some(_), Some(acl)) => Err(StorageError::invalid_header("x-ms-acl", acl)),
            (None, Some(acl)) => AclEntries::parse(acl).map(NewAccess::Acl),
            (permissions, None) => {
                let permissions = permissions.map(Permissions::parse).transpose()?;
                Ok(NewAccess::Permissions { permissions, umask: umask.map(Umask::parse).transpose()? })
            }
        }
    }
}

impl Default for NewAccess {
    fn default() -> NewAccess {
        NewAccess::Permissions { permissions: None, umask: None }
    }
}

impl Acl {
    /// The ACL of a new path in a directory with the ACL `parent`.
    ///
    /// A default ACL of the parent replaces the umask, as in POSIX: the new path has a copy of its entries, limited by the permissions of
    /// the request (`testDefaultAclNewFile`, `testDefaultAclNewDirWithMode`); a directory also inherits it.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList for default entries of a file, or too many entries.
    pub fn of_new(parent: &Acl, kind: PathKind, access: &NewAccess) -> Result<Acl, StorageError> {
        let (permissions, umask) = match access {
            NewAccess::Permissions { permissions, umask } => (*permissions, *umask),
            NewAccess::Acl(_) => (None, None),
        };
        let permissions = permissions.unwrap_or(match kind {
            PathKind::File => Permissions::NEW_FILE,
            PathKind::Directory => Permissions::NEW_DIRECTORY,
        });
        let inherited = match parent.default_entries() {
            None => Acl::from(permissions.masked(umask.unwrap_or_default())),
            Some(default) => {
                let default_of_new = (kind == PathKind::Directory).then(|| default.clone());
                Acl::build(limited(default.clone(), permissions), default_of_new)?
            }
        };
        let NewAccess::Acl(entries) = access else { return Ok(inherited) };
        let set = inherited.set(entries, kind)?;
        // An ACL without default entries does not say that the directory inherits none. No source decides it.
        match inherited.default_entries() {
            Some(default) if !entries.has(Scope::Default) => Acl::build(set.access_entries(), Some(default.clone())),
            _ => Ok(set),
        }
    }

    fn build(access: Entries, default: Option<Entries>) -> Result<Acl, StorageError> {
        access.check_size()?;
        default.iter().try_for_each(Entries::check_size)?;
        let Entries { base, mask, named } = access;
        let is_plain = mask.is_none() && named.is_empty() && default.is_none();
        Ok(Acl { base, extended: (!is_plain).then(|| Arc::new(Extended { mask, named, default })) })
    }

    fn access_entries(&self) -> Entries {
        let named = self.extended.as_ref().map(|extended| extended.named.clone()).unwrap_or_default();
        Entries { base: self.base, mask: self.mask(), named }
    }

    fn default_entries(&self) -> Option<&Entries> {
        self.extended.as_ref().and_then(|extended| extended.default.as_ref())
    }

    /// The default entries of a new default ACL, which copies those of the owner, the owning group and others (`testSetAclOnlyDefault`).
    fn new_default(access: &Entries) -> Entries {
        Entries { base: access.base.with_sticky(false), ..Entries::default() }
    }

    /// Replaces the ACL. The entries of the owner, the owning group and others remain if the request has none, because hadoop-azure only
    /// sends those that its caller named (`testEnsureAclOperationWorksForRoot`); all others do not.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList for default entries of a file, or too many entries.
    pub fn set(&self, entries: &AclEntries, kind: PathKind) -> Result<Acl, StorageError> {
        check_kind(entries, kind)?;
        let access = Entries { base: self.base, ..Entries::default() }.put_all(entries.of(Scope::Access));
        let has_default = entries.has(Scope::Default);
        let default = has_default.then(|| Acl::new_default(&access).put_all(entries.of(Scope::Default)));
        Acl::build(access, default)
    }

    /// Adds entries, and replaces those of the same scope, type and id. The mask is computed again for entries of named users or groups,
    /// unless the request has a mask. hadoop-azure does the same before it sets the result.
    ///
    /// # Errors
    /// As [`Acl::set`].
    pub fn modify(&self, entries: &AclEntries, kind: PathKind) -> Result<Acl, StorageError> {
        check_kind(entries, kind)?;
        let access = match entries.has(Scope::Access) {
            true => self.access_entries().put_all(entries.of(Scope::Access)),
            false => self.access_entries(),
        };
        let default = match entries.has(Scope::Default) {
            true => {
                let before = self.default_entries().cloned().unwrap_or_else(|| Acl::new_default(&access));
                Some(before.put_all(entries.of(Scope::Default)))
            }
            false => self.default_entries().cloned(),
        };
        Acl::build(access, default)
    }

    /// Removes entries. Removed default entries of the owner, the owning group and others are copied from the access ACL while the default
    /// ACL has others; without others it is removed.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList if a mask is removed and still needed.
    pub fn remove(&self, names: &AclEntryNames) -> Result<Acl, StorageError> {
        let of = |scope| names.0.iter().filter(|name| name.scope == scope).collect::<Vec<_>>();
        let access = self.access_entries().remove_all(&of(Scope::Access))?;
        let removed = of(Scope::Default);
        let default = match self.default_entries() {
            Some(default) if !removed.is_empty() => {
                let mut default = default.clone().remove_all(&removed)?;
                let removes = |kind| removed.iter().any(|name| name.id.is_empty() && name.kind == kind);
                let bases = [EntryKind::User, EntryKind::Group, EntryKind::Other].map(removes);
                let [user, group, other] = bases;
                default.base = Permissions::new(
                    if user { access.base.user() } else { default.base.user() },
                    if group { access.base.group() } else { default.base.group() },
                    if other { access.base.other() } else { default.base.other() },
                );
                let is_empty = bases == [true; 3] && default.named.is_empty();
                if group && default.mask.is_some() {
                    default.compute_mask();
                }
                (!is_empty).then_some(default)
            }
            default => default.cloned(),
        };
        Acl::build(access, default)
    }

    /// Sets the permission bits. Those of the group become the mask if there is one; entries remain (`testSetPermission`).
    pub fn chmod(&self, permissions: Permissions) -> Acl {
        match &self.extended {
            Some(extended) if extended.mask.is_some() => Acl {
                base: permissions.with_group(self.base.group()),
                extended: Some(Arc::new(Extended { mask: Some(permissions.group()), ..Extended::clone(extended) })),
            },
            extended => Acl { base: permissions, extended: extended.clone() },
        }
    }

    /// The permission bits, with those of the mask, if there is one, in place of the owning group's.
    pub fn permissions(&self) -> Permissions {
        self.base.with_group(self.mask().unwrap_or(self.base.group()))
    }

    /// `x-ms-permissions`: with a `+` if there are entries that the bits do not show. A mask alone suffices (.NET tests).
    pub fn permissions_text(&self) -> String {
        format!("{}{}", self.permissions(), if self.extended.is_some() { "+" } else { "" })
    }

    /// The entries of the owner, the owning group and others, and the sticky bit.
    pub fn base(&self) -> Permissions {
        self.base
    }

    /// The mask of the access ACL.
    pub fn mask(&self) -> Option<Rwx> {
        self.extended.as_ref().and_then(|extended| extended.mask)
    }

    /// The access entry of a named user, before the mask.
    pub fn user(&self, id: &str) -> Option<Rwx> {
        let mut users = self.named().filter(|entry| !entry.is_group);
        users.find(|entry| is_same_id(&entry.id, id)).map(|entry| entry.permissions)
    }

    /// The access entries of named groups, before the mask.
    pub fn groups(&self) -> impl Iterator<Item = (&str, Rwx)> {
        self.named().filter(|entry| entry.is_group).map(|entry| (&*entry.id, entry.permissions))
    }

    fn named(&self) -> impl Iterator<Item = &NamedEntry> {
        self.extended.iter().flat_map(|extended| &extended.named)
    }
}

/// The canonical text, for `x-ms-acl`: access entries, then default entries.
impl fmt::Display for Acl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.access_entries().write(Scope::Access, &mut text);
        if let Some(default) = self.default_entries() {
            default.write(Scope::Default, &mut text);
        }
        f.write_str(&text.join(","))
    }
}

/// The access entries of a new path, from the default ACL of its directory.
fn limited(mut default: Entries, permissions: Permissions) -> Entries {
    let base = default.base;
    default.base = Permissions::new(
        base.user().intersection(permissions.user()),
        base.group(),
        base.other().intersection(permissions.other()),
    )
    .with_sticky(permissions.is_sticky());
    match default.mask {
        Some(mask) => default.mask = Some(mask.intersection(permissions.group())),
        None => default.base = default.base.with_group(base.group().intersection(permissions.group())),
    }
    default
}

fn check_kind(entries: &AclEntries, kind: PathKind) -> Result<(), StorageError> {
    match kind == PathKind::File && entries.has(Scope::Default) {
        true => Err(ErrorCode::InvaldAccessControlList.with_reason("a file has no default ACL")),
        false => Ok(()),
    }
}

wire_enum! {
    /// What a recursive change does with its entries (`mode`).
    ChangeMode {
        Set "set",
        Modify "modify",
        Remove "remove",
    }
}

/// A change of the ACLs of a directory and all its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecursiveChange {
    Set(AclEntries),
    Modify(AclEntries),
    Remove(AclEntryNames),
}

impl RecursiveChange {
    /// Parses `mode` and `x-ms-acl`.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue for a missing or unknown mode; 400 MissingRequiredHeader without an ACL; 400 InvaldAccessControlList.
    pub fn read(mode: Option<&str>, acl: Option<&str>) -> Result<RecursiveChange, StorageError> {
        let text = mode.unwrap_or_default();
        let mode = ChangeMode::parse(text)
            .ok_or_else(|| StorageError::invalid_query("mode", text, "It has to be set, modify or remove."))?;
        let acl = acl.ok_or_else(|| StorageError::missing_header("x-ms-acl"))?;
        match mode {
            ChangeMode::Set => AclEntries::parse(acl).map(RecursiveChange::Set),
            ChangeMode::Modify => AclEntries::parse(acl).map(RecursiveChange::Modify),
            ChangeMode::Remove => AclEntryNames::parse(acl).map(RecursiveChange::Remove),
        }
    }

    /// The ACL of a path after the change. A file skips default entries (recorded), and is unchanged without others.
    ///
    /// # Errors
    /// As [`Acl::set`] and [`Acl::remove`].
    pub fn apply(&self, acl: &Acl, kind: PathKind) -> Result<Acl, StorageError> {
        match self {
            RecursiveChange::Set(entries) | RecursiveChange::Modify(entries) if entries.applicable(kind).0.is_empty() => {
                Ok(acl.clone())
            }
            RecursiveChange::Set(entries) => acl.set(&entries.applicable(kind), kind),
            RecursiveChange::Modify(entries) => acl.modify(&entries.applicable(kind), kind),
            RecursiveChange::Remove(names) => acl.remove(names),
        }
    }
}

#[cfg(test)]
mod tests;
