//! Conditions on paths. They are compared as those on blobs, and their errors differ.

use crate::rules::conditions::{Conditions, CurrentState, EntityTagMatch, FailedCondition, check_source};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::error::already_exists;
use crate::rules::lake::path::PathKind;

/// Checks the conditions of a creation or a rename on the path that it would replace.
///
/// # Errors
/// 409 PathAlreadyExists for `If-None-Match: *`; otherwise 412 ConditionNotMet, also for the family of `If-None-Match`.
pub fn check_overwritten(want: &Conditions, kind: PathKind, stored: &CurrentState<'_>) -> Result<(), StorageError> {
    let has_any = want.if_none_match.contains(&EntityTagMatch::Any);
    check_source(want, stored).map_err(|failed| match failed {
        FailedCondition::NoneMatch if has_any => already_exists(kind),
        _ => ErrorCode::ConditionNotMet.into(),
    })
}

/// Checks the conditions of a creation or a rename to a path that does not exist.
///
/// # Errors
/// 412 ConditionNotMet for `If-Match`.
pub fn check_created(want: &Conditions) -> Result<(), StorageError> {
    if want.if_match.is_empty() { Ok(()) } else { Err(ErrorCode::ConditionNotMet.into()) }
}

/// Checks the conditions on the source of a rename (`x-ms-source-if-…`).
///
/// # Errors
/// 412 SourceConditionNotMet, also for the family of `If-None-Match`.
pub fn check_rename_source(want: &Conditions, stored: &CurrentState<'_>) -> Result<(), StorageError> {
    check_source(want, stored).map_err(|_| ErrorCode::SourceConditionNotMet.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::blob::tags::Tags;
    use crate::rules::conditions::PLAIN;
    use crate::rules::etag::ETag;
    use crate::rules::time::Timestamp;
    use std::borrow::Cow;

    #[test]
    fn each_operation_has_its_errors() {
        let modified = Timestamp::parse_iso("2019-05-09T00:53:12.3826986Z").unwrap();
        let (same, tags) = (ETag::of(modified).quoted(), Tags::default());
        let stored = CurrentState { etag: ETag::of(modified), modified, tags: &tags };
        let (past, future) = ("Thu, 09 May 2019 00:53:11 GMT", "Thu, 09 May 2019 00:53:13 GMT");
        let (exists, failed) = (("PathAlreadyExists", 409), ("ConditionNotMet", 412));
        let (ok, source) = (("ok", 0), ("SourceConditionNotMet", 412));
        for (name, value, existing, of_source, of_absent) in [
            ("if-match", "*", ok, ok, failed),
            ("if-match", &*same, ok, ok, failed),
            ("if-match", "\"0x1\"", failed, source, failed),
            ("if-none-match", "*", exists, source, ok),
            ("if-none-match", &same, failed, source, ok),
            ("if-none-match", "\"0x1\"", ok, ok, ok),
            ("if-modified-since", past, ok, ok, ok),
            ("if-modified-since", future, failed, source, ok),
            ("if-unmodified-since", past, failed, source, ok),
            ("if-unmodified-since", future, ok, ok, ok),
            ("", "", ok, ok, ok),
        ] {
            let find = |header: &str| (header == name).then_some(Cow::from(value));
            let want = Conditions::read(&PLAIN, find).unwrap();
            let outcome =
                |result: Result<(), StorageError>| result.map_or_else(|error| (error.code().name(), error.status()), |()| ok);
            assert_eq!(outcome(check_overwritten(&want, PathKind::File, &stored)), existing, "{name}: {value}");
            assert_eq!(outcome(check_created(&want)), of_absent, "{name}: {value}");
            assert_eq!(outcome(check_rename_source(&want, &stored)), of_source, "{name}: {value}");
        }
    }
}
