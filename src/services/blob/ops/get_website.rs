//! Static websites: what a visitor of an account's web endpoint gets out of `$web`. Nobody signs there, and the container's own access
//! level does not matter.
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::{ConditionSupport, Conditions};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges;
use crate::rules::ranges::RequestedRange as Range;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::ContentHeaders;
use crate::services::blob::last_access;
use crate::services::blob::state::{Admitted, Container};
use http::Method;
use std::sync::Arc;

pub(super) static GET_WEBSITE: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Get Static Website Content",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Site,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::owner(ResourceLevel::Object).or_anonymous(AnonymousAccess::Everyone),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
} }

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let properties = blobs.account(&request.account.name)?.properties.read();
    let site = properties.static_website.site().ok_or(ErrorCode::WebContentNotFound)?;
    let cell = blobs.container(&request).map_err(|_| ErrorCode::WebContentNotFound)?;
    let container = cell.read();

    let path = std::mem::take(&mut request.target.blob);
    let (blob, reply) = match first(&container, &mut request, site.candidates(&path))? {
        Some(blob) => {
            let reply = page(&blob, &asked, &request)?;
            (blob, reply)
        }
        None => not_found(&container, &mut request, site.error_document())?,
    };
    if request.method == Method::GET {
        last_access::keep(&cell, &request.account, request.blob(), &blob, request.now).await;
    }
    Ok(reply)
}

/// The first of these blobs that is there. What is wrong with it then is wrong with the visit.
fn first(container: &Arc<Container>, request: &mut Request, names: Vec<String>) -> Result<Option<Admitted>, StorageError> {
    for name in names {
        request.target.blob = name;
        match container.admit(request) {
            Err(error) if error.code() == ErrorCode::BlobNotFound => {}
            admitted => return admitted.map(Some),
        }
    }
    Ok(None)
}

/// A blob, or as much of it as was asked for.
fn page(blob: &Admitted, asked: &Asked, request: &Request) -> Result<Reply, StorageError> {
    blob.check_online(request.now)?;
    let size = blob.body.len();
    if request.method == Method::HEAD {
        return Ok(describe(Reply::new(request.spec.status), blob).bytes(blob.body.slice(0..0), size));
    }
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let Some(span) = ranges::resolve(range, size)? else {
        return Ok(describe(Reply::new(request.spec.status), blob).bytes(blob.body.slice(0..size), size));
    };
    let mut reply = describe(Reply::new(206), blob).with("content-range", span.content_range(size));
    reply.headers.remove("content-md5");
    Ok(reply.bytes(blob.body.slice(span.start..span.end + 1), span.len()))
}

/// The error document, whatever conditions and range the visitor had for another; or the refusal alone.
fn not_found(
    container: &Arc<Container>,
    request: &mut Request,
    document: Option<&str>,
) -> Result<(Admitted, Reply), StorageError> {
    request.conditions = Conditions::default();
    let Some(blob) = first(container, request, document.into_iter().map(str::to_owned).collect())? else {
        return Err(ErrorCode::WebContentNotFound.into());
    };
    blob.check_online(request.now)?;
    let size = blob.body.len();
    let sent = if request.method == Method::HEAD { 0 } else { size };
    let reply = Reply::new(ErrorCode::WebContentNotFound.status()).with("x-ms-error-code", ErrorCode::WebContentNotFound.name());
    let reply = describe(reply, &blob).bytes(blob.body.slice(0..sent), size);
    Ok((blob, reply))
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
        .with_state(blob.etag(), blob.last_modified)
}
