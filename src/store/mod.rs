//! How the services store their state: cells of records, and content for bytes.
//!
//! A cell publishes complete versions; a reader keeps the version that it opened. Bytes are stored apart from records, in ropes of
//! shared chunks, so that a copy of a blob costs a pointer. A journal writes what each write changed to the disk, if there is one. The
//! store knows nothing of blobs.

pub mod cell;
pub mod changes;
pub mod chunk;
pub mod chunks;
pub mod cleared_ranges;
pub mod content;
pub mod disk;
pub mod journal;
pub mod record;
pub mod records;
pub mod sparse;
mod storage;
pub mod timeline;

pub use storage::{Persist, Store};
