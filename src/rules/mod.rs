//! The rules of the service as pure functions, without sockets, files, tasks and clocks.
//!
//! Nothing here awaits, reads a clock, generates a random number or uses the types of HTTP. Times and ids are arguments.

pub mod auth;
pub mod batch;
pub mod blob;
pub mod checksums;
pub mod comparison;
pub mod conditions;
pub mod copy_source;
pub mod cors;
pub mod encryption;
pub mod error;
pub mod etag;
pub mod file;
pub mod lake;
pub mod lease;
pub mod listing;
pub mod metadata;
pub mod names;
pub mod pages;
pub mod pattern;
pub mod queue;
pub mod ranges;
pub mod retention;
pub mod secret;
pub mod structured;
pub mod table;
pub mod text;
pub mod time;
pub mod versions;
pub mod wire_name;
