//! Lazuli: an Azure Storage server for a laptop and for CI.
//!
//! The layers, from top to bottom; each uses only those below it:
//!
//! - [`config`] and `main.rs`: the command line
//! - [`Emulator`]: a server, which can be embedded; [`import`]: imports the data of Azurite; [`check`]: checks a location
//! - [`http`]: listeners, targets, routing, authentication, the pipeline of a request
//! - [`services`]: Blob, Queue, Table and File
//! - [`operation`]: the specification of an operation, its request and its reply
//! - [`store`]: cells of records, content of bytes, and the disk
//! - [`rules`]: pure functions that decide what the service does
//! - [`environment`]: time and randomness; [`account`]: accounts and keys; [`mod@log`]: the log
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read files and clocks"))]

// First: the modules below use its macros.
#[macro_use]
pub mod operation;

pub mod account;
pub mod check;
pub mod config;
pub mod control;
mod emulator;
pub mod environment;
pub mod health;
pub mod http;
pub mod import;
pub mod log;
pub mod pfx;
pub mod rules;
pub mod services;
pub mod store;
pub mod user;

pub use emulator::{Address, Emulator, StartError};
