//! Who a share's files belong to: security descriptors by their keys, and what Unix knows. They are kept and given back; nobody's access
//! is decided by them here.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix::Posix;
use crate::rules::file::share::Protocol;
use crate::rules::file::smb::{NodeKind, Permission, SmbInput};
use crate::rules::file::{posix, sddl};
use crate::services::file::state::Share;
use std::sync::Arc;

impl Share {
    /// Checks that the share is served over NFS, whose clients alone know links.
    ///
    /// # Errors
    /// 400 InvalidInput.
    pub fn check_nfs(&self) -> Result<(), StorageError> {
        match self.properties.settings.protocol {
            Some(Protocol::Nfs) => Ok(()),
            _ => Err(ErrorCode::InvalidInput.with_reason("only a share that is served over NFS has links")),
        }
    }

    /// The key of the security descriptor that a request says, or else of the one that is inherited or was there before.
    ///
    /// # Errors
    /// 400 FileInvalidPermission for a key that the share does not know; InvalidHeaderValue for `preserve` where nothing was before.
    pub fn permission(&mut self, given: &SmbInput, sort: NodeKind, before: Option<sddl::Key>) -> Result<sddl::Key, StorageError> {
        let inherited = match sort {
            NodeKind::Directory => sddl::OF_DIRECTORIES,
            NodeKind::File => sddl::OF_FILES,
        };
        match &given.permission {
            None => Ok(before.unwrap_or_else(|| self.keep_permission(inherited))),
            Some(Permission::Inherit) => Ok(self.keep_permission(inherited)),
            Some(Permission::Preserve) => before.ok_or_else(|| StorageError::invalid_header("x-ms-file-permission", "preserve")),
            Some(Permission::Is(text)) => Ok(self.keep_permission(text)),
            Some(Permission::Key(key)) if self.permissions.contains_key(key) => Ok(*key),
            Some(Permission::Key(_)) => {
                Err(ErrorCode::FileInvalidPermission.with_reason("the share has no permission of this key"))
            }
        }
    }

    /// What Unix is to know of a node: what a request says, over what was there before; nothing in a share that is not served over NFS.
    ///
    /// # Errors
    /// 400 UnsupportedHeader for who says anything there.
    pub fn posix(
        &self,
        given: posix::PosixInput,
        sort: posix::PosixFileType,
        before: Option<&Posix>,
    ) -> Result<Option<Arc<Posix>>, StorageError> {
        match (self.properties.settings.protocol, given.says()) {
            (Some(Protocol::Nfs), _) => Ok(Some(Arc::new(given.over(before, sort)))),
            (_, None) => Ok(None),
            (_, Some(header)) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", header)),
        }
    }

    /// Remembers a security descriptor, completed; its key.
    pub fn keep_permission(&mut self, text: &str) -> sddl::Key {
        let key = sddl::Key::of(text);
        self.permissions.insert(key, sddl::complete(text).into());
        key
    }

    /// The security descriptor of a key. What an earlier server wrote to disk is completed here.
    pub fn permission_text(&self, key: sddl::Key) -> Option<Arc<str>> {
        self.permissions.get(&key).map(|text| sddl::complete(text).into())
    }
}
