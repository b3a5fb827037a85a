//! The SMB properties of a file or a directory: attributes, three times, and the key of a security descriptor.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::sddl;
use crate::rules::file::security_descriptor::Format;
use crate::rules::text::{header, optional_header};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a node, as far as its attributes and permissions are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A directory.
    Directory,
    /// A file or a link.
    File,
}

/// File attributes: a set of flags, as the bits of a number, in the order in which they are written.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes(u16);

const ATTRIBUTES: &str = "x-ms-file-attributes";
const CREATED: &str = "x-ms-file-creation-time";
const WRITTEN: &str = "x-ms-file-last-write-time";
const CHANGED: &str = "x-ms-file-change-time";

/// The flags in the order in which they are written.
const FLAGS: [&str; 9] =
    ["ReadOnly", "Hidden", "System", "Directory", "Archive", "Temporary", "Offline", "NotContentIndexed", "NoScrubData"];
const READ_ONLY: u16 = 1;
const DIRECTORY: u16 = 1 << 3;
const ARCHIVE: u16 = 1 << 4;
const TEMPORARY: u16 = 1 << 5;

impl Attributes {
    /// Parses `ReadOnly | Archive`: flags in any case, `None` for the empty set.
    pub fn parse(text: &str) -> Option<Attributes> {
        text.split('|').map(str::trim).try_fold(Attributes(0), |set, word| {
            if word.eq_ignore_ascii_case("none") {
                return Some(set);
            }
            let place = FLAGS.iter().position(|flag| flag.eq_ignore_ascii_case(word))?;
            Some(Attributes(set.0 | 1 << place))
        })
    }

    /// The attributes of a new directory or file whose request has these. A new file also has `Archive` (recorded).
    ///
    /// # Errors
    /// As [`Attributes::set_on`].
    pub fn of_new(self, kind: NodeKind) -> Result<Attributes, StorageError> {
        let set = self.set_on(kind)?;
        Ok(if kind == NodeKind::File { set.with_archive() } else { set })
    }

    /// The attributes of a directory or a file after a request sets these. A directory always has `Directory`.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a file with `Directory`, or a directory with `Temporary`.
    pub fn set_on(self, kind: NodeKind) -> Result<Attributes, StorageError> {
        let invalid = || StorageError::invalid_header(ATTRIBUTES, self.to_string());
        match kind {
            NodeKind::Directory if self.0 & TEMPORARY != 0 => Err(invalid()),
            NodeKind::Directory => Ok(Attributes(self.0 | DIRECTORY)),
            NodeKind::File if self.0 & DIRECTORY != 0 => Err(invalid()),
            NodeKind::File => Ok(self),
        }
    }

    /// The set with `Archive`.
    pub const fn with_archive(self) -> Attributes {
        Attributes(self.0 | ARCHIVE)
    }

    pub const fn is_read_only(self) -> bool {
        self.0 & READ_ONLY != 0
    }
}

impl fmt::Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags: Vec<&str> =
            FLAGS.iter().enumerate().filter(|(place, _)| self.0 & (1 << place) != 0).map(|(_, flag)| *flag).collect();
        f.write_str(if flags.is_empty() { "None" } else { "" })?;
        f.write_str(&flags.join(" | "))
    }
}

/// The SMB properties of a node.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Smb {
    pub attributes: Attributes,
    pub created: Timestamp,
    /// When the content was last written.
    pub written: Timestamp,
    /// When anything last changed.
    pub changed: Timestamp,
    /// The key of the security descriptor.
    pub permission: sddl::Key,
}

/// The value of a time header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTime {
    /// `now`.
    Now,
    /// `preserve`: the current value.
    Preserve,
    /// `source`: the value of a copy's source.
    Source,
    Value(Timestamp),
}

impl FileTime {
    /// Parses the value of a time header.
    pub fn parse(text: &str) -> Option<FileTime> {
        let words = [("now", FileTime::Now), ("preserve", FileTime::Preserve), ("source", FileTime::Source)];
        let word = words.into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, time)| time);
        word.or_else(|| Timestamp::parse_iso(text).map(FileTime::Value))
    }
}

