//! The rules of the Blob service.

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod blocks;
pub mod expiry;
pub mod immutability;
pub mod last_access;
pub mod pages;
pub mod query;
pub mod tags;
pub mod tier;
pub mod version_selector;
pub mod website;
