//! Blob storage: containers, and the blobs in them.
//!
//! `state` is what is stored and the one door to it, `wire` its XML and headers, `ops` a room for each operation.

pub mod ops;
mod service;
mod state;
mod wire;

pub use service::Blobs;
