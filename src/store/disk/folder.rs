//! The folder that data is kept in: whose it is, and that only one server has it at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The form of everything in the folder. A server reads its own and those before it.
pub const FORMAT: u32 = 1;
/// What the file that tells the form begins with.
const TITLE: &str = "Lazuli data, format ";

/// A folder in use by this server.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Locked as long as the server runs; the system lets go of it however the server ends.
    _lock: File,
}

impl Folder {
    /// Takes a folder into use, and makes it if it is not there.
    ///
    /// # Errors
    /// One sentence, and nothing is changed: another server has it, another program's files are in it, its form is a newer one, or
    /// the system refuses.
    pub fn open(path: &Path) -> Result<Folder, String> {
        let failed = |what: &str, error: &io::Error| format!("--location {}: {what}: {error}", path.display());
        let found = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
                fs::create_dir_all(path).map_err(|error| failed("the folder cannot be made", &error))?;
                false
            }
            Err(error) => return Err(failed("the folder cannot be read", &error)),
        };
        let title = path.join("lazuli");
        let mut options = File::options();
        let options = options.read(true).write(true).create(!found);
        let mut file = options.open(&title).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("--location {}: the folder has files of another program in it; choose an empty one", path.display())
            }
            _ => failed("the folder cannot be used", &error),
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("--location {}: another server is using this folder", path.display()));
            }
            Err(TryLockError::Error(error)) => return Err(failed("the folder cannot be locked", &error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| failed("the folder cannot be read", &error))?;
        if text.is_empty() {
            writeln!(file, "{TITLE}{FORMAT}").map_err(|error| failed("the folder cannot be written to", &error))?;
            file.sync_all().map_err(|error| failed("the folder cannot be written to", &error))?;
        } else {
            match text.strip_prefix(TITLE).and_then(|rest| rest.trim().parse::<u32>().ok()) {
                Some(FORMAT) => {}
                Some(newer) => {
                    return Err(format!(
                        "--location {}: the data has format {newer}, and this version of Lazuli reads up to {FORMAT}; use a newer version",
                        path.display()
                    ));
                }
                None => return Err(format!("--location {}: the file «lazuli» in it is not Lazuli's", path.display())),
            }
        }
        Ok(Folder { path: path.to_owned(), _lock: file })
    }

    /// Where a file of it is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names of its files, in order.
    ///
    /// # Errors
    /// As the system says.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.path)?.collect::<Result<Vec<_>, io::Error>>()?;
        let mut names: Vec<String> = entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Makes the making, naming and removing of files safe from a loss of power.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&self) -> io::Result<()> {
        // Windows has no such thing as a synced folder, and needs none.
        if cfg!(unix) { File::options().read(true).open(&self.path)?.sync_all() } else { Ok(()) }
    }
}
