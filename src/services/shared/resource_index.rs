//! The index of an account's resources: the current ones, and the deleted ones that can be restored.
//!
//! A deleted resource retains its content under its name and the time of its creation, which together identify it. It can be restored
//! until its retention ends; the next deletion after that frees it.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::shared::resource::Resource;
use crate::store::cell::Cell;
use crate::store::changes::{CellId, Changes, diff};
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use imbl::{OrdMap, OrdSet};
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Resources by name, current and deleted.
#[derive(Clone, Debug)]
pub struct ResourceIndex<S: Resource> {
    live: OrdMap<Arc<str>, Arc<Cell<S>>>,
    deleted: OrdMap<(Arc<str>, Timestamp), Arc<Deleted<S>>>,
    /// The keys of `deleted`, by the end of their retention.
    ends: OrdSet<(Timestamp, Arc<str>, Timestamp)>,
    /// The names of resources whose deletion is in progress, retained or not.
    deleting: OrdSet<(Timestamp, Arc<str>)>,
}

/// A deleted container or share.
#[derive(Debug)]
pub struct Deleted<S: Resource> {
    /// Closed: no write to it succeeds.
    cell: Arc<Cell<S>>,
    pub deletion: Deletion,
}

impl<S: Resource> PartialEq for Deleted<S> {
    fn eq(&self, other: &Deleted<S>) -> bool {
        self.cell == other.cell && self.deletion == other.deletion
    }
}

impl<S: Resource> Deleted<S> {
    /// Its last state.
    pub fn state(&self) -> Arc<S> {
        self.cell.read()
    }
}

/// A resource that can be restored after it is deleted: a container or a share.
pub trait Restorable: Resource {
    /// The error for a name that is in use.
    const ALREADY_EXISTS: ErrorCode;
    /// The error for a name while its deletion is in progress.
    const BEING_DELETED: ErrorCode;
    /// The message of that error for a restore.
    const BEING_DELETED_MESSAGE: &'static str;
    /// The header that names the deleted resource to restore.
    const DELETED_NAME: &'static str;
    /// The header that identifies the resource among those of that name.
    const DELETED_VERSION: &'static str;
    /// Whether the answer to a restore has an ETag and a Last-Modified.
    const RESTORE_REPORTS_STATE: bool;

    /// When it was created or last restored.
    fn created(&self) -> Timestamp;

    /// Its state after a restore.
    fn restored(self, now: Timestamp) -> Self;
}

impl<S: Resource> Default for ResourceIndex<S> {
    fn default() -> ResourceIndex<S> {
        ResourceIndex { live: OrdMap::new(), deleted: OrdMap::new(), ends: OrdSet::new(), deleting: OrdSet::new() }
    }
}

impl<S: Resource> Deref for ResourceIndex<S> {
    type Target = OrdMap<Arc<str>, Arc<Cell<S>>>;

    fn deref(&self) -> &Self::Target {
        &self.live
    }
}

impl<S: Resource> DerefMut for ResourceIndex<S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.live
    }
}

impl<S: Resource> ResourceIndex<S> {
    /// The deleted resources that are retained at this moment, from a name on, in the order of name and creation.
    pub fn deleted_from<'a>(
        &'a self,
        from: &str,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, Timestamp, &'a Deleted<S>)> + use<'a, S> {
        let first = (Arc::from(from), Timestamp::default());
        let retained = self.deleted.range(first..).filter(move |(_, deleted)| deleted.deletion.is_kept(now));
        retained.map(|((name, created), deleted)| (&**name, *created, &**deleted))
    }

    /// This index with other current resources.
    pub fn with_live(self, live: impl IntoIterator<Item = (Arc<str>, Arc<Cell<S>>)>) -> ResourceIndex<S> {
        ResourceIndex { live: live.into_iter().collect(), ..self }
    }

    /// Gives a deleted resource another state.
    pub fn replace_deleted(&mut self, name: &str, created: Timestamp, state: S) {
        let key = (name.into(), created);
        if let Some(deleted) = self.deleted.get(&key).cloned() {
            let replaced = Deleted { cell: deleted.cell.another(state), deletion: deleted.deletion };
            self.deleted.insert(key, Arc::new(replaced));
        }
    }

    /// Deletes everything. Concurrent writes to it fail.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn clear(&mut self) -> Result<(), StorageError> {
        self.live.values().try_for_each(|cell| cell.edit(|_| Ok(()), true))?;
        *self = ResourceIndex::default();
        Ok(())
    }
}

/// The version of the form of the records.
const FORM: u8 = 1;
/// The first byte of the keys: of a current resource, of a deleted one.
const LIVE: u8 = b'n';
const DELETED: u8 = b'd';

#[derive(Serialize, Deserialize)]
struct DeletedRecord {
    cell: CellId,
    at: u64,
    days: u32,
}

