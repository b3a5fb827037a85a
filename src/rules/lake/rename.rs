//! The rename of a file or a directory: where it goes, whether it may, and what happens to leases.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::error::{already_exists, directory_not_empty};
use crate::rules::lake::path::{Namespace, Path, PathKind};
use crate::rules::lease::{Lease, seen};
use crate::rules::names;
use crate::rules::time::Timestamp;
use crate::rules::wire_name::{WireName, wire_enum};

wire_enum! {
    /// How a rename treats an existing destination (`mode`).
    #[derive(Default)]
    RenameMode {
        /// The source replaces it. All SDKs send it.
        Legacy "legacy",
        /// The source moves into a directory, under its own name. hadoop-azure and OpenDAL send no mode.
        #[default]
        Posix "posix",
    }
}

impl RenameMode {
    /// Parses the query parameter.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue.
    pub fn read(text: Option<&str>) -> Result<RenameMode, StorageError> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(RenameMode::default()) };
        RenameMode::parse(text).ok_or_else(|| StorageError::invalid_query("mode", text, "It has to be legacy or posix."))
    }
}

/// The source of a rename (`x-ms-rename-source`): `/fs/path?sas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameSource {
    pub file_system: String,
    pub path: Path,
    /// The query with the source's own signature, as it was written. Without one, the request's own credential is used.
    pub query: Option<String>,
}

impl RenameSource {
    /// Parses the header, which is decoded once (recorded).
    ///
    /// # Errors
    /// 400 InvalidSourceUri unless it names a path below the root of a file system.
    pub fn parse(text: &str, namespace: Namespace) -> Result<RenameSource, StorageError> {
        let invalid = || ErrorCode::InvalidSourceUri.with_reason("x-ms-rename-source has to be /filesystem/path");
        let (location, query) = match text.split_once('?') {
            Some((location, query)) => (location, Some(query)),
            None => (text, None),
        };
        let location = names::unescape(location).ok_or_else(invalid)?;
        let (file_system, path) = location.strip_prefix('/').and_then(|rest| rest.split_once('/')).ok_or_else(invalid)?;
        let path = Path::parse(path, namespace).map_err(|_| invalid())?;
        if file_system.is_empty() || path.is_root() {
            return Err(invalid());
        }
        let query = query.filter(|query| !query.is_empty()).map(str::to_owned);
        Ok(RenameSource { file_system: file_system.to_owned(), path, query })
    }
}

/// An existing path, as a rename sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    File,
    EmptyDirectory,
    Directory,
}

impl Existing {
    /// Whether it is a file or a directory.
    pub fn kind(self) -> PathKind {
        match self {
            Existing::File => PathKind::File,
            Existing::EmptyDirectory | Existing::Directory => PathKind::Directory,
        }
    }
}

/// The final path of a rename. In posix mode a source moves into an existing directory.
///
/// # Errors
/// 400 for a final path that is too long or too deep.
pub fn final_path(
    mode: RenameMode,
    source: &Path,
    requested: &Path,
    existing: Option<PathKind>,
    namespace: Namespace,
) -> Result<Path, StorageError> {
    match (mode, existing, source.name()) {
        (RenameMode::Posix, Some(PathKind::Directory), Some(name)) => requested.child(name, namespace),
        _ => Ok(requested.clone()),
    }
}

/// A path in a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    pub file_system: &'a str,
    pub path: &'a Path,
}

impl Location<'_> {
    fn is_or_is_below(self, other: Location<'_>) -> bool {
        self.file_system == other.file_system && (self.path == other.path || self.path.is_below(other.path))
    }
}

/// What a rename depends on. The caller compares conditions and leases, and passes the results as checks.
#[derive(Clone, Debug)]
pub struct Rename<'a> {
    pub source: Location<'a>,
    /// What the source is; `None` if it does not exist.
    pub source_kind: Option<PathKind>,
    /// Of `x-ms-source-if-…`, then of `x-ms-source-lease-id`.
    pub source_check: Result<(), StorageError>,
    /// With the [`final_path`].
    pub destination: Location<'a>,
    /// Whether the final path is within the requested one.
    pub moves_into: bool,
    /// What is at the final path.
    pub existing: Option<Existing>,
    /// Of the conditional headers, then of `x-ms-lease-id`.
    pub destination_check: Result<(), StorageError>,
    /// What the directory of the final path is; `None` if it does not exist.
    pub parent: Option<PathKind>,
}

/// What a rename does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenamePlan {
    /// Nothing is at the final path.
    Move,
    /// The source replaces a file, or an empty directory.
    Replace,
}

