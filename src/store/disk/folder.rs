//! The folder that data is kept in: whose it is, and that only one server has it at a time.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The form of everything in the folder. A server reads its own and those before it.
pub const FORMAT: u32 = 1;
/// What the file that tells the form begins with.
const TITLE: &str = "Lazuli data, format ";

/// The file that tells the form.
pub const TITLE_FILE: &str = "lazuli";
/// The files by which a workspace of Azurite's is known.
const AZURITES: [&str; 3] = ["__azurite_db_blob__.json", "__azurite_db_queue__.json", "__azurite_db_table__.json"];

/// Whether a file makes a folder one that holds something: neither the log of `--debug`, nor what a file system has of its own.
pub fn is_foreign(name: &OsStr) -> bool {
    Path::new(name).extension().is_none_or(|extension| extension != "log") && name != "lost+found"
}

/// A path as a shell takes it.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// What to do about a folder that may not be used, where it is another user's.
#[cfg(unix)]
fn mend(path: &Path, error: &io::Error) -> String {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let there = path.ancestors().find_map(|folder| Some((folder, folder.metadata().ok()?.uid())));
    match there {
        Some((folder, owner)) if error.kind() == io::ErrorKind::PermissionDenied && owner != user => format!(
            "; it belongs to user {owner}, and the server runs as user {user}: as root, chown {user} {} mends it (in a container, so \
             does starting it without --user)",
            shell_word(folder)
        ),
        _ => String::new(),
    }
}

#[cfg(not(unix))]
fn mend(_: &Path, _: &io::Error) -> String {
    String::new()
}

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
        let failed =
            |what: &str, error: &io::Error| format!("--location {}: {what}: {error}{}", path.display(), mend(path, error));
        let found = match fs::read_dir(path) {
            Ok(mut entries) => entries.any(|entry| entry.is_ok_and(|entry| is_foreign(&entry.file_name()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
                fs::create_dir_all(path).map_err(|error| failed("the folder cannot be made", &error))?;
                false
            }
            Err(error) => return Err(failed("the folder cannot be read", &error)),
        };
        let title = path.join(TITLE_FILE);
        let mut options = File::options();
        let options = options.read(true).write(true).create(!found);
        let mut file = options.open(&title).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if AZURITES.iter().any(|name| path.join(name).exists()) => {
                let (from, to) = (shell_word(path), shell_word(&path.join("lazuli")));
                format!(
                    "--location {}: the folder has Azurite's data in it; lazuli import --from-azurite {from} --location {to} brings it \
                     over, and --location {to} serves it",
                    path.display()
                )
            }
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
