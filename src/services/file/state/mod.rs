//! The state of a share, and every way to read and change it.
//!
//! A handler gets a directory or a file only from [`Share::admit`] or [`Share::claim`], which run every check in the service's order:
//! existence, kind, open handles, the read-only attribute, the lease. Their fields are visible in this folder only, of which `ops` is a
//! sibling.

mod admission;
mod copying;
mod handles;
mod named;
mod open_handles;
mod permissions;
mod record;
mod share;
mod snapshots;
mod tree;
mod view;

pub use admission::{Admitted, NewNode, WantedNode};
pub use named::{CurrentPath, NodePath, NonRootPath, ShareSnapshotQuery, parse_snapshot, trailing_dots};
pub use open_handles::Handle;
#[cfg(test)]
pub use open_handles::HandleOwner;
pub use share::Share;
pub use snapshots::DeleteSnapshots;
pub use tree::Tree;
pub use view::{ShareProperties, ShareView};
