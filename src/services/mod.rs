//! The storage services, a module each, and what they share.

pub mod blob;
pub mod file;
pub mod queue;
pub mod shared;
pub mod table;
