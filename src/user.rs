//! The user that the server runs as. If root starts it, as in a container, it becomes another user before it opens a port.

#[cfg(unix)]
use crate::store::disk::folder::TITLE_FILE;
use crate::store::disk::folder::is_foreign;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The user that a server becomes if root starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The owner of the location. If that is root or there is no location, it is [`NOBODY`], which then gets the location.
    Owner,
    /// The user with this number.
    Is {
        uid: u32,
        /// The number of the group.
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
    #[cfg(not(unix))]
    #[error("this system has no users by number")]
    Unsupported,
}

/// The unprivileged user and group that a server becomes if the location has no other owner: "nonroot" in many images.
pub const NOBODY: u32 = 65532;

/// The numbers of the user and the group to become; `None` if the process is not root or stays root.
///
/// # Errors
/// [`UserError::NoOwner`].
#[cfg(unix)]
pub fn to_become(user: Option<User>, location: Option<&Path>) -> Result<Option<(u32, u32)>, UserError> {
    let numbers = match user {
        None => return Ok(None),
        Some(User::Is { uid, gid }) => (uid, gid),
        Some(User::Owner) => owner(location)?,
    };
    Ok(Some(numbers).filter(|(uid, _)| *uid != 0 && rustix::process::geteuid().is_root()))
}

/// Makes this user and group the owners of the location and of Lazuli's files in it, and then becomes them.
///
/// The process must have no second thread yet: only the calling thread and those that it starts later change their user.
///
/// # Errors
/// [`UserError::HandOver`], [`UserError::Become`]. Files that Lazuli did not write are never changed.
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

/// Returns `None`: users have no numbers on this system.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn to_become(_: Option<User>, _: Option<&Path>) -> Result<Option<(u32, u32)>, UserError> {
    Ok(None)
}

/// Fails: users have no numbers on this system.
///
/// # Errors
/// [`UserError::Unsupported`].
#[cfg(not(unix))]
pub fn take_on(_: (u32, u32), _: Option<&Path>) -> Result<(), UserError> {
    Err(UserError::Unsupported)
}

/// The owner of the location, or of its nearest ancestor that exists.
#[cfg(unix)]
fn owner(location: Option<&Path>) -> Result<(u32, u32), UserError> {
    use std::os::unix::fs::MetadataExt;
    let nobody = (NOBODY, NOBODY);
    let Some(location) = location else { return Ok(nobody) };
    let whole = std::path::absolute(location).map_err(|error| UserError::NoOwner { location: location.to_owned(), error })?;
    let found = whole.ancestors().find_map(|folder| folder.metadata().ok());
    Ok(found.map(|folder| (folder.uid(), folder.gid())).filter(|(uid, _)| *uid != 0).unwrap_or(nobody))
}

/// Creates the location, and makes a user the owner of it and of Lazuli's files in it. A folder that contains files of another program
/// keeps its owner, and so does a file with several hard links, which may belong to another program too.
#[cfg(unix)]
fn hand_over(location: &Path, uid: u32, gid: u32) -> Result<(), (PathBuf, io::Error)> {
    use std::os::unix::fs::{MetadataExt, lchown};
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    #[expect(clippy::disallowed_methods, reason = "the location must exist before its owner is changed")]
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

/// Parses the value of `--user`.
///
/// # Errors
/// [`UserError::Malformed`].
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
