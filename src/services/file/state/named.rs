//! What a call names: a path, with or without dots at the end of its names, and the share as it is or as a snapshot has it.

use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;

/// Refuses a call that would make or remove the root directory, which is there as long as its share is.
///
/// # Errors
/// 405 UnsupportedHttpVerb for the root, whether the share is there or not; 500 for a target without a path.
pub fn refuse_root(request: &Request) -> Result<(), StorageError> {
    match request.target.path()?.is_root() {
        true => Err(ErrorCode::UnsupportedHttpVerb
            .with_message("The resource doesn't support specified Http Verb.")
            .with_header("allow", "GET, HEAD")),
        false => Ok(()),
    }
}

/// Reads the moment that names a snapshot.
///
/// # Errors
/// 400 InvalidQueryParameterValue.
pub fn read_snapshot(name: &str, text: &str) -> Result<Timestamp, StorageError> {
    Timestamp::parse_iso(text)
        .ok_or_else(|| StorageError::invalid_query(name, text, "Must be in the specific snapshot date time format."))
}
