//! Why an import fails, and why a single item is not imported.

use crate::rules::error::StorageError;
use crate::store::disk::error::DiskError;
use crate::store::records::CorruptRecord;
use http::StatusCode;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why an import fails. The location is then as it was.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error("--from-azurite {} cannot be read: {error}", .workspace.display())]
    Workspace { workspace: PathBuf, error: io::Error },
    #[error("{} is not an Azurite workspace: it has no __azurite_db_blob__.json or the like", .0.display())]
    NoWorkspace(PathBuf),
    #[error("{}: {problem}", .path.display())]
    Database { path: PathBuf, problem: DatabaseProblem },
    #[error("--location {}: the folder is not empty; choose an empty or new one", .0.display())]
    LocationNotEmpty(PathBuf),
    #[error("--location {}: the path must end in the name of a folder", .0.display())]
    UnnamedLocation(PathBuf),
    #[error("--location {}: {error}", .location.display())]
    Location { location: PathBuf, error: io::Error },
    #[error("{} was left by an import that failed, or another import is running: remove it first", .0.display())]
    Unfinished(PathBuf),
    /// `reasons` are the lines of the report.
    #[error("nothing was imported from {}: {reasons}", .workspace.display())]
    Nothing { workspace: PathBuf, reasons: String },
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    CorruptRecord(#[from] CorruptRecord),
    #[error("it cannot be written: {status} {code}")]
    ServerError { status: StatusCode, code: String },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a file of a workspace is not a database.
#[derive(Debug, Error)]
pub enum DatabaseProblem {
    #[error("not a regular file")]
    NotAFile,
    #[error(transparent)]
    System(#[from] io::Error),
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("not a database of Azurite's")]
    NotADatabase,
}

/// Why one item is not imported.
#[derive(Debug)]
pub enum ItemError {
    /// The other items are. The text is a clause for the report.
    NotImported(String),
    /// Nothing can be written: the import ends.
    Fatal(ImportError),
}
