//! The blob service over a socket.

mod batch;
mod blob_lease;
mod blocks;
mod conditions;
mod container_lease;
mod containers;
mod copy;
mod find_by_tags;
mod leases;
mod listing;
mod properties;
mod put_get;
mod retention;
mod shared_bytes;
mod versions;
