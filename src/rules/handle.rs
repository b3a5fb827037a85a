//! Open handles: what one holder may do while another has a file or a directory open.
//!
//! A handle has the access that its opener asked for, and shares the file for some of read, write and delete. A request over REST is
//! like a handle that is open for a moment and shares everything. Source: «Managing file locks in Azure Files» in the reference.

use super::fault::{ErrorCode, StorageError};
use std::ops::Range;

/// A set of read, write and delete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access(u8);

impl Access {
    /// Nothing: who reads properties or a list asks for no access.
    pub const NONE: Access = Access(0);
    /// Reading content.
    pub const READ: Access = Access(1);
    /// Writing content, properties or metadata.
    pub const WRITE: Access = Access(2);
    /// Deleting, renaming, overwriting.
    pub const DELETE: Access = Access(4);
    /// All of them.
    pub const ALL: Access = Access(7);

    /// These and those.
    pub const fn and(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }

    /// Whether all of these are among them.
    pub const fn contains(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }

    /// Their names, as a list of handles tells them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [(Access::READ, "Read"), (Access::WRITE, "Write"), (Access::DELETE, "Delete")];
        all.into_iter().filter(move |(one, _)| self.contains(*one)).map(|(_, name)| name)
    }
}

/// What a request means to do with a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Look at its properties, or at what is in it.
    Look,
    /// Read its content.
    Read,
    /// Change its properties or its metadata.
    Describe,
    /// Change its content.
    Write,
    /// Remove it, or move it.
    Remove,
    /// Put another in its place.
    Replace,
}

impl FileAccess {
    /// The access that it needs beside open handles.
    pub const fn access(self) -> Access {
        match self {
            FileAccess::Look => Access::NONE,
            FileAccess::Read => Access::READ,
            FileAccess::Describe | FileAccess::Write => Access::WRITE,
            FileAccess::Remove => Access::DELETE,
            FileAccess::Replace => Access::WRITE.and(Access::DELETE),
        }
    }

    /// Whether a read-only file stands against it. Who may describe it can make it writable again.
    pub const fn minds_read_only(self) -> bool {
        matches!(self, FileAccess::Write | FileAccess::Remove | FileAccess::Replace)
    }
}

/// A lock on a range of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The bytes.
    pub range: Range<u64>,
    /// Whether others may not even read them.
    pub exclusive: bool,
}

/// How a handle has its file open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// What its opener may do.
    pub access: Access,
    /// What others may do meanwhile.
    pub share: Access,
    /// Whether the file is to be deleted when its last handle closes.
    pub delete_pending: bool,
    /// The bytes that it has locked.
    pub locks: Vec<Lock>,
}

/// Whether a request may do what it wants while these handles are open.
///
/// # Errors
/// 409 DeletePending; 409 SharingViolation for what a handle does not share; 409 CannotDeleteFileOrDirectory where all share, and the
/// name cannot go before they close.
pub fn admit<'a>(opens: impl IntoIterator<Item = &'a Open>, wants: Access) -> Result<(), StorageError> {
    let mut held = false;
    for open in opens {
        held = true;
        if open.delete_pending {
            return Err(ErrorCode::DeletePending.into());
        }
        if !open.share.contains(wants) {
            return Err(ErrorCode::SharingViolation.into());
        }
    }
    match held && wants.contains(Access::DELETE) {
        true => Err(ErrorCode::CannotDeleteFileOrDirectory.into()),
        false => Ok(()),
    }
}

/// Whether a new handle may be opened like this while these are.
///
/// # Errors
/// As [`admit`], and SharingViolation too where the new one does not share what another does.
pub fn admit_open<'a>(opens: impl IntoIterator<Item = &'a Open>, new: &Open) -> Result<(), StorageError> {
    for open in opens {
        if open.delete_pending {
            return Err(ErrorCode::DeletePending.into());
        }
        if !open.share.contains(new.access) || !new.share.contains(open.access) {
            return Err(ErrorCode::SharingViolation.into());
        }
    }
    Ok(())
}

