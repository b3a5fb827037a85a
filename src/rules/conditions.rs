//! Conditional headers: an operation is performed only if the resource is, or is not, in a state that the client knows.
//!
//! There are two families. `If-Match`, `If-Unmodified-Since` and `x-ms-if-tags` require that the state is unchanged; if one fails, the
//! answer is 412. `If-None-Match` and `If-Modified-Since` require that the state has changed; if one fails, the answer is 304 to a read and
//! 412 to a write. Reads may combine them all: `If-Match && If-Unmodified-Since && (If-None-Match || If-Modified-Since)`. Writes may use one
//! family at a time, in which an entity tag takes precedence over a date.

use crate::rules::blob::tags::{Expr, Tags};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::text::optional_header;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use std::borrow::Cow;

/// An entity tag of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityTagMatch {
    /// `*`: any, if the resource exists.
    Any,
    /// The text of the client.
    Tag(String),
}

impl EntityTagMatch {
    fn parse(text: &str) -> EntityTagMatch {
        if text == "*" { EntityTagMatch::Any } else { EntityTagMatch::Tag(text.to_owned()) }
    }

    fn is(&self, etag: ETag) -> bool {
        match self {
            EntityTagMatch::Any => true,
            EntityTagMatch::Tag(text) => etag.is(text),
        }
    }
}

/// The names of the five headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionHeaders {
    pub if_match: &'static str,
    pub if_none_match: &'static str,
    pub if_modified_since: &'static str,
    pub if_unmodified_since: &'static str,
    pub if_tags: &'static str,
}

/// The headers for the resource of the URL.
pub const PLAIN: ConditionHeaders = ConditionHeaders {
    if_match: "if-match",
    if_none_match: "if-none-match",
    if_modified_since: "if-modified-since",
    if_unmodified_since: "if-unmodified-since",
    if_tags: "x-ms-if-tags",
};

/// The headers for the source of a copy.
pub const SOURCE: ConditionHeaders = ConditionHeaders {
    if_match: "x-ms-source-if-match",
    if_none_match: "x-ms-source-if-none-match",
    if_modified_since: "x-ms-source-if-modified-since",
    if_unmodified_since: "x-ms-source-if-unmodified-since",
    if_tags: "x-ms-source-if-tags",
};

/// The headers for the blob in Get and Set Blob Tags.
pub const BLOB: ConditionHeaders = ConditionHeaders {
    if_match: "x-ms-blob-if-match",
    if_none_match: "x-ms-blob-if-none-match",
    if_modified_since: "x-ms-blob-if-modified-since",
    if_unmodified_since: "x-ms-blob-if-unmodified-since",
    if_tags: "x-ms-if-tags",
};

/// The conditions of a request. By default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// One of these must be the entity tag of the resource; empty without the header.
    pub if_match: Vec<EntityTagMatch>,
    /// None of these may be the entity tag of the resource; empty without the header.
    pub if_none_match: Vec<EntityTagMatch>,
    /// The resource must have changed after this second.
    pub if_modified_since: Option<Timestamp>,
    /// The resource must not have changed after this second.
    pub if_unmodified_since: Option<Timestamp>,
    /// It must be true of the blob's index tags.
    pub if_tags: Option<Expr>,
}

