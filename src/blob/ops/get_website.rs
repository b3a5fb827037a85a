//! Static websites: what a visitor of an account's web endpoint gets out of `$web`. Nobody signs there, and the container's own access
//! level does not matter.
use super::super::blobs::Blobs;
use super::super::body::ContentHeaders;
use super::super::state::{Admitted, Container};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::range::{self, Asked as Range};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::takes;
use http::{HeaderMap, Method};
use std::sync::Arc;

pub(super) static GET_WEBSITE: Op<Blobs> = Op {
    row: Row {
        name: "Get Static Website Content",
        methods: &["GET", "HEAD"],
        shape: Shape::Site,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "", service: "", public: Public::Everyone },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
} }

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let properties = blobs.account(&call.account.name)?.properties.read();
    let site = properties.static_website.site().ok_or(Code::WebContentNotFound)?;
    let container = blobs.container(&call).map_err(|_| Code::WebContentNotFound)?.read();

    let path = std::mem::take(&mut call.target.blob);
    match first(&container, &mut call, site.candidates(&path))? {
        Some(blob) => page(&blob, &asked, &call),
        None => not_found(&container, &mut call, site.error_document()),
    }
}

/// The first of these blobs that is there. What is wrong with it then is wrong with the visit.
fn first(container: &Arc<Container>, call: &mut Call, names: Vec<String>) -> Result<Option<Admitted>, Fault> {
    for name in names {
        call.target.blob = name;
        match container.admit(call) {
            Err(fault) if fault.code() == Code::BlobNotFound => {}
            admitted => return admitted.map(Some),
        }
    }
    Ok(None)
}

/// A blob, or as much of it as was asked for.
fn page(blob: &Admitted, asked: &Asked, call: &Call) -> Result<Reply, Fault> {
    blob.check_online(call.now)?;
    let size = blob.body.len();
    if call.method == Method::HEAD {
        return Ok(describe(Reply::new(call.row.status), blob).bytes(blob.body.slice(0..0), size));
    }
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let Some(span) = range::resolve(range, size)? else {
        return Ok(describe(Reply::new(call.row.status), blob).bytes(blob.body.slice(0..size), size));
    };
    let mut reply = describe(Reply::new(206), blob).with("content-range", span.content_range(size));
    reply.headers.remove("content-md5");
    Ok(reply.bytes(blob.body.slice(span.start..span.end + 1), span.len()))
}

/// The error document, whatever conditions and range the visitor had for another; or the refusal alone.
fn not_found(container: &Arc<Container>, call: &mut Call, document: Option<&str>) -> Result<Reply, Fault> {
    call.headers = HeaderMap::new();
    let Some(blob) = first(container, call, document.into_iter().map(str::to_owned).collect())? else {
        return Err(Code::WebContentNotFound.into());
    };
    blob.check_online(call.now)?;
    let size = blob.body.len();
    let sent = if call.method == Method::HEAD { 0 } else { size };
    let reply = Reply::new(Code::WebContentNotFound.status()).with("x-ms-error-code", Code::WebContentNotFound.name());
    Ok(describe(reply, &blob).bytes(blob.body.slice(0..sent), size))
}

/// What a visitor is told of a blob: its content, and nothing of its storage.
fn describe(reply: Reply, blob: &Admitted) -> Reply {
    let ContentHeaders { encoding, language, md5, cache_control, disposition, .. } = &blob.headers;
    reply
        .with("accept-ranges", "bytes")
        .with_some("content-type", blob.headers.content_type())
        .with_some("content-encoding", encoding.as_deref())
        .with_some("content-language", language.as_deref())
        .with_some("content-md5", md5.as_deref())
        .with_some("cache-control", cache_control.as_deref())
        .with_some("content-disposition", disposition.as_deref())
        .with_state(blob.etag(), blob.stamp)
}
