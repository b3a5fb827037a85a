//! What a server knows about its own requests: the latest of them, counts of all of them, and the faults that are injected into them.
//!
//! The pipelines write here, `control` reads. Without `--control` no request is recorded and no fault can be added; counts are always
//! kept.

pub mod faults;
pub mod history;
pub mod metrics;
pub mod request_log;

use faults::Faults;
use history::Histories;
use metrics::Metrics;
use request_log::RequestLog;

/// The diagnostics of one server.
#[derive(Debug, Default)]
pub struct Diagnostics {
    /// The latest requests, if the server records them.
    pub requests: Option<RequestLog>,
    pub metrics: Metrics,
    pub faults: Faults,
    /// Earlier states, while a fault makes a secondary lag.
    pub histories: Histories,
}

impl Diagnostics {
    /// Diagnostics that record this many requests.
    pub fn recording(capacity: usize) -> Diagnostics {
        Diagnostics { requests: Some(RequestLog::new(capacity)), ..Diagnostics::default() }
    }
}
