//! Preflight Blob Request: a browser asks whether a web page may send what it means to send.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Service, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::{condition::Accepts, cors, lease::Guard};
use crate::takes;

pub(super) static PREFLIGHT: Op<Blobs> = Op {
    row: Row {
        name: "Preflight Blob Request",
        methods: &["OPTIONS"],
        shape: Shape::Any,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Service, account: "", service: "", public: Public::Everyone },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    origin: Option<String> = Header "origin",
    method: Option<String> = Header "access-control-request-method",
    headers: Option<String> = Header "access-control-request-headers",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let missing = |name: &'static str| move || Fault::header(name, "").saying("A required CORS header is not present.");
    let origin = asked.origin.ok_or_else(missing("Origin"))?;
    let method = asked.method.ok_or_else(missing("Access-Control-Request-Method"))?;
    let headers: Vec<&str> =
        asked.headers.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect();
    let rules = blobs.cors(&call.account.name);
    let allowed = cors::preflight(&rules, &origin, &method, &headers).ok_or(Code::CorsPreflightFailure)?;
    let reply = Reply::new(call.row.status)
        .with("access-control-allow-origin", allowed.origin)
        .with("access-control-allow-methods", allowed.method)
        .with("access-control-max-age", allowed.max_age_seconds.to_string())
        .with_some("access-control-allow-headers", Some(allowed.headers).filter(|headers| !headers.is_empty()));
    Ok(reply.with_some("access-control-allow-credentials", allowed.credentials.then_some("true")))
}
