//! Rules of the Table service.

pub mod entity;
pub mod odata;
