//! The blob service over a socket.

mod append;
mod blob_lease;
mod blocks;
mod conditions;
mod container_lease;
mod containers;
mod copy;
mod encryption;
mod from_url;
mod leases;
mod listing;
mod page_diff;
mod pages;
mod properties;
mod put_get;
mod snapshots;
mod tags;
mod tiers;
