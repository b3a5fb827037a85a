//! Why the log cannot be started.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the log cannot be started.
#[derive(Debug, Error)]
pub enum LogError {
    #[error("--debug {}: the file cannot be written to: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    /// The system refuses another thread.
    #[error("the log cannot be written: {0}")]
    Thread(io::Error),
}
