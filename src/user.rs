//! The user that the server runs as. If root starts it, as in a container, it becomes another user before it opens a port. Only Linux has
//! this: elsewhere no safe interface changes the user of a process.

#[cfg(target_os = "linux")]
use crate::store::disk::folder::{TITLE_FILE, TLS_FOLDER, is_foreign};
#[cfg(target_os = "linux")]
use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use thiserror::Error;

/// The user that a server becomes if root starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The owner of the location. If that is root or there is no location, it is user 65532, who then gets the location.
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
    #[cfg(target_os = "linux")]
    #[error("--location {}: {error}", .location.display())]
    NoOwner { location: PathBuf, error: io::Error },
    #[cfg(target_os = "linux")]
    #[error("{} cannot be given to user {uid}: {error}", .path.display())]
    HandOver { path: PathBuf, uid: u32, error: io::Error },
    #[cfg(target_os = "linux")]
    #[error("the server cannot become user {uid}: {error}")]
    Become { uid: u32, error: io::Error },
    #[cfg(not(target_os = "linux"))]
    #[error("--user: a server can become another user only on Linux")]
    Unsupported,
}

/// The unprivileged user and group that a server becomes if the location has no other owner: "nonroot" in many images.
#[cfg(target_os = "linux")]
const NOBODY: u32 = 65532;

/// The numbers of the user and the group to become; `None` if the process is not root or stays root.
///
/// # Errors
/// [`UserError::NoOwner`].
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
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

/// Returns `None` if the process keeps its user.
///
/// # Errors
/// [`UserError::Unsupported`].
#[cfg(not(target_os = "linux"))]
pub fn to_become(user: Option<User>, _: Option<&Path>) -> Result<Option<(u32, u32)>, UserError> {
    #[cfg(unix)]
    let is_root = rustix::process::geteuid().is_root();
    // Windows has no root, and no number of a user could be meant there.
    #[cfg(not(unix))]
    let is_root = true;
    match user {
        None | Some(User::Is { uid: 0, .. }) => Ok(None),
        Some(_) if is_root => Err(UserError::Unsupported),
        Some(_) => Ok(None),
    }
}

/// Fails.
///
/// # Errors
/// [`UserError::Unsupported`].
#[cfg(not(target_os = "linux"))]
pub fn take_on(_: (u32, u32), _: Option<&Path>) -> Result<(), UserError> {
    Err(UserError::Unsupported)
}

/// The owner of the location, or of its nearest ancestor that exists.
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
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
    let tls = location.join(TLS_FOLDER);
    let authority = if tls.is_dir() && !tls.is_symlink() {
        std::fs::read_dir(&tls).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(at(&tls))?
    } else {
        Vec::new()
    };
    for path in authority.iter().chain(&entries).map(std::fs::DirEntry::path).chain([location.to_owned()]) {
        let found = path.symlink_metadata().map_err(at(&path))?;
        let given = path == location || path == tls && found.is_dir() || found.is_file() && found.nlink() == 1;
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
