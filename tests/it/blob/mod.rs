//! The blob service over a socket.

mod append;
mod batch;
mod blob_lease;
mod blocks;
mod conditions;
mod container_lease;
mod containers;
mod copy;
mod encryption;
mod find_by_tags;
mod from_url;
mod leases;
mod listing;
mod page_diff;
mod pages;
mod properties;
mod put_get;
mod query;
mod retention;
mod shared_bytes;
mod snapshots;
mod structured;
mod tags;
mod tiers;
mod versions;
mod website;
