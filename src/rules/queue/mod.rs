//! Rules of the Queue service.

pub mod message;
