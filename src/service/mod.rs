//! What the four services share: their properties, statistics, preflight answers and account information, and the face of those
//! that are not there yet.

pub mod lease;
pub mod pending;
pub mod properties;
