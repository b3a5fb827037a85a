//! Counts and sizes in the text format of Prometheus.

use crate::control::spec::{Access, ControlSpec, Document, document};
use crate::control::state::ControlState;
use crate::diagnostics::metrics::{BOUNDS, Counter, Label};
use std::fmt::{Display, Write};

pub const SPECS: &[ControlSpec] = &[ControlSpec {
    method: "GET",
    path: "/metrics",
    access: Access::SameSite,
    summary: "Reports counts since the start, and sizes, in the text format of Prometheus.",
    parameters: &[],
    body: None,
    answer: Document {
        content_type: CONTENT_TYPE,
        meaning: "Requests by operation and status, their durations and bytes; containers, queues, tables and shares; memory; disk",
        example: "lazuli_requests_total{service=\"blob\",operation=\"Put Blob\",status=\"201\"} 12\n",
    },
    handle: |request| Box::pin(async move { Ok(document(CONTENT_TYPE, text(&request.state))) }),
}];

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A text of metrics.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    /// Begins a metric.
    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a value. No label has a character that has to be escaped.
    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    /// Adds a metric with one value.
    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.begin(name, kind, help);
        self.value(name, "", value);
    }
}

fn text(state: &ControlState) -> String {
    let mut text = Exposition::default();
    requests(state, &mut text);

    let resources = "lazuli_resources";
    text.begin(resources, "gauge", "Containers, queues, tables and shares.");
    for service in &state.services {
        let service = service.as_ref();
        text.value(resources, &format!("service=\"{}\"", service.kind().label()), service.resource_count(None));
    }
    text.single(
        "lazuli_uptime_seconds",
        "gauge",
        "How long the server runs.",
        state.environment.machine().seconds_apart(state.started),
    );
    if let Some(bytes) = resident_memory() {
        text.single("process_resident_memory_bytes", "gauge", "The memory of the process.", bytes);
    }
    if let Some(disk) = state.store.disk() {
        let usage = disk.extents().usage();
        text.single("lazuli_disk_content_bytes", "gauge", "Contents on disk that are in use.", usage.live);
        text.single("lazuli_disk_extents", "gauge", "Files with contents.", usage.extents);
        text.single("lazuli_reclaim_queue", "gauge", "Ranges of deleted contents that wait to be reclaimed.", usage.waiting);
    }
    text.0
}

fn requests(state: &ControlState, text: &mut Exposition) {
    let counters = state.diagnostics.metrics.counters();
    let label = |(service, operation, status): &Label| {
        format!("service=\"{}\",operation=\"{operation}\",status=\"{status}\"", service.label())
    };
    let mut total = |name: &str, help: &str, value: fn(&Counter) -> u64| {
        text.begin(name, "counter", help);
        for (of, counter) in &counters {
            text.value(name, &label(of), value(counter));
        }
    };
    total("lazuli_requests_total", "Requests.", |counter| counter.requests);
    total("lazuli_request_bytes_total", "Bytes of the bodies of requests.", |counter| counter.bytes_in);
    total("lazuli_response_bytes_total", "Bytes of the bodies of responses whose length was known.", |counter| counter.bytes_out);

    let name = "lazuli_request_duration_seconds";
    text.begin(name, "histogram", "The time until the head of the response was ready.");
    for (of, counter) in &counters {
        let labels = label(of);
        let mut until = 0;
        for (bound, count) in BOUNDS.iter().zip(counter.buckets) {
            until += count;
            text.value(&format!("{name}_bucket"), &format!("{labels},le=\"{}\"", bound / 1000.0), until);
        }
        text.value(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), counter.requests);
        text.value(&format!("{name}_sum"), &labels, counter.milliseconds / 1000.0);
        text.value(&format!("{name}_count"), &labels, counter.requests);
    }
}

/// The memory of this process in bytes; `None` where the system does not say.
#[cfg(target_os = "linux")]
fn resident_memory() -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "the system reports the memory of a process in a file")]
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(not(target_os = "linux"))]
fn resident_memory() -> Option<u64> {
    None
}
