//! Rules that only Data Lake Storage Gen2 has.

pub mod acl;
pub mod path;
pub mod permissions;
