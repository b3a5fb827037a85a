//! The folder with the data: which store it holds, that only one server uses it at a time, and which log a start needs.
//!
//! The file `lazuli` is the marker. Its first line has the format of the data, its second the id of the store. They are followed by two
//! lines of the same length that are written in turn, so that one of them is complete whenever a write stops: the current log, and its
//! length. A start that finds less of the log than that has lost acknowledged writes, and is refused.

use crate::rules::checksums::Crc64;
use crate::store::disk::error::DiskErrorKind;
use crate::store::disk::identity::StoreId;
use crate::store::disk::medium::Medium;
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The format of the data. A server reads its own format and earlier ones.
pub const FORMAT: u32 = 2;
/// The beginning of the marker.
const TITLE: &str = "Lazuli data, format ";
/// The length of the marker's first line in bytes.
const FIRST: usize = TITLE.len() + 2;
/// The length of its second line in bytes.
const SECOND: usize = 81;
/// The length of each of its other two lines in bytes.
const LINE: usize = 153;

/// The name of the marker.
pub const TITLE_FILE: &str = "lazuli";
/// The files of an Azurite workspace.
const AZURITES: [&str; 3] = ["__azurite_db_blob__.json", "__azurite_db_queue__.json", "__azurite_db_table__.json"];

/// The folder of the certificate authority, which can be made before the data.
pub const TLS_FOLDER: &str = "tls";

/// Returns true if a folder with this file is not empty. The log of `--debug`, the certificate authority and the directory of a file
/// system do not count.
pub fn is_foreign(name: &OsStr) -> bool {
    Path::new(name).extension().is_none_or(|extension| extension != "log") && name != TLS_FOLDER && name != "lost+found"
}

/// A path as a shell accepts it; on Windows, as both shells do.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@".contains(c) || c == if cfg!(windows) { '\\' } else { '%' };
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false if cfg!(windows) => format!("\"{text}\""),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The suggested location for the data of an Azurite workspace: beside the workspace, which remains unchanged.
fn beside(workspace: &Path) -> PathBuf {
    let absolute = std::path::absolute(workspace).unwrap_or_default();
    let named = if workspace.file_name().is_some() { workspace } else { &absolute };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push("-lazuli");
    named.with_file_name(name)
}

/// What to do about a folder that belongs to another user. Empty if that is not the problem.
#[cfg(unix)]
fn permission_hint(path: &Path, error: &io::Error) -> String {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    // For a folder that does not exist, the owner of its first existing parent counts.
    let there = path.ancestors().find_map(|folder| Some((folder, folder.metadata().ok()?.uid())));
    match there {
        Some((folder, owner)) if error.kind() == io::ErrorKind::PermissionDenied && owner != user => format!(
            "; {0} belongs to user {owner}, and the server runs as user {user}: as root, chown {user} {0} fixes it (in a container, so \
             does starting it without --user)",
            shell_word(folder)
        ),
        _ => String::new(),
    }
}

#[cfg(not(unix))]
fn permission_hint(_: &Path, _: &io::Error) -> String {
    String::new()
}

/// A folder in use by this server.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The marker, locked while the server runs; the system unlocks it however the server ends.
    marker: File,
    /// The format that the folder had when it was opened.
    format: u32,
    identity: Identity,
    /// The position in the marker, and how often that was written.
    position: Mutex<(LogPosition, u64)>,
}

/// Which store the folder holds, as in the marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub store: StoreId,
    /// The first generation whose logs and snapshots name their store. Files of format 1 do not.
    pub since: u64,
}

impl Identity {
    fn line(self) -> String {
        let text = format!("store {} since {:08} check ", self.store, self.since);
        checked(&text)
    }

    fn read(line: &str) -> Option<Identity> {
        let words = check(line)?;
        Some(Identity { store: StoreId::parse(after(&words, "store")?)?, since: after(&words, "since")?.parse().ok()? })
    }
}

/// A line of the marker: a text and its checksum.
fn checked(text: &str) -> String {
    let check = Crc64::of(text.as_bytes()).0;
    format!("{text}{check:016x}\n")
}

