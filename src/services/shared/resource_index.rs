//! The names of what an account holds, and what was deleted of them and can still be brought back.
//!
//! What is deleted keeps its content under its name and the moment of its birth, which together tell it from all others that had or
//! will have the name. It is there as long as whoever looks comes in time; what nobody can get at any more goes with the next
//! deletion.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::Resource;
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::journal::{CellId, Changes, CorruptRecord, Persist, Records, diff};
use imbl::{OrdMap, OrdSet};
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Cells by name; and those that were deleted.
#[derive(Clone, Debug)]
pub struct ResourceIndex<S: Resource> {
    live: OrdMap<Arc<str>, Arc<Cell<S>>>,
    deleted: OrdMap<(Arc<str>, Timestamp), Arc<Deleted<S>>>,
    /// The keys of `deleted`, by the moment at which they are no longer kept.
    ends: OrdSet<(Timestamp, Arc<str>, Timestamp)>,
    /// The names of what was deleted a moment ago, kept or not.
    going: OrdSet<(Timestamp, Arc<str>)>,
}

/// What is kept of a deleted container or share.
#[derive(Debug)]
pub struct Deleted<S: Resource> {
    /// Where it is, closed for ever.
    cell: Arc<Cell<S>>,
    /// When it was deleted.
    pub deletion: Deletion,
}

impl<S: Resource> PartialEq for Deleted<S> {
    fn eq(&self, other: &Deleted<S>) -> bool {
        self.cell == other.cell && self.deletion == other.deletion
    }
}

impl<S: Resource> Deleted<S> {
    /// What it was.
    pub fn state(&self) -> Arc<S> {
        self.cell.read()
    }
}

/// What an account can keep after it was deleted, and bring back: a container, a share.
pub trait Restorable: Resource {
    /// What is said of a name that something has.
    const TAKEN: ErrorCode;
    /// What is said of a name whose deletion is not done yet.
    const GOING: ErrorCode;
    /// The sentence that goes with it where something is to be brought back.
    const STILL_GOING: &'static str;
    /// The header that names the deleted resource to restore.
    const DELETED_NAME: &'static str;
    /// The header that says which resource of that name.
    const DELETED_VERSION: &'static str;
    /// Whether the answer to a restore has an ETag and a Last-Modified.
    const RESTORE_REPORTS_STATE: bool;

    /// When it was made, or last brought back.
    fn created(&self) -> Timestamp;

    /// As it is when it has been brought back.
    fn restored(self, now: Timestamp) -> Self;
}

impl<S: Resource> Default for ResourceIndex<S> {
    fn default() -> ResourceIndex<S> {
        ResourceIndex { live: OrdMap::new(), deleted: OrdMap::new(), ends: OrdSet::new(), going: OrdSet::new() }
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
    /// What was deleted and is still kept, in order of names and births, from a name on.
    pub fn deleted_from<'a>(
        &'a self,
        from: &str,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, Timestamp, &'a Deleted<S>)> + use<'a, S> {
        let first = (Arc::from(from), Timestamp::default());
        let kept = self.deleted.range(first..).filter(move |(_, deleted)| deleted.deletion.is_kept(now));
        kept.map(|((name, born), deleted)| (&**name, *born, &**deleted))
    }

    /// Forgets everything. Who is still writing to any of it is refused.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn clear(&mut self) -> Result<(), StorageError> {
        self.live.values().try_for_each(|cell| cell.edit(|_| Ok(()), true))?;
        *self = ResourceIndex::default();
        Ok(())
    }
}