impl<S: Resource> Persist for ResourceIndex<S> {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for (name, was, now) in diff(before.map(|before| &before.live), Some(&after.live)) {
            let key = [&[LIVE], name.as_bytes()].concat();
            match now {
                Some(cell) => to.put(&key, FORM, &cell.id()),
                None => to.delete(&key),
            }
            removed.extend(was);
            added.extend(now);
        }
        for ((name, created), was, now) in diff(before.map(|before| &before.deleted), Some(&after.deleted)) {
            let key = [&[DELETED], name.as_bytes(), &created.ticks().to_be_bytes()].concat();
            match now {
                Some(deleted) => {
                    let Deletion { at, days } = deleted.deletion;
                    to.put(&key, FORM, &DeletedRecord { cell: deleted.cell.id(), at: at.ticks(), days });
                }
                None => to.delete(&key),
            }
            removed.extend(was.map(|was| &was.cell));
            added.extend(now.map(|now| &now.cell));
        }
        if before.is_none() {
            return; // The cells write their own records.
        }
        // A cell that only has another key is neither added nor removed.
        added.iter().filter(|cell| !removed.contains(cell)).for_each(|cell| cell.enter(to));
        removed.iter().filter(|cell| !added.contains(cell)).for_each(|cell| cell.leave(to));
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let text = |name: &[u8]| {
            String::from_utf8(name.to_vec()).map(Arc::<str>::from).map_err(|error| CorruptRecord(error.to_string()))
        };
        let mut index = ResourceIndex::default();
        for (name, record) in records.under(&[LIVE]) {
            index.live.insert(text(name)?, store.load(record.read(FORM)?, S::MISSING)?);
        }
        for (key, record) in records.under(&[DELETED]) {
            let (name, created) =
                key.split_last_chunk().ok_or_else(|| CorruptRecord("a name without its creation".to_owned()))?;
            let (name, created) = (text(name)?, Timestamp::from_ticks(u64::from_be_bytes(*created)));
            let DeletedRecord { cell, at, days } = record.read(FORM)?;
            let cell: Arc<Cell<S>> = store.load(cell, S::MISSING)?;
            _ = cell.edit(|_| Ok(()), true);
            let deletion = Deletion { at: Timestamp::from_ticks(at), days };
            index.ends.insert((deletion.end(), name.clone(), created));
            index.deleted.insert((name, created), Arc::new(Deleted { cell, deletion }));
        }
        Ok(index)
    }
}

impl<S: Restorable> ResourceIndex<S> {
    /// Checks that a new resource can have this name.
    ///
    /// # Errors
    /// 409 if the name is in use, or its deletion is in progress.
    pub fn check_free(&self, name: &str, now: Timestamp) -> Result<(), StorageError> {
        if self.live.contains_key(name) {
            return Err(S::ALREADY_EXISTS.into());
        }
        match self
            .deleted_from(name, now)
            .take_while(|(of, ..)| *of == name)
            .any(|(.., deleted)| deleted.deletion.is_going_on(now))
        {
            true => Err(S::BEING_DELETED.into()),
            false => Ok(()),
        }
    }

    /// Deletes a resource, if `check` allows it. It can be restored for `days`.
    ///
    /// # Errors
    /// 404 if there is none of this name; those of `check`.
    pub fn delete(
        &mut self,
        name: &str,
        now: Timestamp,
        days: Option<u32>,
        check: impl FnOnce(&mut S) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let cell = self.live.get(name).ok_or(S::MISSING)?.clone();
        // Closed before its name is free: a concurrent write fails, rather than being lost.
        cell.edit(check, true)?;
        self.live.remove(name);
        self.sweep(now);
        self.deleting.insert((now, name.into()));
        if let Some(days) = days {
            let deletion = Deletion { at: now, days };
            let mut key = (Arc::from(name), cell.read().created());
            while self.deleted.contains_key(&key) {
                key.1 = key.1.next();
            }
            self.ends.insert((deletion.end(), key.0.clone(), key.1));
            self.deleted.insert(key, Arc::new(Deleted { cell, deletion }));
        }
        Ok(())
    }

    /// Whether the deletion of a resource of this name is in progress.
    pub fn is_going(&self, name: &str, now: Timestamp) -> bool {
        self.deleting.iter().any(|(at, deleted)| &**deleted == name && Deletion { at: *at, days: 0 }.is_going_on(now))
    }

    /// Restores a deleted resource under its name or another one. It gets a new cell: the old one stays closed for writers that
    /// still have it.
    ///
    /// # Errors
    /// 409 if the new name is in use, or the deletion is in progress; 404 if no such resource is retained.
    pub fn restore(&mut self, from: &str, created: Timestamp, name: &str, now: Timestamp) -> Result<(), StorageError> {
        let being_deleted = || S::BEING_DELETED.with_message(S::BEING_DELETED_MESSAGE);
        self.check_free(name, now).map_err(|error| if error.code() == S::BEING_DELETED { being_deleted() } else { error })?;
        let key = (Arc::from(from), created);
        let deleted = self.deleted.get(&key).filter(|deleted| deleted.deletion.is_kept(now)).ok_or(S::MISSING)?.clone();
        if deleted.deletion.is_going_on(now) {
            return Err(being_deleted());
        }
        self.deleted.remove(&key);
        self.ends.remove(&(deleted.deletion.end(), key.0, key.1));
        let state = S::clone(&deleted.state()).restored(now);
        self.live.insert(name.into(), deleted.cell.another(state));
        Ok(())
    }

