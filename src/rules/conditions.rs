//! Conditional headers: an operation goes on only if the resource is, or is not, in a state that the client knows.
//!
//! There are two families. `If-Match`, `If-Unmodified-Since` and `x-ms-if-tags` say «only if it is still so»; unmet, they are
//! 412. `If-None-Match` and `If-Modified-Since` say «only if it is no longer so»; unmet, they are 304 to a reader, who has it
//! already, and 412 to a writer. Readers may combine them all: `If-Match && If-Unmodified-Since && (If-None-Match ||
//! If-Modified-Since)`. Writers may use one family at a time, in which a tag outranks a date.

use crate::rules::blob::tags::{Expr, Tags};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use std::borrow::Cow;

/// What a header may ask of an entity tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityTagMatch {
    /// `*`: whichever it is, so long as the resource exists.
    Any,
    /// This one, as the client wrote it.
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

/// What the five headers are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionHeaders {
    /// Entity tags of which one must be the resource's.
    pub if_match: &'static str,
    /// Entity tags of which none may be the resource's.
    pub if_none_match: &'static str,
    /// A date after which the resource must have changed.
    pub if_modified_since: &'static str,
    /// A date after which the resource must not have changed.
    pub if_unmodified_since: &'static str,
    /// An expression that must be true of the blob's tags.
    pub if_tags: &'static str,
}

/// The headers about the resource that the URL names.
pub const PLAIN: ConditionHeaders = ConditionHeaders {
    if_match: "if-match",
    if_none_match: "if-none-match",
    if_modified_since: "if-modified-since",
    if_unmodified_since: "if-unmodified-since",
    if_tags: "x-ms-if-tags",
};

/// The headers about the source of a copy.
pub const SOURCE: ConditionHeaders = ConditionHeaders {
    if_match: "x-ms-source-if-match",
    if_none_match: "x-ms-source-if-none-match",
    if_modified_since: "x-ms-source-if-modified-since",
    if_unmodified_since: "x-ms-source-if-unmodified-since",
    if_tags: "x-ms-source-if-tags",
};

/// The headers about the blob whose tags are read or set. Its tags have only the one name.
pub const BLOB: ConditionHeaders = ConditionHeaders {
    if_match: "x-ms-blob-if-match",
    if_none_match: "x-ms-blob-if-none-match",
    if_modified_since: "x-ms-blob-if-modified-since",
    if_unmodified_since: "x-ms-blob-if-unmodified-since",
    if_tags: "x-ms-if-tags",
};

/// The conditions of one request. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// One of these is the resource's tag; empty when not asked.
    pub if_match: Vec<EntityTagMatch>,
    /// None of these is the resource's tag; empty when not asked.
    pub if_none_match: Vec<EntityTagMatch>,
    /// The resource changed after this second.
    pub if_modified_since: Option<Timestamp>,
    /// The resource did not change after this second.
    pub if_unmodified_since: Option<Timestamp>,
    /// This is true of the blob's tags.
    pub if_tags: Option<Expr>,
}

impl Conditions {
    /// Reads the headers that `find` finds. One that is repeated comes joined by commas; an empty one is as good as none. A
    /// date or an expression that cannot be read is 400 InvalidHeaderValue, and so are two dates under one name.
    pub fn read<'a>(
        names: &ConditionHeaders,
        find: impl Fn(&'static str) -> Option<Cow<'a, str>>,
    ) -> Result<Conditions, StorageError> {
        let given = |name| find(name).filter(|value| !value.trim().is_empty());
        let tags = |name| {
            let list = given(name).unwrap_or_default();
            list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(EntityTagMatch::parse).collect()
        };
        let date = |name| {
            let read =
                |text: Cow<'a, str>| Timestamp::parse_http(text.trim()).ok_or_else(|| StorageError::invalid_header(name, text));
            given(name).map(read).transpose()
        };
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

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }

    /// These conditions, and where one is absent, the other's.
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
    /// That is what is asked of a creator that has shown the id of the blob's active lease: it knows that the blob is there, and
    /// recordings have Put Blob, Put Blob From URL and Put Block List replace it in spite of `If-None-Match: *`. It is also what is
    /// asked of Delete Blob, which the real service does in spite of it.
    pub fn without_if_none_match_any(mut self) -> Conditions {
        self.if_none_match.retain(|tag| *tag != EntityTagMatch::Any);
        self
    }