/// Whether a request may read (or, where it `writes`, write) these bytes while these handles are open.
///
/// # Errors
/// 409 FileLockConflict.
pub fn admit_range<'a>(opens: impl IntoIterator<Item = &'a Open>, range: &Range<u64>, writes: bool) -> Result<(), StorageError> {
    let meets = |lock: &Lock| lock.range.start < range.end && range.start < lock.range.end;
    let locks = opens.into_iter().flat_map(|open| &open.locks);
    match locks.into_iter().any(|lock| meets(lock) && (writes || lock.exclusive)) {
        true => Err(ErrorCode::FileLockConflict.into()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(outcome: Result<(), StorageError>) -> &'static str {
        outcome.map_or_else(|fault| fault.code().name(), |()| "ok")
    }

    const READ_WRITE: Access = Access::READ.and(Access::WRITE);

    #[test]
    fn requests_beside_a_handle() {
        const VIOLATION: &str = "SharingViolation";
        const IN_USE: &str = "CannotDeleteFileOrDirectory";
        const CREATE: Access = Access::WRITE.and(Access::DELETE);
        #[rustfmt::skip]
        let table = [
            // what the handle shares   properties  read       write      delete     create
            (Access::NONE,             ["ok",       VIOLATION, VIOLATION, VIOLATION, VIOLATION]),
            (Access::READ,             ["ok",       "ok",      VIOLATION, VIOLATION, VIOLATION]),
            (Access::WRITE,            ["ok",       VIOLATION, "ok",      VIOLATION, VIOLATION]),
            (READ_WRITE,               ["ok",       "ok",      "ok",      VIOLATION, VIOLATION]),
            (Access::DELETE,           ["ok",       VIOLATION, VIOLATION, IN_USE,    VIOLATION]),
            (Access::ALL,              ["ok",       "ok",      "ok",      IN_USE,    IN_USE]),
        ];
        for (share, row) in table {
            let open = Open { access: Access::READ, share, ..Open::default() };
            for (wants, expected) in [Access::NONE, Access::READ, Access::WRITE, Access::DELETE, CREATE].into_iter().zip(row) {
                assert_eq!(told(admit([&open], wants)), expected, "{share:?} {wants:?}");
                assert_eq!(told(admit([], wants)), "ok");
            }
            let going = Open { delete_pending: true, ..open };
            assert_eq!(told(admit([&going], Access::NONE)), "DeletePending");
        }
    }

    #[test]
    fn a_handle_beside_a_handle() {
        let open = |access, share| Open { access, share, ..Open::default() };
        for (first, second, expected) in [
            (open(Access::READ, Access::ALL), open(Access::READ, Access::ALL), "ok"),
            (open(Access::READ, Access::READ), open(Access::READ, Access::READ), "ok"),
            (open(Access::READ, Access::READ), open(Access::WRITE, Access::ALL), "SharingViolation"),
            (open(Access::WRITE, Access::ALL), open(Access::READ, Access::READ), "SharingViolation"),
            (open(Access::READ, Access::ALL), open(Access::DELETE, Access::ALL), "ok"),
            (Open { delete_pending: true, ..open(Access::READ, Access::ALL) }, open(Access::READ, Access::ALL), "DeletePending"),
        ] {
            assert_eq!(told(admit_open([&first], &second)), expected, "{first:?} {second:?}");
        }
    }

    #[test]
    fn locked_bytes() {
        let locked = |exclusive| Open { locks: vec![Lock { range: 10..20, exclusive }], ..Open::default() };
        for (range, exclusive, reading, writing) in [
            (0..10, true, "ok", "ok"),
            (0..11, true, "FileLockConflict", "FileLockConflict"),
            (19..30, false, "ok", "FileLockConflict"),
            (20..30, true, "ok", "ok"),
        ] {
            assert_eq!(told(admit_range([&locked(exclusive)], &range, false)), reading, "{range:?}");
            assert_eq!(told(admit_range([&locked(exclusive)], &range, true)), writing, "{range:?}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(Access::ALL.names().collect::<Vec<_>>(), ["Read", "Write", "Delete"]);
        assert_eq!(READ_WRITE.names().collect::<Vec<_>>(), ["Read", "Write"]);
    }
}
