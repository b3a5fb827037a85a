//! Why a seed is not written.

use crate::import::error::ItemError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a seed could not be read, or a part of it could not be written.
#[derive(Debug, Error)]
pub enum SeedError {
    #[error("{} cannot be read: {error}", .path.display())]
    CannotRead { path: PathBuf, error: io::Error },
    #[error("{} is neither a file nor a directory", .0.display())]
    Special(PathBuf),
    #[error("{} is a directory that contains itself", .0.display())]
    Loop(PathBuf),
    #[error("{}: {reason}", .path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("{}: a seed has only containers, shares, queues/NAME.json, tables/NAME.json, accounts and seed.json", .0.display())]
    UnknownEntry(PathBuf),
    #[error("there is no account {0:?}: --account adds one")]
    UnknownAccount(String),
    #[error("{what} of account {account}: {reason}")]
    Refused { account: String, what: String, reason: String },
    #[error("{0} has no content: neither the document nor the folder has it")]
    NoContent(String),
}

impl SeedError {
    pub(super) fn refused(account: &str, what: &str, error: ItemError) -> SeedError {
        let reason = match error {
            ItemError::NotImported(reason) => reason,
            ItemError::Fatal(error) => error.to_string(),
        };
        SeedError::Refused { account: account.to_owned(), what: what.to_owned(), reason }
    }
}
