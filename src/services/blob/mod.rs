//! Blob storage: containers, and the blobs in them.
//!
//! `body` is what a blob is made of, `state` is what is stored in a container and the one door to it, `blobs` finds the container, `wire` has its XML and headers, `ops`
//! a room for each operation, and `service` the face that all this shows to the wire.

mod blobs;
mod body;
mod copy_properties;
mod last_access;
pub mod ops;
mod protection;
mod remote_source;
mod service;
mod state;
mod wire;

pub use blobs::Blobs;
