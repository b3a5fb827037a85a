//! Rules that only Data Lake Storage Gen2 has: file systems with directories, renames, and access control lists.

pub mod access;
pub mod acl;
pub mod append;
pub mod conditions;
pub mod create;
pub mod error;
pub mod lease;
pub mod path;
pub mod permissions;
pub mod properties;
pub mod rename;
pub mod route;
