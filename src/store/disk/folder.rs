//! The folder that data is kept in: whose it is, that only one server has it at a time, and which log a start needs.
//!
//! The file `lazuli` is the marker. Its first line tells the form of everything, its second the id of the store. Behind them are two
//! lines of the same length that are written in turn, so that one of them is whole whenever a write stops: the log that the server
//! writes, and how far it reached. A start that finds less of the log than that has lost acknowledged writes, and is refused.

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

/// The form of everything in the folder. A server reads its own and those before it.
pub const FORMAT: u32 = 2;
/// What the marker begins with.
const TITLE: &str = "Lazuli data, format ";
/// The bytes of the marker's first line.
const FIRST: usize = TITLE.len() + 2;
/// The bytes of its second line.
const SECOND: usize = 81;
/// The bytes of each of its other two lines.
const LINE: usize = 153;

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

/// Where the data of an Azurite workspace is to go: beside it, since its folder stays as it is.
fn beside(workspace: &Path) -> PathBuf {
    let whole = std::path::absolute(workspace).unwrap_or_default();
    let named = if workspace.file_name().is_some() { workspace } else { &whole };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push("-lazuli");
    named.with_file_name(name)
}

/// What to do about a folder that may not be used, where it is another user's.
#[cfg(unix)]
fn permission_hint(path: &Path, error: &io::Error) -> String {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    // A folder that is not there yet is missing in one that may not be written to.
    let there = path.ancestors().find_map(|folder| Some((folder, folder.metadata().ok()?.uid())));
    match there {
        Some((folder, owner)) if error.kind() == io::ErrorKind::PermissionDenied && owner != user => format!(
            "; {0} belongs to user {owner}, and the server runs as user {user}: as root, chown {user} {0} mends it (in a container, so \
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
    /// The marker, locked as long as the server runs; the system lets go of it however the server ends.
    marker: File,
    /// The form that the folder had when it was opened.
    format: u32,
    identity: Identity,
    /// What the marker says, and how often it was written.
    reach: Mutex<(LogPosition, u64)>,
}

/// Which store the folder holds, as the marker has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its id.
    pub store: StoreId,
    /// From which generation on every log and snapshot says which store wrote it. Files of form 1 do not.
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

/// A line of the marker: its text, and the checksum of that.
fn checked(text: &str) -> String {
    let check = Crc64::of(text.as_bytes()).0;
    format!("{text}{check:016x}\n")
}

/// The words of a line of the marker, if they are those that were written.
fn check(line: &str) -> Option<Vec<&str>> {
    let (text, check) = line.trim_end().rsplit_once(' ')?;
    let checked = &line[..=text.len()];
    (u64::from_str_radix(check, 16) == Ok(Crc64::of(checked.as_bytes()).0)).then(|| text.split_ascii_whitespace().collect())
}

/// The word after another one.
fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied()
}

/// How far the log reached, as the marker has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The generation of the log; 0 while there is none.
    pub log: u64,
    /// How many bytes of it the operating system had, at least.
    pub written: u64,
    /// How many of those the disk had, at least.
    pub synced: u64,
    /// Whether the server ended by itself: then the log has all that was written, whatever happened since.
    pub closed: bool,
    /// Whether contents that no record names are kept, because a log may be missing that does.
    pub kept: bool,
    /// Since when the machine has been running, by the name that the system gives to that; empty where it gives none.
    pub boot: String,
}

impl LogPosition {
    /// How many bytes the log has at least: what was written, unless the machine may have lost its power since.
    pub fn least(&self) -> u64 {
        if self.is_sure() { self.written } else { self.synced }
    }

    /// Whether nothing that was written can be missing, unless somebody took it away.
    pub fn is_sure(&self) -> bool {
        self.closed || (!self.boot.is_empty() && self.boot == boot())
    }

    fn line(&self, turn: u64) -> String {
        let LogPosition { log, written, synced, closed, kept, boot } = self;
        let (closed, kept) = (u8::from(*closed), u8::from(*kept));
        let text = format!(
            "log {log:08} written {written:012} synced {synced:012} closed {closed} kept {kept} turn {turn:012} boot {boot:36} check "
        );
        checked(&text)
    }

