//! What a file or a directory has because Windows knows it: attributes, three times, a security descriptor.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::sddl;
use crate::rules::file::security_descriptor::Format;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use std::fmt;

/// What a node is, as far as its attributes and permissions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A directory.
    Directory,
    /// A file or a link.
    File,
}

/// File attributes: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes(u16);

/// The flags in the order in which they are written.
const FLAGS: [&str; 9] =
    ["ReadOnly", "Hidden", "System", "Directory", "Archive", "Temporary", "Offline", "NotContentIndexed", "NoScrubData"];
const READ_ONLY: u16 = 1;
const DIRECTORY: u16 = 1 << 3;
const ARCHIVE: u16 = 1 << 4;
const TEMPORARY: u16 = 1 << 5;

impl Attributes {
    /// Reads `ReadOnly | Archive`: flags in any case, `None` for none of them.
    pub fn parse(text: &str) -> Option<Attributes> {
        text.split('|').map(str::trim).try_fold(Attributes(0), |set, word| {
            if word.eq_ignore_ascii_case("none") {
                return Some(set);
            }
            let place = FLAGS.iter().position(|flag| flag.eq_ignore_ascii_case(word))?;
            Some(Attributes(set.0 | 1 << place))
        })
    }

    /// The set as the bits of a number, in the order in which the flags are written.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set that these bits stand for.
    pub const fn of_bits(bits: u16) -> Attributes {
        Attributes(bits)
    }

    /// What a new directory or file has that was given these: recorded, a file is to be archived besides.
    ///
    /// # Errors
    /// As [`Attributes::set_on`].
    pub fn made(self, sort: NodeKind) -> Result<Attributes, StorageError> {
        let set = self.set_on(sort)?;
        Ok(if sort == NodeKind::File { set.archived() } else { set })
    }

    /// What a directory or a file has after it is given these. A directory is one whatever is said.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a file that shall be a directory, or a directory that shall be temporary.
    pub fn set_on(self, sort: NodeKind) -> Result<Attributes, StorageError> {
        let odd = || StorageError::invalid_header("x-ms-file-attributes", self.to_string());
        match sort {
            NodeKind::Directory if self.0 & TEMPORARY != 0 => Err(odd()),
            NodeKind::Directory => Ok(Attributes(self.0 | DIRECTORY)),
            NodeKind::File if self.0 & DIRECTORY != 0 => Err(odd()),
            NodeKind::File => Ok(self),
        }
    }

    /// These, to be archived as well.
    pub const fn archived(self) -> Attributes {
        Attributes(self.0 | ARCHIVE)
    }

    /// Whether nothing may be written.
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

/// What a node has because Windows knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smb {
    /// Its attributes.
    pub attributes: Attributes,
    /// When it was made.
    pub created: Timestamp,
    /// When its content was last written.
    pub written: Timestamp,
    /// When anything of it last changed.
    pub changed: Timestamp,
    /// The key of its security descriptor.
    pub permission: sddl::Key,
}

/// How a request says a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTime {
    /// `now`.
    Now,
    /// As it is (`preserve`).
    Preserve,
    /// As the source of a copy has it (`source`).
    Source,
    /// This one.
    At(Timestamp),
}

impl FileTime {
    /// Reads it.
    pub fn parse(text: &str) -> Option<FileTime> {
        let words = [("now", FileTime::Now), ("preserve", FileTime::Preserve), ("source", FileTime::Source)];
        let word = words.into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, moment)| moment);
        word.or_else(|| Timestamp::parse_iso(text).map(FileTime::At))
    }
}

/// How a request says attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// As they are (`preserve`).
    Preserve,
    /// As the source of a copy has them (`source`).
    Source,
    /// These.
    Are(Attributes),
}

impl Flags {
    /// Reads them.
    pub fn parse(text: &str) -> Option<Flags> {
        match text {
            _ if text.eq_ignore_ascii_case("preserve") => Some(Flags::Preserve),
            _ if text.eq_ignore_ascii_case("source") => Some(Flags::Source),
            _ => Attributes::parse(text).map(Flags::Are),
        }
    }
}

