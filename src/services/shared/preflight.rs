//! Preflight requests: a browser asks whether a web page may send what it means to send.

use crate::operation::{FromRequest, Input, Reply, Request};
use crate::rules::cors;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};

/// The fields that a preflight operation reads.
pub const INPUTS: &[Input] = <Asked as FromRequest>::INPUTS;

input! {
/// What a page asks.
    pub(super) Asked {
    origin: Option<String> = Header "origin",
    method: Option<String> = Header "access-control-request-method",
    headers: Option<String> = Header "access-control-request-headers",
} }

/// Answers a preflight request by the CORS rules of a service.
///
/// # Errors
/// 400 for a missing header; 403 CorsPreflightFailure when no rule allows what the page means to send.
pub fn answer(request: &Request, rules: &[CorsRule]) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let missing = |name: &'static str| {
        move || StorageError::invalid_header(name, "").with_message("A required CORS header is not present.")
    };
    let origin = asked.origin.ok_or_else(missing("Origin"))?;
    let method = asked.method.ok_or_else(missing("Access-Control-Request-Method"))?;
    let headers: Vec<&str> =
        asked.headers.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect();
    let allowed = cors::preflight(rules, &origin, &method, &headers)
        .map_err(|mismatch| ErrorCode::CorsPreflightFailure.with_reason(mismatch.to_string()))?;
    let reply = Reply::new(request.spec.status)
        .with("access-control-allow-origin", allowed.origin)
        .with("access-control-allow-methods", allowed.method)
        .with("access-control-max-age", allowed.max_age_seconds.to_string())
        .with_some("access-control-allow-headers", Some(allowed.headers).filter(|headers| !headers.is_empty()));
    Ok(reply.with_some("access-control-allow-credentials", allowed.credentials.then_some("true")))
}
