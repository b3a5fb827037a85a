//! Security descriptors in the security descriptor definition language (SDDL): `O:SYG:BAD:(A;;FA;;;SY)`. The server checks their syntax,
//! stores and returns them; they decide nobody's access.

use crate::rules::checksums::Md5;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::digits;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The longest descriptor that fits into a header, in bytes. A longer one is created first, and then named by its key.
const HEADER_LIMIT: usize = 8 << 10;

/// What a directory inherits from the root directory.
pub const OF_DIRECTORIES: &str = "O:BAG:SYD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;AU)(A;OICI;0x1200a9;;;BU)";
/// What a file inherits from the root directory.
pub const OF_FILES: &str = "O:BAG:SYD:(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1301bf;;;AU)(A;ID;0x1200a9;;;BU)";

/// The key of a security descriptor in a share: two numbers, `7855875120676328179*422928105932735866`.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(u64, u64);

impl Key {
    /// The key of a descriptor: the same for the same text, completed or not, in every share.
    pub fn of(sddl: &str) -> Key {
        let Md5(digest) = Md5::of(complete(sddl).as_bytes());
        let number = u128::from_be_bytes(digest);
        // The highest bit keeps every key as long as those of the real service.
        let half = |bits: u64| bits | 1 << 63;
        Key(half((number >> 64) as u64), half(number as u64))
    }

    pub const fn numbers(self) -> (u64, u64) {
        (self.0, self.1)
    }

    /// The key with these numbers.
    pub const fn numbered(one: u64, other: u64) -> Key {
        Key(one, other)
    }

    /// Parses a key.
    pub fn parse(text: &str) -> Option<Key> {
        let (one, other) = text.split_once('*')?;
        Some(Key(digits(one)?, digits(other)?))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*{}", self.0, self.1)
    }
}

/// The audit list of a descriptor without one.
const NO_AUDIT: &str = "S:NO_ACCESS_CONTROL";

/// A descriptor as responses have it: without an audit list (`S:`), it gets an empty one (recorded).
pub fn complete(text: &str) -> Cow<'_, str> {
    match after_access(text) {
        Some("") => Cow::Owned(format!("{}{NO_AUDIT}", text.trim())),
        _ => Cow::Borrowed(text),
    }
}

/// The rest after owner, group and access list: nothing, or the audit list.
fn after_access(text: &str) -> Option<&str> {
    skip_parts(text.trim(), &[("O:", skip_sid), ("G:", skip_sid), ("D:", skip_list)])
}

type Skip = fn(&str) -> Option<&str>;

/// The rest after parts that are optional, each behind its letter.
fn skip_parts<'a>(text: &'a str, parts: &[(&str, Skip)]) -> Option<&'a str> {
    parts.iter().try_fold(text, |rest, (letter, skip)| rest.strip_prefix(letter).map_or(Some(rest), skip))
}

/// Checks that a descriptor fits into a header.
///
/// # Errors
/// 400 FileInvalidPermission for more than 8 KiB.
pub fn check_length(text: &str) -> Result<(), StorageError> {
    match text.len() > HEADER_LIMIT {
        true => Err(ErrorCode::FileInvalidPermission.with_reason("over 8 KiB: create the permission and name its key")),
        false => Ok(()),
    }
}

/// Checks the syntax of a descriptor: an owner, a group, and lists of access control entries, each at most once and in this order.
///
/// # Errors
/// 400 FileInvalidPermission.
pub fn check(text: &str) -> Result<(), StorageError> {
    let invalid = || ErrorCode::FileInvalidPermission.with_reason(format!("{text:?} is not a security descriptor"));
    let audited = |rest| skip_parts(rest, &[("S:", skip_list)]);
    match after_access(text).and_then(audited) {
        Some("") if !text.trim().is_empty() => Ok(()),
        _ => Err(invalid()),
    }
}

/// The rest after a SID: two capital letters for a well-known one, or `S-1-…`.
pub(super) fn skip_sid(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix("S-1-") {
        let end = after.find(|c: char| !c.is_ascii_hexdigit() && c != '-' && c != 'x').unwrap_or(after.len());
        // The D of `D:` could be a hexadecimal digit.
        let end = if after[end..].starts_with(':') { end.checked_sub(1)? } else { end };
        return (end > 0).then(|| &after[end..]);
    }
    let (alias, rest) = text.split_at_checked(2)?;
    alias.bytes().all(|byte| byte.is_ascii_uppercase()).then_some(rest)
}