impl Conditions {
    /// Parses the headers. `find` returns the value of a header, or the values of a repeated one joined by commas. An empty header counts as
    /// absent.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed date or expression, and for two dates in one header.
    pub fn read<'a>(
        names: &ConditionHeaders,
        find: impl Fn(&'static str) -> Option<Cow<'a, str>>,
    ) -> Result<Conditions, StorageError> {
        let given = |name| find(name).filter(|value| !value.trim().is_empty());
        let tags = |name| {
            let list = given(name).unwrap_or_default();
            list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(EntityTagMatch::parse).collect()
        };
        let date = |name| optional_header(name, given(name).as_deref(), |text| Timestamp::parse_http(text.trim()));
        let expr = |name| {
            let read = |text: Cow<'a, str>| {
                Expr::parse(&text).map_err(|error| StorageError::invalid_header(name, text).with_reason(error.reason()))
            };
            given(name).map(read).transpose()
        };
        Ok(Conditions {
            if_match: tags(names.if_match),
            if_none_match: tags(names.if_none_match),
            if_modified_since: date(names.if_modified_since)?,
            if_unmodified_since: date(names.if_unmodified_since)?,
            if_tags: expr(names.if_tags)?,
        })
    }

    /// Returns true if there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }

    /// These conditions, and those of `other` for absent ones.
    pub fn or(self, other: Conditions) -> Conditions {
        Conditions {
            if_match: if self.if_match.is_empty() { other.if_match } else { self.if_match },
            if_none_match: if self.if_none_match.is_empty() { other.if_none_match } else { self.if_none_match },
            if_modified_since: self.if_modified_since.or(other.if_modified_since),
            if_unmodified_since: self.if_unmodified_since.or(other.if_unmodified_since),
            if_tags: self.if_tags.or(other.if_tags),
        }
    }

    /// These conditions without `If-None-Match: *`.
    ///
    /// These apply to a client that sends the id of the blob's active lease: it knows that the blob exists, and Put Blob, Put Blob From URL
    /// and Put Block List replace it in spite of `If-None-Match: *` (recorded). They also apply to Delete Blob, which ignores that header.
    pub fn without_if_none_match_any(mut self) -> Conditions {
        self.if_none_match.retain(|tag| *tag != EntityTagMatch::Any);
        self
    }

    /// Checks that the tags of `If-Match` are times since 1601. Append Block refuses others, as if it converted them to file times of
    /// Windows; every other operation only finds that they differ (recorded).
    ///
    /// # Errors
    /// 400 OutOfRangeInput.
    pub fn check_file_times(&self) -> Result<(), StorageError> {
        let old = |tag: &EntityTagMatch| match tag {
            EntityTagMatch::Any => false,
            EntityTagMatch::Tag(text) => ETag::parse(text).is_some_and(|etag| !etag.is_file_time()),
        };
        if self.if_match.iter().any(old) { Err(ErrorCode::OutOfRangeInput.into()) } else { Ok(()) }
    }

    /// Returns true for conditions that a write, or a read before 2013-08-15, cannot combine: both families, or several tags.
    fn is_crowded(&self) -> bool {
        let unchanged = !self.if_match.is_empty() || self.if_unmodified_since.is_some();
        let changed = !self.if_none_match.is_empty() || self.if_modified_since.is_some();
        unchanged && changed || self.if_match.len() > 1 || self.if_none_match.len() > 1
    }
}

/// The conditions that an operation supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionSupport {
    /// It ignores them.
    None,
    /// The two dates. Others are refused: operations on containers.
    Dates,
    /// All, for a read.
    Read,
    /// All, for a write to an existing resource.
    Write,
    /// All, for a write that may create the resource.
    Create,
    /// As [`ConditionSupport::Create`], but the error is TargetConditionNotMet except for index tags: the asynchronous Copy Blob.
    CopyTarget,
    /// As [`ConditionSupport::CopyTarget`], but only `If-Match` has that error: Put Blob From URL (recorded: ConditionNotMet for dates),
    /// Incremental Copy Blob.
    CopyTargetIfMatch,
    /// All, for a deletion, which ignores `If-None-Match: *`.
    Delete,
    /// All, for the flush of a file: `If-None-Match` and `If-Modified-Since` fail with 304 as for a read, `If-None-Match: *` too (recorded).
    Flush,
}

impl ConditionSupport {
    /// Returns true for an operation that may create the resource.
    pub fn may_create(self) -> bool {
        matches!(self, ConditionSupport::Create | ConditionSupport::CopyTarget | ConditionSupport::CopyTargetIfMatch)
    }

    /// The error for a failed condition that is neither 304 nor 409. `differs` is true if the tag of `If-Match` failed.
    fn error(self, failed: FailedCondition, differs: bool) -> ErrorCode {
        match self {
            ConditionSupport::CopyTarget if failed != FailedCondition::Tags => ErrorCode::TargetConditionNotMet,
            ConditionSupport::CopyTargetIfMatch if differs => ErrorCode::TargetConditionNotMet,
            _ => ErrorCode::ConditionNotMet,
        }
    }
}

