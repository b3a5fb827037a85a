//! The file of `--debug`.

use crate::log::LogError;
use std::fs::{File, OpenOptions};
use std::path::Path;

/// Opens the file that the debug log is appended to, and creates it and its folders if they do not exist.
///
/// # Errors
/// [`LogError::File`].
pub fn open(path: &Path) -> Result<File, LogError> {
    let failed = |error| LogError::File { path: path.to_owned(), error };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        #[expect(clippy::disallowed_methods, reason = "the log's file belongs to the log")]
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    OpenOptions::new().create(true).append(true).open(path).map_err(failed)
}
