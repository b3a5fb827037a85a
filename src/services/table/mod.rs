//! The Table service: tables of entities, each under a PartitionKey and a RowKey.
//!
//! `state` is what is stored and the one door to it; `ops` are the operations, a family a file; `wire` is their JSON; `service` shows
//! them to the wire.

mod inputs;
mod ops;
mod service;
mod state;
mod wire;

/// What the Table service stores for all accounts of a server: in each account tables, by their names in lower case.
pub type Tables = crate::services::shared::accounts::ServiceAccounts<state::Table>;
