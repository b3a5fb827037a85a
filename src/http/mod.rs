//! The wire: from bytes to an operation and back. No other room knows HTTP's sockets, and this one does not know what a blob is.

pub mod auth;
pub mod background;
pub mod case;
pub mod form;
pub mod host;
pub mod lake;
pub mod linger;
pub mod patient;
pub mod pipeline;
pub mod remote;
pub mod render;
pub mod route;
pub mod serve;
pub mod target;
pub mod tls;
mod told;
