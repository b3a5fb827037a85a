//! Why a location cannot be used.

use crate::store::records::CorruptRecord;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a location cannot be used. Its message names the location.
#[derive(Debug, Error)]
#[error("--location {}: {kind}", .location.display())]
pub struct DiskError {
    pub location: PathBuf,
    pub kind: DiskErrorKind,
}

impl DiskError {
    pub fn new(location: &Path, kind: DiskErrorKind) -> DiskError {
        DiskError { location: location.to_owned(), kind }
    }
}

/// What is wrong with a location. Where a variant has a `file`, that is the file's name in the folder.
#[derive(Debug, Error)]
pub enum DiskErrorKind {
    #[error("another server is using this folder")]
    LocationInUse,
    /// `action` is a participle; `hint` is empty or says what to do, after a semicolon.
    #[error("the folder cannot be {action}: {error}{hint}")]
    Folder { action: &'static str, error: io::Error, hint: String },
    #[error("there is no data in the folder")]
    NoData,
    #[error("the folder contains files of another program; choose an empty one")]
    OtherProgram,
    /// `from` and `to` are paths as a shell accepts them.
    #[error(
        "the folder contains Azurite's data. Stop Azurite, run lazuli import --from-azurite {from} --location {to}, and start with \
         --location {to}"
    )]
    Azurite { from: String, to: String },
    #[error("the data has format {format}, and this version of Lazuli reads up to {supported}; use a newer version")]
    NewerFormat { format: u32, supported: u32 },
    #[error("the file \"lazuli\" is empty: no server has used the folder yet")]
    Unused,
    /// `state` is missing, empty or damaged.
    #[error("the file \"lazuli\" is {state}; it records which log is the last. Restore it from a copy")]
    Marker { state: &'static str },
    #[error("the file \"lazuli\" in it is not Lazuli's, or it is damaged")]
    OtherMarker,
    #[error("{file} cannot be {action}: {error}")]
    File { file: String, action: &'static str, error: io::Error },
    #[error("{0} is missing: put it back; nothing was changed")]
    Missing(String),
    #[error(
        "{missing} is missing, and {unknown} is there, which the file \"lazuli\" does not know: put the first back, and take the second \
         away; nothing was changed"
    )]
    MissingBefore { missing: String, unknown: String },
    #[error("{0} holds nothing, and the logs before it are there: it can be removed; nothing was changed")]
    RemovableSnapshot(String),
    #[error("{0} is empty: put the whole file back; nothing was changed")]
    EmptySnapshot(String),
    #[error("{0} is empty, though another follows: put the whole file back; nothing was changed")]
    EmptyLog(String),
    #[error("{0} belongs to another store: put back the one that belongs here; nothing was changed")]
    OtherStore(String),
    #[error("the file \"lazuli\" belongs to another store than {files}: put back the one that belongs here; nothing was changed")]
    MarkerOfOtherStore { files: String },
    #[error("{0} and the file \"lazuli\" belong to different stores: put back the one that belongs here; nothing was changed")]
    DifferentStores(String),
    #[error(
        "{0} does not say which store it belongs to, and those of this one do: put back the one that belongs here; nothing was changed"
    )]
    UnknownStore(String),
    #[error("{file} is {original} under another name: take it away; nothing was changed")]
    Copy { file: String, original: String },
    #[error("{original} is missing, and {file} is that file under another name: name it back; nothing was changed")]
    Renamed { file: String, original: String },
    #[error("{file} is damaged (byte {position}){damage}. Restore the file from a copy; nothing was changed")]
    Damaged { file: String, position: usize, damage: Damage },
    #[error(
        "{file} repeats what the log before it has (frame {number}, and {expected} is the next): it should not be there. Take it away, \
         and put back the one that belongs here if there was one; nothing was changed"
    )]
    RepeatedFrames { file: String, number: u64, expected: u64 },
    #[error(
        "{before} ends with frame {last}, and {file} begins with {number}: one of them is not the whole file. Put it back; nothing was \
         changed"
    )]
    MissingFrames { before: String, last: u64, file: String, number: u64 },
    #[error(
        "{file} ends at {length}, and it had at least {least} bytes: its end is missing. Put the whole file back; nothing was changed"
    )]
    MissingEnd { file: String, length: u64, least: u64 },
    #[error("there is a record that cannot be read: {0}")]
    CorruptRecord(CorruptRecord),
    /// A record of the roots.
    #[error(transparent)]
    CorruptRoot(#[from] CorruptRecord),
    #[error(transparent)]
    System(#[from] io::Error),
}

/// How a file is damaged.
#[derive(Debug, Error)]
pub enum Damage {
    /// There is no complete frame at the position.
    #[error("")]
    NoFrame,
    #[error(": frame {0} is missing")]
    MissingFrame(u64),
    #[error(": {0}")]
    Entry(#[from] postcard::Error),
}

impl DiskErrorKind {
    pub(super) fn folder(action: &'static str, error: io::Error) -> DiskErrorKind {
        DiskErrorKind::Folder { action, error, hint: String::new() }
    }

    pub(super) fn unreadable(file: &str, error: io::Error) -> DiskErrorKind {
        DiskErrorKind::File { file: file.to_owned(), action: "read", error }
    }
}
