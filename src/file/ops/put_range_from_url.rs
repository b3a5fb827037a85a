//! Put Range from URL: writes bytes of another file of this server into a file.

use super::super::files::Files;
use super::super::wire;
use super::put_range::{self, MAX_WRITE};
use crate::op::{Call, Op, Opens, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Claimed, Crc64, Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::rules::range::{self, Asked as Range};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::store::content::Content;
use crate::takes;

pub(super) static PUT_RANGE_FROM_URL: Op<Files> = Op {
    row: Row {
        name: "Put Range from URL",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("comp", "range"), Sign::HasHeader("x-ms-copy-source")],
        takes: &[Asked::FIELDS, put_range::Asked::FIELDS, wire::DOTS, wire::SOURCE_DOTS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    source: String = Header "x-ms-copy-source",
    range: String = Header "x-ms-source-range",
    crc64: Option<String> = Header "x-ms-source-content-crc64",
    if_match: Option<String> = Header "x-ms-source-if-match-crc64",
    if_none_match: Option<String> = Header "x-ms-source-if-none-match-crc64",
} }

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let (asked, target) = (Asked::of(&call)?, put_range::Asked::of(&call)?);
    if !target.write.eq_ignore_ascii_case("update") {
        return Err(Fault::header("x-ms-write", target.write));
    }
    if call.body.announced() != 0 {
        return Err(Fault::header("Content-Length", call.body.announced().to_string()));
    }
    let span = target.span()?;
    if span.len() > MAX_WRITE {
        return Err(Fault::too_large(MAX_WRITE));
    }
    let claimed = Claimed::read(None, asked.crc64.as_deref())?;
    let condition = |name: &'static str, text: &Option<String>| match text {
        Some(text) => Crc64::parse(text).map(Some).ok_or_else(|| Fault::header(name, text)),
        None => Ok(None),
    };
    let wants = condition("x-ms-source-if-match-crc64", &asked.if_match)?;
    let wants_not = condition("x-ms-source-if-none-match-crc64", &asked.if_none_match)?;
    let from = range::exact(&asked.range).ok_or_else(|| Fault::header("x-ms-source-range", &asked.range))?;

    let source = files.source(&call, &asked.source, Opens::Shown)?;
    let original = &source.node.file().ok_or(Code::ResourceTypeMismatch)?.content;
    let whole = range::resolve(Range::Between(from.start, from.end), original.len()).ok().flatten();
    if whole.is_none_or(|whole| whole.len() != span.len()) {
        return Err(Code::CannotVerifyCopySource.saying(SHORT).status_of(409));
    }
    let bytes = from.start..from.end + 1;
    let mut hasher = Hasher::new(Wanted { md5: false, crc64: true });
    for chunk in original.slice(bytes.clone()) {
        hasher.update(&chunk.read()?);
    }
    let digests = hasher.finish();
    claimed.check(digests)?;
    if wants.is_some_and(|wants| digests.crc64 != Some(wants)) || wants_not.is_some_and(|not| digests.crc64 == Some(not)) {
        return Err(Code::SourceConditionNotMet.into());
    }
    let content = Content::from_chunks(original.slice(bytes));
    let node = put_range::write(files, &call, &target, span, Some(&content)).await?;
    Ok(put_range::answer(&node, &call)
        .with("x-ms-request-server-encrypted", "true")
        .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string())))
}

/// What is said of a source that has fewer bytes than are to be written, as recorded.
const SHORT: &str = "The source request body for copy source does not match requested length to write on target.";