impl Rename<'_> {
    /// Decides the rename, with the checks in the order of the service.
    ///
    /// # Errors
    /// 404 SourcePathNotFound; those of the checks; 409 InvalidRenameSourcePath for a destination at or below the source; 404
    /// RenameDestinationParentPathNotFound; 409 InvalidDestinationPath for a parent that is a file; 409 PathAlreadyExists,
    /// InvalidSourceOrDestinationResourceType or DirectoryNotEmpty for an existing destination.
    pub fn plan(&self) -> Result<RenamePlan, StorageError> {
        let kind = self.source_kind.ok_or(ErrorCode::SourcePathNotFound)?;
        self.source_check.clone()?;
        self.destination_check.clone()?;
        if self.destination.is_or_is_below(self.source) {
            return Err(ErrorCode::InvalidRenameSourcePath.into());
        }
        match self.parent {
            None => return Err(ErrorCode::RenameDestinationParentPathNotFound.into()),
            Some(PathKind::File) => return Err(ErrorCode::InvalidDestinationPath.into()),
            Some(PathKind::Directory) => {}
        }
        match self.existing {
            None => Ok(RenamePlan::Move),
            Some(existing) if self.moves_into => Err(already_exists(existing.kind())),
            Some(existing) if existing.kind() != kind => Err(ErrorCode::InvalidSourceOrDestinationResourceType.into()),
            Some(Existing::Directory) => Err(directory_not_empty()),
            Some(Existing::File | Existing::EmptyDirectory) => Ok(RenamePlan::Replace),
        }
    }
}

