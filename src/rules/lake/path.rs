//! Paths in a file system, and the order of its lists.
//!
//! A path is written in several ways: `/dir//file.` is `dir/file`. It is brought into one form when it is parsed, so that a path that a
//! list returns is always found again.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::wire_name::wire_enum;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// The most UTF-16 units of a path.
const UNITS: usize = 1024;

wire_enum! {
    /// What a path names (`resource`, `x-ms-resource-type`).
    /// Stored in this form: fields and variants keep their order.
    #[derive(Serialize, Deserialize)]
    PathKind {
        File "file",
        Directory "directory",
    }
}

/// The namespace of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// Names of blobs, in which slashes suggest directories.
    Flat,
    /// Directories with entries.
    Hierarchical,
}

impl Namespace {
    /// The most segments of a path. With the account and the file system it is 63 in a hierarchical namespace, as in the reference.
    const fn depth(self) -> usize {
        match self {
            Namespace::Flat => 254,
            Namespace::Hierarchical => 61,
        }
    }
}

/// The names in a path, however it is written: empty segments do not count, and neither do dots at the end of a segment, all of them, so
/// that a parsed path is parsed to itself. In a hierarchical namespace, names of blobs are paths too.
pub fn segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').map(|segment| segment.trim_end_matches('.')).filter(|segment| !segment.is_empty())
}

/// The path from the root directory to an entry: segments with slashes between them, without a leading one. The root is empty.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Path(Box<str>);

