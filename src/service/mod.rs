//! What the four services share: the keys that they lend to users, their properties, statistics, preflight answers and account information, and the face of those
//! that are not there yet.

pub mod delegation;
pub mod lease;
pub mod pending;
pub mod properties;
