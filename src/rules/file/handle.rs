//! Open handles: what one holder may do while another has a file or a directory open.
//!
//! A handle has the access that its opener asked for, and shares the file for some of read, write and delete. A request over REST is
//! like a handle that is open for a moment and shares everything. Source: «Managing file locks in Azure Files» in the reference.

use crate::rules::error::{ErrorCode, StorageError};
use std::ops::Range;

/// A set of read, write and delete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenAccess(u8);

impl OpenAccess {
    /// Nothing: who reads properties or a list asks for no access.
    pub const NONE: OpenAccess = OpenAccess(0);
    /// Reading content.
    pub const READ: OpenAccess = OpenAccess(1);
    /// Writing content, properties or metadata.
    pub const WRITE: OpenAccess = OpenAccess(2);
    /// Deleting, renaming, overwriting.
    pub const DELETE: OpenAccess = OpenAccess(4);
    /// All of them.
    pub const ALL: OpenAccess = OpenAccess(7);

    /// These and those.
    pub const fn and(self, other: OpenAccess) -> OpenAccess {
        OpenAccess(self.0 | other.0)
    }

    /// Whether all of these are among them.
    pub const fn contains(self, other: OpenAccess) -> bool {
        self.0 & other.0 == other.0
    }

    /// Their names, as a list of handles tells them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [(OpenAccess::READ, "Read"), (OpenAccess::WRITE, "Write"), (OpenAccess::DELETE, "Delete")];
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
    pub const fn access(self) -> OpenAccess {
        match self {
            FileAccess::Look => OpenAccess::NONE,
            FileAccess::Read => OpenAccess::READ,
            FileAccess::Describe | FileAccess::Write => OpenAccess::WRITE,
            FileAccess::Remove => OpenAccess::DELETE,
            FileAccess::Replace => OpenAccess::WRITE.and(OpenAccess::DELETE),
        }
    }

    /// Whether a read-only file stands against it. Who may describe it can make it writable again.
    pub const fn minds_read_only(self) -> bool {
        matches!(self, FileAccess::Write | FileAccess::Remove | FileAccess::Replace)
    }
}

/// A lock on a range of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLock {
    /// The bytes.
    pub range: Range<u64>,
    /// Whether others may not even read them.
    pub exclusive: bool,
}

/// How a handle has its file open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenHandle {
    /// What its opener may do.
    pub access: OpenAccess,
    /// What others may do meanwhile.
    pub share: OpenAccess,
    /// Whether the file is to be deleted when its last handle closes.
    pub delete_pending: bool,
    /// The bytes that it has locked.
    pub locks: Vec<RangeLock>,
}

/// Whether a request may do what it wants while these handles are open.
///
/// # Errors
/// 409 DeletePending; 409 SharingViolation for what a handle does not share; 409 CannotDeleteFileOrDirectory where all share, and the
/// name cannot go before they close.
pub fn admit<'a>(opens: impl IntoIterator<Item = &'a OpenHandle>, wants: OpenAccess) -> Result<(), StorageError> {
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
    match held && wants.contains(OpenAccess::DELETE) {
        true => Err(ErrorCode::CannotDeleteFileOrDirectory.into()),
        false => Ok(()),
    }
}

/// Whether a new handle may be opened like this while these are.
///
/// # Errors
/// As [`admit`], and SharingViolation too where the new one does not share what another does.
pub fn admit_open<'a>(opens: impl IntoIterator<Item = &'a OpenHandle>, new: &OpenHandle) -> Result<(), StorageError> {
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
pub fn admit_range<'a>(
    opens: impl IntoIterator<Item = &'a OpenHandle>,
    range: &Range<u64>,
    writes: bool,
) -> Result<(), StorageError> {
    let meets = |lock: &RangeLock| lock.range.start < range.end && range.start < lock.range.end;
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
        outcome.map_or_else(|error| error.code().name(), |()| "ok")
    }

    const READ_WRITE: OpenAccess = OpenAccess::READ.and(OpenAccess::WRITE);

    #[test]
    fn requests_beside_a_handle() {
        const VIOLATION: &str = "SharingViolation";
        const IN_USE: &str = "CannotDeleteFileOrDirectory";
        const CREATE: OpenAccess = OpenAccess::WRITE.and(OpenAccess::DELETE);
        #[rustfmt::skip]
        let table = [
            // what the handle shares   properties  read       write      delete     create
            (OpenAccess::NONE,             ["ok",       VIOLATION, VIOLATION, VIOLATION, VIOLATION]),
            (OpenAccess::READ,             ["ok",       "ok",      VIOLATION, VIOLATION, VIOLATION]),
            (OpenAccess::WRITE,            ["ok",       VIOLATION, "ok",      VIOLATION, VIOLATION]),
            (READ_WRITE,               ["ok",       "ok",      "ok",      VIOLATION, VIOLATION]),
            (OpenAccess::DELETE,           ["ok",       VIOLATION, VIOLATION, IN_USE,    VIOLATION]),
            (OpenAccess::ALL,              ["ok",       "ok",      "ok",      IN_USE,    IN_USE]),
        ];
        for (share, row) in table {
            let open = OpenHandle { access: OpenAccess::READ, share, ..OpenHandle::default() };
            for (wants, expected) in
                [OpenAccess::NONE, OpenAccess::READ, OpenAccess::WRITE, OpenAccess::DELETE, CREATE].into_iter().zip(row)
            {
                assert_eq!(told(admit([&open], wants)), expected, "{share:?} {wants:?}");
                assert_eq!(told(admit([], wants)), "ok");
            }
            let going = OpenHandle { delete_pending: true, ..open };
            assert_eq!(told(admit([&going], OpenAccess::NONE)), "DeletePending");
        }
    }

    #[test]
    fn a_handle_beside_a_handle() {
        let open = |access, share| OpenHandle { access, share, ..OpenHandle::default() };
        for (first, second, expected) in [
            (open(OpenAccess::READ, OpenAccess::ALL), open(OpenAccess::READ, OpenAccess::ALL), "ok"),
            (open(OpenAccess::READ, OpenAccess::READ), open(OpenAccess::READ, OpenAccess::READ), "ok"),
            (open(OpenAccess::READ, OpenAccess::READ), open(OpenAccess::WRITE, OpenAccess::ALL), "SharingViolation"),
            (open(OpenAccess::WRITE, OpenAccess::ALL), open(OpenAccess::READ, OpenAccess::READ), "SharingViolation"),
            (open(OpenAccess::READ, OpenAccess::ALL), open(OpenAccess::DELETE, OpenAccess::ALL), "ok"),
            (
                OpenHandle { delete_pending: true, ..open(OpenAccess::READ, OpenAccess::ALL) },
                open(OpenAccess::READ, OpenAccess::ALL),
                "DeletePending",
            ),
        ] {
            assert_eq!(told(admit_open([&first], &second)), expected, "{first:?} {second:?}");
        }
    }

    #[test]
    fn locked_bytes() {
        let locked = |exclusive| OpenHandle { locks: vec![RangeLock { range: 10..20, exclusive }], ..OpenHandle::default() };
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
        assert_eq!(OpenAccess::ALL.names().collect::<Vec<_>>(), ["Read", "Write", "Delete"]);
        assert_eq!(READ_WRITE.names().collect::<Vec<_>>(), ["Read", "Write"]);
    }
}
