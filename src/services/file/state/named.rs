//! What a call names: a path, with or without dots at the end of its names, and the share as it is or as a snapshot has it.

use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;

/// The path that the call names.
///
/// # Errors
/// As [`Path::parse`].
pub fn path_of(request: &Request) -> Result<Path, StorageError> {
    Path::parse(&request.target.blob, dots(request, "x-ms-allow-trailing-dot")?)
}

/// Refuses a call that would make or remove the root directory, which is there as long as its share is.
///
/// # Errors
/// 405 UnsupportedHttpVerb for the root, whether the share is there or not; those of [`path_of`].
pub fn refuse_root(request: &Request) -> Result<(), StorageError> {
    match path_of(request)?.is_root() {
        true => Err(ErrorCode::UnsupportedHttpVerb
            .with_message("The resource doesn't support specified Http Verb.")
            .with_header("allow", "GET, HEAD")),
        false => Ok(()),
    }
}

/// What a call says of dots at the end of names, in this header.
///
/// # Errors
/// 400 InvalidHeaderValue for what is neither true nor false.
pub fn dots(request: &Request, header: &'static str) -> Result<TrailingDots, StorageError> {
    match request.header(header).as_deref().unwrap_or_default() {
        text if text.eq_ignore_ascii_case("true") && request.version >= Version::V2022_11_02 => Ok(TrailingDots::Kept),
        text if text.is_empty() || text.eq_ignore_ascii_case("false") || text.eq_ignore_ascii_case("true") => {
            Ok(TrailingDots::Dropped)
        }
        text => Err(StorageError::invalid_header(header, text)),
    }
}

/// The snapshot that the call names. Only operations that take one can.
pub(super) fn asked_snapshot(request: &Request) -> Result<Option<Timestamp>, StorageError> {
    let text = request.query.get("sharesnapshot").unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    if !request.spec.reads("sharesnapshot") {
        return Err(StorageError::invalid_query("sharesnapshot", text, "This operation is not for a share snapshot."));
    }
    read_snapshot("sharesnapshot", text).map(Some)
}

pub(super) fn refuse_snapshot(request: &Request) -> Result<(), StorageError> {
    asked_snapshot(request).map(|_| ())
}

/// Reads the moment that names a snapshot.
///
/// # Errors
/// 400 InvalidQueryParameterValue.
pub fn read_snapshot(name: &str, text: &str) -> Result<Timestamp, StorageError> {
    Timestamp::parse_iso(text)
        .ok_or_else(|| StorageError::invalid_query(name, text, "Must be in the specific snapshot date time format."))
}
