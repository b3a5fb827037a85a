//! What is kept of each request: a line of the log, a count, and with `--control` an entry in the list of the latest requests.

use crate::diagnostics::Diagnostics;
use crate::diagnostics::request_log::RecordedRequest;
use crate::log::ACCESS;
use crate::operation::{OperationSpec, ServiceKind};
use crate::rules::error::StorageError;
use crate::rules::secret;
use crate::rules::time::Timestamp;
use http::HeaderValue;
use std::sync::OnceLock;

/// A request and its outcome.
pub struct AccessLine<'a> {
    pub kind: ServiceKind,
    /// Whether the request is a part of a batch. The batch has its own line too.
    pub part: bool,
    pub account: Option<&'a str>,
    pub method: &'a str,
    /// Path and query as sent. The line masks signatures.
    pub uri: &'a (dyn std::fmt::Display + Sync),
    /// The operation, if one was found.
    pub spec: Option<&'static OperationSpec>,
    /// The HTTP status of the response.
    pub status: u16,
    pub error: Option<&'a StorageError>,
    pub request_id: &'a str,
    pub client_request_id: Option<&'a HeaderValue>,
    pub user_agent: Option<&'a HeaderValue>,
    /// The `Content-Length` of the request, and the length of the response's body if it is known.
    pub bytes: (u64, Option<u64>),
    /// The ids of the faults that were injected.
    pub fault: Option<String>,
    /// When it arrived, by the server's clock.
    pub now: Timestamp,
    /// When the request arrived and when the head of its response was ready, by the machine's clock.
    pub times: (Timestamp, Timestamp),
}

impl AccessLine<'_> {
    /// Logs the line, and adds the request to the diagnostics.
    pub fn keep(self, diagnostics: &Diagnostics) {
        self.log();
        let operation = self.spec.map_or("-", |spec| spec.name);
        let (bytes_in, bytes_out) = self.bytes;
        let label = (self.kind, operation, self.status);
        diagnostics.metrics.count(label, self.milliseconds(), bytes_in, bytes_out.unwrap_or(0));
        if let Some(requests) = &diagnostics.requests {
            requests.add(self.recorded());
        }
    }

    /// Logs the line. For an error, it has the reason, and the level debug has the message too.
    fn log(&self) {
        tracing::info!(
            target: ACCESS,
            service = self.kind.name(),
            part = self.part.then_some(true),
            method = self.method,
            uri = secret::masked(&self.uri.to_string()),
            status = self.status,
            operation = self.spec.map_or("-", |spec| spec.name),
            code = self.error.map(|error| error.code().name()),
            milliseconds = self.milliseconds(),
            request_id = self.request_id,
            reason = self.error.and_then(StorageError::log_line),
        );
        if let Some(error) = self.error {
            tracing::debug!(target: "lazuli::refusal", request = self.request_id, "{error}");
        }
    }

    fn milliseconds(&self) -> f64 {
        let (began, ended) = self.times;
        ended.ticks().saturating_sub(began.ticks()) as f64 / TICKS_PER_MILLISECOND
    }

    fn recorded(self) -> RecordedRequest {
        let text = |value: Option<&HeaderValue>| Some(secret::masked(&String::from_utf8_lossy(value?.as_bytes())));
        RecordedRequest {
            id: 0,
            time: self.now,
            service: self.kind,
            part: self.part,
            account: self.account.map(str::to_owned),
            operation: self.spec.map(|spec| spec.name),
            method: self.method.to_owned(),
            path: secret::masked(&self.uri.to_string()),
            status: self.status,
            code: self.error.map(|error| error.code().name()),
            reason: self.error.and_then(StorageError::log_line),
            milliseconds: self.milliseconds(),
            bytes_in: self.bytes.0,
            bytes_out: self.bytes.1,
            request_id: self.request_id.to_owned(),
            client_request_id: text(self.client_request_id),
            user_agent: text(self.user_agent),
            fault: self.fault,
            text: OnceLock::new(),
        }
    }
}

/// A tick is 100 ns.
const TICKS_PER_MILLISECOND: f64 = 10_000.0;
