//! Open handles: what a client may do while another has a file or a directory open.
//!
//! A handle has some access, and shares the file for some of read, write and delete. A request over REST is like a handle that is open
//! for a moment and shares everything. Source: "Managing file locks in Azure Files" in the reference.

use crate::rules::error::{ErrorCode, StorageError};
use std::ops::Range;

/// A set of read, write and delete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenAccess(u8);

impl OpenAccess {
    /// No access, for reading properties or a list.
    pub const NONE: OpenAccess = OpenAccess(0);
    /// Reading content.
    pub const READ: OpenAccess = OpenAccess(1);
    /// Writing content, properties or metadata.
    pub const WRITE: OpenAccess = OpenAccess(2);
    /// Deleting, renaming, overwriting.
    pub const DELETE: OpenAccess = OpenAccess(4);
    pub const ALL: OpenAccess = OpenAccess(7);

    /// The union of both sets.
    pub const fn and(self, other: OpenAccess) -> OpenAccess {
        OpenAccess(self.0 | other.0)
    }

    pub const fn contains(self, other: OpenAccess) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names, as List Handles reports them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [(OpenAccess::READ, "Read"), (OpenAccess::WRITE, "Write"), (OpenAccess::DELETE, "Delete")];
        all.into_iter().filter(move |(one, _)| self.contains(*one)).map(|(_, name)| name)
    }
}

/// What a request does with a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Reads properties or a list.
    Look,
    /// Reads content.
    Read,
    /// Changes properties or metadata.
    Describe,
    /// Changes content.
    Write,
    /// Deletes or renames.
    Remove,
    /// Overwrites with another file.
    Replace,
}

impl FileAccess {
    /// The access that open handles must share.
    pub const fn required(self) -> OpenAccess {
        match self {
            FileAccess::Look => OpenAccess::NONE,
            FileAccess::Read => OpenAccess::READ,
            FileAccess::Describe | FileAccess::Write => OpenAccess::WRITE,
            FileAccess::Remove => OpenAccess::DELETE,
            FileAccess::Replace => OpenAccess::WRITE.and(OpenAccess::DELETE),
        }
    }

    /// Returns true if the read-only attribute forbids it. A change of the properties is allowed: it can remove the attribute.
    pub const fn is_refused_by_read_only(self) -> bool {
        matches!(self, FileAccess::Write | FileAccess::Remove | FileAccess::Replace)
    }
}

/// A lock on a range of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLock {
    pub range: Range<u64>,
    /// Whether others may not even read the bytes.
    pub exclusive: bool,
}

/// The access, sharing and locks of an open handle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenHandle {
    /// What the opener may do.
    pub access: OpenAccess,
    /// What others may do while it is open.
    pub share: OpenAccess,
    /// Whether the file is to be deleted when its last handle closes.
    pub delete_pending: bool,
    pub locks: Vec<RangeLock>,
}

/// Checks that these open handles allow a request this access.
///
/// # Errors
/// 409 DeletePending; 409 SharingViolation for access that a handle does not share; 409 CannotDeleteFileOrDirectory for a deletion that
/// all handles share: the name remains until they close.
pub fn admit<'a>(opens: impl IntoIterator<Item = &'a OpenHandle>, access: OpenAccess) -> Result<(), StorageError> {
    let mut opens = opens.into_iter().peekable();
    let is_open = opens.peek().is_some();
    admit_open(opens, &OpenHandle { access, share: OpenAccess::ALL, ..OpenHandle::default() })?;
    match is_open && access.contains(OpenAccess::DELETE) {
        true => Err(ErrorCode::CannotDeleteFileOrDirectory.into()),
        false => Ok(()),
    }
}

/// Checks that these open handles allow a new one.
///
/// # Errors
/// 409 DeletePending; 409 SharingViolation if one of two handles does not share the access of the other.
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

