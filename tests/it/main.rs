//! One binary of integration tests: the real server on a real socket, its clock set by hand.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test reads files and clocks, and fails by panicking"
)]

mod docs;
mod house;
mod sdk;
mod smoke;
