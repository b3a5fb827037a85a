//! Lazuli: an Azure Storage server for a laptop and for CI.
//!
//! The map of the house, arrows pointing down only:
//!
//! - [`config`] and `main.rs`: arguments in, server out
//! - [`Emulator`]: the whole server, embeddable; [`import`]: another server's data, written through the services; [`check`]: what a
//!   folder holds
//! - [`http`]: the wire, and only here: listeners, targets, routes, signatures, the pipeline of a request
//! - [`blob`], [`queue`], [`table`], [`mod@file`]: a service each; [`service`] is what they share
//! - [`op`]: what an operation is, what it is handed and what it gives back
//! - [`store`]: cells of records, and content for bytes
//! - [`rules`]: what is decided, pure
//! - [`world`]: time and chance; [`account`]: who has a key; [`mod@log`]: what the server says
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read files and clocks"))]

// First, for its macros.
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
