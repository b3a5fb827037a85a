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

#[path = "../support/mod.rs"]
mod support;

mod auth;
mod blob;
mod case;
mod dropin;
mod embedded;
mod faults;
mod file;
mod import;
mod kill;
mod lake;
mod log;
mod owner;
mod process;
mod queue;
mod race;
mod reclaim;
mod sdk;
mod smoke;
mod startup;
mod table;
mod tidy;
mod trust;
mod web;

use support::{raw, rng, scenario, scratch, server, time};
