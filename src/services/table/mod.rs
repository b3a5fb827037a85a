//! The Table service: tables of entities, each under a PartitionKey and a RowKey.
//!
//! `state` is what a table stores, `tables` finds the table of a request, `inputs` parses what the operations read, `wire` writes tables
//! and entities in JSON, `ops` has the operations, and `service` parses paths.

mod inputs;
mod ops;
mod path;
mod service;
mod state;
mod tables;
mod wire;

pub use tables::Tables;
