//! Azure Files over REST: shares, and the directories and files in them.
//!
//! `node` has the nodes of a share, `state` the stored state and every access to it, `files` finds a share, `wire` has the headers and XML,
//! `ops` a file for each operation, and `service` the interface to the pipeline.

mod files;
pub mod node;
pub mod ops;
mod service;
pub mod state;
mod wire;

pub use files::Files;
