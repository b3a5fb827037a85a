//! The HTTP front end: from a connection to an operation and back. It knows the services only by the trait `operation::Service`.

mod access_log;
pub mod auth;
pub mod automatic_tls;
pub mod background;
pub mod blob_port;
pub mod client_stream;
pub mod error_format;
mod faults;
pub mod header_case;
pub mod host;
pub mod pipeline;
pub mod remote;
pub mod render;
pub mod route;
pub mod serve;
pub mod target;
pub mod tls;
