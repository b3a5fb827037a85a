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
mod console;
mod control;
mod embedded;
mod faults;
mod file;
mod lake;
mod queue;
mod race;
mod sdk;
mod signin;
mod smoke;
mod table;
mod tidy;
mod web;

// They start the program as a process, send it signals, and give it other names by links.
#[cfg(unix)]
mod dropin;
#[cfg(unix)]
mod https;
#[cfg(unix)]
mod import;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod kill_paths;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod startup;
#[cfg(unix)]
mod trust;

// Only Linux changes the user and punches holes.
#[cfg(target_os = "linux")]
mod owner;
#[cfg(target_os = "linux")]
mod reclaim;

use support::{raw, rng, scenario, scratch, server, time};
