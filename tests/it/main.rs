//! One binary of integration tests: the real server on a real socket, its clock set by hand.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test reads files and clocks, and fails by panicking"
)]

mod auth;
mod blob;
mod case;
mod crash;
mod disk;
mod rng;
// The page describes the build without features.
#[cfg(not(feature = "arrow"))]
mod docs;
mod dropin;
mod faults;
mod file;
mod formats;
mod import;
mod kill;
mod log;
mod owner;
mod parameters;
mod process;
mod queue;
mod race;
mod raw;
mod reclaim;
mod routing;
mod scenario;
mod scratch;
mod sdk;
mod server;
mod sim;
mod smoke;
mod startup;
mod table;
mod tidy;
mod trust;
mod web;
