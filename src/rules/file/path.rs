//! Names and paths in a file share. Names are stored in the letter case of the client, and match in any case.
//!
//! Source: "Naming and referencing shares, directories, files, and metadata" in the REST reference.

use crate::rules::error::{ErrorCode, StorageError};

/// The most characters of a path.
const PATH_CHARACTERS: usize = 2048;
/// The most names in a path.
const DEPTH: usize = 250;
/// The most characters of a name.
const NAME_CHARACTERS: usize = 255;
/// The names of devices, and the two relative names.
const RESERVED: [&str; 7] = ["PRN", "AUX", "NUL", "CON", "CLOCK$", ".", ".."];

/// The treatment of dots at the end of a name (`x-ms-allow-trailing-dot`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailingDots {
    /// They are not part of the name, as on Windows.
    #[default]
    Dropped,
    /// They are part of the name.
    Significant,
}

/// The path from the root directory to a directory or a file: names as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<String>);

impl Path {
    /// Parses a decoded path without a leading slash. The empty path is the root directory.
    ///
    /// # Errors
    /// 400 InvalidResourceName for an invalid character or name; OutOfRangeInput for a name of more than 255
    /// characters; InvalidFileOrDirectoryPathName for a path that is too long or too deep.
    pub fn parse(text: &str, dots: TrailingDots) -> Result<Path, StorageError> {
        let text = text.strip_suffix('/').unwrap_or(text);
        if text.is_empty() {
            return Ok(Path::default());
        }
        if text.chars().nth(PATH_CHARACTERS).is_some() {
            return Err(ErrorCode::InvalidFileOrDirectoryPathName.with_message("File or directory path is too long."));
        }
        let names: Vec<String> = text.split('/').map(|name| parse_name(name, dots)).collect::<Result<_, StorageError>>()?;
        if names.len() > DEPTH {
            return Err(
                ErrorCode::InvalidFileOrDirectoryPathName.with_message("File or directory path has too many subdirectories.")
            );
        }
        Ok(Path(names))
    }

    /// The names of the parent directory, and the last name; `None` for the root.
    pub fn split(&self) -> Option<(&[String], &str)> {
        self.0.split_last().map(|(last, above)| (above, last.as_str()))
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The names with slashes between them.
    pub fn text(&self) -> String {
        self.0.join("/")
    }
}

fn parse_name(name: &str, dots: TrailingDots) -> Result<String, StorageError> {
    let kept = match dots {
        TrailingDots::Dropped => name.trim_end_matches('.'),
        TrailingDots::Significant => name,
    };
    if kept.chars().nth(NAME_CHARACTERS).is_some() {
        return Err(
            ErrorCode::OutOfRangeInput.with_message("The specified resource name length is not within the permissible limits.")
        );
    }
    let forbidden = |c: char| matches!(c, '"' | '\\' | ':' | '|' | '<' | '>' | '*' | '?') || c.is_control();
    if kept.is_empty() || name.contains(forbidden) || is_reserved(name) || is_reserved(kept) {
        return Err(ErrorCode::InvalidResourceName.with_reason(format!(
            "{name:?} is not a valid name: it is empty, only dots, the name of a device such as CON, or has a control character or one of \
             \" \\ : | < > * ?"
        )));
    }
    Ok(kept.to_owned())
}

fn is_reserved(name: &str) -> bool {
    let port = |name: &str| {
        let number = ["LPT", "COM"].iter().find_map(|device| strip_prefix_in_any_case(name, device));
        number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
    };
    RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) || port(name)
}

fn strip_prefix_in_any_case<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The form of a name for lookups: names that differ only in case have the same. Like Windows, it maps single characters, in the same way
/// for every language: `ß` stays `ß`.
pub fn folded(name: &str) -> String {
    let fold = |c: char| {
        let mut upper = c.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(one), None) => one,
            _ => c,
        }
    };
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parsed_or_refused() {
        let (long, longer) = ("a".repeat(255), "a".repeat(256));
        let deep = |names: usize| vec!["a"; names].join("/");
        let far = format!("{}/{}", [long.as_str(); 8].join("/"), "b".repeat(2));
        for (text, expected) in [
            ("", Ok("")),
            ("dir", Ok("dir")),
            ("dir/", Ok("dir")),
            ("dir/Sub/file.txt", Ok("dir/Sub/file.txt")),
            ("a b c !@#$%^&(,.;'[]{}`~) def", Ok("a b c !@#$%^&(,.;'[]{}`~) def")),
            ("dir./file...", Ok("dir/file")),
            (&long, Ok(&*long)),
            (&deep(250), Ok(&*deep(250))),
            ("com0", Ok("com0")),
            ("COM10", Ok("COM10")),
            ("con.txt", Ok("con.txt")),
            ("a:b", Err("InvalidResourceName")),
            ("a\\b", Err("InvalidResourceName")),
            ("a*", Err("InvalidResourceName")),
            ("a\u{1}", Err("InvalidResourceName")),
            ("a//b", Err("InvalidResourceName")),
            ("/", Ok("")),
            ("//", Err("InvalidResourceName")),
            (".", Err("InvalidResourceName")),
            ("a/../b", Err("InvalidResourceName")),
            ("...", Err("InvalidResourceName")),
            ("dir/nul", Err("InvalidResourceName")),
            ("Com1", Err("InvalidResourceName")),
            ("lpt9.", Err("InvalidResourceName")),
            ("clock$", Err("InvalidResourceName")),
            (&longer, Err("OutOfRangeInput")),
            (&far, Err("InvalidFileOrDirectoryPathName")),
            (&deep(251), Err("InvalidFileOrDirectoryPathName")),
        ] {
            let read = Path::parse(text, TrailingDots::Dropped);
            let outcome = read.as_ref().map(Path::text).map_err(|error| error.code().name());
            assert_eq!(outcome.as_deref().map_err(|name| *name), expected, "{text}");
        }
        assert_eq!(Path::parse("dir./file..", TrailingDots::Significant).unwrap().text(), "dir./file..");
        assert!(Path::parse("..", TrailingDots::Significant).is_err());
    }

    #[test]
    fn names_match_in_any_case() {
        for (one, other, same) in [
            ("Dir", "dIR", true),
            ("ÄÖÜ", "äöü", true),
            ("Ωmega", "ωMEGA", true),
            ("straße", "STRASSE", false),
            ("ﬁle", "FILE", false),
            ("a_b", "a-b", false),
        ] {
            assert_eq!(folded(one) == folded(other), same, "{one} {other}");
        }
    }
}
