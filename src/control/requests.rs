//! The latest requests of the server: a list, a wait for one that matches, and a stream of events.

use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, Parameter, ParameterKind, json};
use crate::control::state::ControlState;
use crate::diagnostics::request_log::{RecordedRequest, RequestFilter, RequestLog};
use axum::body::Body;
use bytes::Bytes;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use http_body::Frame;
use serde_json::json;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// The most requests of an answer, unless the request names another number.
const LIMIT: u64 = 1000;
/// The longest wait for a request, in seconds.
const LONGEST_WAIT: u64 = 600;
/// After how long a stream without events sends a comment, so that a client that is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a stream collects events after it sent some: a server with many listeners would otherwise write to all of them for each
/// request.
const PAUSE: Duration = Duration::from_millis(10);

pub const SPECS: &[ControlSpec] = &[
    ControlSpec {
        method: "GET",
        path: "/requests",
        access: Access::Control,
        summary: "Lists the latest requests that match all parameters, oldest first, or waits for one. With `Accept: text/event-stream` \
                  it is a stream of them.",
        parameters: &[
            Parameter::optional(
                "service",
                ParameterKind::Choice(&["blob", "queue", "table", "file", "dfs"]),
                "the service; `dfs` is Data Lake",
            ),
            Parameter::optional("operation", ParameterKind::Operation, "the name of the operation, as in `Put Blob`"),
            Parameter::optional("account", ParameterKind::Text, "the account"),
            Parameter::optional("method", ParameterKind::Text, "the HTTP method"),
            Parameter::optional("status", ParameterKind::Status, "the status, as in `404` or `4xx`"),
            Parameter::optional("code", ParameterKind::Text, "the error code"),
            Parameter::optional("path", ParameterKind::Text, "the path and the query; `*` stands for any text"),
            Parameter::optional("fault", ParameterKind::Text, "the id of a fault that was injected"),
            Parameter::optional("since", ParameterKind::Number(u64::MAX), "only requests after the one with this id"),
            Parameter::optional(
                "limit",
                ParameterKind::Number(u64::MAX),
                "the most requests, 1000 if absent: the first after `since`, or without it the newest",
            ),
            Parameter::optional(
                "wait",
                ParameterKind::Number(LONGEST_WAIT),
                "for how many seconds to wait until a request matches, if none does; the list is empty if none came",
            ),
        ],
        body: None,
        answer: Document::json(
            "The requests, and the id to use as `since` next time",
            r#"{"requests":[{"id":7,"time":"2026-01-01T00:00:00.0000000Z","service":"blob","part":false,"account":"devstoreaccount1","operation":"Get Blob","method":"GET","path":"/devstoreaccount1/cats/tom?sv=…&sig=…","status":403,"code":"AuthorizationPermissionMismatch","reason":"the SAS has to permit r, and permits w","ms":0.21,"bytes_in":0,"bytes_out":280,"fault":null,"request_id":"…","client_request_id":null,"user_agent":"curl/8.14.1"}],"next":7}"#,
        ),
        handle: |request| Box::pin(list(request)),
    },
    ControlSpec {
        method: "DELETE",
        path: "/requests",
        access: Access::Control,
        summary: "Forgets all requests so far. Ids continue.",
        parameters: &[],
        body: None,
        answer: Document::json("Nothing", "{}"),
        handle: |request| {
            Box::pin(async move {
                log(&request.state)?.clear();
                Ok(json(&json!({})))
            })
        },
    },
];

fn log(state: &ControlState) -> Result<&RequestLog, ControlError> {
    state.diagnostics.requests.as_ref().ok_or_else(ControlError::control_is_off)
}

async fn list(request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let mut filter = RequestFilter {
        service: request.text("service"),
        operation: request.text("operation"),
        account: request.text("account"),
        method: request.text("method"),
        status: request.text("status"),
        code: request.text("code"),
        path: request.text("path"),
        fault: request.text("fault"),
        since: request.number("since").unwrap_or(0),
    };
    let limit = usize::try_from(request.number("limit").unwrap_or(LIMIT)).unwrap_or(usize::MAX);
    let accepts = |kind: &str| {
        let accept = request.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        accept.split(',').any(|range| range.split(';').next().is_some_and(|range| range.trim().eq_ignore_ascii_case(kind)))
    };
    if accepts("text/event-stream") {
        let last = request.headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
        filter.since = last.unwrap_or(filter.since);
        log(&request.state)?;
        return Ok(events(request.state, filter));
    }
    let log = log(&request.state)?;
    let wait = Duration::from_secs(request.number("wait").unwrap_or(0));
    // The list is empty if the time is over.
    let found = tokio::time::timeout(wait, matching(log, &filter, limit)).await;
    let (found, next) = found.unwrap_or_else(|_| log.find(&filter, limit));
    let found: Vec<_> = found.iter().map(|request| request.json()).collect();
    Ok(json(&json!({ "requests": found, "next": next })))
}

/// Waits until there are requests that match.
async fn matching(log: &RequestLog, filter: &RequestFilter, limit: usize) -> (Vec<Arc<RecordedRequest>>, u64) {
    let mut filter = filter.clone();
    loop {
        // A request that comes between the look and the wait counts.
        let mut next = pin!(log.next());
        next.as_mut().enable();
        let (found, last) = log.find(&filter, limit);
        if !found.is_empty() {
            return (found, last);
        }
        filter.since = filter.since.max(last);
        next.await;
    }
}

/// The answer with a stream of events: the requests that match so far, and each that comes.
fn events(state: Arc<ControlState>, filter: RequestFilter) -> Response<Body> {
    let mut response = Response::new(Body::new(EventBody { next: Box::pin(next_events(state, filter, Duration::ZERO)) }));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The next events as text, and what the ones after them need.
type NextEvents = Pin<Box<dyn Future<Output = Option<(Bytes, Arc<ControlState>, RequestFilter)>> + Send>>;

#[expect(clippy::disallowed_methods, reason = "a pause of the machine's time, not of the server's")]
async fn next_events(
    state: Arc<ControlState>,
    filter: RequestFilter,
    pause: Duration,
) -> Option<(Bytes, Arc<ControlState>, RequestFilter)> {
    tokio::time::sleep(pause).await;
    let log = state.diagnostics.requests.as_ref()?;
    let found = tokio::time::timeout(KEEP_ALIVE, matching(log, &filter, LIMIT as usize)).await;
    let Ok((found, next)) = found else {
        return Some((Bytes::from_static(b": nothing new\n\n"), state, filter));
    };
    let text: String = found.iter().map(|request| format!("id: {}\ndata: {}\n\n", request.id, request.text())).collect();
    Some((text.into(), state.clone(), RequestFilter { since: next, ..filter }))
}

/// A body of events, which ends with its connection.
struct EventBody {
    next: NextEvents,
}

impl http_body::Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some((text, state, filter)) = ready!(self.next.as_mut().poll(context)) else { return Poll::Ready(None) };
        self.next = Box::pin(next_events(state, filter, PAUSE));
        Poll::Ready(Some(Ok(Frame::data(text))))
    }
}
