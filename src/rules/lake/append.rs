//! Uncommitted appends of a file, and the flush that commits them.
//!
//! Clients append in any order, and in parallel. A flush names the length that the file has after it: the appended pieces from the
//! committed length up to there become content.

use crate::rules::error::{ErrorCode, StorageError};
use imbl::OrdMap;
use serde::{Deserialize, Serialize};

/// The most bytes of an append.
pub const APPEND_LIMIT: u64 = 4000 * 1024 * 1024;

/// A piece of data, and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<T> {
    pub length: u64,
    pub data: T,
}

/// The uncommitted appends of a file by their positions. It is cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAppends<T: Clone>(OrdMap<u64, Piece<T>>);

impl<T: Clone> Default for PendingAppends<T> {
    fn default() -> PendingAppends<T> {
        PendingAppends(OrdMap::new())
    }
}

/// The result of a flush.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flush<T: Clone> {
    /// The pieces that follow the committed content, in order. Without any, the file does not change (recorded: it keeps its ETag).
    pub committed: Vec<Piece<T>>,
    /// The appends that are still uncommitted.
    pub pending: PendingAppends<T>,
}

/// What a flush does with appends at and behind its position (`retainUncommittedData`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncommitted {
    #[default]
    Dropped,
    Retained,
}

impl<T: Clone> From<OrdMap<u64, Piece<T>>> for PendingAppends<T> {
    fn from(pieces: OrdMap<u64, Piece<T>>) -> PendingAppends<T> {
        PendingAppends(pieces)
    }
}

impl<T: Clone> PendingAppends<T> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pieces by their positions, for the journal: it compares them with those before.
    pub fn pieces(&self) -> &OrdMap<u64, Piece<T>> {
        &self.0
    }

    /// Adds a piece at a position, which may be anywhere: only a flush compares it with the others (recorded for one before the end of the
    /// file). A piece at the same position replaces the earlier one, so that a client can send it again.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for no bytes; 413 RequestBodyTooLarge.
    pub fn append(&mut self, position: u64, length: u64, data: T) -> Result<(), StorageError> {
        if length == 0 {
            return Err(StorageError::invalid_header("Content-Length", "0"));
        }
        if length > APPEND_LIMIT {
            return Err(StorageError::too_large(APPEND_LIMIT));
        }
        self.0.insert(position, Piece { length, data });
        Ok(())
    }

    /// Commits the pieces between the committed length and `position`, each of which must begin where the one before it ends.
    ///
    /// The position may be before the end of the appends (.NET tests: 0 with 1024 uncommitted bytes), but not within a piece; no source
    /// has that case.
    ///
    /// # Errors
    /// 400 InvalidFlushPosition; the appends remain.
    pub fn flush(&self, committed: u64, position: u64, uncommitted: Uncommitted) -> Result<Flush<T>, StorageError> {
        let invalid = |reason: &str| ErrorCode::InvalidFlushPosition.with_reason(reason);
        if position < committed {
            return Err(invalid("the position is before the end of the file"));
        }
        let (mut end, mut pieces) = (committed, Vec::new());
        for (at, piece) in self.0.range(..position) {
            if *at < end {
                return Err(invalid("an append overlaps committed data or another append"));
            }
            if *at > end {
                return Err(invalid("there is a gap before an append"));
            }
            end = end.saturating_add(piece.length);
            pieces.push(piece.clone());
        }
        if end != position {
            return Err(invalid("the appends do not end at the position"));
        }
        let mut pending = PendingAppends::default();
        if uncommitted == Uncommitted::Retained {
            // Without those that are committed: a copy of the others would cost as much as there are.
            pending = self.clone();
            self.0.range(..position).for_each(|(at, _)| _ = pending.0.remove(at));
        }
        Ok(Flush { committed: pieces, pending })
    }
}

/// Checks that the body of a flush is empty.
///
/// # Errors
/// 400 ContentLengthMustBeZero.
pub fn check_flush_length(content_length: u64) -> Result<(), StorageError> {
    if content_length == 0 { Ok(()) } else { Err(ErrorCode::ContentLengthMustBeZero.into()) }
}

/// The API that wrote the content of a file.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WrittenBy {
    /// Nobody, as after a creation, or Data Lake.
    #[default]
    Lake,
    /// The Blob service.
    Blob,
}

impl WrittenBy {
    /// Checks that Data Lake may append to the file.
    ///
    /// # Errors
    /// 409 InvalidFlushOperation.
    pub fn admits_append(self) -> Result<(), StorageError> {
        if self == WrittenBy::Lake { Ok(()) } else { Err(ErrorCode::InvalidFlushOperation.into()) }
    }

