//! What the four services share: where an account's containers, queues, tables and shares are found, kept after they are deleted, and
//! listed, stored access policies, leases, properties, statistics, preflight answers and the keys that
//! are lent to users.

pub mod delegation;
pub mod directory;
pub mod lease;
pub mod listing;
pub mod named;
pub mod policies;
pub mod preflight;
pub mod properties;
pub mod record;
pub mod stats;