/// The form in which names are written.
const FORM: u8 = 1;
/// What the key of a name begins with that something has, and what that of one does that something had.
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
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        for (name, was, now) in diff(before.map(|before| &before.live), Some(&after.live)) {
            let key = [&[LIVE], name.as_bytes()].concat();
            match now {
                Some(cell) => to.put(&key, FORM, &cell.id()),
                None => to.delete(&key),
            }
            gone.extend(was);
            come.extend(now);
        }
        for ((name, born), was, now) in diff(before.map(|before| &before.deleted), Some(&after.deleted)) {
            let key = [&[DELETED], name.as_bytes(), &born.ticks().to_be_bytes()].concat();
            match now {
                Some(kept) => {
                    let Deletion { at, days } = kept.deletion;
                    to.put(&key, FORM, &DeletedRecord { cell: kept.cell.id(), at: at.ticks(), days });
                }
                None => to.delete(&key),
            }
            gone.extend(was.map(|was| &was.cell));
            come.extend(now.map(|now| &now.cell));
        }
        if before.is_none() {
            return; // The cells tell of themselves.
        }
        // A cell that stands elsewhere now has neither come nor gone.
        come.iter().filter(|cell| !gone.contains(cell)).for_each(|cell| cell.enter(to));
        gone.iter().filter(|cell| !come.contains(cell)).for_each(|cell| cell.leave(to));
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let text = |name: &[u8]| {
            String::from_utf8(name.to_vec()).map(Arc::<str>::from).map_err(|error| CorruptRecord(error.to_string()))
        };
        let mut named = ResourceIndex::default();
        for (name, record) in records.under(&[LIVE]) {
            named.live.insert(text(name)?, store.load(record.read(FORM)?, S::MISSING)?);
        }
        for (key, record) in records.under(&[DELETED]) {
            let (name, born) = key.split_last_chunk().ok_or_else(|| CorruptRecord("a name without its birth".to_owned()))?;
            let (name, born) = (text(name)?, Timestamp::from_ticks(u64::from_be_bytes(*born)));
            let DeletedRecord { cell, at, days } = record.read(FORM)?;
            let cell: Arc<Cell<S>> = store.load(cell, S::MISSING)?;
            _ = cell.edit(|_| Ok(()), true);
            let deletion = Deletion { at: Timestamp::from_ticks(at), days };
            named.ends.insert((deletion.end(), name.clone(), born));
            named.deleted.insert((name, born), Arc::new(Deleted { cell, deletion }));
        }
        Ok(named)
    }
}

impl<S: Restorable> ResourceIndex<S> {
    /// Checks that something new can have this name.
    ///
    /// # Errors
    /// 409: it is taken, or what had it is still being deleted.
    pub fn check_free(&self, name: &str, now: Timestamp) -> Result<(), StorageError> {
        if self.live.contains_key(name) {
            return Err(S::TAKEN.into());
        }
        match self.deleted_from(name, now).take_while(|(of, ..)| *of == name).any(|(.., kept)| kept.deletion.is_going_on(now)) {
            true => Err(S::GOING.into()),
            false => Ok(()),
        }
    }

