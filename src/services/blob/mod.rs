//! Blob storage: containers and blobs.
//!
//! `state` is the stored state, `blobs` finds the container of a request, `ops` has the operations, `wire` the headers and XML documents,
//! and `service` connects them to the server.

mod blobs;
mod body;
mod copy_properties;
mod discarded;
mod lake;
mod last_access;
pub mod ops;
mod path_properties;
mod protection;
mod remote_source;
mod service;
mod state;
mod wire;

pub use blobs::{Blobs, NamespaceError};
pub use discarded::remove_some;
pub use lake::DataLake;
