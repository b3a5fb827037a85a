//! Azure Files over REST: shares, and the directories and files in them.
//!
//! `node` is what a share is made of, `state` is what is stored in one and the one door to it, `files` finds the share, `wire` has the
//! headers and XML, `ops` a room for each operation, and `service` the face that all this shows to the wire.

mod files;
pub mod node;
pub mod ops;
mod service;
pub mod state;
mod wire;

pub use files::Files;
