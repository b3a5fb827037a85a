//! Rules that only the Table service has.

pub mod entity;
pub mod odata;
