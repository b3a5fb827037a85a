//! The rules of the service, free of sockets, files, tasks and clocks: what comes in decides what goes out.
//!
//! Nothing here awaits, reads a clock, draws a random number or knows HTTP's types. Time and ids come in as arguments.

pub mod etag;
pub mod fault;
pub mod time;
pub mod version;
