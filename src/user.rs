//! As whom the server runs. Started as root, as in a container, it gives that up before it opens anything that a client reaches.

#[cfg(unix)]
use crate::store::disk::folder::TITLE_FILE;
use crate::store::disk::folder::is_foreign;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The user that a server becomes that was started as root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The owner of the location; where that is root, or there is none, a user without rights, who then gets the location.
    Owner,
    /// This one, by number.
    Is {
        /// The user's number.
        uid: u32,
        /// The number of its group.
        gid: u32,
    },
}

/// Why the server cannot become a user.
#[derive(Debug, Error)]
pub enum UserError {
    #[error("{0:?} is not a user: owner, UID or UID:GID in numbers")]
    Malformed(String),
    #[error("--location {}: {error}", .location.display())]
    NoOwner { location: PathBuf, error: io::Error },
    #[error("{} cannot be given to user {uid}: {error}", .path.display())]
    HandOver { path: PathBuf, uid: u32, error: io::Error },
    #[error("the server cannot become user {uid}: {error}")]
    Become { uid: u32, error: io::Error },
    #[error("this system has no users by number")]
    Unsupported,
}

/// The user and group without any rights that a container's server becomes where no folder names another: «nonroot» in many images.
pub const NOBODY: u32 = 65532;

/// The numbers of the user and the group to become; `None` for a process that is not root, or is to stay it.
///
/// # Errors
/// One sentence: the location is nowhere.
#[cfg(unix)]
pub fn to_become(user: Option<User>, location: Option<&Path>) -> Result<Option<(u32, u32)>, UserError> {
    let numbers = match user {
        None => return Ok(None),
        Some(User::Is { uid, gid }) => (uid, gid),
        Some(User::Owner) => owner(location)?,
    };
    Ok(Some(numbers).filter(|(uid, _)| *uid != 0 && rustix::process::geteuid().is_root()))
}

/// Becomes this user and group, and hands the location over with the files that Lazuli keeps in it.
///
/// The process must have no second thread yet, for only the calling thread and those that it starts change.
///
/// # Errors
/// One sentence: what the system refuses. Nobody's files have changed but those that Lazuli wrote.
#[cfg(unix)]
pub fn take_on((uid, gid): (u32, u32), location: Option<&Path>) -> Result<(), UserError> {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    if let Some(location) = location {
        hand_over(location, uid, gid).map_err(|(path, error)| UserError::HandOver { path, uid, error })?;
    }
    let (user, group) = (Uid::from_raw(uid), Gid::from_raw(gid));
    set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(group, group, group))
        .and_then(|()| set_thread_res_uid(user, user, user))
        .map_err(|error| UserError::Become { uid, error: error.into() })
}

/// Elsewhere users have no numbers, and there is nobody to become.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn to_become(_: Option<User>, _: Option<&Path>) -> Result<Option<(u32, u32)>, UserError> {
    Ok(None)
}

/// Elsewhere this is never called.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn take_on(_: (u32, u32), _: Option<&Path>) -> Result<(), UserError> {
    Err(UserError::Unsupported)
}

/// Who owns the location, or the nearest folder above one that is not there yet.
#[cfg(unix)]
fn owner(location: Option<&Path>) -> Result<(u32, u32), UserError> {
    use std::os::unix::fs::MetadataExt;
    let nobody = (NOBODY, NOBODY);
    let Some(location) = location else { return Ok(nobody) };
    let whole = std::path::absolute(location).map_err(|error| UserError::NoOwner { location: location.to_owned(), error })?;
    let found = whole.ancestors().find_map(|folder| folder.metadata().ok());
    Ok(found.map(|folder| (folder.uid(), folder.gid())).filter(|(uid, _)| *uid != 0).unwrap_or(nobody))
}

/// Makes the location, and gives it to its user with the files that Lazuli keeps in it. A folder with files of another program is left
/// as it is, and so is a file with a second name, which may be another's elsewhere.
#[cfg(unix)]
fn hand_over(location: &Path, uid: u32, gid: u32) -> Result<(), (PathBuf, io::Error)> {
    use std::os::unix::fs::{MetadataExt, lchown};
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    #[expect(clippy::disallowed_methods, reason = "the location must be there to be given away")]
    std::fs::create_dir_all(location).map_err(at(location))?;
    let entries = std::fs::read_dir(location).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(at(location))?;
    let is_marker = |entry: &std::fs::DirEntry| entry.file_name() == TITLE_FILE && entry.path().is_file();
    let is_ours = entries.iter().any(is_marker);
    if !is_ours && entries.iter().any(|entry| is_foreign(&entry.file_name())) {
        return Ok(());
    }
    for path in entries.iter().map(std::fs::DirEntry::path).chain([location.to_owned()]) {
        let found = path.symlink_metadata().map_err(at(&path))?;
        let given = path == location || found.is_file() && found.nlink() == 1;
        if given && found.uid() != uid {
            lchown(&path, Some(uid), Some(gid)).map_err(at(&path))?;
        }
    }
    Ok(())
}

/// Reads the value of `--user`.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<User, UserError> {
    if text == "owner" {
        return Ok(User::Owner);
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number != u32::MAX);
    let (uid, gid) = text.split_once(':').unwrap_or((text, text));
    match (number(uid), number(gid)) {
        (Some(uid), Some(gid)) => Ok(User::Is { uid, gid }),
        _ => Err(UserError::Malformed(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_numbers_or_the_owner() {
        assert_eq!(read("owner").unwrap(), User::Owner);
        assert_eq!(read("1000").unwrap(), User::Is { uid: 1000, gid: 1000 });
        assert_eq!(read("1000:50").unwrap(), User::Is { uid: 1000, gid: 50 });
        for text in ["me", "", "1000:", ":1", "-1", "4294967295", "1:2:3"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
