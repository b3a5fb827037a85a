//! What the parts of a batch may be.

use crate::http::target::AccountAddress;
use crate::operation::{OperationSpec, Target};
use crate::rules::error::{ErrorCode, StorageError};
use std::borrow::Cow;

/// The limits of a part: the account of its batch, the container if the batch has one, and the operations that batches may contain.
pub(super) struct BatchScope {
    pub(super) account: String,
    pub(super) container: Option<String>,
    pub(super) operations: &'static [&'static OperationSpec],
}

impl BatchScope {
    /// The address of a part, always in the account of the batch. Some clients omit the account from the path of a part, although the
    /// path of the batch has it, and sign the path without it.
    pub(super) fn address<'a>(&'a self, address: Option<AccountAddress<'a>>, path: &'a str) -> AccountAddress<'a> {
        let without = || AccountAddress { account: Cow::Borrowed(&self.account), secondary: false, path, in_path: false };
        address.filter(|address| address.account == self.account).unwrap_or_else(without)
    }

    /// Checks that the batch may contain a part.
    pub(super) fn admits(&self, spec: &OperationSpec, target: &Target) -> Result<(), StorageError> {
        if !self.operations.iter().any(|known| known.name == spec.name) {
            return Err(ErrorCode::InvalidInput.with_reason(format!("{} is not for batches", spec.name)));
        }
        if let Some(container) = self.container.as_deref().filter(|container| Some(*container) != target.container_name()) {
            return Err(ErrorCode::InvalidInput.with_reason(format!("the batch is for {container:?} only")));
        }
        Ok(())
    }
}