/// How a request says a security descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// What the directory above gives (`inherit`).
    Inherit,
    /// As it is (`preserve`).
    Preserve,
    /// This text.
    Is(String),
    /// The one that the share knows by this key.
    Key(sddl::Key),
}

/// What a request says of all that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmbInput {
    /// Whether what is made has been elsewhere (`x-ms-file-property-semantics: Restore`), and has its attributes from there.
    pub restores: bool,
    /// `x-ms-file-attributes`.
    pub attributes: Option<Flags>,
    /// `x-ms-file-creation-time`.
    pub created: Option<FileTime>,
    /// `x-ms-file-last-write-time`.
    pub written: Option<FileTime>,
    /// `x-ms-file-change-time`.
    pub changed: Option<FileTime>,
    /// `x-ms-file-permission` or `x-ms-file-permission-key`.
    pub permission: Option<Permission>,
}

/// The headers that say it.
pub const HEADERS: [&str; 7] = [
    "x-ms-file-attributes",
    "x-ms-file-creation-time",
    "x-ms-file-last-write-time",
    "x-ms-file-change-time",
    "x-ms-file-permission",
    "x-ms-file-permission-key",
    "x-ms-file-permission-format",
];

impl SmbInput {
    /// Reads the headers that `find` finds, the empty ones left out.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for what is malformed, FileInvalidPermission for a descriptor or a key that is none; InvalidInput for both
    /// a descriptor and a key.
    pub fn read(find: impl Fn(&str) -> Option<String>) -> Result<SmbInput, StorageError> {
        let moment = |name: &str| {
            find(name).map(|text| FileTime::parse(&text).ok_or_else(|| StorageError::invalid_header(name, text))).transpose()
        };
        let attributes = find("x-ms-file-attributes")
            .map(|text| Flags::parse(&text).ok_or_else(|| StorageError::invalid_header("x-ms-file-attributes", text)))
            .transpose()?;
        let format = format(find("x-ms-file-permission-format").as_deref())?;
        let permission = match (find("x-ms-file-permission"), find("x-ms-file-permission-key")) {
            (Some(_), Some(_)) => return Err(ErrorCode::InvalidInput.with_reason("both a permission and a permission's key")),
            (Some(text), None) if text.eq_ignore_ascii_case("inherit") => Some(Permission::Inherit),
            (Some(text), None) if text.eq_ignore_ascii_case("preserve") => Some(Permission::Preserve),
            (Some(text), None) => {
                sddl::check_length(&text)?;
                Some(Permission::Is(format.read(&text)?))
            }
            (None, Some(text)) => Some(Permission::Key(sddl::Key::parse(&text).ok_or(ErrorCode::FileInvalidPermission)?)),
            (None, None) => None,
        };
        let restores = match find("x-ms-file-property-semantics") {
            None => false,
            Some(text) if text.eq_ignore_ascii_case("new") => false,
            Some(text) if text.eq_ignore_ascii_case("restore") => true,
            Some(text) => return Err(StorageError::invalid_header("x-ms-file-property-semantics", text)),
        };
        Ok(SmbInput {
            restores,
            attributes,
            created: moment("x-ms-file-creation-time")?,
            written: moment("x-ms-file-last-write-time")?,
            changed: moment("x-ms-file-change-time")?,
            permission,
        })
    }

    /// Checks that nothing is missing that a version wants said: from 2019-02-02 on all but the time of the change, from 2021-06-08 on
    /// nothing.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader.
    pub fn check_complete(&self, version: Version) -> Result<(), StorageError> {
        if !(Version::V2019_02_02..Version::V2021_06_08).contains(&version) {
            return Ok(());
        }
        let told = [
            ("x-ms-file-attributes", self.attributes.is_some()),
            ("x-ms-file-creation-time", self.created.is_some()),
            ("x-ms-file-last-write-time", self.written.is_some()),
            ("x-ms-file-permission", self.permission.is_some()),
        ];
        told.iter().find(|(_, told)| !told).map_or(Ok(()), |(name, _)| Err(StorageError::missing_header(name)))
    }

