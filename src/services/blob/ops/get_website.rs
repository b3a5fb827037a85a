//! Static websites: the answers of an account's web endpoint, which serves the container `$web` to everyone, whatever the public access to
//! that container is.

use crate::operation::{Operation, OperationSpec, ReadRange, Reply, Request, ResourceKind, Target};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::blob::website;
use crate::rules::conditions::{ConditionSupport, Conditions};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names::{BlobName, ContainerName};
use crate::rules::ranges::{self, RequestedRange};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::{Admitted, Container};
use crate::services::blob::{last_access, wire};
use http::Method;
use std::sync::Arc;

pub(super) static GET_WEBSITE: Operation<Blobs> = operation!(
    get_website,
    ReadRange,
    OperationSpec {
        name: "Get Static Website Content",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Site,
        requires: RequiredPermission::owner(ResourceLevel::Object).actions(&[&[]]).or_anonymous(AnonymousAccess::Everyone),
        conditions: ConditionSupport::Read,
        ..OperationSpec::DEFAULT
    }
);

async fn get_website(blobs: &Blobs, mut request: Request, range: ReadRange) -> Result<Reply, StorageError> {
    let properties = blobs.account(&request.account.name)?.properties.read();
    let site = properties.static_website.site().ok_or(ErrorCode::WebContentNotFound)?;
    let cell = blobs.find(&request.account.name, website::CONTAINER).map_err(|_| ErrorCode::WebContentNotFound)?;
    let container = cell.read();

    let Target::Site { path } = request.target.clone() else {
        return Err(ErrorCode::InternalError.with_reason("the target is no document of a website"));
    };
    let (blob, reply) = match first(&container, &mut request, site.candidates(&path))? {
        Some(blob) => {
            let reply = page(&blob, range.0, &request)?;
            (blob, reply)
        }
        None => not_found(&container, &mut request, site.error_document())?,
    };
    if request.method == Method::GET {
        last_access::record(&cell, &request.account, request.target.blob()?.0, &blob, request.now).await;
    }
    Ok(reply)
}

/// The first of these blobs that exists. A refusal of that blob is the refusal of the request.
fn first(state: &Arc<Container>, request: &mut Request, names: Vec<String>) -> Result<Option<Admitted>, StorageError> {
    for name in names {
        let Ok(blob) = BlobName::parse(&name) else { continue };
        let container = ContainerName::parse(website::CONTAINER)?;
        request.target = Target::Blob { container, blob, version: VersionSelector::Base };
        match state.admit(request) {
            Err(error) if error.code() == ErrorCode::BlobNotFound => {}
            admitted => return admitted.map(Some),
        }
    }
    Ok(None)
}

/// A blob, or a range of it.
fn page(blob: &Admitted, range: RequestedRange, request: &Request) -> Result<Reply, StorageError> {
    blob.check_online(request.now)?;
    let size = blob.body.len();
    if request.method == Method::HEAD {
        return Ok(describe(Reply::new(request.spec.status), blob).bytes(blob.body.slice(0..0), size));
    }
    let Some(span) = ranges::resolve(range, size)? else {
        return Ok(describe(Reply::new(request.spec.status), blob).bytes(blob.body.slice(0..size), size));
    };
    let mut reply = describe(Reply::new(206), blob).with("content-range", span.content_range(size));
    reply.headers.remove("content-md5");
    Ok(reply.bytes(blob.body.slice(span.start..span.end + 1), span.len()))
}

/// The error document, without the conditions and the range that were meant for another document; or the refusal alone.
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

/// The headers that describe a blob to a visitor: its content, and nothing about its storage.
fn describe(reply: Reply, blob: &Admitted) -> Reply {
    wire::describe_content(reply, &blob.headers)
        .with_some("content-md5", blob.headers.md5.as_deref())
        .with_state(blob.etag(), blob.last_modified)
}