    /// Checks that the tags of `If-Match` are of moments since 1601. Recorded: Append Block refuses others, as if it turned them into
    /// file times of Windows, where every other operation only finds that they are not the blob's.
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

    /// Whether a writer, or a reader of before 2013-08-15, asks more than it may: both families, or several tags.
    fn is_crowded(&self) -> bool {
        let still = !self.if_match.is_empty() || self.if_unmodified_since.is_some();
        let no_longer = !self.if_none_match.is_empty() || self.if_modified_since.is_some();
        still && no_longer || self.if_match.len() > 1 || self.if_none_match.len() > 1
    }
}

/// What an operation does with conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionSupport {
    /// It ignores them.
    None,
    /// It takes the two dates, as operations on containers do, and refuses the rest.
    Dates,
    /// It takes all of them, and reads.
    Read,
    /// It takes all of them, and changes what exists.
    Write,
    /// It takes all of them, and may make what does not exist.
    Create,
    /// As [`ConditionSupport::Create`], of a copy that has a name of its own for what is unmet of its destination (TargetConditionNotMet), index
    /// tags aside: the asynchronous Copy Blob.
    CopyTarget,
    /// As [`ConditionSupport::CopyTarget`], but only an unmet `If-Match` has that name: Put Blob From URL (recorded: of dates it says
    /// ConditionNotMet), Incremental Copy Blob.
    CopyTargetIfMatch,
    /// It takes all of them but `If-None-Match: *`, which is no condition to it, and removes what exists.
    Delete,
}

impl ConditionSupport {
    /// Whether it may make what does not exist.
    pub fn may_create(self) -> bool {
        matches!(self, ConditionSupport::Create | ConditionSupport::CopyTarget | ConditionSupport::CopyTargetIfMatch)
    }

    /// What an unmet condition is called that is neither 304 nor 409. `differs`: it is the tag of `If-Match`.
    fn refusal(self, unmet: UnmetCondition, differs: bool) -> ErrorCode {
        match self {
            ConditionSupport::CopyTarget if unmet != UnmetCondition::Tags => ErrorCode::TargetConditionNotMet,
            ConditionSupport::CopyTargetIfMatch if differs => ErrorCode::TargetConditionNotMet,
            _ => ErrorCode::ConditionNotMet,
        }
    }
}

/// What conditions are about.
#[derive(Clone, Copy, Debug)]
pub struct CurrentState<'a> {
    /// Its entity tag.
    pub etag: ETag,
    /// When it last changed; compared without its fraction of a second, since HTTP dates have none.
    pub modified: Timestamp,
    /// Its index tags.
    pub tags: &'a Tags,
}

/// The family of a condition that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmetCondition {
    /// `If-Match` or `If-Unmodified-Since`: it is no longer so.
    Match,
    /// The index tags: they are not so.
    Tags,
    /// `If-None-Match` or `If-Modified-Since`: it is still so.
    NoneMatch,
}

impl UnmetCondition {
    /// The status of a reader's refusal.
    pub fn status(self) -> u16 {
        if self == UnmetCondition::NoneMatch { 304 } else { 412 }
    }

    /// What it is called of a copy's source, by the operations that have a name for it: recorded of Copy Blob, tags included.
    pub fn of_source(self) -> ErrorCode {
        if self == UnmetCondition::Tags { ErrorCode::ConditionNotMet } else { ErrorCode::SourceConditionNotMet }
    }
}

