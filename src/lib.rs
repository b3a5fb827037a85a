//! Lazuli: an Azure Storage server for a laptop and for CI.
//!
//! The program `lazuli` is [`run`]. A Rust test suite can have a server in its own process, an [`Emulator`], and use it with any SDK.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read files and clocks"))]

// The layers, from top to bottom; each uses only those below it:
//
// - `command_line`: the program
// - `emulator`: a server; `import`: imports the data of Azurite; `check`: checks a location; `config`: flags and variables
// - `http`: listeners, targets, routing, authentication, the pipeline of a request
// - `services`: Blob with Data Lake, Queue, Table and File
// - `identity`: the issuer of tokens
// - `operation`: the specification of an operation, its request and its reply
// - `store`: cells of records, content of bytes, and the disk
// - `diagnostics`: the latest requests, counts, injected faults
// - `environment`: time and randomness; `account`: accounts and keys
// - `rules`: pure functions that decide what the service does
// - `log`: the log; `progress`: how far long work is

// First: the modules below use its macros.
#[macro_use]
mod operation;

mod account;
mod authority;
mod check;
mod client_variables;
mod command_line;
mod config;
mod console;
mod control;
mod diagnostics;
mod emulator;
mod environment;
mod health;
mod http;
mod identity;
mod import;
mod launch;
mod log;
mod pfx;
mod progress;
mod rules;
mod seed;
mod services;
mod store;
mod system_trust;
mod user;

#[cfg(test)]
extern crate self as lazuli;
#[cfg(test)]
mod tests;

pub use account::WELL_KNOWN_ACCOUNT;
pub use command_line::run;
pub use config::{Config, ConfigError, WELL_KNOWN_KEY};
pub use emulator::{Address, Emulator, EmulatorBuilder, StartError};
pub use environment::Clock;
pub use operation::ServiceKind;
