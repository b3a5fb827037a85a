//! Rules that only the Queue service has.

pub mod message;
