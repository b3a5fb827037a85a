//! What can be wrong with the flags and variables, each as one line for a person.

use crate::config::accounts::AccountError;
use crate::pfx;
use crate::rules::auth::principals::PrincipalError;
use crate::user::UserError;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A flag or variable that is invalid. Displayed, it is one line that names it.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct ConfigError(#[from] pub(crate) ConfigErrorKind);

/// What is wrong with the flags or variables.
#[derive(Debug, Error)]
pub(crate) enum ConfigErrorKind {
    #[error("{0:?} is not UTF-8")]
    NotUtf8(OsString),
    /// A flag that does not exist, and the most similar one if there is any.
    #[error("{flag} is not a flag; {}", hint(.nearest.as_deref(), "--help lists them all"))]
    UnknownFlag { flag: String, nearest: Option<String> },
    #[error("{flag} needs a value: {flag} {word}")]
    MissingValue { flag: String, word: &'static str },
    /// A value that a flag or variable, named as it was given, does not accept.
    #[error("{flag}: {reason}")]
    InvalidValue { flag: String, reason: ValueError },
    #[error("{}: {reason}", .path.display())]
    File { path: PathBuf, reason: FileError },
    /// A flag without the other flag that it needs.
    #[error("{flag} needs {needs}")]
    MissingFlag { flag: &'static str, needs: &'static str },
    #[error("--pwd is for PFX files, which Lazuli does not read: --cert and --key take PEM files")]
    PasswordWithoutCertificate,
    #[error("--cert {} cannot be read: {error}", .path.display())]
    UnreadableCertificate { path: PathBuf, error: io::Error },
    #[error("{}", pfx::refusal(.0))]
    PfxCertificate(PathBuf),
    #[error("these flags are those of another command: a server is configured without them")]
    OtherCommand,
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error("--from-azurite goes with import: lazuli import --from-azurite DIR --location DIR")]
    WorkspaceWithoutImport,
}

/// What is wrong with the value of a flag or variable.
#[derive(Debug, Error)]
pub enum ValueError {
    #[error("{value:?} is not {expected}")]
    Malformed { value: String, expected: &'static str },
    #[error("{0:?} is neither true nor false")]
    NotBoolean(String),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Principal(#[from] PrincipalError),
    #[error(transparent)]
    User(#[from] UserError),
}

/// What is wrong with `lazuli.toml`.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("it cannot be read: {0}")]
    CannotRead(#[from] io::Error),
    #[error("{0}")]
    Malformed(String),
    /// A key that is no flag, and the most similar one if there is any.
    #[error("{key:?} is not a setting; {}", hint(*.nearest, "docs/configuration.md lists them all"))]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("[{0}] is a section, and settings have none: write blob-port = 10000 and the like")]
    Section(String),
    #[error("{key} has to be {expected}")]
    WrongType { key: &'static str, expected: &'static str },
}

fn hint(nearest: Option<&str>, otherwise: &str) -> String {
    nearest.map_or_else(|| otherwise.to_owned(), |known| format!("did you mean {known}?"))
}
