//! The targets of the paths of the Blob service, and what else it has of its own as a service.

use crate::operation::{Operation, ResourcePath, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::StorageError;
use crate::rules::names;
use crate::rules::names::{BlobName, ContainerName, ROOT};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops;
use crate::services::blob::state::Container;
use crate::services::shared::service::{ServiceResource, split_path};

impl ServiceResource for Container {
    fn operations() -> &'static [&'static Operation<Blobs>] {
        ops::ALL
    }

    fn target(resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let Some((first, rest)) = split_path(resource.path) else { return Ok(Target::Service) };
        let first = names::decode(first)?;
        let version = || VersionSelector::parse(resource.query.get("snapshot"), resource.query.get("versionid"));
        if !rest.is_empty() {
            let (container, blob) = (ContainerName::parse(&first)?, names::decode(rest)?);
            if first == ROOT {
                names::root_blob(&blob)?;
            }
            return Ok(Target::Blob { container, blob: BlobName::parse(&blob)?, version: version()? });
        }
        // `/name` is a container if the query has `restype`, and otherwise a blob of the root container.
        if resource.query.get("restype").is_some() {
            return Ok(Target::Container { container: ContainerName::parse(&first)? });
        }
        names::root_blob(&first)?;
        Ok(Target::Blob { container: ContainerName::parse(ROOT)?, blob: BlobName::parse(&first)?, version: version()? })
    }

    fn website_target(path: &str) -> Result<Target, StorageError> {
        Ok(Target::Site { path: names::decode(path.strip_prefix('/').unwrap_or(path))? })
    }

    fn public_access(&self) -> PublicAccess {
        self.properties().access
    }
}
