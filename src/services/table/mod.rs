//! The Table service: tables of entities, each under a PartitionKey and a RowKey.
//!
//! `state` is what a table stores, `inputs` parses what the operations read, `wire` writes tables and entities in JSON, `ops` has the
//! operations, and `service` implements [`Service`](crate::operation::Service).

mod inputs;
mod ops;
mod service;
mod state;
mod wire;

/// The tables of all accounts of a server, by their names in lower case.
pub type Tables = crate::services::shared::accounts::ServiceAccounts<state::Table>;
