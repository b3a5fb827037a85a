//! The errors of the certificate authority, each with what to do about it.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the authority of a folder cannot be used. Displayed, it is one sentence that says what to do.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct AuthorityError(pub AuthorityErrorKind);

/// What is wrong with the authority, or with a certificate that it signs.
#[derive(Debug, Error)]
pub enum AuthorityErrorKind {
    /// The folder does not exist and cannot be created, or the path to it cannot be searched.
    #[error("{} cannot be used for a certificate authority: {error}", .folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error("{} cannot be read: {error}; {}", .file.display(), remedy(.file))]
    CannotRead { file: PathBuf, error: io::Error },
    #[error("{} is damaged: it holds no {expected} in PEM; {}", .file.display(), remedy(.file))]
    Damaged { file: PathBuf, expected: &'static str },
    #[error("{} is not the certificate of the key in the same folder; {}", .0.display(), remedy(.0))]
    OtherKey(PathBuf),
    #[error("{} expired on {day}; {}", .file.display(), remedy(.file))]
    Expired { file: PathBuf, day: String },
    #[error("{} is valid from {day} on: is the clock of this machine right?", .file.display())]
    NotYetValid { file: PathBuf, day: String },
    #[error("{} cannot be written: {error}", .file.display())]
    CannotWrite { file: PathBuf, error: io::Error },
    #[error("a certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
    #[error("a certificate cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    #[error("a certificate could not be made: {0}")]
    Interrupted(String),
}

/// What to do about an authority that cannot be used.
fn remedy(file: &std::path::Path) -> String {
    let folder = file.parent().unwrap_or(file).display();
    format!("if {folder} is moved away, a new authority is made, which clients have to trust anew (lazuli trust)")
}

impl<E: Into<AuthorityErrorKind>> From<E> for AuthorityError {
    fn from(error: E) -> AuthorityError {
        AuthorityError(error.into())
    }
}
