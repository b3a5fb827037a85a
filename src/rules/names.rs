//! Names: the valid ones, and their form in URLs and in XML.
//!
//! A URL is decoded once. After that a name is plain text, compared byte by byte; blob names are case-sensitive.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::Path;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The container that the URL of a blob need not name: `/account/blob`.
pub const ROOT: &str = "$root";

/// The containers of the service, whose names are exceptions to the rule.
const SPECIAL: [&str; 4] = [ROOT, "$web", LOGS, CHANGE_FEED];

/// The container of an account's logs. The service creates it when logging is enabled, and never deletes it.
pub const LOGS: &str = "$logs";
/// The container of an account's change feed.
pub const CHANGE_FEED: &str = "$blobchangefeed";
/// The containers that only the service creates and deletes. They are listed only with `include=system`.
pub const SYSTEM: [&str; 2] = [LOGS, CHANGE_FEED];
/// The most characters of a blob's name.
const BLOB_CHARACTERS: usize = 1024;
/// The most parts between the slashes of a blob's name.
const BLOB_SEGMENTS: usize = 254;
/// The message about a name that is too short or too long.
const LENGTH: &str = "The specified resource name length is not within the permissible limits.";
/// All but RFC 3986's unreserved characters. The service also encodes slashes.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Declares a type for valid names.
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks a decoded name.
            ///
            /// # Errors
            /// 400 OutOfRangeInput or InvalidResourceName.
            pub fn parse(name: &str) -> Result<$name, StorageError> {
                $check(name).map(|()| $name(name.into()))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<&$name> for std::sync::Arc<str> {
            fn from(name: &$name) -> std::sync::Arc<str> {
                (&*name.0).into()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_type! {
    /// The name of a container.
    ContainerName, container
}
name_type! {
    /// The name of a blob.
    BlobName, blob
}
name_type! {
    /// The name of a queue.
    QueueName, plain
}
name_type! {
    /// The name of a table, in the letter case of the client.
    TableName, table
}
name_type! {
    /// The name of a share.
    ShareName, share
}

impl BlobName {
    /// The name of a path in a hierarchical namespace; empty for the root directory.
    pub fn of_path(path: &Path) -> BlobName {
        BlobName(path.as_str().into())
    }
}

/// Returns true for a valid name of an account: 3 to 24 lower-case letters and digits.
pub fn account(name: &str) -> bool {
    (3..=24).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Checks the name of a table: a letter, then letters and digits, 3 to 63 in total, and not `tables`.
///
/// # Errors
/// 400 InvalidResourceName or OutOfRangeInput.
pub fn table(name: &str) -> Result<(), StorageError> {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !first || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) || name.eq_ignore_ascii_case("tables") {
        return Err(ErrorCode::InvalidResourceName
            .with_reason(format!("{name:?} is not a table's name: a letter, then letters and digits, and not \"tables\"")));
    }
    if (3..=63).contains(&name.len()) { Ok(()) } else { Err(ErrorCode::OutOfRangeInput.with_message(LENGTH)) }
}

/// Checks the name of a container: 3 to 63 lower-case letters, digits and single hyphens, a letter or digit at both ends; or a container
/// of the service, such as `$root`.
///
/// # Errors
/// 400 OutOfRangeInput for the length, InvalidResourceName for the characters.
pub fn container(name: &str) -> Result<(), StorageError> {
    if SPECIAL.contains(&name) { Ok(()) } else { plain(name) }
}

/// Checks the name of a share: as for a container, without the containers of the service.
///
/// # Errors
/// 400 OutOfRangeInput for the length, InvalidResourceName for the characters.
pub fn share(name: &str) -> Result<(), StorageError> {
    if name.starts_with('$') {
        return Err(
            ErrorCode::InvalidResourceName.with_reason(format!("{name:?} is not a valid name of a share: it starts with $"))
        );
    }
    plain(name)
}

fn plain(name: &str) -> Result<(), StorageError> {
    if !(3..=63).contains(&name.chars().count()) {
        return Err(ErrorCode::OutOfRangeInput.with_message(LENGTH));
    }
    let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !plain || name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Err(ErrorCode::InvalidResourceName.with_reason(format!(
            "{name:?} has to be lower-case letters, digits and single hyphens, with a letter or digit at both ends"
        )));
    }
    Ok(())
}

/// Checks the name of a blob: 1 to 1024 characters of any kind, in at most 254 parts between slashes.
pub fn blob(name: &str) -> Result<(), StorageError> {
    if name.is_empty() || name.chars().nth(BLOB_CHARACTERS).is_some() {
        return Err(ErrorCode::OutOfRangeInput.with_message(LENGTH));
    }
    if name.split('/').nth(BLOB_SEGMENTS).is_some() {
        return Err(ErrorCode::OutOfRangeInput.with_reason(format!("more than {BLOB_SEGMENTS} path segments")));
    }
    Ok(())
}

/// Checks the name of a blob in `$root`. It has no slash, because `/account/a/b` is the blob `b` in the container `a`.
pub fn root_blob(name: &str) -> Result<(), StorageError> {
    if name.contains('/') {
        return Err(ErrorCode::InvalidResourceName.with_reason("a blob in the root container cannot have a slash in its name"));
    }
    blob(name)
}

/// Decodes the path of a URL, or a part of it, to a name: percent-encoding is decoded once, `+` stays `+`, a backslash becomes a slash.
///
/// # Errors
/// 400 InvalidUri unless it is percent-encoded UTF-8.
pub fn decode(path: &str) -> Result<String, StorageError> {
    let name =
        unescape(path).ok_or_else(|| ErrorCode::InvalidUri.with_reason(format!("{path:?} is not percent-encoded UTF-8")))?;
    Ok(if name.contains('\\') { name.replace('\\', "/") } else { name })
}

/// The meaning of `+` in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plus {
    /// Itself.
    Itself,
    /// A space, as in form encoding.
    Space,
}

/// The meaning of a query parameter without `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bare {
    /// A name with an empty value.
    Name,
    /// A value with an empty name, as .NET parses queries.
    Value,
}

