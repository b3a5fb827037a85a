//! What only the paths of a hierarchical namespace have: an owner, a group, an access control list; and of directories, an id.

use crate::rules::auth::token::Identity;
use crate::rules::error::StorageError;
use crate::rules::lake::acl::{Acl, NewAccess};
use crate::rules::lake::path::PathKind;
use crate::rules::lake::permissions::Permissions;
use crate::services::blob::state::DirectoryId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The owner and the group of what a caller with an account key creates.
pub const SUPERUSER: &str = "$superuser";

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
    /// Whether Data Lake operations wrote the content: then block operations refuse the file.
    pub appended: bool,
}

/// What a request says of a path that it creates.
#[derive(Clone, Debug)]
pub struct NewPath {
    /// The caller, if it has an identity.
    pub creator: Option<Arc<str>>,
    pub kind: PathKind,
    pub owner: Option<Arc<str>>,
    pub group: Option<Arc<str>>,
    pub access: NewAccess,
    pub encryption_context: Option<Arc<str>>,
    /// Whether a Data Lake operation creates it.
    pub appended: bool,
}

impl NewPath {
    /// A path that this caller creates through the Blob API.
    pub fn by(user: Option<&Identity>) -> NewPath {
        NewPath::of(PathKind::File, user.map(|user| user.oid.as_str().into()))
    }

    /// A missing parent of the path: it has default permissions.
    pub fn parent(&self) -> NewPath {
        NewPath::of(PathKind::Directory, self.creator.clone())
    }

    fn of(kind: PathKind, creator: Option<Arc<str>>) -> NewPath {
        NewPath { creator, kind, owner: None, group: None, access: NewAccess::default(), encryption_context: None, appended: false }
    }
}

impl PathProperties {
    /// The root directory of a file system. Its creator is its owner and its group.
    pub fn of_root(creator: Option<&Arc<str>>) -> PathProperties {
        let owner = creator.cloned().unwrap_or_else(|| SUPERUSER.into());
        let (group, acl) = (owner.clone(), Permissions::ROOT.into());
        PathProperties { owner, group, acl, directory: Some(DirectoryId::ROOT), encryption_context: None, appended: false }
    }

    /// A new path in a directory; `directory` is its id if it is a directory itself. The group is that of the directory above.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList for default entries of a file.
    pub fn of_new(parent: &PathProperties, new: &NewPath, directory: Option<DirectoryId>) -> Result<PathProperties, StorageError> {
        let kind = if directory.is_some() { PathKind::Directory } else { PathKind::File };
        let owner = new.owner.as_ref().or(new.creator.as_ref());
        Ok(PathProperties {
            owner: owner.cloned().unwrap_or_else(|| SUPERUSER.into()),
            group: new.group.as_ref().unwrap_or(&parent.group).clone(),
            acl: Acl::of_new(&parent.acl, kind, &new.access)?,
            directory,
            encryption_context: new.encryption_context.clone(),
            appended: new.appended,
        })
    }

    pub fn kind(&self) -> PathKind {
        if self.directory.is_some() { PathKind::Directory } else { PathKind::File }
    }
}
