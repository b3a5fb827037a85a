//! The latest requests of a server, for `GET /_lazuli/requests`.

use crate::operation::ServiceKind;
use crate::rules::pattern;
use crate::rules::time::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The latest requests, oldest first.
#[derive(Debug)]
pub struct RequestLog {
    capacity: usize,
    recorded: Mutex<Ring>,
    /// Wakes those who wait for the next request.
    added: Notify,
}

#[derive(Debug, Default)]
struct Ring {
    /// In the order of their ids.
    requests: VecDeque<Arc<RecordedRequest>>,
    /// The id of the newest request, which may have been cleared; 0 before the first.
    last: u64,
}

/// A request and its outcome. No field holds a signature, a key or a body.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Counts the requests of this server.
    pub id: u64,
    /// When it arrived, by the server's clock.
    pub time: Timestamp,
    pub service: ServiceKind,
    /// Whether it is a part of a batch.
    pub part: bool,
    pub account: Option<String>,
    /// The name of the operation, if one was found.
    pub operation: Option<&'static str>,
    pub method: String,
    /// Path and query, with masked signatures.
    pub path: String,
    pub status: u16,
    /// The code of a refusal.
    pub code: Option<&'static str>,
    /// Why the request was refused, with masked secrets.
    pub reason: Option<String>,
    /// Until the head of the response was ready.
    pub milliseconds: f64,
    /// The `Content-Length` of the request.
    pub bytes_in: u64,
    /// The length of the response's body, if it was known.
    pub bytes_out: Option<u64>,
    /// The ids of the faults that were injected.
    pub fault: Option<String>,
    pub request_id: String,
    pub client_request_id: Option<String>,
    pub user_agent: Option<String>,
    /// The text of [`RecordedRequest::json`], once somebody listens.
    pub text: OnceLock<String>,
}

impl RecordedRequest {
    /// The request as JSON, written once for all listeners.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.json().to_string())
    }

    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "time": self.time.iso(),
            "service": self.service.label(),
            "part": self.part,
            "account": self.account,
            "operation": self.operation,
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "code": self.code,
            "reason": self.reason,
            "ms": self.milliseconds,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "fault": self.fault,
            "request_id": self.request_id,
            "client_request_id": self.client_request_id,
            "user_agent": self.user_agent,
        })
    }
}

/// Which requests are wanted. A field that is absent matches every request.
#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    /// A label such as `blob`.
    pub service: Option<String>,
    /// A name such as `Put Blob`, in any letter case.
    pub operation: Option<String>,
    pub account: Option<String>,
    pub method: Option<String>,
    /// A status such as `404`, or a class such as `4xx`.
    pub status: Option<String>,
    pub code: Option<String>,
    /// A pattern of the path and the query, in which `*` stands for any text.
    pub path: Option<String>,
    /// The id of a fault.
    pub fault: Option<String>,
    /// Only newer requests than the one with this id.
    pub since: u64,
}

impl RequestFilter {
    /// Returns true if a request has everything that the filter names.
    pub fn matches(&self, request: &RecordedRequest) -> bool {
        let same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| found.is_some_and(|found| found.eq_ignore_ascii_case(wanted)))
        };
        let has_fault = |wanted: &String| request.fault.iter().flat_map(|ids| ids.split(", ")).any(|id| id == wanted);
        request.id > self.since
            && same(&self.service, Some(request.service.label()))
            && same(&self.operation, request.operation)
            && same(&self.account, request.account.as_deref())
            && same(&self.method, Some(&request.method))
            && same(&self.code, request.code)
            && self.status.as_ref().is_none_or(|wanted| is_status(wanted, &request.status.to_string()))
            && self.path.as_ref().is_none_or(|wanted| pattern::matches(wanted, &request.path))
            && self.fault.as_ref().is_none_or(has_fault)
    }
}

/// Returns true if `404` or `4xx` describes a status.
fn is_status(wanted: &str, status: &str) -> bool {
    wanted.len() == status.len() && wanted.chars().zip(status.chars()).all(|(a, b)| a.eq_ignore_ascii_case(&'x') || a == b)
}

impl RequestLog {
    /// An empty log for this many requests.
    pub fn new(capacity: usize) -> RequestLog {
        RequestLog { capacity, recorded: Mutex::default(), added: Notify::new() }
    }

    /// Adds a request, and gives it its id. The oldest request makes room for it.
    pub fn add(&self, mut request: RecordedRequest) {
        let mut recorded = self.recorded.lock();
        recorded.last += 1;
        request.id = recorded.last;
        let oldest = if recorded.requests.len() >= self.capacity { recorded.requests.pop_front() } else { None };
        if self.capacity > 0 {
            recorded.requests.push_back(Arc::new(request));
        }
        drop(recorded);
        drop(oldest);
        self.added.notify_waiters();
    }