/// A decoded query: names and values in the order of the URL.
pub type QueryPairs = Vec<(String, String)>;

/// The parameters whose values are base64, which contains no spaces.
const BASE64: [&str; 3] = ["sig", "blockid", "popreceipt"];

/// Decodes a query, without its `?`, to names and values in their order; a name without `=` has an empty value.
///
/// `+` is a space, as in form encoding, for operations and for shared access signatures: recorded clients send
/// `$filter=PartitionKey+eq+%27003%27`, rclone and `object_store` send `prefix=foo+bar%2F`, and Azure.Storage.Blobs signs
/// `attachment; filename=a` and writes `rscd=attachment;+filename=a`. A plus is sent as `%2B`. Only in base64 `+` is a plus that the client
/// did not encode.
///
/// # Errors
/// 400 InvalidQueryParameterValue with the name of the parameter for a value that is not percent-encoded UTF-8; 400 InvalidUri for such a
/// name.
pub fn decode_query(query: &str) -> Result<QueryPairs, StorageError> {
    decode_query_as(query, Plus::Space, Bare::Name)
}

/// The possible meanings of a query that was signed with Shared Key, that of the service first, without duplicates; nearly always one.
///
/// A client that does not encode `+` signs it as a plus or as a space. A parameter without `=`, such as the `update` in
/// `comp=page&update` of Microsoft.Azure.Storage, is a value with an empty name for the service, and a name with an empty value for some
/// clients.
///
/// # Errors
/// As [`decode_query`].
pub fn signed_queries(query: &str) -> Result<Vec<QueryPairs>, StorageError> {
    let has_bare = query.split('&').any(|pair| !pair.is_empty() && !pair.contains('='));
    let bares: &[Bare] = if has_bare { &[Bare::Value, Bare::Name] } else { &[Bare::Name] };
    let pluses: &[Plus] = if query.contains('+') { &[Plus::Itself, Plus::Space] } else { &[Plus::Space] };
    let readings = bares.iter().flat_map(|bare| pluses.iter().map(|plus| decode_query_as(query, *plus, *bare)));
    readings.collect()
}

