//! What the services remember things in: cells of records, and content for their bytes.
//!
//! A cell publishes whole versions; a reader keeps the version that it opened. Bytes lie apart from records, in ropes of shared
//! chunks, so that a copy of a blob costs a pointer. Nothing here knows what a blob is.

pub mod cell;
pub mod chunks;
pub mod content;
pub mod marks;
pub mod sparse;
pub mod timeline;
