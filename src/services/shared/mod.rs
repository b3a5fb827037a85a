//! What the four services have in common: the containers, queues, tables and shares of an account, and the operations that several
//! services have alike, each declared once.

pub mod accounts;
pub mod changes;
pub mod checkpoint;
pub mod content_headers;
pub mod copying;
pub mod delegation;
pub mod described;
pub mod lease;
pub mod listing;
pub mod policies;
pub mod preflight;
pub mod properties;
pub mod record;
pub mod remote_source;
pub mod resource;
pub mod resource_index;
pub mod restore;
pub mod service;
pub mod service_properties;
pub mod statistics;
