//! The file of `--debug`.

use std::fs::{File, OpenOptions};
use std::path::Path;

/// Opens the file that the debug log is added to; it is made with its folders where it is not there.
///
/// # Errors
/// One sentence that names the file.
pub fn open(path: &Path) -> Result<File, String> {
    let failed = |error: std::io::Error| format!("--debug {}: the file cannot be written to: {error}", path.display());
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        #[expect(clippy::disallowed_methods, reason = "the log's file belongs to the log")]
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    OpenOptions::new().create(true).append(true).open(path).map_err(failed)
}