    /// Takes a name and what has it away, once `admit` has let it go; with `days`, it can be brought back for so long.
    ///
    /// # Errors
    /// 404 when nothing has the name; those of `admit`.
    pub fn delete(
        &mut self,
        name: &str,
        now: Timestamp,
        days: Option<u32>,
        admit: impl FnOnce(&mut S) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let cell = self.live.get(name).ok_or(S::MISSING)?.clone();
        // Closed before its name is free: who is still writing to it is refused, and not lost.
        cell.edit(admit, true)?;
        self.live.remove(name);
        self.sweep(now);
        self.going.insert((now, name.into()));
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

    /// Whether the deletion of what had this name is still going on.
    pub fn is_going(&self, name: &str, now: Timestamp) -> bool {
        self.going.iter().any(|(at, gone)| &**gone == name && Deletion { at: *at, days: 0 }.is_going_on(now))
    }

    /// Brings what had a name back under that name or another one. It gets a cell of its own: the old one stays closed to those who
    /// still hold it.
    ///
    /// # Errors
    /// 409 when the new name is taken, or the deletion is not done yet; 404 when nothing is kept under that name and birth.
    pub fn restore(&mut self, from: &str, born: Timestamp, name: &str, now: Timestamp) -> Result<(), StorageError> {
        let going = || S::GOING.with_message(S::STILL_GOING);
        self.check_free(name, now).map_err(|error| if error.code() == S::GOING { going() } else { error })?;
        let key = (Arc::from(from), born);
        let kept = self.deleted.get(&key).filter(|kept| kept.deletion.is_kept(now)).ok_or(S::MISSING)?.clone();
        if kept.deletion.is_going_on(now) {
            return Err(going());
        }
        self.deleted.remove(&key);
        self.ends.remove(&(kept.deletion.end(), key.0, key.1));
        let state = S::clone(&kept.state()).restored(now);
        self.live.insert(name.into(), kept.cell.another(state));
        Ok(())
    }

    /// Drops what is no longer kept.
    fn sweep(&mut self, now: Timestamp) {
        while let Some((end, name, born)) = self.ends.get_min().filter(|(end, ..)| *end <= now).cloned() {
            self.ends.remove(&(end, name.clone(), born));
            self.deleted.remove(&(name, born));
        }
        while let Some(first) = self.going.get_min().filter(|(at, _)| !Deletion { at: *at, days: 0 }.is_going_on(now)).cloned() {
            self.going.remove(&first);
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
        const MISSING: ErrorCode = ErrorCode::ContainerNotFound;
    }

    impl Restorable for Thing {
        const TAKEN: ErrorCode = ErrorCode::ContainerAlreadyExists;
        const GOING: ErrorCode = ErrorCode::ContainerBeingDeleted;
        const STILL_GOING: &'static str = "It is going.";
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

    fn put(named: &mut ResourceIndex<Thing>, name: &str, now: Timestamp) {
        named.insert(name.into(), Store::MEMORY.cell(Thing(now), Thing::MISSING));
    }

    fn code(result: Result<(), StorageError>) -> Option<ErrorCode> {
        result.err().map(|error| error.code())
    }

    #[test]
    fn what_is_deleted_comes_back_in_its_days_and_never_twice() {
        let mut named = ResourceIndex::default();
        put(&mut named, "one", at(0));
        let held = named.get("one").unwrap().clone();
        named.delete("one", at(10), Some(1), |_| Ok(())).unwrap();
        assert!(held.edit(|_| Ok(()), false).is_err(), "who still holds it is refused");
        assert_eq!(code(named.check_free("one", at(39))), Some(ErrorCode::ContainerBeingDeleted));
        assert_eq!(code(named.check_free("one", at(40))), None);
        assert_eq!(code(named.restore("one", at(0), "one", at(39))), Some(ErrorCode::ContainerBeingDeleted));
        assert_eq!(code(named.restore("one", at(1), "one", at(40))), Some(ErrorCode::ContainerNotFound));
        assert_eq!(code(named.restore("one", at(0), "two", at(40))), None);
        assert_eq!(code(named.restore("one", at(0), "three", at(40))), Some(ErrorCode::ContainerNotFound));
        assert!(held.edit(|_| Ok(()), false).is_err(), "even now");
        assert!(named.get("two").unwrap().edit(|_| Ok(()), false).is_ok());
    }

    #[test]
    fn what_is_no_longer_kept_is_dropped_by_the_next_deletion() {
        let mut named = ResourceIndex::default();
        for name in ["one", "two", "three"] {
            put(&mut named, name, at(0));
        }
        named.delete("one", at(0), Some(1), |_| Ok(())).unwrap();
        named.delete("two", at(0), Some(2), |_| Ok(())).unwrap();
        let day = 24 * 60 * 60;
        assert_eq!(named.deleted_from("", at(day)).map(|(name, ..)| name).collect::<Vec<_>>(), ["two"]);
        assert_eq!(named.deleted.len(), 2);
        named.delete("three", at(day), None, |_| Ok(())).unwrap();
        assert_eq!((named.deleted.len(), named.ends.len(), named.going.len()), (1, 1, 1));
        assert!(named.is_going("three", at(day + 29)) && !named.is_going("three", at(day + 30)));
        assert!(!named.is_going("one", at(day)));
    }

    #[test]
    fn two_of_a_name_and_a_birth_are_kept_apart() {
        let mut named = ResourceIndex::default();
        for _ in 0..2 {
            put(&mut named, "one", at(0));
            named.delete("one", at(0), Some(1), |_| Ok(())).unwrap();
        }
        assert_eq!(named.deleted_from("one", at(1)).count(), 2);
    }
}