/// The state of a resource that conditions are compared with.
#[derive(Clone, Copy, Debug)]
pub struct CurrentState<'a> {
    pub etag: ETag,
    /// The last modification. Its fraction of a second is ignored, because HTTP dates have none.
    pub modified: Timestamp,
    /// The index tags.
    pub tags: &'a Tags,
}

/// The family of a failed condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedCondition {
    /// `If-Match` or `If-Unmodified-Since`.
    Match,
    /// `x-ms-if-tags`.
    Tags,
    /// `If-None-Match` or `If-Modified-Since`.
    NoneMatch,
}

impl FailedCondition {
    /// The status of the error of a read.
    pub fn status(self) -> u16 {
        if self == FailedCondition::NoneMatch { 304 } else { 412 }
    }

    /// The error about the source of a copy, for operations that have one (recorded for Copy Blob, also with tags).
    pub fn of_source(self) -> ErrorCode {
        if self == FailedCondition::Tags { ErrorCode::ConditionNotMet } else { ErrorCode::SourceConditionNotMet }
    }
}

/// Checks that an operation supports these conditions together, whatever the state of its resource.
///
/// # Errors
/// 400 ConditionHeadersNotSupported; 400 MultipleConditionHeadersNotSupported.
pub fn check_supported(want: &Conditions, accepts: ConditionSupport, version: Version) -> Result<(), StorageError> {
    let only_dates = want.if_match.is_empty() && want.if_none_match.is_empty() && want.if_tags.is_none();
    let is_crowded = match accepts {
        ConditionSupport::None => false,
        ConditionSupport::Delete => want.clone().without_if_none_match_any().is_crowded(),
        ConditionSupport::Read if version >= Version::V2013_08_15 => false,
        ConditionSupport::Flush => false,
        _ => want.is_crowded(),
    };
    if accepts == ConditionSupport::Dates && !only_dates {
        return Err(ErrorCode::ConditionHeadersNotSupported.into());
    }
    if is_crowded { Err(ErrorCode::MultipleConditionHeadersNotSupported.into()) } else { Ok(()) }
}

/// Checks that an operation may be performed. For a resource that does not exist (`None`) only the `If-Match` of an operation that creates
/// it fails: for others the caller returns 404.
///
/// # Errors
/// 304 or 412; 400 or 409 for conditions that the operation does not support.
pub fn check(
    want: &Conditions,
    accepts: ConditionSupport,
    stored: Option<&CurrentState<'_>>,
    version: Version,
) -> Result<(), StorageError> {
    let has_any = |tags: &[EntityTagMatch]| tags.contains(&EntityTagMatch::Any);
    let is_read = matches!(accepts, ConditionSupport::Read | ConditionSupport::Flush);
    let combines = is_read && version >= Version::V2013_08_15;
    if accepts == ConditionSupport::None || want.is_empty() {
        return Ok(());
    }
    if accepts == ConditionSupport::Delete {
        return check(&want.clone().without_if_none_match_any(), ConditionSupport::Write, stored, version);
    }
    check_supported(want, accepts, version)?;
    let Some(stored) = stored else {
        let has_if_match = accepts.may_create() && !want.if_match.is_empty();
        return if has_if_match { Err(accepts.error(FailedCondition::Match, true).into()) } else { Ok(()) };
    };
    if accepts == ConditionSupport::Read && has_any(&want.if_none_match) {
        return Err(ErrorCode::UnsatisfiableCondition.into());
    }
    let error = match failed(want, stored, combines) {
        None => return Ok(()),
        Some(FailedCondition::NoneMatch) if is_read => ErrorCode::NotModified,
        Some(FailedCondition::NoneMatch) if accepts.may_create() && has_any(&want.if_none_match) => ErrorCode::BlobAlreadyExists,
        Some(failed) => {
            let differs = failed == FailedCondition::Match
                && !want.if_match.is_empty()
                && !want.if_match.iter().any(|tag| tag.is(stored.etag));
            accepts.error(failed, differs)
        }
    };
    Err(error.into())
}

