//! Permission bits: read, write and execute for the owner, the owning group and others, and the sticky bit.

use crate::rules::error::{ErrorCode, StorageError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A set of read, write and execute.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rwx(u8);

impl Rwx {
    pub const NONE: Rwx = Rwx(0);
    pub const EXECUTE: Rwx = Rwx(1);
    pub const WRITE: Rwx = Rwx(2);
    pub const READ: Rwx = Rwx(4);
    pub const ALL: Rwx = Rwx(7);

    /// Parses the form `r-x`.
    pub fn parse(text: &str) -> Option<Rwx> {
        let &[read, write, execute] = text.as_bytes() else { return None };
        let bit = |byte: u8, letter: u8, rwx: Rwx| match byte {
            b'-' => Some(Rwx::NONE),
            _ => (byte == letter).then_some(rwx),
        };
        let parts = [bit(read, b'r', Rwx::READ)?, bit(write, b'w', Rwx::WRITE)?, bit(execute, b'x', Rwx::EXECUTE)?];
        Some(parts.into_iter().fold(Rwx::NONE, Rwx::union))
    }

    pub const fn union(self, other: Rwx) -> Rwx {
        Rwx(self.0 | other.0)
    }

    pub const fn intersection(self, other: Rwx) -> Rwx {
        Rwx(self.0 & other.0)
    }

    /// Returns true if this set has all of the other one.
    pub const fn contains(self, other: Rwx) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Display for Rwx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rwx, letter) in [(Rwx::READ, "r"), (Rwx::WRITE, "w"), (Rwx::EXECUTE, "x")] {
            f.write_str(if self.contains(rwx) { letter } else { "-" })?;
        }
        Ok(())
    }
}

/// The permission bits of a path, in the order of their octal form.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permissions(u16);

impl Permissions {
    /// `rwxr-x---`, of the root directory of a new file system.
    pub const ROOT: Permissions = Permissions(0o750);
    /// What a new directory gets if the request names no permissions, before the umask.
    pub const NEW_DIRECTORY: Permissions = Permissions(0o777);
    /// What a new file gets if the request names no permissions, before the umask.
    pub const NEW_FILE: Permissions = Permissions(0o666);
    const STICKY: u16 = 0o1000;

    pub const fn new(user: Rwx, group: Rwx, other: Rwx) -> Permissions {
        Permissions((user.0 as u16) << 6 | (group.0 as u16) << 3 | other.0 as u16)
    }

    /// Parses `x-ms-permissions`: four octal digits, or nine letters with `t` or `T` for the sticky bit (`T` without execute for others).
    ///
    /// # Errors
    /// 400 InvalidPermission.
    pub fn parse(text: &str) -> Result<Permissions, StorageError> {
        octal(text)
            .filter(|bits| *bits <= 0o1777)
            .map(Permissions)
            .or_else(|| Permissions::parse_letters(text))
            .ok_or_else(|| ErrorCode::InvalidPermission.with_reason(format!("{text:?} is neither like 0750 nor like rwxr-x---")))
    }

    fn parse_letters(text: &str) -> Option<Permissions> {
        if text.len() != 9 || !text.is_ascii() {
            return None;
        }
        let (classes, last) = text.split_at(8);
        let (last, sticky) = match last {
            "t" => ("x", true),
            "T" => ("-", true),
            last => (last, false),
        };
        let (user, group, other) = (Rwx::parse(&classes[..3])?, Rwx::parse(&classes[3..6])?, &classes[6..]);
        let other = Rwx::parse(&format!("{other}{last}"))?;
        Some(Permissions::new(user, group, other).with_sticky(sticky))
    }

    pub const fn user(self) -> Rwx {
        Rwx((self.0 >> 6 & 7) as u8)
    }

    pub const fn group(self) -> Rwx {
        Rwx((self.0 >> 3 & 7) as u8)
    }

    pub const fn other(self) -> Rwx {
        Rwx((self.0 & 7) as u8)
    }

    pub const fn is_sticky(self) -> bool {
        self.0 & Permissions::STICKY != 0
    }

    pub const fn with_user(self, user: Rwx) -> Permissions {
        Permissions::new(user, self.group(), self.other()).with_sticky(self.is_sticky())
    }

    pub const fn with_group(self, group: Rwx) -> Permissions {
        Permissions::new(self.user(), group, self.other()).with_sticky(self.is_sticky())
    }

    pub const fn with_other(self, other: Rwx) -> Permissions {
        Permissions::new(self.user(), self.group(), other).with_sticky(self.is_sticky())
    }

    pub const fn with_sticky(self, sticky: bool) -> Permissions {
        Permissions(self.0 & 0o777 | if sticky { Permissions::STICKY } else { 0 })
    }