fn decode_query_as(query: &str, plus: Plus, bare: Bare) -> Result<QueryPairs, StorageError> {
    let read = |text: &str, plus: Plus| match plus {
        Plus::Space if text.contains('+') => unescape(&text.replace('+', " ")),
        _ => unescape(text),
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let alone = match bare {
                Bare::Name => (pair, ""),
                Bare::Value => ("", pair),
            };
            let (name, value) = pair.split_once('=').unwrap_or(alone);
            let name = read(name, plus)
                .ok_or_else(|| ErrorCode::InvalidUri.with_reason(format!("{name:?} is not percent-encoded UTF-8")))?;
            let plus = if BASE64.iter().any(|known| name.eq_ignore_ascii_case(known)) { Plus::Itself } else { plus };
            match read(value, plus) {
                Some(value) => Ok((name, value)),
                None => Err(StorageError::invalid_query(&name, value, "The value is not percent-encoded UTF-8.")),
            }
        })
        .collect()
}

/// Decodes percent-encoding; `None` if a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
pub fn unescape(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let whole = |after: &str| after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if !text.split('%').skip(1).all(whole) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(Into::into)
}

/// The content of `<Name Encoded="true">`, for a name with characters that XML 1.0 does not allow: control characters other than tab, line
/// feed and carriage return, U+FFFE, U+FFFF. The service encodes the full name, including its slashes: `dir%EF%BF%BF1%2F`.
///
/// `None` for other names, which are nearly all.
pub fn encoded_xml(name: &str) -> Option<String> {
    name.contains(unfit_for_xml).then(|| utf8_percent_encode(name, RESERVED).to_string())
}

