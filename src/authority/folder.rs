//! Where the authority is kept: in the folder of a user's state, once for all servers of that user.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folder of the user's state; `None` if the environment names none.
pub fn state_folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The specification of XDG requires that relative paths are ignored.
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join("Library/Application Support")))
    } else {
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
    };
    Some(state?.join("lazuli"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn the_folder_is_that_of_the_users_state() {
        for (variables, folder) in [
            (&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/ann")][..], Some("/state/lazuli")),
            (&[("XDG_STATE_HOME", "state"), ("HOME", "/home/ann")], Some("/home/ann/.local/state/lazuli")),
            (&[("XDG_STATE_HOME", ""), ("HOME", "/home/ann")], Some("/home/ann/.local/state/lazuli")),
            (&[("HOME", "/")], Some("/.local/state/lazuli")),
            (&[("HOME", "")], None),
            (&[], None),
        ] {
            let variable = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.into());
            assert_eq!(state_folder(&variable), folder.map(PathBuf::from), "{variables:?}");
        }
    }
}