    /// These permissions without those that the umask removes.
    pub const fn masked(self, umask: Umask) -> Permissions {
        Permissions(self.0 & !umask.0)
    }
}

/// The form `rwxr-x--t`.
impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}{}{}", self.user(), self.group(), self.other());
        match (self.is_sticky(), self.other().contains(Rwx::EXECUTE)) {
            (false, _) => f.write_str(&text),
            (true, execute) => write!(f, "{}{}", text.get(..8).unwrap_or_default(), if execute { 't' } else { 'T' }),
        }
    }
}

/// The permissions that a new path does not get (`x-ms-umask`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Umask(u16);

impl Default for Umask {
    fn default() -> Umask {
        Umask(0o027)
    }
}

impl Umask {
    /// Parses four octal digits.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue. No source has the code of the service.
    pub fn parse(text: &str) -> Result<Umask, StorageError> {
        let umask = octal(text).filter(|bits| *bits <= 0o777).map(Umask);
        umask.ok_or_else(|| StorageError::invalid_header("x-ms-umask", text))
    }
}

/// Four octal digits.
fn octal(text: &str) -> Option<u16> {
    let is_octal = text.len() == 4 && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    is_octal.then(|| u16::from_str_radix(text, 8).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_in_both_forms() {
        for (text, expected) in [
            ("0000", "---------"),
            ("0750", "rwxr-x---"),
            ("0777", "rwxrwxrwx"),
            ("1777", "rwxrwxrwt"),
            ("1776", "rwxrwxrwT"),
            ("1000", "--------T"),
            ("rwxr-x---", "rwxr-x---"),
            ("rwxr-x--t", "rwxr-x--t"),
            ("rw-rw-r-T", "rw-rw-r-T"),
            ("-w-r-x--x", "-w-r-x--x"),
        ] {
            let permissions = Permissions::parse(text).unwrap();
            assert_eq!(permissions.to_string(), expected, "{text}");
            assert_eq!(Permissions::parse(expected), Ok(permissions));
        }
        for text in [
            "",
            "asdf",
            "750",
            "00750",
            "0758",
            "+750",
            "2777",
            "4755",
            "rwxrwxrw",
            "rwxrwxrwx+",
            "rwxrwxrws",
            "tttrwxrwx",
            "rwxrwxr-é",
            "wrxrwxrwx",
            "RWXRWXRWX",
        ] {
            assert_eq!(Permissions::parse(text).map_err(|error| error.code()), Err(ErrorCode::InvalidPermission), "{text}");
        }
    }

    #[test]
    fn every_number_is_read_back_from_its_letters() {
        for bits in 0..=0o1777 {
            let permissions = Permissions(bits);
            assert_eq!(Permissions::parse(&permissions.to_string()), Ok(permissions));
            assert_eq!(Permissions::parse(&format!("{bits:04o}")), Ok(permissions));
            let (user, group, other) = (permissions.user(), permissions.group(), permissions.other());
            let built = Permissions::default().with_user(user).with_group(group).with_other(other);
            assert_eq!(built.with_sticky(permissions.is_sticky()), permissions);
        }
    }

    /// The first three are recorded; the last is from the .NET tests.
    #[test]
    fn the_umask_removes_permissions() {
        for (permissions, umask, expected) in [
            (Permissions::NEW_DIRECTORY, None, "rwxr-x---"),
            (Permissions::NEW_FILE, None, "rw-r-----"),
            (Permissions::parse("0777").unwrap(), None, "rwxr-x---"),
            (Permissions::parse("0777").unwrap(), Some("0057"), "rwx-w----"),
            (Permissions::parse("1777").unwrap(), Some("0777"), "--------T"),
            (Permissions::parse("0777").unwrap(), Some("0000"), "rwxrwxrwx"),
        ] {
            let umask = umask.map_or(Umask::default(), |text| Umask::parse(text).unwrap());
            assert_eq!(permissions.masked(umask).to_string(), expected, "{permissions} {umask:?}");
        }
        for text in ["", "27", "0028", "1027", "rwxr-x---"] {
            assert_eq!(Umask::parse(text), Err(StorageError::invalid_header("x-ms-umask", text)));
        }
    }

    #[test]
    fn sets_of_permissions() {
        let (rw, rx) = (Rwx::parse("rw-").unwrap(), Rwx::parse("r-x").unwrap());
        assert_eq!((rw.union(rx), rw.intersection(rx)), (Rwx::ALL, Rwx::READ));
        assert!(Rwx::ALL.contains(rw) && rw.contains(Rwx::NONE) && !rw.contains(rx));
        assert_eq!(rw, Rwx::READ.union(Rwx::WRITE));
        for text in ["", "rw", "rwx-", "xwr", "r x", "RWX", "é-"] {
            assert_eq!(Rwx::parse(text), None, "{text}");
        }
    }
}