/// Whether an operation may go on; if not, 304 or 412, or the 400 or 409 of a combination that it does not take. Of a resource
/// that does not exist (`None`) only a creator's `If-Match` is unmet: the caller says 404.
pub fn check(
    want: &Conditions,
    accepts: ConditionSupport,
    stored: Option<&CurrentState<'_>>,
    version: Version,
) -> Result<(), StorageError> {
    let asks_any = |tags: &[EntityTagMatch]| tags.contains(&EntityTagMatch::Any);
    let combines = accepts == ConditionSupport::Read && version >= Version::V2013_08_15;
    let only_dates = want.if_match.is_empty() && want.if_none_match.is_empty() && want.if_tags.is_none();
    if accepts == ConditionSupport::None || want.is_empty() {
        return Ok(());
    }
    if accepts == ConditionSupport::Delete {
        return check(&want.clone().without_if_none_match_any(), ConditionSupport::Write, stored, version);
    }
    if accepts == ConditionSupport::Dates && !only_dates {
        return Err(ErrorCode::ConditionHeadersNotSupported.into());
    }
    if !combines && want.is_crowded() {
        return Err(ErrorCode::MultipleConditionHeadersNotSupported.into());
    }
    let Some(stored) = stored else {
        let wants_it = accepts.may_create() && !want.if_match.is_empty();
        return if wants_it { Err(accepts.refusal(UnmetCondition::Match, true).into()) } else { Ok(()) };
    };
    if accepts == ConditionSupport::Read && asks_any(&want.if_none_match) {
        return Err(ErrorCode::UnsatisfiableCondition.into());
    }
    let refusal = match unmet(want, stored, combines) {
        None => return Ok(()),
        Some(UnmetCondition::NoneMatch) if accepts == ConditionSupport::Read => ErrorCode::NotModified,
        Some(UnmetCondition::NoneMatch) if accepts.may_create() && asks_any(&want.if_none_match) => ErrorCode::BlobAlreadyExists,
        Some(unmet) => {
            let differs = unmet == UnmetCondition::Match
                && !want.if_match.is_empty()
                && !want.if_match.iter().any(|tag| tag.is(stored.etag));
            accepts.refusal(unmet, differs)
        }
    };
    Err(refusal.into())
}

/// Whether the source of a copy is as the client wants it. What an unmet condition is called differs among the copying
/// operations.
pub fn check_source(want: &Conditions, stored: &CurrentState<'_>) -> Result<(), UnmetCondition> {
    unmet(want, stored, true).map_or(Ok(()), Err)
}

/// Whether the source of a copy on another server is as the client wants it, by what that server says of it: not every web server
/// looks at conditions. Tags are for the other server to look at. What it does not say is not as anybody wants it.
pub fn check_remote_source(want: &Conditions, etag: Option<&str>, modified: Option<Timestamp>) -> Result<(), UnmetCondition> {
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is = |tag: &EntityTagMatch| match tag {
        EntityTagMatch::Any => true,
        EntityTagMatch::Tag(text) => etag.is_some_and(|etag| bare(etag) == bare(text)),
    };
    first_unmet(want, is, modified.map(Timestamp::to_second), true, true).map_or(Ok(()), Err)
}

/// The first family that is not met. When tag and date of a family are both given, they count together if the request
/// `combines`, and the tag alone otherwise.
fn unmet(want: &Conditions, stored: &CurrentState<'_>, combines: bool) -> Option<UnmetCondition> {
    let tagged = want.if_tags.as_ref().is_none_or(|expr| expr.holds(stored.tags));
    first_unmet(want, |tag| tag.is(stored.etag), Some(stored.modified.to_second()), tagged, combines)
}

