//! What the four services share: where an account's containers, queues, tables and shares are found, kept after they are deleted, and
//! listed, stored access policies, leases, properties, statistics, preflight answers, the keys that are lent
//! to users, copy sources on other servers, and how far a copy is.

pub mod accounts;
pub mod copying;
pub mod delegation;
pub mod described;
pub mod lease;
pub mod listing;
pub mod policies;
pub mod preflight;
pub mod properties;
pub mod record;
pub mod remote_source;
pub mod resource_index;
pub mod restore;
pub mod statistics;
