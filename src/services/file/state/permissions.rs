//! The security descriptors and POSIX properties of a share's nodes. The server stores and returns them; they decide nobody's access.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix::{Posix, PosixFileType, PosixInput};
use crate::rules::file::sddl;
use crate::rules::file::share::Protocol;
use crate::rules::file::smb::{NodeKind, PermissionInput, Smb, SmbInput};
use crate::rules::time::Timestamp;
use crate::services::file::node::Node;
use crate::services::file::state::share::Share;
use std::sync::Arc;

impl Share {
    /// Checks that the share is an NFS share, which alone has links.
    ///
    /// # Errors
    /// 400 InvalidInput.
    pub fn check_nfs(&self) -> Result<(), StorageError> {
        match self.is_nfs() {
            true => Ok(()),
            false => Err(ErrorCode::InvalidInput.with_reason("only an NFS share has links")),
        }
    }

    fn is_nfs(&self) -> bool {
        self.properties.settings.protocol == Some(Protocol::Nfs)
    }

    /// The SMB and POSIX properties of a new node.
    ///
    /// # Errors
    /// As [`Share::permission`], [`SmbInput::create`] and [`Share::posix`].
    pub fn properties_of_new(
        &mut self,
        smb: &SmbInput,
        posix: PosixInput,
        file_type: PosixFileType,
        now: Timestamp,
    ) -> Result<(Smb, Option<Arc<Posix>>), StorageError> {
        let kind = if file_type == PosixFileType::Directory { NodeKind::Directory } else { NodeKind::File };
        let permission = self.permission(smb, kind, None)?;
        Ok((smb.create(kind, permission, now)?, self.posix(posix, file_type, None)?))
    }

    /// The SMB properties of an existing node after a request.
    ///
    /// # Errors
    /// As [`Share::permission`] and [`SmbInput::apply`].
    pub fn smb(&mut self, node: &Node, smb: &SmbInput, now: Timestamp) -> Result<Smb, StorageError> {
        let permission = self.permission(smb, node.kind(), Some(node.smb.permission))?;
        smb.apply(node.kind(), node.smb, None, permission, now)
    }

    /// The key of the security descriptor that a request names, or else of the current or the inherited one.
    ///
    /// # Errors
    /// 400 FileInvalidPermission for a key that the share does not know; InvalidHeaderValue for `preserve` without a current one.
    pub fn permission(&mut self, smb: &SmbInput, kind: NodeKind, before: Option<sddl::Key>) -> Result<sddl::Key, StorageError> {
        let inherited = match kind {
            NodeKind::Directory => sddl::OF_DIRECTORIES,
            NodeKind::File => sddl::OF_FILES,
        };
        match &smb.permission {
            None => Ok(before.unwrap_or_else(|| self.store_permission(inherited))),
            Some(PermissionInput::Inherit) => Ok(self.store_permission(inherited)),
            Some(PermissionInput::Preserve) => {
                before.ok_or_else(|| StorageError::invalid_header("x-ms-file-permission", "preserve"))
            }
            Some(PermissionInput::Descriptor(text)) => Ok(self.store_permission(text)),
            Some(PermissionInput::Key(key)) if self.permissions.contains_key(key) => Ok(*key),
            Some(PermissionInput::Key(_)) => {
                Err(ErrorCode::FileInvalidPermission.with_reason("the share has no permission of this key"))
            }
        }
    }

    /// The POSIX properties of a node after a request; `None` in a share that is not served over NFS.
    ///
    /// # Errors
    /// 400 UnsupportedHeader for POSIX headers in a share that is not served over NFS.
    pub fn posix(
        &self,
        input: PosixInput,
        file_type: PosixFileType,
        before: Option<&Posix>,
    ) -> Result<Option<Arc<Posix>>, StorageError> {
        match input.first_header() {
            _ if self.is_nfs() => Ok(Some(Arc::new(input.apply(before, file_type)))),
            None => Ok(None),
            Some(header) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", header)),
        }
    }

    /// Stores a security descriptor, completed, and returns its key.
    pub fn store_permission(&mut self, text: &str) -> sddl::Key {
        let key = sddl::Key::of(text);
        self.permissions.insert(key, sddl::complete(text).into());
        key
    }

    /// The security descriptor of a key. Those that an earlier server wrote to disk are completed here.
    pub fn permission_text(&self, key: sddl::Key) -> Option<Arc<str>> {
        self.permissions.get(&key).map(|text| sddl::complete(text).into())
    }
}