fn first_unmet(
    want: &Conditions,
    is: impl Fn(&EntityTagMatch) -> bool,
    modified: Option<Timestamp>,
    tagged: bool,
    combines: bool,
) -> Option<UnmetCondition> {
    let any_is = |tags: &[EntityTagMatch]| tags.iter().any(&is);
    let matches = (!want.if_match.is_empty()).then(|| any_is(&want.if_match));
    let differs = (!want.if_none_match.is_empty()).then(|| !any_is(&want.if_none_match));
    let is_old = want.if_unmodified_since.map(|since| modified.is_some_and(|modified| modified <= since));
    let is_new = want.if_modified_since.map(|since| modified.is_none_or(|modified| modified > since));

    let still = match (matches, is_old) {
        (Some(tag), Some(date)) if combines => tag && date,
        (tag, date) => tag.or(date).unwrap_or(true),
    };
    let no_longer = match (differs, is_new) {
        (Some(tag), Some(date)) if combines => tag || date,
        (tag, date) => tag.or(date).unwrap_or(true),
    };
    match (still, tagged, no_longer) {
        (false, _, _) => Some(UnmetCondition::Match),
        (true, false, _) => Some(UnmetCondition::Tags),
        (true, true, false) => Some(UnmetCondition::NoneMatch),
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

    fn told(headers: &str, accepts: ConditionSupport, exists: bool, version: Version) -> String {
        let tags = Tags::parse_header("colour=blue").unwrap();
        let stored = CurrentState { etag: ETag::of(modified()), modified: modified(), tags: &tags };
        match check(&want(headers).unwrap(), accepts, exists.then_some(&stored), version) {
            Ok(()) => "ok".into(),
            Err(error) => format!("{} {}", error.status(), error.code().name()),
        }
    }

    #[test]
    fn one_condition_at_a_time() {
        const UNMET: &str = "412 ConditionNotMet";
        const HAS_IT: &str = "304 ConditionNotMet";
        const EXISTS: &str = "409 BlobAlreadyExists";
        const NEVER: &str = "400 UnsatisfiableCondition";
        #[rustfmt::skip]
        let table = [
            // asked                                   Read     Write    Create   Create, missing
            (String::new(),                           ["ok",    "ok",    "ok",    "ok"]),
            ("if-match:SAME".into(),                  ["ok",    "ok",    "ok",    UNMET]),
            ("if-match:*".into(),                     ["ok",    "ok",    "ok",    UNMET]),
            (format!("if-match:{OTHER}"),             [UNMET,   UNMET,   UNMET,   UNMET]),
            ("if-none-match:SAME".into(),             [HAS_IT,  UNMET,   UNMET,   "ok"]),
            ("if-none-match:*".into(),                [NEVER,   UNMET,   EXISTS,  "ok"]),
            (format!("if-none-match:{OTHER}"),        ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-modified-since:{BEFORE}"),   ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-modified-since:{THEN}"),     [HAS_IT,  UNMET,   UNMET,   "ok"]),
            (format!("if-modified-since:{AFTER}"),    [HAS_IT,  UNMET,   UNMET,   "ok"]),
            (format!("if-unmodified-since:{BEFORE}"), [UNMET,   UNMET,   UNMET,   "ok"]),
            (format!("if-unmodified-since:{THEN}"),   ["ok",    "ok",    "ok",    "ok"]),
            (format!("if-unmodified-since:{AFTER}"),  ["ok",    "ok",    "ok",    "ok"]),
            ("x-ms-if-tags:colour='blue'".into(),     ["ok",    "ok",    "ok",    "ok"]),
            ("x-ms-if-tags:colour='red'".into(),      [UNMET,   UNMET,   UNMET,   "ok"]),
        ];
        for (headers, [read, write, create, missing]) in table {
            assert_eq!(told(&headers, ConditionSupport::Read, true, NOW), read, "read {headers}");
            assert_eq!(told(&headers, ConditionSupport::Read, true, Version::V2009_09_19), read, "old read {headers}");
            assert_eq!(told(&headers, ConditionSupport::Write, true, NOW), write, "write {headers}");
            assert_eq!(told(&headers, ConditionSupport::Create, true, NOW), create, "create {headers}");
            assert_eq!(told(&headers, ConditionSupport::Create, false, NOW), missing, "create, missing {headers}");
            assert_eq!(told(&headers, ConditionSupport::Read, false, NOW), "ok", "read, missing {headers}");
            assert_eq!(told(&headers, ConditionSupport::Write, false, NOW), "ok", "write, missing {headers}");
            assert_eq!(told(&headers, ConditionSupport::None, true, NOW), "ok", "ignored {headers}");
            let delete = if headers.ends_with(":*") && headers.contains("none") { "ok" } else { write };
            assert_eq!(told(&headers, ConditionSupport::Delete, true, NOW), delete, "delete {headers}");
            let dates =
                if headers.contains("-since:") || headers.is_empty() { write } else { "400 ConditionHeadersNotSupported" };
            assert_eq!(told(&headers, ConditionSupport::Dates, true, NOW), dates, "container {headers}");
        }
    }

    #[test]
    fn a_copys_destination_has_a_name_for_what_is_unmet() {
        const TARGET: &str = "412 TargetConditionNotMet";
        const UNMET: &str = "412 ConditionNotMet";
        const EXISTS: &str = "409 BlobAlreadyExists";
        #[rustfmt::skip]
        let table = [
            // asked                                   CopyTarget  CopyTargetIfMatch  Create
            ("if-match:SAME".into(),                  ["ok",      "ok",              "ok"]),
            (format!("if-match:{OTHER}"),             [TARGET,    TARGET,            UNMET]),
            ("if-none-match:SAME".into(),             [TARGET,    UNMET,             UNMET]),
            ("if-none-match:*".into(),                [EXISTS,    EXISTS,            EXISTS]),
            (format!("if-modified-since:{AFTER}"),    [TARGET,    UNMET,             UNMET]),
            (format!("if-unmodified-since:{BEFORE}"), [TARGET,    UNMET,             UNMET]),
            ("x-ms-if-tags:colour='red'".into(),      [UNMET,     UNMET,             UNMET]),
        ];
        for (headers, told_by) in table {
            for (accepts, wanted) in [ConditionSupport::CopyTarget, ConditionSupport::CopyTargetIfMatch, ConditionSupport::Create]
                .into_iter()
                .zip(told_by)
            {
                assert_eq!(told(&headers, accepts, true, NOW), wanted, "{accepts:?} {headers}");
            }
        }
        for accepts in [ConditionSupport::CopyTarget, ConditionSupport::CopyTargetIfMatch] {
            assert_eq!(told("if-match:*", accepts, false, NOW), TARGET, "{accepts:?} of nothing");
        }
    }

    #[test]
    fn several_conditions() {
        const UNMET: &str = "412 ConditionNotMet";
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
            // asked                                             Read    Read before 2013-08-15    Write
            (format!("{same}\n{old}"),                          ["ok",   "ok",                     "ok"]),
            (format!("{same}\n{changed}"),                      [UNMET,  "ok",                     "ok"]),
            (format!("{other}\n{old}"),                         [UNMET,  UNMET,                    UNMET]),
            (format!("{known}\n{new}"),                         ["ok",   HAS_IT,                   UNMET]),
            (format!("{known}\n{stale}"),                       [HAS_IT, HAS_IT,                   UNMET]),
            (format!("{unknown}\n{stale}"),                     ["ok",   "ok",                     "ok"]),
            (format!("{same}\n{unknown}"),                      ["ok",   MANY,                     MANY]),
            (format!("{same}\n{known}"),                        [HAS_IT, MANY,                     MANY]),
            (format!("{other}\n{known}"),                       [UNMET,  MANY,                     MANY]),
            (format!("{same}\n{new}"),                          ["ok",   MANY,                     MANY]),
            (format!("{changed}\n{unknown}"),                   [UNMET,  MANY,                     MANY]),
            (format!("{old}\n{new}"),                           ["ok",   MANY,                     MANY]),
            (format!("{same}\n{old}\n{unknown}\n{new}"),        ["ok",   MANY,                     MANY]),
            (format!("if-match:{OTHER}, SAME"),                 ["ok",   MANY,                     MANY]),
            (format!("if-none-match:{OTHER},SAME"),             [HAS_IT, MANY,                     MANY]),
            (format!("{same}\nx-ms-if-tags:colour='red'"),      [UNMET,  UNMET,                    UNMET]),
            (format!("{known}\nx-ms-if-tags:colour='red'"),     [UNMET,  UNMET,                    UNMET]),
            (format!("{known}\nx-ms-if-tags:colour='blue'"),    [HAS_IT, HAS_IT,                   UNMET]),
        ];
        for (headers, [read, old_read, write]) in table {
            assert_eq!(told(&headers, ConditionSupport::Read, true, Version::V2013_08_15), read, "read {headers}");
            assert_eq!(told(&headers, ConditionSupport::Read, true, Version::V2011_08_18), old_read, "old read {headers}");
            assert_eq!(told(&headers, ConditionSupport::Write, true, NOW), write, "write {headers}");
        }
        assert_eq!(told(&format!("{old}\n{new}"), ConditionSupport::Dates, true, NOW), MANY);
    }

    #[test]
    fn a_leaseholder_may_replace_what_is_there() {
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
            (format!("if-match:{OTHER}"), Err(UnmetCondition::Match)),
            (format!("if-unmodified-since:{BEFORE}"), Err(UnmetCondition::Match)),
            ("x-ms-if-tags:colour<>'blue'".into(), Err(UnmetCondition::Tags)),
            ("if-none-match:SAME".into(), Err(UnmetCondition::NoneMatch)),
            ("if-none-match:*".into(), Err(UnmetCondition::NoneMatch)),
            (format!("if-modified-since:{AFTER}"), Err(UnmetCondition::NoneMatch)),
            (format!("if-none-match:SAME\nif-match:{OTHER}"), Err(UnmetCondition::Match)),
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
    fn of_another_server_by_what_it_says() {
        let (still, no_longer) = (Err(UnmetCondition::Match), Err(UnmetCondition::NoneMatch));
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
