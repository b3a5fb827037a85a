//! The line of the log that every request gets: what was asked, what came of it, how long it took, and why it was refused.

use crate::log::ACCESS;
use crate::operation::{OperationSpec, ServiceKind};
use crate::rules::error::StorageError;
use crate::rules::secret;
use crate::rules::time::Timestamp;

/// What the log is told of a request.
pub struct AccessLine<'a> {
    /// The service that was asked.
    pub kind: ServiceKind,
    /// Whether it came as a part of a batch, which has a line of its own as well.
    pub part: bool,
    /// The method.
    pub method: &'a str,
    /// Path and query as they came; signatures are masked here.
    pub uri: &'a (dyn std::fmt::Display + Sync),
    /// The operation, where one was found.
    pub spec: Option<&'static OperationSpec>,
    /// The status that it was answered with.
    pub status: u16,
    /// The refusal, if it is one.
    pub refusal: Option<&'a StorageError>,
    /// The id of the request.
    pub request_id: &'a str,
    /// When it came, and when its answer was ready but for the body: by the machine's clock.
    pub times: (Timestamp, Timestamp),
}

impl AccessLine<'_> {
    /// Tells the log, with the reason for a refusal; the level debug has the refusal's sentence as well.
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
            code = self.refusal.map(|error| error.code().name()),
            milliseconds = ended.ticks().saturating_sub(began.ticks()) as f64 / TICKS_PER_MILLISECOND,
            request_id = self.request_id,
            reason = self.refusal.and_then(StorageError::log_line),
        );
        if let Some(error) = self.refusal {
            tracing::debug!(target: "lazuli::refusal", request = self.request_id, "{error}");
        }
    }
}

/// Ticks are of 100 ns.
const TICKS_PER_MILLISECOND: f64 = 10_000.0;
