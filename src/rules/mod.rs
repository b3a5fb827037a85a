//! The rules of the service, free of sockets, files, tasks and clocks: what comes in decides what goes out.
//!
//! Nothing here awaits, reads a clock, draws a random number or knows HTTP's types. Time and ids come in as arguments.

pub mod access;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod batch;
pub mod blocks;
pub mod checksum;
pub mod condition;
pub mod copy_source;
pub mod cors;
pub mod delegation;
pub mod descriptor;
pub mod encryption;
pub mod entity;
pub mod etag;
pub mod expiry;
pub mod fault;
pub mod file_name;
pub mod handle;
pub mod immutability;
pub mod last_access;
pub mod lease;
pub mod listing;
pub mod message;
pub mod metadata;
pub mod name;
pub mod odata;
pub mod pages;
pub mod posix;
pub mod query;
pub mod range;
pub mod retention;
pub mod sas;
pub mod sddl;
pub mod secret;
pub mod share;
pub mod shared_key;
pub mod smb;
pub mod structured;
pub mod tags;
pub mod tier;
pub mod time;
pub mod token;
pub mod version;
pub mod website;