/// Checks the conditions on the source of a copy.
///
/// # Errors
/// The failed family, for which each operation has its own error.
pub fn check_source(want: &Conditions, stored: &CurrentState<'_>) -> Result<(), FailedCondition> {
    failed(want, stored, true).map_or(Ok(()), Err)
}

/// Checks the conditions on the source of a copy on another server, by the headers of its response, because not every web server supports
/// conditions. A condition fails without its header. Only the other server can check index tags.
///
/// # Errors
/// The failed family.
pub fn check_remote_source(want: &Conditions, etag: Option<&str>, modified: Option<Timestamp>) -> Result<(), FailedCondition> {
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is = |tag: &EntityTagMatch| match tag {
        EntityTagMatch::Any => true,
        EntityTagMatch::Tag(text) => etag.is_some_and(|etag| bare(etag) == bare(text)),
    };
    first_failed(want, is, modified.map(Timestamp::to_second), true, true).map_or(Ok(()), Err)
}

/// The first family that fails. If a family has both a tag and a date, both count if the request `combines` them, and only the tag
/// otherwise.
fn failed(want: &Conditions, stored: &CurrentState<'_>, combines: bool) -> Option<FailedCondition> {
    let tagged = want.if_tags.as_ref().is_none_or(|expr| expr.holds(stored.tags));
    first_failed(want, |tag| tag.is(stored.etag), Some(stored.modified.to_second()), tagged, combines)
}

