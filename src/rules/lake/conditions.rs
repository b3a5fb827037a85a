//! Conditions on paths. They are compared as those on blobs, and their errors differ.

use crate::rules::conditions::{Conditions, CurrentState, EntityTagMatch, FailedCondition, check_source};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::error::already_exists;
use crate::rules::lake::path::PathKind;

/// The errors of an operation for conditions that are not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathConditions {
    /// Create and rename, on the path that they may replace: `If-None-Match: *` fails with 409 PathAlreadyExists.
    Create,
    /// Changes of an existing path, and its deletion: 412, also for the family of `If-None-Match`.
    Change,
    /// Flush: 304 for the family of `If-None-Match`, as for a read (recorded).
    Flush,
}

impl PathConditions {
    /// Checks the conditions on an existing path.
    ///
    /// # Errors
    /// 409 PathAlreadyExists, 412 ConditionNotMet or 304.
    pub fn check(self, want: &Conditions, kind: PathKind, stored: &CurrentState<'_>) -> Result<(), StorageError> {
        let has_any = want.if_none_match.contains(&EntityTagMatch::Any);
        check_source(want, stored).map_err(|failed| match (self, failed) {
            (PathConditions::Create, FailedCondition::NoneMatch) if has_any => already_exists(kind),
            (PathConditions::Flush, FailedCondition::NoneMatch) => ErrorCode::NotModified.into(),
            _ => ErrorCode::ConditionNotMet.into(),
        })
    }

    /// Checks the conditions on a path that does not exist. Only `If-Match` of an operation that may create it fails: for others the
    /// caller returns 404.
    ///
    /// # Errors
    /// 412 ConditionNotMet.
    pub fn check_absent(self, want: &Conditions) -> Result<(), StorageError> {
        match self == PathConditions::Create && !want.if_match.is_empty() {
            true => Err(ErrorCode::ConditionNotMet.into()),
            false => Ok(()),
        }
    }
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
        let (exists, failed, unmodified) = (("PathAlreadyExists", 409), ("ConditionNotMet", 412), ("ConditionNotMet", 304));
        let (ok, source) = (("ok", 0), ("SourceConditionNotMet", 412));
        let absent = [failed, ok, ok];
        for (name, value, existing, of_source, of_absent) in [
            ("if-match", "*", [ok; 3], ok, absent),
            ("if-match", &*same, [ok; 3], ok, absent),
            ("if-match", "\"0x1\"", [failed; 3], source, absent),
            ("if-none-match", "*", [exists, failed, unmodified], source, [ok; 3]),
            ("if-none-match", &same, [failed, failed, unmodified], source, [ok; 3]),
            ("if-none-match", "\"0x1\"", [ok; 3], ok, [ok; 3]),
            ("if-modified-since", past, [ok; 3], ok, [ok; 3]),
            ("if-modified-since", future, [failed, failed, unmodified], source, [ok; 3]),
            ("if-unmodified-since", past, [failed; 3], source, [ok; 3]),
            ("if-unmodified-since", future, [ok; 3], ok, [ok; 3]),
            ("", "", [ok; 3], ok, [ok; 3]),
        ] {
            let find = |header: &str| (header == name).then_some(Cow::from(value));
            let want = Conditions::read(&PLAIN, find).unwrap();
            let outcome =
                |result: Result<(), StorageError>| result.map_or_else(|error| (error.code().name(), error.status()), |()| ok);
            let all = [PathConditions::Create, PathConditions::Change, PathConditions::Flush];
            assert_eq!(all.map(|one| outcome(one.check(&want, PathKind::File, &stored))), existing, "{name}: {value}");
            assert_eq!(all.map(|one| outcome(one.check_absent(&want))), of_absent, "{name}: {value}");
            assert_eq!(outcome(check_rename_source(&want, &stored)), of_source, "{name}: {value}");
        }
    }
}