/// The rest after a list: flags, then entries in parentheses.
pub(super) fn skip_list(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(flag) = ["P", "AR", "AI", "NO_ACCESS_CONTROL"].iter().find(|flag| rest.starts_with(**flag)) {
        rest = &rest[flag.len()..];
    }
    while let Some(after) = rest.strip_prefix('(') {
        let (entry, beyond) = after.split_at_checked(closing(after)?)?;
        check_entry(entry)?;
        rest = beyond.strip_prefix(')')?;
    }
    Some(rest)
}

/// The position of the parenthesis that closes one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        open += i32::from(c == '(') - i32::from(c == ')');
        (open == 0).then_some(at)
    })
}

/// Checks `type;flags;rights;object;inherited object;account`, with an optional condition.
fn check_entry(entry: &str) -> Option<()> {
    let fields: Vec<&str> = entry.splitn(7, ';').collect();
    let [kind, flags, rights, _, _, account, ..] = fields[..] else { return None };
    let words = |text: &str| text.bytes().all(|byte| byte.is_ascii_uppercase());
    let known =
        ["A", "D", "AU", "AL", "OA", "OD", "OU", "OL", "ML", "XA", "XD", "RA", "SP", "XU", "ZA", "TL", "FL"].contains(&kind);
    let hex = rights.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_valid =
        known && words(flags) && flags.len().is_multiple_of(2) && (words(rights) || hex || digits::<u64>(rights).is_some());
    (is_valid && skip_sid(account) == Some("")).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_valid_or_refused() {
        for (text, is_valid) in [
            (OF_DIRECTORIES, true),
            (OF_FILES, true),
            ("O:SYG:SYD:(A;;FA;;;BA)(A;;FA;;;SY)(A;;0x1200a9;;;BU)", true),
            (
                "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513D:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;S-1-5-21-397955417-626881126-188441444-3053964)",
                true,
            ),
            ("O:S-1-5-32-544D:P(D;OICI;FA;;;WD)S:(AU;SAFA;0x10000;;;WD)", true),
            ("D:(XA;;FX;;;WD;(@User.Title==\"PM\"))", true),
            ("O:BA", true),
            ("D:NO_ACCESS_CONTROL", true),
            ("", false),
            ("nonsense", false),
            ("O:", false),
            ("O:baG:SY", false),
            ("O:S-1-", false),
            ("D:(A;;FA;;;BA", false),
            ("D:(A;;FA;;)", false),
            ("D:(Q;;FA;;;BA)", false),
            ("D:(A;;0xzz;;;BA)", false),
            ("D:(A;OIC;FA;;;BA)", false),
            ("O:BAG:SYD:(A;;FA;;;SY)x", false),
            ("D:(A;;FA;;;BA)O:SY", false),
        ] {
            assert_eq!(check(text).is_ok(), is_valid, "{text}");
        }
        assert!(check_length(&format!("D:{}", "(A;;FA;;;BA)".repeat(700))).is_err());
    }

    #[test]
    fn a_descriptor_without_an_audit_list_gets_an_empty_one() {
        for (text, whole) in [
            ("O:SYG:BAD:(A;;FA;;;SY)", "O:SYG:BAD:(A;;FA;;;SY)S:NO_ACCESS_CONTROL"),
            ("O:BA", "O:BAS:NO_ACCESS_CONTROL"),
            ("D:AI(A;;FA;;;S-1-5-21-397955417)", "D:AI(A;;FA;;;S-1-5-21-397955417)S:NO_ACCESS_CONTROL"),
            ("D:(A;;FA;;;SY)S:NO_ACCESS_CONTROL", "D:(A;;FA;;;SY)S:NO_ACCESS_CONTROL"),
            ("D:(A;;FA;;;SY)S:(AU;SAFA;FA;;;WD)", "D:(A;;FA;;;SY)S:(AU;SAFA;FA;;;WD)"),
        ] {
            assert_eq!(complete(text), whole);
            assert_eq!(Key::of(text), Key::of(whole));
            check(whole).unwrap();
        }
    }

    #[test]
    fn a_written_key_is_parsed() {
        let key = Key::of(OF_FILES);
        assert_eq!(Key::parse(&key.to_string()), Some(key));
        assert_ne!(key, Key::of(OF_DIRECTORIES));
        assert!(key.to_string().split('*').all(|half| (19..=20).contains(&half.len())), "{key}");
        for invalid in ["", "1", "*", "1*", "1*2*3", "-1*2", "+1*2", "99999999999999999999999*1"] {
            assert_eq!(Key::parse(invalid), None, "{invalid}");
        }
    }
}