    /// What a new node has. `permission` is the key of the descriptor that is said, or else inherited.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for `preserve` or `source`, of which there is nothing, and for attributes that it cannot have.
    pub fn make(&self, sort: NodeKind, permission: sddl::Key, now: Timestamp) -> Result<Smb, StorageError> {
        let attributes = match self.attributes {
            None => Attributes::default().made(sort)?,
            Some(Flags::Are(attributes)) if self.restores => attributes.set_on(sort)?,
            Some(Flags::Are(attributes)) => attributes.made(sort)?,
            Some(Flags::Preserve) => return Err(StorageError::invalid_header("x-ms-file-attributes", "preserve")),
            Some(Flags::Source) => return Err(StorageError::invalid_header("x-ms-file-attributes", "source")),
        };
        let at = |name: &str, moment: Option<FileTime>| match moment {
            None | Some(FileTime::Now) => Ok(now),
            Some(FileTime::At(moment)) => Ok(moment),
            Some(FileTime::Preserve) => Err(StorageError::invalid_header(name, "preserve")),
            Some(FileTime::Source) => Err(StorageError::invalid_header(name, "source")),
        };
        Ok(Smb {
            attributes,
            created: at("x-ms-file-creation-time", self.created)?,
            written: at("x-ms-file-last-write-time", self.written)?,
            changed: at("x-ms-file-change-time", self.changed)?,
            permission,
        })
    }

    /// What a node has after it is told this: what is not said stays, but for the time of the change. `source` is what `source` means,
    /// in a copy.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for attributes that it cannot have, and for `source` where there is none.
    pub fn revise(
        &self,
        sort: NodeKind,
        before: Smb,
        source: Option<Smb>,
        permission: sddl::Key,
        now: Timestamp,
    ) -> Result<Smb, StorageError> {
        let of_source = |name: &str| source.ok_or_else(|| StorageError::invalid_header(name, "source"));
        let attributes = match self.attributes {
            None | Some(Flags::Preserve) => before.attributes,
            Some(Flags::Are(attributes)) => attributes.set_on(sort)?,
            Some(Flags::Source) => of_source("x-ms-file-attributes")?.attributes,
        };
        let at =
            |name: &str, moment: FileTime, stays: Timestamp, copied: fn(Smb) -> Timestamp| -> Result<Timestamp, StorageError> {
                Ok(match moment {
                    FileTime::Now => now,
                    FileTime::At(moment) => moment,
                    FileTime::Preserve => stays,
                    FileTime::Source => copied(of_source(name)?),
                })
            };
        let (created, written) = (self.created.unwrap_or(FileTime::Preserve), self.written.unwrap_or(FileTime::Preserve));
        let changed = self.changed.unwrap_or(FileTime::Now);
        Ok(Smb {
            attributes,
            created: at("x-ms-file-creation-time", created, before.created, |smb| smb.created)?,
            written: at("x-ms-file-last-write-time", written, before.written, |smb| smb.written)?,
            changed: at("x-ms-file-change-time", changed, before.changed, |smb| smb.changed)?,
            permission,
        })
    }
}