/// The words of a line of the marker, if its checksum is right.
fn check(line: &str) -> Option<Vec<&str>> {
    let (text, check) = line.trim_end().rsplit_once(' ')?;
    let checked = &line[..=text.len()];
    (u64::from_str_radix(check, 16) == Ok(Crc64::of(checked.as_bytes()).0)).then(|| text.split_ascii_whitespace().collect())
}

/// The word after another one.
fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied()
}

/// The end of the log, as in the marker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The generation of the log; 0 while there is none.
    pub log: u64,
    /// How many bytes of the log the operating system has, at least.
    pub written: u64,
    /// How many of those the disk has, at least.
    pub synced: u64,
    /// Whether the server ended properly: then the log is complete, whatever happened since.
    pub closed: bool,
    /// Whether contents that no record names are retained, because a log with such records may be missing.
    pub retained: bool,
    /// The system's id of the time since the machine was started; empty if it has none.
    pub boot: String,
}

impl LogPosition {
    /// How many bytes the log has at least: those that were written, or, if the machine may have lost power since, those synced.
    pub fn least(&self) -> u64 {
        if self.is_sure() { self.written } else { self.synced }
    }

    /// Returns true if nothing that was written can be missing, unless somebody removed it.
    pub fn is_sure(&self) -> bool {
        self.closed || (!self.boot.is_empty() && self.boot == boot())
    }

    fn line(&self, turn: u64) -> String {
        let LogPosition { log, written, synced, closed, retained, boot } = self;
        let (closed, retained) = (u8::from(*closed), u8::from(*retained));
        let text = format!(
            "log {log:08} written {written:012} synced {synced:012} closed {closed} kept {retained} turn {turn:012} boot {boot:36} check "
        );
        checked(&text)
    }

    /// Reads a line: the position, and how often it was written.
    fn read(line: &str) -> Option<(LogPosition, u64)> {
        let words = check(line)?;
        let number = |name: &str| after(&words, name)?.parse::<u64>().ok();
        let boot = after(&words, "boot").filter(|boot| *boot != "check").unwrap_or_default().to_owned();
        let (log, written, synced) = (number("log")?, number("written")?, number("synced")?);
        let (closed, retained) = (number("closed")? == 1, number("kept")? == 1);
        Some((LogPosition { log, written, synced, closed, retained, boot }, number("turn")?))
    }
}

/// The system's id of the time since the machine was started; empty if it has none.
fn boot() -> String {
    #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let boot = boot.trim();
    if boot.len() == 36 { boot.to_owned() } else { String::new() }
}

/// Returns true if a file of this name is part of the data.
fn is_data(name: &str) -> bool {
    ["log-", "snapshot-", "extent-", "torn-"].iter().any(|begin| name.starts_with(begin))
}