    /// Frees the resources whose retention ended.
    fn sweep(&mut self, now: Timestamp) {
        while let Some((end, name, created)) = self.ends.get_min().filter(|(end, ..)| *end <= now).cloned() {
            self.ends.remove(&(end, name.clone(), created));
            self.deleted.remove(&(name, created));
        }
        while let Some(first) = self.deleting.get_min().filter(|(at, _)| !Deletion { at: *at, days: 0 }.is_going_on(now)).cloned()
        {
            self.deleting.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::ServiceKind;

    #[derive(Clone, Debug)]
    struct Thing(Timestamp);

    impl Persist for Thing {
        fn write_changes(_: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
            to.put(b"", 1, &after.0.ticks());
        }

        fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
            let record = records.get(b"").ok_or_else(|| CorruptRecord("nothing".to_owned()))?;
            Ok(Thing(Timestamp::from_ticks(record.read(1)?)))
        }
    }

    impl Resource for Thing {
        const KIND: ServiceKind = ServiceKind::Blob;
        const ACTIONS: crate::rules::auth::roles::ServiceActions = crate::rules::auth::roles::ServiceActions::BLOB;
        const MISSING: ErrorCode = ErrorCode::ContainerNotFound;
    }

    impl Restorable for Thing {
        const ALREADY_EXISTS: ErrorCode = ErrorCode::ContainerAlreadyExists;
        const BEING_DELETED: ErrorCode = ErrorCode::ContainerBeingDeleted;
        const BEING_DELETED_MESSAGE: &'static str = "It is being deleted.";
        const DELETED_NAME: &'static str = "";
        const DELETED_VERSION: &'static str = "";
        const RESTORE_REPORTS_STATE: bool = false;

        fn created(&self) -> Timestamp {
            self.0
        }

        fn restored(self, now: Timestamp) -> Thing {
            Thing(now)
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(seconds, 0)
    }

    fn put(index: &mut ResourceIndex<Thing>, name: &str, now: Timestamp) {
        index.insert(name.into(), Store::MEMORY.cell(Thing(now), Thing::MISSING));
    }

    fn code(result: Result<(), StorageError>) -> Option<ErrorCode> {
        result.err().map(|error| error.code())
    }

    #[test]
    fn a_deleted_resource_is_restored_once_within_its_retention() {
        let mut index = ResourceIndex::default();
        put(&mut index, "one", at(0));
        let held = index.get("one").unwrap().clone();
        index.delete("one", at(10), Some(1), |_| Ok(())).unwrap();
        assert!(held.edit(|_| Ok(()), false).is_err(), "a writer that holds the old cell is refused");
        assert_eq!(code(index.check_free("one", at(39))), Some(ErrorCode::ContainerBeingDeleted));
        assert_eq!(code(index.check_free("one", at(40))), None);
        assert_eq!(code(index.restore("one", at(0), "one", at(39))), Some(ErrorCode::ContainerBeingDeleted));
        assert_eq!(code(index.restore("one", at(1), "one", at(40))), Some(ErrorCode::ContainerNotFound));
        assert_eq!(code(index.restore("one", at(0), "two", at(40))), None);
        assert_eq!(code(index.restore("one", at(0), "three", at(40))), Some(ErrorCode::ContainerNotFound));
        assert!(held.edit(|_| Ok(()), false).is_err(), "also after the restore");
        assert!(index.get("two").unwrap().edit(|_| Ok(()), false).is_ok());
    }

    #[test]
    fn the_next_deletion_frees_resources_whose_retention_ended() {
        let mut index = ResourceIndex::default();
        for name in ["one", "two", "three"] {
            put(&mut index, name, at(0));
        }
        index.delete("one", at(0), Some(1), |_| Ok(())).unwrap();
        index.delete("two", at(0), Some(2), |_| Ok(())).unwrap();
        let day = 24 * 60 * 60;
        assert_eq!(index.deleted_from("", at(day)).map(|(name, ..)| name).collect::<Vec<_>>(), ["two"]);
        assert_eq!(index.deleted.len(), 2);
        index.delete("three", at(day), None, |_| Ok(())).unwrap();
        assert_eq!((index.deleted.len(), index.ends.len(), index.deleting.len()), (1, 1, 1));
        assert!(index.is_going("three", at(day + 29)) && !index.is_going("three", at(day + 30)));
        assert!(!index.is_going("one", at(day)));
    }

    #[test]
    fn two_deleted_resources_of_one_name_and_creation_are_both_retained() {
        let mut index = ResourceIndex::default();
        for _ in 0..2 {
            put(&mut index, "one", at(0));
            index.delete("one", at(0), Some(1), |_| Ok(())).unwrap();
        }
        assert_eq!(index.deleted_from("one", at(1)).count(), 2);
    }
}
