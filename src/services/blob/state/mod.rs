//! The state of the blob service, and the only way to it.
//!
//! A handler gets a blob from [`Container::admit`] or [`Container::claim`] only. They run every check that the operation declares, in the
//! service's order: existence, conditions, lease. Their fields are visible in this folder only, of which `ops` is a sibling.

mod access;
mod admission;
mod appends;
mod blob;
mod consistency;
mod container;
mod conversion;
mod copying;
mod flat_directories;
mod hierarchy;
mod history;
mod key;
mod last_access;
mod listing;
mod moves;
mod path_listing;
mod paths;
mod record;
mod renames;
mod sweep;
mod walk;
mod writes;

pub use access::{AccessPage, AccessReport, check_listed};
pub use admission::Admitted;
pub use appends::{FlushRequest, WrittenFile};
pub use blob::{Blob, NewBlob};
pub use consistency::Consistency;
pub use container::Container;
pub use conversion::NamespaceConflict;
pub use history::DeleteSnapshots;
pub use key::DirectoryId;
pub use listing::{BlockLists, ListInclude, ListedBlob};
pub use path_listing::{ListedPath, PathListing};
pub use renames::RenameRequest;
pub use walk::WalkOptions;