    /// Checks that Put Block and Put Block List may write the file. Put Blob always may.
    ///
    /// # Errors
    /// 409 BlobOperationNotSupported for a file with content of Data Lake.
    pub fn admits_blocks(self, length: u64) -> Result<(), StorageError> {
        match self == WrittenBy::Lake && length > 0 {
            true => Err(ErrorCode::BlobOperationNotSupported.into()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// Appends from `position+length`; the data of each is its position.
    fn pending(text: &str) -> PendingAppends<u64> {
        let mut pending = PendingAppends::default();
        for part in text.split_whitespace() {
            let (position, length) = part.split_once('+').unwrap();
            let position = position.parse().unwrap();
            pending.append(position, length.parse().unwrap(), position).unwrap();
        }
        pending
    }

    fn shown(pieces: &PendingAppends<u64>) -> String {
        pieces.pieces().iter().map(|(at, piece)| format!("{at}+{}", piece.length)).collect::<Vec<_>>().join(" ")
    }

    const REFUSED: (&str, &str, &str) = ("InvalidFlushPosition", "", "");

    #[test]
    fn a_flush_commits_what_is_contiguous() {
        for (committed, appends, position, (result, dropped, retained)) in [
            (0, "0+3", 3, ("0", "", "")),
            (3, "3+3", 6, ("3", "", "")),
            (0, "4+4 0+4 8+1", 9, ("0 4 8", "", "")),
            (0, "", 0, ("", "", "")),
            (5, "", 5, ("", "", "")),
            (0, "0+1024", 0, ("", "", "0+1024")),
            (0, "1024+1024", 0, ("", "", "1024+1024")),
            (0, "0+4 4+4 20+1", 4, ("0", "", "4+4 20+1")),
            (0, "0+3 0+5", 5, ("0", "", "")),
            (0, "0+3", 4, REFUSED),
            (0, "0+3", 2, REFUSED),
            (0, "", 1, REFUSED),
            (3, "0+3", 3, REFUSED),
            (3, "0+6", 6, REFUSED),
            (3, "", 2, REFUSED),
            (0, "1+3", 4, REFUSED),
            (0, "0+2 3+1", 4, REFUSED),
            (0, "0+3 2+2", 4, REFUSED),
            (0, "0+4 1+1", 4, REFUSED),
            (0, "0+4", u64::MAX, REFUSED),
        ] {
            for (uncommitted, rest) in [(Uncommitted::Dropped, dropped), (Uncommitted::Retained, retained)] {
                let outcome = pending(appends).flush(committed, position, uncommitted);
                let got = outcome.map_or_else(
                    |error| (error.code().name().to_owned(), String::new()),
                    |flush| {
                        let data = flush.committed.iter().map(|piece| piece.data.to_string());
                        (data.collect::<Vec<_>>().join(" "), shown(&flush.pending))
                    },
                );
                assert_eq!(got, (result.to_owned(), rest.to_owned()), "{committed} {appends} {position} {uncommitted:?}");
            }
        }
    }

    #[test]
    fn appends_have_bytes_and_a_limit() {
        let mut appends = PendingAppends::default();
        assert_eq!(appends.append(0, 0, ()), Err(StorageError::invalid_header("Content-Length", "0")));
        assert_eq!(appends.append(0, APPEND_LIMIT + 1, ()), Err(StorageError::too_large(APPEND_LIMIT)));
        assert!(appends.is_empty());
        assert!(appends.append(u64::MAX, APPEND_LIMIT, ()).is_ok());
        assert!(!appends.is_empty());
        assert!(appends.flush(u64::MAX - 1, u64::MAX, Uncommitted::Dropped).is_err());
        assert_eq!(check_flush_length(0), Ok(()));
        assert_eq!(check_flush_length(1).unwrap_err().code().name(), "ContentLengthMustBeZero");
    }

    #[test]
    fn the_apis_do_not_write_into_the_content_of_each_other() {
        let outcome = |result: Result<(), StorageError>| result.map_or_else(|error| error.code().name(), |()| "ok");
        for (by, length, append, blocks) in [
            (WrittenBy::Lake, 0, "ok", "ok"),
            (WrittenBy::Lake, 1, "ok", "BlobOperationNotSupported"),
            (WrittenBy::Blob, 1, "InvalidFlushOperation", "ok"),
        ] {
            assert_eq!((outcome(by.admits_append()), outcome(by.admits_blocks(length))), (append, blocks), "{by:?}");
        }
    }

    proptest! {
        /// The order of appends does not matter, and stepwise flushes give the same file as one flush.
        #[test]
        fn pieces_become_the_file(lengths in prop::collection::vec(1..5_u64, 1..8), step in any::<Index>(), rotation in any::<Index>()) {
            let ends: Vec<u64> = lengths.iter().scan(0, |end, length| { *end += length; Some(*end) }).collect();
            let mut parts: Vec<(u64, u64)> = ends.iter().zip(&lengths).map(|(end, length)| (end - length, *length)).collect();
            parts.rotate_left(rotation.index(lengths.len()));
            let mut appends = PendingAppends::default();
            for (position, length) in parts {
                appends.append(position, length, position).unwrap();
            }
            let (total, middle) = (ends[ends.len() - 1], ends[step.index(ends.len())]);
            let whole = appends.flush(0, total, Uncommitted::Dropped).unwrap();
            let first = appends.flush(0, middle, Uncommitted::Retained).unwrap();
            let second = first.pending.flush(middle, total, Uncommitted::Dropped).unwrap();
            prop_assert_eq!(whole.committed, [first.committed, second.committed].concat());
        }
    }
}
