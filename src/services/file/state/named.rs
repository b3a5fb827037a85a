//! What a request addresses: the share or a directory or a file in it, current or in a snapshot of the share.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, FromText, Input, SnapshotTime};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use std::ops::Deref;

const SNAPSHOT: &str = "sharesnapshot";
const TRAILING_DOTS: &str = "x-ms-allow-trailing-dot";

parsed_input! {
    /// The time that names a snapshot of the share; `None` for the current share.
    pub ShareSnapshotQuery(Option<Timestamp>) = [Input::query(SNAPSHOT)],
    |fields| {
        let time = Option::<SnapshotTime>::from_field(fields, FieldLocation::Query, SNAPSHOT)?;
        Ok(time.map(|SnapshotTime(time)| time))
    }
}

/// A directory or a file, current or in a snapshot of the share.
#[derive(Clone, Debug)]
pub struct NodePath {
    pub path: Path,
    pub snapshot: Option<Timestamp>,
}

impl FromRequest for NodePath {
    const INPUTS: &'static [Input] = &[Input::query(SNAPSHOT), Input::header(TRAILING_DOTS)];

    fn from_request(fields: &Fields<'_>) -> Result<NodePath, StorageError> {
        let ShareSnapshotQuery(snapshot) = ShareSnapshotQuery::from_request(fields)?;
        Ok(NodePath { path: path(fields)?, snapshot })
    }
}

/// A directory or a file of the current share: a request that names a snapshot is refused, as the operation does not declare it.
#[derive(Clone, Debug)]
pub struct CurrentPath(NodePath);

impl FromRequest for CurrentPath {
    const INPUTS: &'static [Input] = &[Input::header(TRAILING_DOTS)];

    fn from_request(fields: &Fields<'_>) -> Result<CurrentPath, StorageError> {
        Ok(CurrentPath(NodePath { path: path(fields)?, snapshot: None }))
    }
}

impl Deref for CurrentPath {
    type Target = NodePath;

    fn deref(&self) -> &NodePath {
        &self.0
    }
}

parsed_input! {
    /// A directory of the current share that is not the root, which exists as long as its share. Returns 405 UnsupportedHttpVerb for the
    /// root, whether or not the share exists.
    pub NonRootPath(CurrentPath) = [Input::Group(CurrentPath::INPUTS)],
    |fields| {
        let at = CurrentPath::from_request(fields)?;
        match at.path.is_root() {
            true => Err(ErrorCode::UnsupportedHttpVerb
                .with_message("The resource doesn't support specified Http Verb.")
                .with_header("allow", "GET, HEAD")),
            false => Ok(at),
        }
    }
}

fn path(fields: &Fields<'_>) -> Result<Path, StorageError> {
    Path::parse(fields.target.path_text()?, trailing_dots(fields, TRAILING_DOTS)?)
}

/// Parses a header that decides whether names keep the dots at their end. Versions before 2022-11-02 always drop them.
///
/// # Errors
/// 400 InvalidHeaderValue for a value that is neither true nor false.
pub fn trailing_dots(fields: &Fields<'_>, header: &'static str) -> Result<TrailingDots, StorageError> {
    match fields.header(header) {
        Some(text) if text.eq_ignore_ascii_case("true") && fields.version >= Version::V2022_11_02 => {
            Ok(TrailingDots::Significant)
        }
        Some(text) if !text.eq_ignore_ascii_case("true") && !text.eq_ignore_ascii_case("false") => {
            Err(StorageError::invalid_header(header, text))
        }
        _ => Ok(TrailingDots::Dropped),
    }
}

/// Parses the time that names a snapshot.
///
/// # Errors
/// 400 InvalidQueryParameterValue.
pub fn parse_snapshot(name: &str, text: &str) -> Result<Timestamp, StorageError> {
    let time = SnapshotTime::from_text(text);
    time.map(|SnapshotTime(time)| time).ok_or_else(|| StorageError::invalid_query(name, text, SnapshotTime::MALFORMED))
}