impl Folder {
    /// Opens a folder to use it, and creates it if it does not exist.
    ///
    /// # Errors
    /// When another server uses the folder, it has files of another program, its format is newer, its marker is missing or damaged, or
    /// the system refuses. Nothing is changed then.
    pub fn open(path: &Path) -> Result<Folder, DiskErrorKind> {
        let failed =
            |action: &'static str, error: io::Error| DiskErrorKind::Folder { action, hint: permission_hint(path, &error), error };
        if let Err(error) = fs::read_dir(path) {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(failed("read", error));
            }
            #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
            fs::create_dir_all(path).map_err(|error| failed("made", error))?;
        }
        let names = names(path).map_err(|error| failed("read", error))?;
        let mut options = File::options();
        options.read(true).write(true).create(!names.iter().any(|name| is_foreign(OsStr::new(name))));
        let folder = Folder::lock(path, &names, &options, File::try_lock)?;
        if folder.format == 0 {
            folder.upgrade(folder.identity.since).map_err(|error| failed("written to", error))?;
            return Ok(Folder { format: FORMAT, ..folder });
        }
        Ok(folder)
    }

    /// Opens a folder that no server uses, to read it.
    ///
    /// # Errors
    /// Those of [`Folder::open`]; also when the folder is missing or has no data.
    pub fn open_read_only(path: &Path) -> Result<Folder, DiskErrorKind> {
        let names = names(path).map_err(|error| DiskErrorKind::folder("read", error))?;
        let folder = Folder::lock(path, &names, File::options().read(true), File::try_lock_shared)?;
        if folder.format == 0 { Err(DiskErrorKind::Unused) } else { Ok(folder) }
    }

    /// Opens, locks and reads the marker. The format is 0 if the marker is new.
    fn lock(
        path: &Path,
        names: &[String],
        options: &fs::OpenOptions,
        lock: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Folder, DiskErrorKind> {
        let has_data = names.iter().any(|name| is_data(name));
        let marker = path.join(TITLE_FILE);
        // A directory of that name is not a marker.
        let opened = if marker.is_dir() { Err(io::ErrorKind::NotFound.into()) } else { options.open(marker) };
        let mut marker = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if names.iter().any(|name| AZURITES.contains(&name.as_str())) => {
                DiskErrorKind::Azurite { from: shell_word(path), to: shell_word(&beside(path)) }
            }
            io::ErrorKind::NotFound if has_data => DiskErrorKind::Marker { state: "missing" },
            io::ErrorKind::NotFound if names.is_empty() => DiskErrorKind::NoData,
            io::ErrorKind::NotFound => DiskErrorKind::OtherProgram,
            _ => DiskErrorKind::Folder { action: "used", hint: permission_hint(path, &error), error },
        })?;
        lock(&marker).map_err(|error| match error {
            TryLockError::WouldBlock => DiskErrorKind::LocationInUse,
            TryLockError::Error(error) => DiskErrorKind::folder("locked", error),
        })?;
        let mut text = Vec::new();
        marker.read_to_end(&mut text).map_err(|error| DiskErrorKind::folder("read", error))?;
        let text = String::from_utf8_lossy(&text);
        if text.is_empty() && has_data {
            return Err(DiskErrorKind::Marker { state: "empty" });
        }
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let format = match first.strip_prefix(TITLE).and_then(|form| form.trim().parse::<u32>().ok()) {
            _ if text.is_empty() => 0,
            Some(format @ 1..=FORMAT) => format,
            Some(newer) if newer > FORMAT => return Err(DiskErrorKind::NewerFormat { format: newer, supported: FORMAT }),
            _ => return Err(DiskErrorKind::OtherMarker),
        };
        let mut lines = rest.split_inclusive('\n');
        let (identity, position) = match format {
            2.. => {
                let identity = lines.next().and_then(Identity::read);
                let position = lines.filter_map(LogPosition::read).max_by_key(|(_, turn)| *turn);
                identity.zip(position).ok_or(DiskErrorKind::Marker { state: "damaged" })?
            }
            // Format 1 has no id of the store.
            older => {
                let since = if older == 0 { 1 } else { u64::MAX };
                (Identity { store: StoreId::random(), since }, (LogPosition::default(), 0))
            }
        };
        Ok(Folder { path: path.to_owned(), marker, format, identity, position: Mutex::new(position) })
    }

    /// Upgrades the folder to the current format. From the generation `since` on, logs and snapshots name their store.
    ///
    /// # Errors
    /// Those of the system.
    pub fn upgrade(&self, since: u64) -> io::Result<()> {
        let medium = Medium::default();
        let (position, turn) = self.position.lock().clone();
        let identity = Identity { since, ..self.identity };
        let (title, identity, line) = (format!("{TITLE}{FORMAT}\n"), identity.line(), position.line(turn));
        if self.format == 0 {
            medium.write_at(&self.marker, [&*title, &*identity, &*line, &*line].concat().as_bytes(), 0)?;
        } else {
            // The other lines are not read until the first one has the new format.
            medium.write_at(&self.marker, [&*identity, &*line, &*line].concat().as_bytes(), FIRST as u64)?;
            self.marker.sync_all()?;
            medium.write_at(&self.marker, title.as_bytes(), 0)?;
        }
        self.marker.sync_all()?;
        self.sync()
    }

    /// The format that the folder had when it was opened.
    pub fn format(&self) -> u32 {
        self.format
    }

    /// Which store the folder holds. A folder of format 1 gets its id with the upgrade.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The end of the log, as in the marker. `None` for format 1.
    pub fn position(&self) -> Option<LogPosition> {
        (self.format > 1).then(|| self.position.lock().0.clone())
    }

    /// Changes the position in the marker.
    ///
    /// # Errors
    /// Those of the system. The marker is then unchanged.
    pub fn update_position(&self, medium: &Medium, change: impl FnOnce(&mut LogPosition)) -> io::Result<()> {
        let mut current = self.position.lock();
        let (mut position, turn) = (current.0.clone(), current.1 + 1);
        change(&mut position);
        let at = FIRST + SECOND + LINE * (turn % 2) as usize;
        medium.rewrite_at(&self.marker, position.line(turn).as_bytes(), at as u64)?;
        *current = (position, turn);
        Ok(())
    }

    /// Sets the position to the log that this server continues, and its length in bytes.
    ///
    /// # Errors
    /// Those of the system.
    pub fn begin(&self, medium: &Medium, log: u64, length: u64) -> io::Result<()> {
        let boot = boot();
        self.update_position(medium, |position| {
            // What a previous server wrote need not be on the disk.
            let synced = if position.log == log { position.synced.min(length) } else { 0 };
            *position = LogPosition { log, written: length, synced, closed: false, retained: position.retained, boot };
        })
    }

    /// Allows another server to use the folder.
    pub fn unlock(&self) {
        if let Err(error) = self.marker.unlock() {
            tracing::warn!("{}: the lock of the folder stays: {error}", self.path.display());
        }
    }

    /// Makes the marker survive a loss of power.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync_marker(&self, medium: &Medium) -> io::Result<()> {
        medium.sync(&self.marker)
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The sorted names of the files.
    ///
    /// # Errors
    /// Those of the system.
    pub fn names(&self) -> io::Result<Vec<String>> {
        names(&self.path)
    }

    /// Makes the creation, renaming and removal of files survive a loss of power.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        // Windows cannot sync a folder, and does not need to.
        if cfg!(unix) { File::options().read(true).open(&self.path)?.sync_all() } else { Ok(()) }
    }
}

fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(path)?.collect::<Result<Vec<_>, io::Error>>()?;
    let mut names: Vec<String> = entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_goes_beside_the_workspace() {
        let here = std::env::current_dir().unwrap();
        let mut named = here.file_name().unwrap().to_owned();
        named.push("-lazuli");
        for (workspace, wanted) in
            [("azd", PathBuf::from("azd-lazuli")), ("./a b/", "./a b-lazuli".into()), (".", here.with_file_name(named))]
        {
            assert_eq!(beside(Path::new(workspace)), wanted, "{workspace}");
        }
    }

    #[test]
    fn the_line_of_the_store_round_trips_and_a_flipped_byte_is_noticed() {
        let identity = Identity { store: StoreId::random(), since: 12 };
        let line = identity.line();
        assert_eq!((line.len(), Identity::read(&line)), (SECOND, Some(identity)), "{line}");
        for at in 0..line.len() - 1 {
            let mut flipped = line.clone().into_bytes();
            flipped[at] ^= 4;
            assert_eq!(Identity::read(&String::from_utf8(flipped).unwrap()), None, "flipped at {at}");
        }
    }

    #[test]
    fn a_position_round_trips_and_a_flipped_byte_is_noticed() {
        let position = LogPosition { log: 7, written: 123_456, synced: 1234, closed: true, retained: false, boot: boot() };
        for position in [position.clone(), LogPosition { boot: String::new(), ..position }, LogPosition::default()] {
            let line = position.line(9);
            assert_eq!(line.len(), LINE, "{line}");
            assert_eq!(LogPosition::read(&line), Some((position, 9)));
            for at in 0..line.len() - 1 {
                let mut flipped = line.clone().into_bytes();
                flipped[at] ^= 4;
                assert_eq!(LogPosition::read(&String::from_utf8(flipped).unwrap()), None, "flipped at {at}");
            }
        }
    }
}
