//! Shared access signatures: authorization in the query of a URL, signed, for every client that has the URL.
//!
//! There are three kinds. An account SAS gives access to services. A service SAS is for one resource, perhaps under a policy that is stored
//! with it. A user delegation SAS is like a service SAS, but signed with a user delegation key. [`Sas::parse`] parses one (`parse`),
//! [`Sas::string_to_sign`] writes the text that was signed (`sign`), and `signature` checks time, address and protocol. The HMAC is
//! computed by the caller, who has the keys. Sources: "Create an account / service / user delegation SAS" in the REST reference; the
//! sentences of AuthenticationErrorDetail are those of the service.

mod delegation;
pub mod keys;
mod kind;
mod parameters;
mod parse;
mod sign;
mod signature;
#[cfg(test)]
mod tests;

pub use signature::{Policy, Sas};