    /// Reads a line, and the turn in which it was written.
    fn read(line: &str) -> Option<(LogPosition, u64)> {
        let words = check(line)?;
        let number = |name: &str| after(&words, name)?.parse::<u64>().ok();
        let boot = after(&words, "boot").filter(|boot| *boot != "check").unwrap_or_default().to_owned();
        let (log, written, synced) = (number("log")?, number("written")?, number("synced")?);
        let (closed, kept) = (number("closed")? == 1, number("kept")? == 1);
        Some((LogPosition { log, written, synced, closed, kept, boot }, number("turn")?))
    }
}

/// The name that the system gives to the time since the machine was started; empty where it gives none.
fn boot() -> String {
    #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let boot = boot.trim();
    if boot.len() == 36 { boot.to_owned() } else { String::new() }
}

/// Whether a file of this name is part of the data.
fn is_ours(name: &str) -> bool {
    ["log-", "snapshot-", "extent-", "torn-"].iter().any(|begin| name.starts_with(begin))
}

impl Folder {
    /// Takes a folder into use, and makes it if it is not there.
    ///
    /// # Errors
    /// One sentence, and nothing is changed: another server has it, another program's files are in it, its form is a newer one, its
    /// marker is missing or damaged, or the system refuses.
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
        let folder = Folder::with(path, &names, &options, File::try_lock)?;
        if folder.format == 0 {
            folder.upgrade(folder.identity.since).map_err(|error| failed("written to", error))?;
            return Ok(Folder { format: FORMAT, ..folder });
        }
        Ok(folder)
    }

    /// Looks at a folder that no server uses, and changes nothing in it.
    ///
    /// # Errors
    /// As [`Folder::open`]; also when the folder is not there or has no data in it.
    pub fn look(path: &Path) -> Result<Folder, DiskErrorKind> {
        let names = names(path).map_err(|error| DiskErrorKind::folder("read", error))?;
        let folder = Folder::with(path, &names, File::options().read(true), File::try_lock_shared)?;
        if folder.format == 0 { Err(DiskErrorKind::Unused) } else { Ok(folder) }
    }

    /// Opens the marker and reads it. The form is 0 where nothing was written to it yet.
    fn with(
        path: &Path,
        names: &[String],
        options: &fs::OpenOptions,
        lock: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Folder, DiskErrorKind> {
        let ours = names.iter().any(|name| is_ours(name));
        let marker = path.join(TITLE_FILE);
        // A directory of that name is not a marker, whoever made it.
        let opened = if marker.is_dir() { Err(io::ErrorKind::NotFound.into()) } else { options.open(marker) };
        let mut marker = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if names.iter().any(|name| AZURITES.contains(&name.as_str())) => {
                DiskErrorKind::Azurite { from: shell_word(path), to: shell_word(&beside(path)) }
            }
            io::ErrorKind::NotFound if ours => DiskErrorKind::Marker { state: "missing" },
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
        if text.is_empty() && ours {
            return Err(DiskErrorKind::Marker { state: "empty" });
        }
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let format = match first.strip_prefix(TITLE).and_then(|form| form.trim().parse::<u32>().ok()) {
            _ if text.is_empty() => 0,
            Some(format @ 1..=FORMAT) => format,
            Some(newer) if newer > FORMAT => return Err(DiskErrorKind::NewerFormat(newer)),
            _ => return Err(DiskErrorKind::OtherMarker),
        };
        let mut lines = rest.split_inclusive('\n');
        let (identity, reach) = match format {
            2.. => {
                let identity = lines.next().and_then(Identity::read);
                let reach = lines.filter_map(LogPosition::read).max_by_key(|(_, turn)| *turn);
                identity.zip(reach).ok_or(DiskErrorKind::Marker { state: "damaged" })?
            }
            // What is there of form 1 says nothing of its store.
            form => {
                let since = if form == 0 { 1 } else { u64::MAX };
                (Identity { store: StoreId::random(), since }, (LogPosition::default(), 0))
            }
        };
        Ok(Folder { path: path.to_owned(), marker, format, identity, reach: Mutex::new(reach) })
    }

    /// Gives the folder the present form, in which every log and snapshot from a generation on says which store wrote it.
    ///
    /// # Errors
    /// As the system says.
    pub fn upgrade(&self, since: u64) -> io::Result<()> {
        let medium = Medium::default();
        let (reach, turn) = self.reach.lock().clone();
        let identity = Identity { since, ..self.identity };
        let (title, identity, line) = (format!("{TITLE}{FORMAT}\n"), identity.line(), reach.line(turn));
        if self.format == 0 {
            medium.write_at(&self.marker, [&*title, &*identity, &*line, &*line].concat().as_bytes(), 0)?;
        } else {
            // Until the first line says so, nobody looks at the others.
            medium.write_at(&self.marker, [&*identity, &*line, &*line].concat().as_bytes(), FIRST as u64)?;
            self.marker.sync_all()?;
            medium.write_at(&self.marker, title.as_bytes(), 0)?;
        }
        self.marker.sync_all()?;
        self.sync()
    }

    /// The form that the folder had when it was opened.
    pub fn format(&self) -> u32 {
        self.format
    }

    /// Which store it holds. That of a folder of form 1 gets its id when the form changes.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// What the marker says of the log; nothing where the folder is of a form whose marker said nothing.
    pub fn reach(&self) -> Option<LogPosition> {
        (self.format > 1).then(|| self.reach.lock().0.clone())
    }

    /// Changes what the marker says of the log.
    ///
    /// # Errors
    /// As the system says. The marker says then what it said before.
    pub fn reached(&self, medium: &Medium, change: impl FnOnce(&mut LogPosition)) -> io::Result<()> {
        let mut held = self.reach.lock();
        let (mut reach, turn) = (held.0.clone(), held.1 + 1);
        change(&mut reach);
        let place = FIRST + SECOND + LINE * (turn % 2) as usize;
        medium.rewrite_at(&self.marker, reach.line(turn).as_bytes(), place as u64)?;
        *held = (reach, turn);
        Ok(())
    }

    /// Begins to write to a log that has so many bytes: from now on the marker is this server's.
    ///
    /// # Errors
    /// As the system says.
    pub fn begin(&self, medium: &Medium, log: u64, length: u64) -> io::Result<()> {
        let boot = boot();
        self.reached(medium, |reach| {
            // What the server before this one wrote is not on the disk by that alone.
            let synced = if reach.log == log { reach.synced.min(length) } else { 0 };
            *reach = LogPosition { log, written: length, synced, closed: false, kept: reach.kept, boot };
        })
    }

    /// Lets another server have the folder.
    pub fn unlock(&self) {
        if let Err(error) = self.marker.unlock() {
            tracing::warn!("{}: the lock of the folder stays: {error}", self.path.display());
        }
    }

    /// Makes what the marker says safe from a loss of power.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync_marker(&self, medium: &Medium) -> io::Result<()> {
        medium.sync(&self.marker)
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
        names(&self.path)
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
    fn the_line_of_the_store_is_read_as_it_was_written_and_a_flipped_byte_is_noticed() {
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
    fn a_line_is_read_as_it_was_written_and_a_flipped_byte_is_noticed() {
        let reach = LogPosition { log: 7, written: 123_456, synced: 1234, closed: true, kept: false, boot: boot() };
        for reach in [reach.clone(), LogPosition { boot: String::new(), ..reach }, LogPosition::default()] {
            let line = reach.line(9);
            assert_eq!(line.len(), LINE, "{line}");
            assert_eq!(LogPosition::read(&line), Some((reach, 9)));
            for at in 0..line.len() - 1 {
                let mut flipped = line.clone().into_bytes();
                flipped[at] ^= 4;
                assert_eq!(LogPosition::read(&String::from_utf8(flipped).unwrap()), None, "flipped at {at}");
            }
        }
    }
}
