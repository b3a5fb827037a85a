//! The POSIX properties of a node: mode, owner and group. Only NFS shares store them.

use crate::rules::error::StorageError;
use crate::rules::text::{digits, optional_header};
use serde::{Deserialize, Serialize};

/// The POSIX properties of a node.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posix {
    /// The permission bits, in octal: `0664`.
    pub mode: String,
    /// The owner's number.
    pub owner: String,
    /// The group's number.
    pub group: String,
}

/// The type of a node, which its default mode depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PosixFileType {
    Directory,
    File,
    /// A symbolic link.
    Link,
}

impl PosixFileType {
    const fn default_mode(self) -> &'static str {
        match self {
            PosixFileType::Directory => "0755",
            PosixFileType::File => "0664",
            PosixFileType::Link => "0777",
        }
    }
}

/// The POSIX properties that a request sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PosixInput {
    mode: Option<String>,
    owner: Option<String>,
    group: Option<String>,
}

impl PosixInput {
    /// Parses the headers. `header` returns the value of a header that is present and not empty.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a mode that is not octal, or an owner or group that is not a number.
    pub fn parse<'a>(header: impl Fn(&'static str) -> Option<&'a str>) -> Result<PosixInput, StorageError> {
        let number = |text: &str| digits::<u32>(text).map(|_| text.to_owned());
        let octal = |text: &str| {
            let is_octal = text.len() <= 4 && text.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
            is_octal.then(|| format!("{text:0>4}"))
        };
        Ok(PosixInput {
            mode: optional_header("x-ms-mode", header("x-ms-mode"), octal)?,
            owner: optional_header("x-ms-owner", header("x-ms-owner"), number)?,
            group: optional_header("x-ms-group", header("x-ms-group"), number)?,
        })
    }

    /// The name of the first header that the request has.
    pub fn first_header(&self) -> Option<&'static str> {
        let headers = [("x-ms-mode", &self.mode), ("x-ms-owner", &self.owner), ("x-ms-group", &self.group)];
        headers.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
    }

    /// The properties after the request. A new node belongs to root.
    pub fn apply(self, before: Option<&Posix>, file_type: PosixFileType) -> Posix {
        let before = before.cloned().unwrap_or_else(|| Posix::of_new(file_type));
        Posix {
            mode: self.mode.unwrap_or(before.mode),
            owner: self.owner.unwrap_or(before.owner),
            group: self.group.unwrap_or(before.group),
        }
    }
}

impl Posix {
    /// The properties of a new node whose request sets none.
    pub fn of_new(file_type: PosixFileType) -> Posix {
        Posix { mode: file_type.default_mode().to_owned(), owner: "0".to_owned(), group: "0".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(headers: &[(&str, &'static str)]) -> Result<PosixInput, StorageError> {
        PosixInput::parse(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn headers_are_applied_to_the_properties() {
        let file = parse(&[("x-ms-mode", "640"), ("x-ms-owner", "1000")]).unwrap().apply(None, PosixFileType::File);
        assert_eq!(file, Posix { mode: "0640".into(), owner: "1000".into(), group: "0".into() });
        let group = parse(&[("x-ms-group", "7")]).unwrap();
        assert_eq!(group.first_header(), Some("x-ms-group"));
        assert_eq!(group.apply(Some(&file), PosixFileType::File), Posix { group: "7".into(), ..file });
        assert_eq!(Posix::of_new(PosixFileType::Directory).mode, "0755");
        assert_eq!(Posix::of_new(PosixFileType::Link).mode, "0777");
        for (header, value) in [
            ("x-ms-mode", "0888"),
            ("x-ms-mode", "rwxr-x---"),
            ("x-ms-mode", "00644"),
            ("x-ms-owner", "root"),
            ("x-ms-group", "+1"),
        ] {
            assert_eq!(parse(&[(header, value)]).unwrap_err().details()[0].1, header, "{value}");
        }
    }
}
