//! What a file or a directory has because Unix knows it: mode, owner and group. Only shares that are served over NFS keep them.

use crate::rules::error::StorageError;

/// What Unix keeps of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posix {
    /// The permission bits, in octal: `0664`.
    pub mode: String,
    /// The number of its owner.
    pub owner: String,
    /// The number of its group.
    pub group: String,
}

/// What sort of node a mode is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PosixFileType {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A symbolic link.
    Link,
}

impl PosixFileType {
    /// The mode of one that was given none.
    const fn mode(self) -> &'static str {
        match self {
            PosixFileType::Directory => "0755",
            PosixFileType::File => "0664",
            PosixFileType::Link => "0777",
        }
    }
}

/// What a request says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PosixInput {
    mode: Option<String>,
    owner: Option<String>,
    group: Option<String>,
}

impl PosixInput {
    /// Reads the headers that `find` finds, the empty ones left out.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a mode that is not octal, or an owner or group that is no number.
    pub fn read(find: impl Fn(&'static str) -> Option<String>) -> Result<PosixInput, StorageError> {
        let number = |name: &'static str| {
            let read = |text: String| match text.bytes().all(|digit| digit.is_ascii_digit()) && text.parse::<u32>().is_ok() {
                true => Ok(text),
                false => Err(StorageError::invalid_header(name, text)),
            };
            find(name).map(read).transpose()
        };
        let octal = |text: String| match text.len() <= 4 && text.bytes().all(|digit| matches!(digit, b'0'..=b'7')) {
            true => Ok(format!("{text:0>4}")),
            false => Err(StorageError::invalid_header("x-ms-mode", text)),
        };
        let mode = find("x-ms-mode").map(octal).transpose()?;
        Ok(PosixInput { mode, owner: number("x-ms-owner")?, group: number("x-ms-group")? })
    }

    /// The name of a header that says anything.
    pub fn says(&self) -> Option<&'static str> {
        let said = [("x-ms-mode", &self.mode), ("x-ms-owner", &self.owner), ("x-ms-group", &self.group)];
        said.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
    }

    /// This, over what was there before; a new node belongs to root.
    pub fn over(self, before: Option<&Posix>, sort: PosixFileType) -> Posix {
        let fresh = Posix { mode: sort.mode().to_owned(), owner: "0".to_owned(), group: "0".to_owned() };
        let before = before.cloned().unwrap_or(fresh);
        Posix {
            mode: self.mode.unwrap_or(before.mode),
            owner: self.owner.unwrap_or(before.owner),
            group: self.group.unwrap_or(before.group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(headers: &[(&str, &str)]) -> Result<PosixInput, StorageError> {
        PosixInput::read(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn headers_are_read_over_what_was_there() {
        let made = given(&[("x-ms-mode", "640"), ("x-ms-owner", "1000")]).unwrap().over(None, PosixFileType::File);
        assert_eq!(made, Posix { mode: "0640".into(), owner: "1000".into(), group: "0".into() });
        let group = given(&[("x-ms-group", "7")]).unwrap();
        assert_eq!(group.says(), Some("x-ms-group"));
        assert_eq!(group.over(Some(&made), PosixFileType::File), Posix { group: "7".into(), ..made });
        assert_eq!(PosixInput::default().over(None, PosixFileType::Directory).mode, "0755");
        assert_eq!(PosixInput::default().over(None, PosixFileType::Link).mode, "0777");
        for (header, value) in [
            ("x-ms-mode", "0888"),
            ("x-ms-mode", "rwxr-x---"),
            ("x-ms-mode", "00644"),
            ("x-ms-owner", "root"),
            ("x-ms-group", "+1"),
        ] {
            assert_eq!(given(&[(header, value)]).unwrap_err().details()[0].1, header, "{value}");
        }
    }
}
