//! Counts of all requests since the start, for `GET /_lazuli/metrics`.

use crate::operation::ServiceKind;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The upper bounds of the histogram of response times, in milliseconds.
pub const BOUNDS: [f64; 11] = [0.1, 0.5, 1.0, 5.0, 10.0, 25.0, 100.0, 250.0, 1000.0, 5000.0, 30_000.0];

/// What distinguishes the requests that are counted together: service, operation and status.
pub type Label = (ServiceKind, &'static str, u16);

/// The requests with one [`Label`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counter {
    pub requests: u64,
    pub milliseconds: f64,
    /// How many took at most as long as each of [`BOUNDS`], and longer than the bound before.
    pub buckets: [u64; BOUNDS.len()],
    /// The bytes of the bodies of requests and responses, as far as their lengths were known.
    pub bytes_in: u64,
    pub bytes_out: u64,
}

/// Counts of requests.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<BTreeMap<Label, Counter>>);

impl Metrics {
    /// Counts a request.
    pub fn count(&self, label: Label, milliseconds: f64, bytes_in: u64, bytes_out: u64) {
        let mut counters = self.0.lock();
        let counter = counters.entry(label).or_default();
        counter.requests += 1;
        counter.milliseconds += milliseconds;
        if let Some(bucket) = BOUNDS.iter().position(|bound| milliseconds <= *bound) {
            counter.buckets[bucket] += 1;
        }
        counter.bytes_in += bytes_in;
        counter.bytes_out += bytes_out;
    }

    /// All counts, in the order of service, operation and status.
    pub fn counters(&self) -> Vec<(Label, Counter)> {
        self.0.lock().iter().map(|(label, counter)| (*label, counter.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_operation_and_status() {
        let metrics = Metrics::default();
        metrics.count((ServiceKind::Blob, "Put Blob", 201), 0.4, 10, 0);
        metrics.count((ServiceKind::Blob, "Put Blob", 201), 60_000.0, 10, 0);
        metrics.count((ServiceKind::Blob, "Get Blob", 200), 0.1, 0, 7);
        let counters = metrics.counters();
        let labels: Vec<&str> = counters.iter().map(|((_, operation, _), _)| *operation).collect();
        assert_eq!(labels, ["Get Blob", "Put Blob"]);
        let put = &counters[1].1;
        assert_eq!((put.requests, put.bytes_in, put.buckets[1], put.buckets.iter().sum::<u64>()), (2, 20, 1, 1));
    }
}