impl Path {
    /// Parses the decoded path below a file system to its [`segments`].
    ///
    /// # Errors
    /// 400 InvalidResourceName for control characters; 400 OutOfRangeInput for a path that is too long or too deep.
    pub fn parse(text: &str, namespace: Namespace) -> Result<Path, StorageError> {
        if text.contains(|c: char| c.is_ascii_control()) {
            return Err(ErrorCode::InvalidResourceName.with_reason("the path has a control character"));
        }
        let segments: Vec<&str> = segments(text).collect();
        if segments.len() > namespace.depth() {
            return Err(ErrorCode::OutOfRangeInput.with_reason(format!("more than {} path segments", namespace.depth())));
        }
        let text = segments.join("/");
        if text.encode_utf16().nth(UNITS).is_some() {
            return Err(ErrorCode::OutOfRangeInput
                .with_message("The specified resource name length is not within the permissible limits."));
        }
        Ok(Path(text.into()))
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The names from the root; none for the root itself.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// The number of segments, which `sdd` of a directory SAS names; 0 for the root.
    pub fn depth(&self) -> usize {
        self.segments().count()
    }

    /// The last segment; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// The directory of this entry; `None` for the root.
    pub fn parent(&self) -> Option<Path> {
        let (parent, _) = self.0.rsplit_once('/').unwrap_or_default();
        (!self.is_root()).then(|| Path(parent.into()))
    }

    /// All directories above, from the root down.
    pub fn ancestors(&self) -> impl Iterator<Item = Path> {
        let ends = self.0.match_indices('/').map(|(at, _)| at);
        let root = (!self.is_root()).then_some(0);
        root.into_iter().chain(ends).filter_map(|end| self.0.get(..end)).map(|text| Path(text.into()))
    }

    /// An entry of this directory.
    ///
    /// # Errors
    /// As [`Path::parse`].
    pub fn child(&self, name: &str, namespace: Namespace) -> Result<Path, StorageError> {
        Path::parse(&format!("{self}/{name}"), namespace)
    }

    /// Returns true for an entry in this directory or deeper; false for the directory itself.
    pub fn is_below(&self, directory: &Path) -> bool {
        let below = self.0.strip_prefix(&*directory.0);
        below.is_some_and(|rest| if directory.is_root() { !rest.is_empty() } else { rest.starts_with('/') })
    }

    /// The path as the client and lists write it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The order of lists and of recursive changes: a directory comes right before everything below it, and siblings are sorted by name. Plain
/// text would put `a-b` between `a` and `a/z`.
impl Ord for Path {
    fn cmp(&self, other: &Path) -> Ordering {
        // No segment has a NUL, so that a slash as a NUL compares segment by segment.
        let rank = |byte| if byte == b'/' { 0 } else { byte };
        self.0.bytes().map(rank).cmp(other.0.bytes().map(rank))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Path) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(text: &str) -> Path {
        Path::parse(text, Namespace::Hierarchical).unwrap()
    }

    #[test]
    fn paths_are_parsed_or_refused() {
        let deep = |segments: usize| vec!["a"; segments].join("/");
        let (long, longer) = ("ä".repeat(1024), "ä".repeat(1025));
        let (pairs, more_pairs) = ("😀".repeat(512), "😀".repeat(513));
        for (text, expected) in [
            ("", Ok("")),
            ("/", Ok("")),
            ("//", Ok("")),
            ("a", Ok("a")),
            ("/a/b/", Ok("a/b")),
            ("double//slash", Ok("double/slash")),
            ("dotseg./x", Ok("dotseg/x")),
            ("a/b.", Ok("a/b")),
            ("a../b", Ok("a/b")),
            ("a/./../b", Ok("a/b")),
            (".hidden/a.b", Ok(".hidden/a.b")),
            ("A/a", Ok("A/a")),
            (" !@#$%^&*(?/<>,.;:'\"[]{}|`~\\) def测试", Ok(" !@#$%^&*(?/<>,.;:'\"[]{}|`~\\) def测试")),
            (&long, Ok(&*long)),
            (&longer, Err("OutOfRangeInput")),
            (&pairs, Ok(&*pairs)),
            (&more_pairs, Err("OutOfRangeInput")),
            (&deep(61), Ok(&*deep(61))),
            (&deep(62), Err("OutOfRangeInput")),
            ("a\u{0}", Err("InvalidResourceName")),
            ("a\u{1f}b", Err("InvalidResourceName")),
            ("\u{7f}", Err("InvalidResourceName")),
            ("\u{80}", Ok("\u{80}")),
        ] {
            let read = Path::parse(text, Namespace::Hierarchical);
            let outcome = read.as_ref().map(Path::as_str).map_err(|error| error.code().name());
            assert_eq!(outcome, expected, "{text:?}");
        }
        assert!(Path::parse(&deep(254), Namespace::Flat).is_ok());
        assert!(Path::parse(&deep(255), Namespace::Flat).is_err());
    }

    #[test]
    fn parents_and_names() {
        for (text, parent, name, depth, ancestors) in [
            ("", None, None, 0, &[][..]),
            ("a", Some(""), Some("a"), 1, &[""]),
            ("a/b/c", Some("a/b"), Some("c"), 3, &["", "a", "a/b"]),
        ] {
            let path = path(text);
            assert_eq!(path.parent().as_ref().map(Path::as_str), parent);
            assert_eq!((path.name(), path.depth(), path.is_root()), (name, depth, text.is_empty()));
            let above: Vec<String> = path.ancestors().map(|path| path.to_string()).collect();
            assert_eq!(above, ancestors);
        }
        assert_eq!(path("a").child("b", Namespace::Hierarchical), Ok(path("a/b")));
        assert_eq!(Path::default().child("b", Namespace::Hierarchical), Ok(path("b")));
        assert!(path(&vec!["a"; 61].join("/")).child("b", Namespace::Hierarchical).is_err());
    }

    #[test]
    fn an_entry_is_below_its_directories() {
        for (entry, directory, below) in [
            ("a/b", "a", true),
            ("a/b/c", "a", true),
            ("a", "", true),
            ("a", "a", false),
            ("", "", false),
            ("ab", "a", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(path(entry).is_below(&path(directory)), below, "{entry} {directory}");
        }
    }

    #[test]
    fn a_directory_comes_right_before_its_entries() {
        let sorted = ["", "a", "a/b", "a/b/c", "a/b c", "a/z", "a b", "a-b", "a-b/c", "ab", "b"];
        for pair in sorted.windows(2) {
            assert!(path(pair[0]) < path(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn a_stored_path_is_its_text() {
        let stored = postcard::to_stdvec(&path("a/b")).unwrap();
        assert_eq!(stored, postcard::to_stdvec("a/b").unwrap());
        assert_eq!(postcard::from_bytes(&stored), Ok(path("a/b")));
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_segments(one in "[a/. -]{0,8}", other in "[a/. -]{0,8}") {
            let (one, other) = (path(&one), path(&other));
            let segments = |path: &Path| path.segments().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(one.cmp(&other), segments(&one).cmp(&segments(&other)));
            prop_assert_eq!(one == other, one.cmp(&other).is_eq());
            prop_assert_eq!(other.cmp(&one), one.cmp(&other).reverse());
        }

        #[test]
        fn a_parsed_path_is_parsed_to_itself(text in "[ab/.é]{0,12}") {
            let once = path(&text);
            prop_assert_eq!(path(once.as_str()), once);
        }
    }
}
