//! The blob service over a socket.

mod blob_lease;
mod blocks;
mod conditions;
mod container_lease;
mod containers;
mod copy;
mod leases;
mod listing;
mod properties;
mod put_get;
mod query;
