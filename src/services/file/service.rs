//! The targets of the paths of the File service.

use crate::operation::{Operation, ResourcePath, Target};
use crate::rules::error::StorageError;
use crate::rules::names;
use crate::rules::names::ShareName;
use crate::services::file::files::Files;
use crate::services::file::ops;
use crate::services::file::state::{Share, parse_snapshot};
use crate::services::shared::service::{ServiceResource, split_path};

impl ServiceResource for Share {
    fn operations() -> &'static [&'static Operation<Files>] {
        ops::ALL
    }

    /// Operations on a share itself have `restype=share`; every other path names a directory or a file, including the share's root.
    fn target(resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let Some((first, rest)) = split_path(resource.path) else { return Ok(Target::Service) };
        let (share, text) = (ShareName::parse(&names::decode(first)?)?, names::decode(rest)?);
        let snapshot = resource.query.get(SNAPSHOT).filter(|text| !text.is_empty());
        let snapshot = snapshot.map(|text| parse_snapshot(SNAPSHOT, text)).transpose()?;
        let is_share = resource.query.get("restype").is_some_and(|kind| kind.eq_ignore_ascii_case("share"));
        if text.is_empty() && is_share {
            return Ok(Target::Share { share, snapshot });
        }
        Ok(Target::Path { share, text, snapshot })
    }
}

/// The query parameter that names a snapshot of a share.
const SNAPSHOT: &str = "sharesnapshot";