/// Returns true if XML 1.0 does not allow this character, escaped or not.
pub fn unfit_for_xml(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts() {
        for (name, good) in [
            ("devstoreaccount1", true),
            ("abc", true),
            ("123", true),
            ("ab", false),
            ("Abc", false),
            ("a-c", false),
            ("äbc", false),
            ("abcdefghijklmnopqrstuvwxy", false),
        ] {
            assert_eq!(account(name), good, "{name}");
        }
    }

    #[test]
    fn containers() {
        let longest = "a".repeat(63);
        for name in ["abc", "a-b", "0a9", "a-b-c", longest.as_str(), "$root", "$web", "$logs", "$blobchangefeed"] {
            assert_eq!(container(name), Ok(()), "{name}");
        }
        for name in ["blobcontainercreatedeleteUPPERCASE", "啊齄丂狛狜", "a--b", "-ab", "ab-", "a_b", "a.b", "$rot", "a b", "a/b"]
        {
            let error = container(name).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidResourceName, "{name}");
            assert!(error.reason().starts_with(&format!("{name:?} has to be lower-case letters")), "{}", error.reason());
        }
        let long = "a".repeat(64);
        for name in ["", "ab", long.as_str()] {
            assert_eq!(container(name), Err(ErrorCode::OutOfRangeInput.with_message(LENGTH)), "{name}");
        }
    }

    #[test]
    fn queues() {
        let longest = "a".repeat(63);
        for name in ["abc", "a-b", "0a9", longest.as_str()] {
            assert_eq!(plain(name), Ok(()), "{name}");
        }
        for name in ["createdeleteUPPERCASE", "q|a", "a--b", "-ab", "ab-", "$root", "$logs", "a_b"] {
            assert_eq!(plain(name).unwrap_err().code(), ErrorCode::InvalidResourceName, "{name}");
        }
        let long = "a".repeat(64);
        for name in ["", "ab", long.as_str()] {
            assert_eq!(plain(name), Err(ErrorCode::OutOfRangeInput.with_message(LENGTH)), "{name}");
        }
    }

    #[test]
    fn names_of_shares_are_checked() {
        for (name, code) in [
            ("share", None),
            ("a-1", None),
            ("ab", Some("OutOfRangeInput")),
            ("Share", Some("InvalidResourceName")),
            ("$root", Some("InvalidResourceName")),
            ("啊齄丂狛狜", Some("InvalidResourceName")),
            ("a--b", Some("InvalidResourceName")),
        ] {
            assert_eq!(share(name).err().map(|error| error.code().name()), code, "{name}");
        }
    }

    #[test]
    fn blobs() {
        let longest = "狗".repeat(1024);
        let deepest = ["a"; 254].join("/");
        for name in ["a", "a/b", "?", " ", "/", ".", longest.as_str(), deepest.as_str()] {
            assert_eq!(blob(name), Ok(()), "{name}");
        }
        let (long, deep) = ("a".repeat(1025), ["a"; 255].join("/"));
        for name in ["", long.as_str(), deep.as_str()] {
            assert_eq!(blob(name).unwrap_err().code(), ErrorCode::OutOfRangeInput, "{name}");
        }
        assert_eq!(root_blob("a.txt"), Ok(()));
        assert_eq!(root_blob("a/b").unwrap_err().code(), ErrorCode::InvalidResourceName);
        assert_eq!(root_blob("").unwrap_err().code(), ErrorCode::OutOfRangeInput);
    }

    #[test]
    fn paths() {
        for (path, name) in [
            ("%3Fques%3Ftion%3F", "?ques?tion?"),
            ("dir1%2Fdir2", "dir1/dir2"),
            ("a+b%2B", "a+b+"),
            ("a%2541", "a%41"),
            ("%E5%95%8A", "啊"),
            ("%e5%95%8a", "啊"),
            (r"a\b%5Cc", "a/b/c"),
            ("a%20b !@$&*(,.;:'~)", "a b !@$&*(,.;:'~)"),
            ("", ""),
        ] {
            assert_eq!(decode(path).as_deref(), Ok(name), "{path}");
        }
        for path in ["%", "a%4", "%%41", "%zz", "%+1", "%C3", "%FF%FE"] {
            assert_eq!(decode(path).unwrap_err().code(), ErrorCode::InvalidUri, "{path}");
        }
    }

    #[test]
    fn queries() {
        let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect::<QueryPairs>();
        for (query, wanted) in [
            ("", pairs(&[])),
            ("comp=list&&prefix=a%2Fb", pairs(&[("comp", "list"), ("prefix", "a/b")])),
            ("sig=a+b%2B/c==&snapshot", pairs(&[("sig", "a+b+/c=="), ("snapshot", "")])),
            ("%63omp=list&comp=acl", pairs(&[("comp", "list"), ("comp", "acl")])),
            ("=x", pairs(&[("", "x")])),
            ("$filter=PartitionKey+eq+%27a%2Bb%27", pairs(&[("$filter", "PartitionKey eq 'a+b'")])),
            ("rscd=a;+b&blockid=a+b", pairs(&[("rscd", "a; b"), ("blockid", "a+b")])),
        ] {
            assert_eq!(decode_query(query), Ok(wanted), "{query}");
        }
        let error = decode_query("comp=list&prefix=%zz").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidQueryParameterValue);
        assert_eq!(error.details().first(), Some(&("QueryParameterName", "prefix".to_owned())));
        assert_eq!(decode_query("%F0=1").unwrap_err().code(), ErrorCode::InvalidUri);
        assert_eq!(signed_queries("%F0=1").unwrap_err().code(), ErrorCode::InvalidUri);
    }

    #[test]
    fn a_query_may_be_signed_in_several_ways() {
        for (query, wanted) in [
            ("", &[&[][..]][..]),
            ("comp=list&prefix=a%2Bb", &[&[("comp", "list"), ("prefix", "a+b")]]),
            ("prefix=a+b", &[&[("prefix", "a+b")], &[("prefix", "a b")]]),
            ("comp=page&update", &[&[("comp", "page"), ("", "update")], &[("comp", "page"), ("update", "")]]),
            ("a+&=", &[&[("", "a+"), ("", "")], &[("", "a "), ("", "")], &[("a+", ""), ("", "")], &[("a ", ""), ("", "")]]),
        ] {
            let read = signed_queries(query).unwrap();
            let read: Vec<Vec<(&str, &str)>> =
                read.iter().map(|pairs| pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()).collect();
            assert_eq!(read, wanted, "{query}");
        }
    }

    #[test]
    fn names_that_xml_cannot_hold() {
        for (name, encoded) in [
            ("dir\u{FFFF}1/", Some("dir%EF%BF%BF1%2F")),
            ("first_file\u{FFFF}.blob", Some("first_file%EF%BF%BF.blob")),
            ("file\u{FFFE} 0-~", Some("file%EF%BF%BE%200-~")),
            ("\x01é", Some("%01%C3%A9")),
            ("tab\tline\ncarriage\r", None),
            ("a&b<c>\u{85}\u{FFFD}😀", None),
            ("", None),
        ] {
            assert_eq!(encoded_xml(name).as_deref(), encoded, "{name:?}");
        }
    }
}