fn first_failed(
    want: &Conditions,
    is: impl Fn(&EntityTagMatch) -> bool,
    modified: Option<Timestamp>,
    tagged: bool,
    combines: bool,
) -> Option<FailedCondition> {
    let any_is = |tags: &[EntityTagMatch]| tags.iter().any(&is);
    let matches = (!want.if_match.is_empty()).then(|| any_is(&want.if_match));
    let differs = (!want.if_none_match.is_empty()).then(|| !any_is(&want.if_none_match));
    let is_old = want.if_unmodified_since.map(|since| modified.is_some_and(|modified| modified <= since));
    let is_new = want.if_modified_since.map(|since| modified.is_none_or(|modified| modified > since));

    let unchanged = match (matches, is_old) {
        (Some(tag), Some(date)) if combines => tag && date,
        (tag, date) => tag.or(date).unwrap_or(true),
    };
    let changed = match (differs, is_new) {
        (Some(tag), Some(date)) if combines => tag || date,
        (tag, date) => tag.or(date).unwrap_or(true),
    };
    match (unchanged, tagged, changed) {
        (false, _, _) => Some(FailedCondition::Match),
        (true, false, _) => Some(FailedCondition::Tags),
        (true, true, false) => Some(FailedCondition::NoneMatch),
        (true, true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "Thu, 09 May 2019 00:53:11 GMT";
    /// The second in which the blob was changed; the fraction is lost on the way.
    const THEN: &str = "Thu, 09 May 2019 00:53:12 GMT";
    const AFTER: &str = "Thu, 09 May 2019 00:53:13 GMT";
    const OTHER: &str = "\"0x111111111111111\"";
    const NOW: Version = Version::V2021_02_12;

    fn modified() -> Timestamp {
        Timestamp::parse_iso("2019-05-09T00:53:12.3826986Z").unwrap()
    }

    /// Conditions from `header: value` lines; `SAME` stands for the tag of the blob.
    fn want(headers: &str) -> Result<Conditions, StorageError> {
        let text = headers.replace("SAME", &ETag::of(modified()).quoted());
        let find = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(Cow::from);
        Conditions::read(&PLAIN, find)
    }

    fn outcome(headers: &str, accepts: ConditionSupport, exists: bool, version: Version) -> String {
        let tags = Tags::parse_header("colour=blue").unwrap();
        let stored = CurrentState { etag: ETag::of(modified()), modified: modified(), tags: &tags };
        match check(&want(headers).unwrap(), accepts, exists.then_some(&stored), version) {
            Ok(()) => "ok".into(),
            Err(error) => format!("{} {}", error.status(), error.code().name()),
        }
    }

    #[test]
    fn one_condition_at_a_time() {
        const FAILS: &str = "412 ConditionNotMet";
        const HAS_IT: &str = "304 ConditionNotMet";
        const EXISTS: &str = "409 BlobAlreadyExists";
        const NEVER: &str = "400 UnsatisfiableCondition";
        #[rustfmt::skip]
        let table = [
            // headers                                 Read     Write    Create   Create, missing
            (String::new(),                           ["ok",    "ok",    "ok",    "ok"]),
            ("if-match:SAME".into(),                  ["ok",    "ok",    "ok",    FAILS]),
            ("if-match:*".into(),                     ["ok",    "ok",    "ok",    FAILS]),
            (format!("if-match:{OTHER}"),             [FAILS,   FAILS,   FAILS,   FAILS]),
            ("if-none-match:SAME".into(),             [HAS_IT,  FAILS,   FAILS,   "ok"]),
            ("if-none-match:*".into(),                [NEVER,   FAILS,   EXISTS,  "ok"]),
            (format!("if-none-match:{OTHER}"),        ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-modified-since:{BEFORE}"),   ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-modified-since:{THEN}"),     [HAS_IT,  FAILS,   FAILS,   "ok"]),
            (format!("if-modified-since:{AFTER}"),    [HAS_IT,  FAILS,   FAILS,   "ok"]),
            (format!("if-unmodified-since:{BEFORE}"), [FAILS,   FAILS,   FAILS,   "ok"]),
            (format!("if-unmodified-since:{THEN}"),   ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-unmodified-since:{AFTER}"),  ["ok",    "ok",    "ok",    "ok"]),
            ("x-ms-if-tags:colour='blue'".into(),     ["ok",    "ok",    "ok",    "ok"]),
            ("x-ms-if-tags:colour='red'".into(),      [FAILS,   FAILS,   FAILS,   "ok"]),
        ];
        for (headers, [read, write, create, missing]) in table {
            assert_eq!(outcome(&headers, ConditionSupport::Read, true, NOW), read, "read {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Read, true, Version::V2009_09_19), read, "old read {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Write, true, NOW), write, "write {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Create, true, NOW), create, "create {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Create, false, NOW), missing, "create, missing {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Read, false, NOW), "ok", "read, missing {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Write, false, NOW), "ok", "write, missing {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::None, true, NOW), "ok", "ignored {headers}");
            let delete = if headers.ends_with(":*") && headers.contains("none") { "ok" } else { write };
            assert_eq!(outcome(&headers, ConditionSupport::Delete, true, NOW), delete, "delete {headers}");
            let dates =
                if headers.contains("-since:") || headers.is_empty() { write } else { "400 ConditionHeadersNotSupported" };
            assert_eq!(outcome(&headers, ConditionSupport::Dates, true, NOW), dates, "container {headers}");
        }
    }

    #[test]
    fn a_failed_condition_on_the_target_of_a_copy_has_its_own_error() {
        const TARGET: &str = "412 TargetConditionNotMet";
        const FAILS: &str = "412 ConditionNotMet";
        const EXISTS: &str = "409 BlobAlreadyExists";
        #[rustfmt::skip]
        let table = [
            // headers                                 CopyTarget  CopyTargetIfMatch  Create
            ("if-match:SAME".into(),                  ["ok",      "ok",              "ok"]),
            (format!("if-match:{OTHER}"),             [TARGET,    TARGET,            FAILS]),
            ("if-none-match:SAME".into(),             [TARGET,    FAILS,             FAILS]),
            ("if-none-match:*".into(),                [EXISTS,    EXISTS,            EXISTS]),
            (format!("if-modified-since:{AFTER}"),    [TARGET,    FAILS,             FAILS]),
            (format!("if-unmodified-since:{BEFORE}"), [TARGET,    FAILS,             FAILS]),
            ("x-ms-if-tags:colour='red'".into(),      [FAILS,     FAILS,             FAILS]),
        ];
        for (headers, codes) in table {
            for (accepts, wanted) in [ConditionSupport::CopyTarget, ConditionSupport::CopyTargetIfMatch, ConditionSupport::Create]
                .into_iter()
                .zip(codes)
            {
                assert_eq!(outcome(&headers, accepts, true, NOW), wanted, "{accepts:?} {headers}");
            }
        }
        for accepts in [ConditionSupport::CopyTarget, ConditionSupport::CopyTargetIfMatch] {
            assert_eq!(outcome("if-match:*", accepts, false, NOW), TARGET, "{accepts:?} of nothing");
        }
    }

    #[test]
    fn several_conditions() {
        const FAILS: &str = "412 ConditionNotMet";
        const HAS_IT: &str = "304 ConditionNotMet";
        const MANY: &str = "400 MultipleConditionHeadersNotSupported";
        let same = "if-match:SAME";
        let other = format!("if-match:{OTHER}");
        let old = format!("if-unmodified-since:{AFTER}");
        let changed = format!("if-unmodified-since:{BEFORE}");
        let known = "if-none-match:SAME";
        let unknown = format!("if-none-match:{OTHER}");
        let new = format!("if-modified-since:{BEFORE}");
        let stale = format!("if-modified-since:{AFTER}");
        #[rustfmt::skip]
        let table = [
            // headers                                           Read    Read before 2013-08-15    Write
            (format!("{same}\n{old}"),                          ["ok",   "ok",                     "ok"]),
            (format!("{same}\n{changed}"),                      [FAILS,  "ok",                     "ok"]),
            (format!("{other}\n{old}"),                         [FAILS,  FAILS,                    FAILS]),
            (format!("{known}\n{new}"),                         ["ok",   HAS_IT,                   FAILS]),
            (format!("{known}\n{stale}"),                       [HAS_IT, HAS_IT,                   FAILS]),
            (format!("{unknown}\n{stale}"),                     ["ok",   "ok",                     "ok"]),
            (format!("{same}\n{unknown}"),                      ["ok",   MANY,                     MANY]),
            (format!("{same}\n{known}"),                        [HAS_IT, MANY,                     MANY]),
            (format!("{other}\n{known}"),                       [FAILS,  MANY,                     MANY]),
            (format!("{same}\n{new}"),                          ["ok",   MANY,                     MANY]),
            (format!("{changed}\n{unknown}"),                   [FAILS,  MANY,                     MANY]),
            (format!("{old}\n{new}"),                           ["ok",   MANY,                     MANY]),
            (format!("{same}\n{old}\n{unknown}\n{new}"),        ["ok",   MANY,                     MANY]),
            (format!("if-match:{OTHER}, SAME"),                 ["ok",   MANY,                     MANY]),
            (format!("if-none-match:{OTHER},SAME"),             [HAS_IT, MANY,                     MANY]),
            (format!("{same}\nx-ms-if-tags:colour='red'"),      [FAILS,  FAILS,                    FAILS]),
            (format!("{known}\nx-ms-if-tags:colour='red'"),     [FAILS,  FAILS,                    FAILS]),
            (format!("{known}\nx-ms-if-tags:colour='blue'"),    [HAS_IT, HAS_IT,                   FAILS]),
        ];
        for (headers, [read, old_read, write]) in table {
            assert_eq!(outcome(&headers, ConditionSupport::Read, true, Version::V2013_08_15), read, "read {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Read, true, Version::V2011_08_18), old_read, "old read {headers}");
            assert_eq!(outcome(&headers, ConditionSupport::Write, true, NOW), write, "write {headers}");
        }
        assert_eq!(outcome(&format!("{old}\n{new}"), ConditionSupport::Dates, true, NOW), MANY);
    }

    #[test]
    fn the_holder_of_a_lease_may_replace_the_blob() {
        assert_eq!(want("if-none-match:*").unwrap().without_if_none_match_any(), Conditions::default());
        assert_eq!(want("if-none-match:SAME").unwrap().without_if_none_match_any(), want("if-none-match:SAME").unwrap());
    }

    #[test]
    fn sources_say_which_family_failed() {
        let tags = Tags::parse_header("colour=blue").unwrap();
        let stored = CurrentState { etag: ETag::of(modified()), modified: modified(), tags: &tags };
        for (headers, outcome) in [
            (String::new(), Ok(())),
            ("if-match:SAME".into(), Ok(())),
            (format!("if-match:{OTHER}"), Err(FailedCondition::Match)),
            (format!("if-unmodified-since:{BEFORE}"), Err(FailedCondition::Match)),
            ("x-ms-if-tags:colour<>'blue'".into(), Err(FailedCondition::Tags)),
            ("if-none-match:SAME".into(), Err(FailedCondition::NoneMatch)),
            ("if-none-match:*".into(), Err(FailedCondition::NoneMatch)),
            (format!("if-modified-since:{AFTER}"), Err(FailedCondition::NoneMatch)),
            (format!("if-none-match:SAME\nif-match:{OTHER}"), Err(FailedCondition::Match)),
        ] {
            assert_eq!(check_source(&want(&headers).unwrap(), &stored), outcome, "{headers}");
        }
    }

    #[test]
    fn reads_headers() {
        assert!(want("").unwrap().is_empty());
        assert!(want("if-match:\nif-modified-since: \nx-ms-if-tags:").unwrap().is_empty());
        assert_eq!(
            want("if-match:0x1 , \"0x2\",*").unwrap().if_match,
            [EntityTagMatch::Tag("0x1".into()), EntityTagMatch::Tag("\"0x2\"".into()), EntityTagMatch::Any]
        );
        for (headers, name) in [
            ("if-modified-since:yesterday".to_owned(), "if-modified-since"),
            (format!("if-unmodified-since:{BEFORE},{AFTER}"), "if-unmodified-since"),
            ("x-ms-if-tags:colour".to_owned(), "x-ms-if-tags"),
        ] {
            let error = want(&headers).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidHeaderValue);
            assert_eq!(error.details().first(), Some(&("HeaderName", name.to_owned())));
        }
        let source = Conditions::read(&SOURCE, |name| (name == "x-ms-source-if-tags").then_some("x".into()));
        assert_eq!(source.unwrap_err().details().first(), Some(&("HeaderName", "x-ms-source-if-tags".to_owned())));
    }

    #[test]
    fn conditions_on_a_source_on_another_server() {
        let (still, no_longer) = (Err(FailedCondition::Match), Err(FailedCondition::NoneMatch));
        let then = Timestamp::parse_http(THEN);
        for (headers, etag, modified, held) in [
            ("", None, None, Ok(())),
            ("if-match:\"a\"", Some("\"a\""), None, Ok(())),
            ("if-match:a", Some("\"a\""), None, Ok(())),
            ("if-match:\"b\"", Some("\"a\""), None, still),
            ("if-match:\"a\"", None, None, still),
            ("if-match:*", None, None, Ok(())),
            ("if-none-match:\"a\"", Some("\"a\""), None, no_longer),
            ("if-none-match:\"b\"", Some("\"a\""), None, Ok(())),
            ("if-none-match:*", Some("\"a\""), None, no_longer),
            ("if-unmodified-since:Thu, 09 May 2019 00:53:12 GMT", None, then, Ok(())),
            ("if-unmodified-since:Thu, 09 May 2019 00:53:11 GMT", None, then, still),
            ("if-unmodified-since:Thu, 09 May 2019 00:53:11 GMT", None, None, still),
            ("if-modified-since:Thu, 09 May 2019 00:53:11 GMT", None, then, Ok(())),
            ("if-modified-since:Thu, 09 May 2019 00:53:12 GMT", None, then, no_longer),
            ("if-modified-since:Thu, 09 May 2019 00:53:12 GMT", None, None, Ok(())),
            ("x-ms-if-tags:\"k\" = 'v'", None, None, Ok(())),
        ] {
            assert_eq!(check_remote_source(&want(headers).unwrap(), etag, modified), held, "{headers} {etag:?} {modified:?}");
        }
    }
}