/// Checks that no lock of these open handles forbids a request to read or write these bytes.
///
/// # Errors
/// 409 FileLockConflict.
pub fn admit_range<'a>(
    opens: impl IntoIterator<Item = &'a OpenHandle>,
    range: &Range<u64>,
    is_write: bool,
) -> Result<(), StorageError> {
    let overlaps = |lock: &RangeLock| lock.range.start < range.end && range.start < lock.range.end;
    let locks = opens.into_iter().flat_map(|open| &open.locks);
    match locks.into_iter().any(|lock| overlaps(lock) && (is_write || lock.exclusive)) {
        true => Err(ErrorCode::FileLockConflict.into()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(result: Result<(), StorageError>) -> &'static str {
        result.map_or_else(|error| error.code().name(), |()| "ok")
    }

    const READ_WRITE: OpenAccess = OpenAccess::READ.and(OpenAccess::WRITE);

    #[test]
    fn requests_respect_the_sharing_of_an_open_handle() {
        const VIOLATION: &str = "SharingViolation";
        const IN_USE: &str = "CannotDeleteFileOrDirectory";
        const CREATE: OpenAccess = OpenAccess::WRITE.and(OpenAccess::DELETE);
        #[rustfmt::skip]
        let table = [
            // what the handle shares   properties  read       write      delete     create
            (OpenAccess::NONE,             ["ok",       VIOLATION, VIOLATION, VIOLATION, VIOLATION]),
            (OpenAccess::READ,             ["ok",       "ok",      VIOLATION, VIOLATION, VIOLATION]),
            (OpenAccess::WRITE,            ["ok",       VIOLATION, "ok",      VIOLATION, VIOLATION]),
            (READ_WRITE,                   ["ok",       "ok",      "ok",      VIOLATION, VIOLATION]),
            (OpenAccess::DELETE,           ["ok",       VIOLATION, VIOLATION, IN_USE,    VIOLATION]),
            (OpenAccess::ALL,              ["ok",       "ok",      "ok",      IN_USE,    IN_USE]),
        ];
        for (share, row) in table {
            let open = OpenHandle { access: OpenAccess::READ, share, ..OpenHandle::default() };
            for (access, expected) in
                [OpenAccess::NONE, OpenAccess::READ, OpenAccess::WRITE, OpenAccess::DELETE, CREATE].into_iter().zip(row)
            {
                assert_eq!(outcome(admit([&open], access)), expected, "{share:?} {access:?}");
                assert_eq!(outcome(admit([], access)), "ok");
            }
            let deleted = OpenHandle { delete_pending: true, ..open };
            assert_eq!(outcome(admit([&deleted], OpenAccess::NONE)), "DeletePending");
        }
    }

    #[test]
    fn two_handles_must_share_the_access_of_each_other() {
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
            assert_eq!(outcome(admit_open([&first], &second)), expected, "{first:?} {second:?}");
        }
    }

    #[test]
    fn locked_bytes_are_refused() {
        let locked = |exclusive| OpenHandle { locks: vec![RangeLock { range: 10..20, exclusive }], ..OpenHandle::default() };
        for (range, exclusive, reading, writing) in [
            (0..10, true, "ok", "ok"),
            (0..11, true, "FileLockConflict", "FileLockConflict"),
            (19..30, false, "ok", "FileLockConflict"),
            (20..30, true, "ok", "ok"),
        ] {
            assert_eq!(outcome(admit_range([&locked(exclusive)], &range, false)), reading, "{range:?}");
            assert_eq!(outcome(admit_range([&locked(exclusive)], &range, true)), writing, "{range:?}");
        }
    }

    #[test]
    fn an_access_has_the_names_of_its_parts() {
        assert_eq!(OpenAccess::ALL.names().collect::<Vec<_>>(), ["Read", "Write", "Delete"]);
        assert_eq!(READ_WRITE.names().collect::<Vec<_>>(), ["Read", "Write"]);
    }
}