/// The lease of the new path.
///
/// A leased source keeps its lease; otherwise the new path keeps that of the destination which it replaces (.NET tests). A breaking lease
/// does not travel: pyarrow breaks the lease of the source, renames, and may delete the result at once. No source has a rename with two
/// leases.
pub fn lease_after(source: Lease, replaced: Option<Lease>, now: Timestamp) -> Lease {
    match (seen(source, now), replaced.map(|lease| seen(lease, now))) {
        (leased @ Lease::Leased { .. }, _) => leased,
        (_, Some(held @ (Lease::Leased { .. } | Lease::Breaking { .. }))) => held,
        _ => Lease::Available,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lease::{LeaseDuration, LeaseId};

    const HNS: Namespace = Namespace::Hierarchical;

    fn path(text: &str) -> Path {
        Path::parse(text, HNS).unwrap()
    }

    #[test]
    fn sources_are_read() {
        let deep = format!("/fs/{}", vec!["a"; 62].join("/"));
        for (text, expected) in [
            ("/fs/a/f", Ok(("fs", "a/f", None))),
            ("/oldfilesystem/old%20dir", Ok(("oldfilesystem", "old dir", None))),
            ("/fs/a%2Ff", Ok(("fs", "a/f", None))),
            ("/fs/a%252Ff", Ok(("fs", "a%2Ff", None))),
            ("/fs/a+b/", Ok(("fs", "a+b", None))),
            ("/fs/a?sv=1&sig=x%2Fy", Ok(("fs", "a", Some("sv=1&sig=x%2Fy")))),
            ("/fs/a?", Ok(("fs", "a", None))),
            ("fs/a", Err("InvalidSourceUri")),
            ("/fs", Err("InvalidSourceUri")),
            ("/fs/", Err("InvalidSourceUri")),
            ("/fs/%2F", Err("InvalidSourceUri")),
            ("//a", Err("InvalidSourceUri")),
            ("/fs/%zz", Err("InvalidSourceUri")),
            ("/fs/%FF", Err("InvalidSourceUri")),
            ("/fs/%00", Err("InvalidSourceUri")),
            ("", Err("InvalidSourceUri")),
            (&deep, Err("InvalidSourceUri")),
        ] {
            let read = RenameSource::parse(text, HNS);
            let got = read.as_ref().map(|source| (&*source.file_system, source.path.as_str(), source.query.as_deref()));
            assert_eq!(got.map_err(|error| error.code().name()), expected, "{text}");
        }
        for (text, mode) in [
            (None, Ok(RenameMode::Posix)),
            (Some(""), Ok(RenameMode::Posix)),
            (Some("posix"), Ok(RenameMode::Posix)),
            (Some("Legacy"), Ok(RenameMode::Legacy)),
            (Some("x"), Err("InvalidQueryParameterValue")),
        ] {
            assert_eq!(RenameMode::read(text).map_err(|error| error.code().name()), mode);
        }
    }

    /// What is at `b` and at `b/s`, when `s` is renamed to `b`.
    #[test]
    fn existing_destinations() {
        use Existing::{Directory, EmptyDirectory, File};
        let (moved, replaced) = (Ok((RenamePlan::Move, "b")), Ok((RenamePlan::Replace, "b")));
        let into = Ok((RenamePlan::Move, "b/s"));
        let (exists, full, kinds) =
            (Err("PathAlreadyExists"), Err("DirectoryNotEmpty"), Err("InvalidSourceOrDestinationResourceType"));
        let (file, directory) = (PathKind::File, PathKind::Directory);
        #[rustfmt::skip]
        let table = [
            // source   at `b`                at `b/s`              legacy    posix
            (file,      None,                 None,                 moved,    moved),
            (file,      Some(File),           None,                 replaced, replaced),
            (file,      Some(EmptyDirectory), None,                 kinds,    into),
            (file,      Some(Directory),      None,                 kinds,    into),
            (file,      Some(Directory),      Some(File),           kinds,    exists),
            (file,      Some(Directory),      Some(Directory),      kinds,    exists),
            (directory, None,                 None,                 moved,    moved),
            (directory, Some(File),           None,                 kinds,    kinds),
            (directory, Some(EmptyDirectory), None,                 replaced, into),
            (directory, Some(Directory),      None,                 full,     into),
            (directory, Some(Directory),      Some(EmptyDirectory), full,     exists),
            (directory, Some(Directory),      Some(File),           full,     exists),
        ];
        for (kind, at_b, within, legacy, posix) in table {
            for (mode, expected) in [(RenameMode::Legacy, legacy), (RenameMode::Posix, posix)] {
                let (source, requested) = (path("s"), path("b"));
                let last = final_path(mode, &source, &requested, at_b.map(Existing::kind), HNS).unwrap();
                let moves_into = last != requested;
                let rename = Rename {
                    source: Location { file_system: "fs", path: &source },
                    source_kind: Some(kind),
                    source_check: Ok(()),
                    destination: Location { file_system: "fs", path: &last },
                    moves_into,
                    existing: if moves_into { within } else { at_b },
                    destination_check: Ok(()),
                    parent: Some(PathKind::Directory),
                };
                let got = rename.plan().map(|plan| (plan, last.as_str())).map_err(|error| error.code().name());
                assert_eq!(got, expected, "{kind:?} {at_b:?} {within:?} {mode:?}");
            }
        }
    }

    #[test]
    fn checks_come_in_their_order() {
        let (source, below, beside) = (path("a"), path("a/b/c"), path("ab"));
        let at = |path| Location { file_system: "fs", path };
        let of_source = || Err(ErrorCode::SourceConditionNotMet.into());
        let of_destination = || Err(ErrorCode::ConditionNotMet.into());
        let all_right = Rename {
            source: at(&source),
            source_kind: Some(PathKind::Directory),
            source_check: Ok(()),
            destination: at(&beside),
            moves_into: false,
            existing: None,
            destination_check: Ok(()),
            parent: Some(PathKind::Directory),
        };
        let base = || all_right.clone();
        let all_wrong = Rename {
            source_kind: None,
            source_check: of_source(),
            destination_check: of_destination(),
            destination: at(&below),
            parent: None,
            ..base()
        };
        let elsewhere = Location { file_system: "other", path: &below };
        for (rename, expected) in [
            (base(), "ok"),
            (all_wrong.clone(), "SourcePathNotFound"),
            (Rename { source_kind: Some(PathKind::File), ..all_wrong.clone() }, "SourceConditionNotMet"),
            (Rename { source_kind: Some(PathKind::File), source_check: Ok(()), ..all_wrong }, "ConditionNotMet"),
            (Rename { destination: at(&below), parent: None, ..base() }, "InvalidRenameSourcePath"),
            (Rename { destination: at(&source), existing: Some(Existing::Directory), ..base() }, "InvalidRenameSourcePath"),
            (Rename { destination: elsewhere, ..base() }, "ok"),
            (Rename { parent: None, ..base() }, "RenameDestinationParentPathNotFound"),
            (Rename { parent: Some(PathKind::File), ..base() }, "InvalidDestinationPath"),
        ] {
            assert_eq!(rename.plan().map_or_else(|error| error.code().name(), |_| "ok"), expected, "{rename:?}");
        }
    }

    #[test]
    fn leases_travel() {
        let at = |second| Timestamp::from_unix(1_000_000, 0).after_seconds(second);
        let leased = |id| Lease::Leased { id: LeaseId([id; 16]), term: LeaseDuration::Fixed(30), until: Some(at(30)) };
        let breaking = |id| Lease::Breaking { id: LeaseId([id; 16]), until: at(30) };
        let broken = Lease::Broken { id: LeaseId([3; 16]) };
        for (source, replaced, second, expected) in [
            (Lease::Available, None, 0, Lease::Available),
            (leased(1), None, 0, leased(1)),
            (leased(1), None, 30, Lease::Available),
            (leased(1), Some(leased(2)), 0, leased(1)),
            (Lease::Available, Some(leased(2)), 0, leased(2)),
            (Lease::Available, Some(leased(2)), 30, Lease::Available),
            (breaking(1), None, 0, Lease::Available),
            (breaking(1), Some(breaking(2)), 0, breaking(2)),
            (broken, Some(broken), 0, Lease::Available),
        ] {
            assert_eq!(lease_after(source, replaced, at(second)), expected, "{source:?} {replaced:?} {second}");
        }
    }
}