/// The value of `x-ms-file-attributes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributesInput {
    /// `preserve`: the current attributes.
    Preserve,
    /// `source`: the attributes of a copy's source.
    Source,
    Set(Attributes),
}

impl AttributesInput {
    /// Parses the value of the header.
    pub fn parse(text: &str) -> Option<AttributesInput> {
        let words = [("preserve", AttributesInput::Preserve), ("source", AttributesInput::Source)];
        let word = words.into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, input)| input);
        word.or_else(|| Attributes::parse(text).map(AttributesInput::Set))
    }
}

/// The security descriptor that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionInput {
    /// `inherit`: the one of the parent directory.
    Inherit,
    /// `preserve`: the current one.
    Preserve,
    /// A descriptor, in SDDL.
    Descriptor(String),
    /// The descriptor that the share stores under this key.
    Key(sddl::Key),
}

/// The SMB properties that a request sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmbInput {
    /// Whether a new file is restored from elsewhere (`x-ms-file-property-semantics: Restore`), with exactly these attributes.
    pub restores: bool,
    pub attributes: Option<AttributesInput>,
    pub created: Option<FileTime>,
    pub written: Option<FileTime>,
    pub changed: Option<FileTime>,
    pub permission: Option<PermissionInput>,
}

impl SmbInput {
    /// Parses the headers but `x-ms-file-property-semantics`. `find` returns the value of a header that is present and not empty.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed value; FileInvalidPermission for a malformed descriptor or key; InvalidInput for both
    /// a descriptor and a key.
    pub fn parse<'a>(find: impl Fn(&'static str) -> Option<&'a str>) -> Result<SmbInput, StorageError> {
        let time = |name: &'static str| optional_header(name, find(name), FileTime::parse);
        let attributes = optional_header(ATTRIBUTES, find(ATTRIBUTES), AttributesInput::parse)?;
        let format = format(find("x-ms-file-permission-format"))?;
        let permission = match (find("x-ms-file-permission"), find("x-ms-file-permission-key")) {
            (Some(_), Some(_)) => return Err(ErrorCode::InvalidInput.with_reason("both a permission and a permission's key")),
            (Some(text), None) if text.eq_ignore_ascii_case("inherit") => Some(PermissionInput::Inherit),
            (Some(text), None) if text.eq_ignore_ascii_case("preserve") => Some(PermissionInput::Preserve),
            (Some(text), None) => {
                sddl::check_length(text)?;
                Some(PermissionInput::Descriptor(format.read(text)?))
            }
            (None, Some(text)) => Some(PermissionInput::Key(sddl::Key::parse(text).ok_or(ErrorCode::FileInvalidPermission)?)),
            (None, None) => None,
        };
        Ok(SmbInput {
            restores: false,
            attributes,
            created: time(CREATED)?,
            written: time(WRITTEN)?,
            changed: time(CHANGED)?,
            permission,
        })
    }

    /// Checks that no header is missing that the version requires: from 2019-02-02 until 2021-06-08, all but the change time.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader.
    pub fn check_complete(&self, version: Version) -> Result<(), StorageError> {
        if !(Version::V2019_02_02..Version::V2021_06_08).contains(&version) {
            return Ok(());
        }
        let required = [
            (ATTRIBUTES, self.attributes.is_some()),
            (CREATED, self.created.is_some()),
            (WRITTEN, self.written.is_some()),
            ("x-ms-file-permission", self.permission.is_some()),
        ];
        required.iter().find(|(_, is_present)| !is_present).map_or(Ok(()), |(name, _)| Err(StorageError::missing_header(name)))
    }

    /// The properties of a new node. `permission` is the key of its security descriptor.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for `preserve` or `source`, and for attributes that the node cannot have.
    pub fn create(&self, kind: NodeKind, permission: sddl::Key, now: Timestamp) -> Result<Smb, StorageError> {
        self.resolve(kind, None, None, permission, now)
    }

    /// The properties of an existing node after the request. A property that the request does not name keeps its value, except for
    /// the change time. `source` are the properties of a copy's source.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for attributes that the node cannot have, and for `source` in a request that is no copy.
    pub fn apply(
        &self,
        kind: NodeKind,
        before: Smb,
        source: Option<Smb>,
        permission: sddl::Key,
        now: Timestamp,
    ) -> Result<Smb, StorageError> {
        self.resolve(kind, Some(before), source, permission, now)
    }

    fn resolve(
        &self,
        kind: NodeKind,
        before: Option<Smb>,
        source: Option<Smb>,
        permission: sddl::Key,
        now: Timestamp,
    ) -> Result<Smb, StorageError> {
        let of_before = |name: &str| before.ok_or_else(|| StorageError::invalid_header(name, "preserve"));
        let of_source = |name: &str| source.ok_or_else(|| StorageError::invalid_header(name, "source"));
        let attributes = match (self.attributes, before) {
            (None, None) => Attributes::default().of_new(kind)?,
            (None, Some(before)) => before.attributes,
            (Some(AttributesInput::Set(attributes)), None) if !self.restores => attributes.of_new(kind)?,
            (Some(AttributesInput::Set(attributes)), _) => attributes.set_on(kind)?,
            (Some(AttributesInput::Preserve), _) => of_before(ATTRIBUTES)?.attributes,
            (Some(AttributesInput::Source), _) => of_source(ATTRIBUTES)?.attributes,
        };
        let time = |name: &str, time: FileTime, of: fn(Smb) -> Timestamp| -> Result<Timestamp, StorageError> {
            Ok(match time {
                FileTime::Now => now,
                FileTime::Value(time) => time,
                FileTime::Preserve => of(of_before(name)?),
                FileTime::Source => of(of_source(name)?),
            })
        };
        let unnamed = if before.is_some() { FileTime::Preserve } else { FileTime::Now };
        Ok(Smb {
            attributes,
            created: time(CREATED, self.created.unwrap_or(unnamed), |smb| smb.created)?,
            written: time(WRITTEN, self.written.unwrap_or(unnamed), |smb| smb.written)?,
            changed: time(CHANGED, self.changed.unwrap_or(FileTime::Now), |smb| smb.changed)?,
            permission,
        })
    }
}

