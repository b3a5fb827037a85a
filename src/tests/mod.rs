//! Tests of a whole server that need more of it than its public interface: its operation tables, its disk, open handles.

mod crash;
mod disk;
// The page describes the build without features.
#[cfg(not(feature = "arrow"))]
mod docs;
mod fields;
mod formats;
mod handles;
mod parameters;
mod roles;
mod routing;
mod sim;
mod stored_forms;
#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../../tests/support/mod.rs"]
mod support;
