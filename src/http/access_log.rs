//! The line of the log for each request: the request, the status, the time it took, and the error with its reason.

use crate::log::ACCESS;
use crate::operation::{OperationSpec, ServiceKind};
use crate::rules::error::StorageError;
use crate::rules::secret;
use crate::rules::time::Timestamp;

/// The fields of the line.
pub struct AccessLine<'a> {
    pub kind: ServiceKind,
    /// Whether the request is a part of a batch. The batch has its own line too.
    pub part: bool,
    pub method: &'a str,
    /// Path and query as sent. The line masks signatures.
    pub uri: &'a (dyn std::fmt::Display + Sync),
    /// The operation, if one was found.
    pub spec: Option<&'static OperationSpec>,
    /// The HTTP status of the response.
    pub status: u16,
    pub error: Option<&'a StorageError>,
    pub request_id: &'a str,
    /// When the request arrived and when the head of its response was ready, by the machine's clock.
    pub times: (Timestamp, Timestamp),
}

impl AccessLine<'_> {
    /// Logs the line. For an error, it has the reason, and the level debug has the message too.
    pub fn log(&self) {
        let (began, ended) = self.times;
        tracing::info!(
            target: ACCESS,
            service = self.kind.name(),
            part = self.part.then_some(true),
            method = self.method,
            uri = secret::masked(&self.uri.to_string()),
            status = self.status,
            operation = self.spec.map_or("-", |spec| spec.name),
            code = self.error.map(|error| error.code().name()),
            milliseconds = ended.ticks().saturating_sub(began.ticks()) as f64 / TICKS_PER_MILLISECOND,
            request_id = self.request_id,
            reason = self.error.and_then(StorageError::log_line),
        );
        if let Some(error) = self.error {
            tracing::debug!(target: "lazuli::refusal", request = self.request_id, "{error}");
        }
    }
}

/// A tick is 100 ns.
const TICKS_PER_MILLISECOND: f64 = 10_000.0;