/// Reads the form in which a security descriptor comes or is to go.
///
/// # Errors
/// 400 InvalidHeaderValue.
pub fn format(text: Option<&str>) -> Result<Format, StorageError> {
    Format::parse(text).ok_or_else(|| StorageError::invalid_header("x-ms-file-permission-format", text.unwrap_or_default()))
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
            let told = |made: Result<Attributes, StorageError>| {
                made.map_or_else(|error| error.code().name().to_owned(), |set| set.to_string())
            };
            assert_eq!(told(read.made(NodeKind::File)), file, "{text}");
            assert_eq!(told(read.made(NodeKind::Directory)), directory, "{text}");
            assert_eq!(told(read.set_on(NodeKind::File)), set, "{text}");
        }
        for odd in ["", "archive,hidden", "Normal", "ReadOnly|", "7"] {
            assert_eq!(Attributes::parse(odd), None, "{odd}");
        }
    }

    fn given(headers: &[(&str, &str)]) -> Result<SmbInput, StorageError> {
        SmbInput::read(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn headers_are_read_or_refused() {
        for (headers, code) in [
            (&[("x-ms-file-attributes", "odd")][..], "InvalidHeaderValue"),
            (&[("x-ms-file-creation-time", "soon")], "InvalidHeaderValue"),
            (&[("x-ms-file-permission", "odd")], "FileInvalidPermission"),
            (&[("x-ms-file-permission-key", "odd")], "FileInvalidPermission"),
            (&[("x-ms-file-permission", "inherit"), ("x-ms-file-permission-key", "1*2")], "InvalidInput"),
            (&[("x-ms-file-permission-format", "xml")], "InvalidHeaderValue"),
            (&[("x-ms-file-permission-format", "odd")], "InvalidHeaderValue"),
        ] {
            assert_eq!(given(headers).unwrap_err().code().name(), code, "{headers:?}");
        }
        let all = given(&[
            ("x-ms-file-attributes", "preserve"),
            ("x-ms-file-creation-time", "now"),
            ("x-ms-file-last-write-time", "2020-01-15T23:47:56.6135494Z"),
            ("x-ms-file-permission", "Inherit"),
            ("x-ms-file-permission-format", "SDDL"),
        ])
        .unwrap();
        assert_eq!(
            (all.attributes, all.created, all.permission),
            (Some(Flags::Preserve), Some(FileTime::Now), Some(Permission::Inherit))
        );
    }

    #[test]
    fn versions_want_more_or_less() {
        let (none, version) = (SmbInput::default(), |text| Version::parse(text).unwrap());
        for (text, missing) in [
            ("2018-11-09", None),
            ("2019-02-02", Some("x-ms-file-attributes")),
            ("2021-04-10", Some("x-ms-file-attributes")),
            ("2021-06-08", None),
        ] {
            let told = none.check_complete(version(text)).err().map(|error| error.details()[0].1.clone());
            assert_eq!(told.as_deref(), missing, "{text}");
        }
    }

    #[test]
    fn what_is_not_said_stays() {
        let (then, now) = (Timestamp::from_unix(1_000, 0), Timestamp::from_unix(2_000, 0));
        let (one, other) = (sddl::Key::of("one"), sddl::Key::of("other"));
        let before = SmbInput::default().make(NodeKind::File, one, then).unwrap();
        assert_eq!((before.attributes.to_string().as_str(), before.created, before.changed), ("Archive", then, then));
        let after = SmbInput::default().revise(NodeKind::File, before, None, one, now).unwrap();
        assert_eq!(after, Smb { changed: now, ..before });
        let written = SmbInput { written: Some(FileTime::Now), changed: Some(FileTime::Preserve), ..SmbInput::default() };
        assert_eq!(
            written.revise(NodeKind::File, before, None, other, now).unwrap(),
            Smb { written: now, permission: other, ..before }
        );
        let copied = SmbInput { attributes: Some(Flags::Source), created: Some(FileTime::Source), ..SmbInput::default() };
        assert_eq!(copied.revise(NodeKind::File, before, None, one, now).unwrap_err().code(), ErrorCode::InvalidHeaderValue);
        assert_eq!(copied.make(NodeKind::File, one, now).unwrap_err().code(), ErrorCode::InvalidHeaderValue);
        let source = Smb { attributes: Attributes(1), created: Timestamp::from_unix(5, 0), ..before };
        let made = copied.revise(NodeKind::File, before, Some(source), one, now).unwrap();
        assert_eq!((made.attributes.to_string().as_str(), made.created), ("ReadOnly", source.created));
    }
}
