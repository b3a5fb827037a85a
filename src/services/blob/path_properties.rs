//! What only the paths of a hierarchical namespace have: an owner, a group, an access control list; and of directories, an id.

use crate::rules::error::StorageError;
use crate::rules::lake::access::{AccessControl, Caller};
use crate::rules::lake::acl::{Acl, NewAccess};
use crate::rules::lake::append::WrittenBy;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::permissions::Permissions;
use crate::services::blob::state::DirectoryId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The properties that only a path of a hierarchical namespace has.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathProperties {
    pub owner: Arc<str>,
    pub group: Arc<str>,
    pub acl: Acl,
    /// The id of a directory; `None` for a file.
    pub directory: Option<DirectoryId>,
    /// `x-ms-encryption-context`
    pub encryption_context: Option<Arc<str>>,
    pub written_by: WrittenBy,
}

/// What a request says of a path that it creates.
#[derive(Clone, Debug)]
pub struct NewPath {
    pub creator: Caller,
    pub kind: PathKind,
    pub owner: Option<Arc<str>>,
    pub group: Option<Arc<str>>,
    pub access: NewAccess,
    pub encryption_context: Option<Arc<str>>,
    pub written_by: WrittenBy,
    /// Whether a path that exists keeps its owner, its group and its access control: the caller may only write to it.
    pub keeps_access: bool,
}

impl NewPath {
    /// A path that this caller creates through the Blob API.
    pub fn by(creator: &Caller) -> NewPath {
        NewPath {
            creator: creator.clone(),
            kind: PathKind::File,
            owner: None,
            group: None,
            access: NewAccess::default(),
            encryption_context: None,
            written_by: WrittenBy::Blob,
            keeps_access: false,
        }
    }

    /// A missing parent of the path: it has default permissions.
    pub fn parent(&self) -> NewPath {
        NewPath { kind: PathKind::Directory, ..NewPath::by(&self.creator) }
    }
}

impl PathProperties {
    /// The root directory of a file system. Its creator is its owner and its group.
    pub fn of_root(creator: &Caller) -> PathProperties {
        let owner: Arc<str> = creator.owner().into();
        PathProperties {
            group: owner.clone(),
            owner,
            acl: Permissions::ROOT.into(),
            directory: Some(DirectoryId::ROOT),
            encryption_context: None,
            written_by: WrittenBy::default(),
        }
    }

    /// A new path in a directory; `directory` is its id if it is a directory itself.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList for default entries of a file.
    pub fn of_new(
        parent: &PathProperties,
        new: &NewPath,
        directory: Option<DirectoryId>,
    ) -> Result<PathProperties, StorageError> {
        let kind = if directory.is_some() { PathKind::Directory } else { PathKind::File };
        Ok(PathProperties {
            owner: new.owner.clone().unwrap_or_else(|| new.creator.owner().into()),
            group: new.group.clone().unwrap_or_else(|| new.creator.group_of_new(&parent.group).into()),
            acl: Acl::of_new(&parent.acl, kind, &new.access)?,
            directory,
            encryption_context: new.encryption_context.clone(),
            written_by: new.written_by,
        })
    }

    /// These properties of a file whose content Data Lake operations wrote.
    pub fn written_by_lake(&self) -> PathProperties {
        PathProperties { written_by: WrittenBy::Lake, ..self.clone() }
    }

    /// What decides who may access the path.
    pub fn access_control(&self) -> AccessControl<'_> {
        AccessControl { owner: &self.owner, group: &self.group, acl: &self.acl }
    }

    pub fn kind(&self) -> PathKind {
        if self.directory.is_some() { PathKind::Directory } else { PathKind::File }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_stays() {
        let root = PathProperties::of_root(&Caller::SuperUser);
        let third = DirectoryId::ROOT.next().next().next();
        let (owner, group, encryption_context) = ("o".into(), "g".into(), Some("c".into()));
        let other = PathProperties {
            owner,
            group,
            directory: Some(third),
            encryption_context,
            written_by: WrittenBy::Blob,
            ..root.clone()
        };
        let acl = (0o750_u16, None::<u8>);
        for (properties, form) in [
            (root, ("$superuser", "$superuser", acl, Some(0_u64), None::<&str>, 0_u8)),
            (other, ("o", "g", acl, Some(3), Some("c"), 1)),
        ] {
            assert_eq!(postcard::to_stdvec(&properties).unwrap(), postcard::to_stdvec(&form).unwrap(), "{properties:?}");
        }
    }
}