    /// The requests that match, oldest first, and the id of the newest request of all. Of more than `limit` matches those that come first
    /// after `since` are returned, or without `since` the newest.
    pub fn find(&self, filter: &RequestFilter, limit: usize) -> (Vec<Arc<RecordedRequest>>, u64) {
        let recorded = self.recorded.lock();
        // A reader that follows the list looks at what is new only.
        let seen = recorded.requests.partition_point(|request| request.id <= filter.since);
        let matching = recorded.requests.range(seen..).filter(|request| filter.matches(request));
        if filter.since > 0 {
            let found: Vec<Arc<RecordedRequest>> = matching.take(limit).cloned().collect();
            let next = if found.len() == limit { found.last().map(|request| request.id) } else { None };
            return (found, next.unwrap_or(recorded.last));
        }
        let mut newest: Vec<Arc<RecordedRequest>> = matching.rev().take(limit).cloned().collect();
        newest.reverse();
        (newest, recorded.last)
    }

    /// Forgets all requests. Ids continue.
    pub fn clear(&self) {
        let cleared = std::mem::take(&mut self.recorded.lock().requests);
        drop(cleared);
    }

    /// Completes after the next request. One that comes after this call and before the first poll counts if the future is enabled.
    pub fn next(&self) -> Notified<'_> {
        self.added.notified()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(operation: &'static str, status: u16, path: &str) -> RecordedRequest {
        RecordedRequest {
            id: 0,
            time: Timestamp::default(),
            service: ServiceKind::Blob,
            part: false,
            account: Some("one".to_owned()),
            operation: Some(operation),
            method: "PUT".to_owned(),
            path: path.to_owned(),
            status,
            code: (status >= 400).then_some("BlobNotFound"),
            reason: None,
            milliseconds: 0.5,
            bytes_in: 0,
            bytes_out: Some(0),
            fault: (status == 503).then(|| "1, 2".to_owned()),
            request_id: String::new(),
            client_request_id: None,
            user_agent: None,
            text: OnceLock::new(),
        }
    }

    fn log() -> RequestLog {
        let log = RequestLog::new(4);
        for (operation, status, path) in [
            ("Put Blob", 201, "/one/dropped"),
            ("Put Blob", 201, "/one/cats/a"),
            ("Get Blob", 404, "/one/cats/b"),
            ("Get Blob", 503, "/one/dogs/a?timeout=1"),
            ("Put Blob", 201, "/one/dogs/b"),
        ] {
            log.add(request(operation, status, path));
        }
        log
    }

    #[test]
    fn filters_select_requests() {
        let log = log();
        let all = RequestFilter::default();
        let text = |text: &str| Some(text.to_owned());
        for (filter, ids) in [
            (all.clone(), &[2, 3, 4, 5][..]),
            (RequestFilter { operation: text("put blob"), ..all.clone() }, &[2, 5]),
            (RequestFilter { status: text("404"), ..all.clone() }, &[3]),
            (RequestFilter { status: text("4xx"), ..all.clone() }, &[3]),
            (RequestFilter { status: text("4"), ..all.clone() }, &[]),
            (RequestFilter { code: text("BlobNotFound"), ..all.clone() }, &[3, 4]),
            (RequestFilter { path: text("/one/cats/*"), ..all.clone() }, &[2, 3]),
            (RequestFilter { path: text("*timeout*"), ..all.clone() }, &[4]),
            (RequestFilter { account: text("two"), ..all.clone() }, &[]),
            (RequestFilter { service: text("queue"), ..all.clone() }, &[]),
            (RequestFilter { fault: text("2"), ..all.clone() }, &[4]),
            (RequestFilter { since: 3, ..all }, &[4, 5]),
        ] {
            let found: Vec<u64> = log.find(&filter, 10).0.iter().map(|request| request.id).collect();
            assert_eq!(found, ids, "{filter:?}");
        }
    }

    #[test]
    fn a_page_ends_where_the_next_one_begins() {
        let log = log();
        let ids = |filter: &RequestFilter, limit| {
            let (found, next) = log.find(filter, limit);
            (found.iter().map(|request| request.id).collect::<Vec<_>>(), next)
        };
        assert_eq!(ids(&RequestFilter::default(), 2), (vec![4, 5], 5), "the newest");
        assert_eq!(ids(&RequestFilter { since: 1, ..RequestFilter::default() }, 2), (vec![2, 3], 3));
        assert_eq!(ids(&RequestFilter { since: 3, ..RequestFilter::default() }, 9), (vec![4, 5], 5));
        log.clear();
        assert_eq!(ids(&RequestFilter::default(), 9), (vec![], 5));
        log.add(request("Put Blob", 201, "/"));
        assert_eq!(ids(&RequestFilter::default(), 9), (vec![6], 6), "ids continue");
    }
}