/// Parses the format of a security descriptor.
///
/// # Errors
/// 400 InvalidHeaderValue.
pub fn format(text: Option<&str>) -> Result<Format, StorageError> {
    text.map_or(Ok(Format::Sddl), |text| header("x-ms-file-permission-format", text, Format::parse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes() {
        for (text, file, directory, set) in [
            ("none", "Archive", "Directory", "None"),
            ("None", "Archive", "Directory", "None"),
            ("Archive|Temporary", "Archive | Temporary", "InvalidHeaderValue", "Archive | Temporary"),
            (
                "NotContentIndexed | system",
                "System | Archive | NotContentIndexed",
                "System | Directory | NotContentIndexed",
                "System | NotContentIndexed",
            ),
            ("Directory", "InvalidHeaderValue", "Directory", "InvalidHeaderValue"),
            ("READONLY|Hidden", "ReadOnly | Hidden | Archive", "ReadOnly | Hidden | Directory", "ReadOnly | Hidden"),
        ] {
            let read = Attributes::parse(text).unwrap();
            let outcome = |attributes: Result<Attributes, StorageError>| {
                attributes.map_or_else(|error| error.code().name().to_owned(), |set| set.to_string())
            };
            assert_eq!(outcome(read.of_new(NodeKind::File)), file, "{text}");
            assert_eq!(outcome(read.of_new(NodeKind::Directory)), directory, "{text}");
            assert_eq!(outcome(read.set_on(NodeKind::File)), set, "{text}");
        }
        for invalid in ["", "archive,hidden", "Normal", "ReadOnly|", "7"] {
            assert_eq!(Attributes::parse(invalid), None, "{invalid}");
        }
    }

    fn parse(headers: &[(&str, &'static str)]) -> Result<SmbInput, StorageError> {
        SmbInput::parse(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn headers_are_parsed_or_refused() {
        for (headers, code) in [
            (&[("x-ms-file-attributes", "odd")][..], "InvalidHeaderValue"),
            (&[("x-ms-file-creation-time", "soon")], "InvalidHeaderValue"),
            (&[("x-ms-file-permission", "odd")], "FileInvalidPermission"),
            (&[("x-ms-file-permission-key", "odd")], "FileInvalidPermission"),
            (&[("x-ms-file-permission", "inherit"), ("x-ms-file-permission-key", "1*2")], "InvalidInput"),
            (&[("x-ms-file-permission-format", "xml")], "InvalidHeaderValue"),
            (&[("x-ms-file-permission-format", "odd")], "InvalidHeaderValue"),
        ] {
            assert_eq!(parse(headers).unwrap_err().code().name(), code, "{headers:?}");
        }
        let all = parse(&[
            ("x-ms-file-attributes", "preserve"),
            ("x-ms-file-creation-time", "now"),
            ("x-ms-file-last-write-time", "2020-01-15T23:47:56.6135494Z"),
            ("x-ms-file-permission", "Inherit"),
            ("x-ms-file-permission-format", "SDDL"),
        ])
        .unwrap();
        assert_eq!(
            (all.attributes, all.created, all.permission),
            (Some(AttributesInput::Preserve), Some(FileTime::Now), Some(PermissionInput::Inherit))
        );
    }

    #[test]
    fn required_headers_depend_on_the_version() {
        let (none, version) = (SmbInput::default(), |text| Version::parse(text).unwrap());
        for (text, missing) in [
            ("2018-11-09", None),
            ("2019-02-02", Some("x-ms-file-attributes")),
            ("2021-04-10", Some("x-ms-file-attributes")),
            ("2021-06-08", None),
        ] {
            let header = none.check_complete(version(text)).err().map(|error| error.details()[0].1.clone());
            assert_eq!(header.as_deref(), missing, "{text}");
        }
    }

    #[test]
    fn a_property_without_a_header_keeps_its_value() {
        let (then, now) = (Timestamp::from_unix(1_000, 0), Timestamp::from_unix(2_000, 0));
        let (one, other) = (sddl::Key::of("one"), sddl::Key::of("other"));
        let before = SmbInput::default().create(NodeKind::File, one, then).unwrap();
        assert_eq!((before.attributes.to_string().as_str(), before.created, before.changed), ("Archive", then, then));
        let after = SmbInput::default().apply(NodeKind::File, before, None, one, now).unwrap();
        assert_eq!(after, Smb { changed: now, ..before });
        let written = SmbInput { written: Some(FileTime::Now), changed: Some(FileTime::Preserve), ..SmbInput::default() };
        assert_eq!(
            written.apply(NodeKind::File, before, None, other, now).unwrap(),
            Smb { written: now, permission: other, ..before }
        );
        let copied =
            SmbInput { attributes: Some(AttributesInput::Source), created: Some(FileTime::Source), ..SmbInput::default() };
        assert_eq!(copied.apply(NodeKind::File, before, None, one, now).unwrap_err().code(), ErrorCode::InvalidHeaderValue);
        assert_eq!(copied.create(NodeKind::File, one, now).unwrap_err().code(), ErrorCode::InvalidHeaderValue);
        let source = Smb { attributes: Attributes(1), created: Timestamp::from_unix(5, 0), ..before };
        let made = copied.apply(NodeKind::File, before, Some(source), one, now).unwrap();
        assert_eq!((made.attributes.to_string().as_str(), made.created), ("ReadOnly", source.created));
    }
}
