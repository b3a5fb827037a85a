//! Preflight requests: a browser checks whether a web page may send a request to another origin.

use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Service};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::cors;
use crate::rules::error::{ErrorCode, StorageError};

/// Declares the preflight operation of a service.
pub const fn operation<S: Service>(name: &'static str) -> Operation<S> {
    operation!(
        answer,
        Input,
        OperationSpec {
            name,
            methods: &["OPTIONS"],
            resource: ResourceKind::Any,
            requires: RequiredPermission::ANYONE,
            ..OperationSpec::DEFAULT
        }
    )
}

input! { pub(super) Input {
    origin: Option<String> = Header "origin",
    method: Option<String> = Header "access-control-request-method",
    headers: Option<String> = Header "access-control-request-headers",
} }

async fn answer<S: Service>(service: &S, request: Request, input: Input) -> Result<Reply, StorageError> {
    let missing = |name: &'static str| {
        move || StorageError::invalid_header(name, "").with_message("A required CORS header is not present.")
    };
    let origin = input.origin.ok_or_else(missing("Origin"))?;
    let method = input.method.ok_or_else(missing("Access-Control-Request-Method"))?;
    let headers: Vec<&str> =
        input.headers.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect();
    let allowed = cors::preflight(&service.cors(&request.account), &origin, &method, &headers)
        .map_err(|mismatch| ErrorCode::CorsPreflightFailure.with_reason(mismatch.to_string()))?;
    let reply = Reply::new(request.spec.status)
        .with("access-control-allow-origin", allowed.origin)
        .with("access-control-allow-methods", allowed.method)
        .with("access-control-max-age", allowed.max_age_seconds.to_string())
        .with_some("access-control-allow-headers", Some(allowed.headers).filter(|headers| !headers.is_empty()));
    Ok(reply.with_some("access-control-allow-credentials", allowed.credentials.then_some("true")))
}
