//! Who calls and what the caller may do: signatures, tokens, stored access policies, permissions.

pub mod delegation;
pub mod permissions;
pub mod principals;
pub mod roles;
pub mod sas;
pub mod shared_key;
pub mod token;
