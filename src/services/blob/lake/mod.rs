//! Data Lake Storage Gen2: the other API of Blob storage, for file systems with directories.
//!
//! A file system is a container, and a path is a blob of it: `state` stores both, whichever API writes them. `service` connects the
//! operations in `ops` to the server, and `wire` has their headers and JSON documents.

pub mod ops;
mod service;
mod wire;

pub use service::DataLake;
