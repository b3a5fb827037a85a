//! The blobs of all accounts, and the way from a request to a container.

use crate::account::{Account, Accounts};
use crate::operation::xml::Writer;
use crate::operation::{Access, OperationSpec, Reply, Request, ResourceKind, Selector, ServiceKind};
use crate::rules::auth::permissions::{AnonymousAccess, PublicAccess, RequiredPermission};
use crate::rules::auth::roles::ServiceActions;
use crate::rules::auth::sas::Policy;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::state::{Blob, Consistency, Container, NamespaceConflict};
use crate::services::blob::wire;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, HasMetadata, HasPolicies};
use crate::services::shared::listing::{Listed, ListedResource};
use crate::services::shared::resource::Resource;
use crate::services::shared::resource_index::{ResourceIndex, Restorable};
use crate::store::cell::Cell;
use std::sync::{Arc, Weak};

/// A container whose account got a hierarchical namespace, or lost it, and that cannot follow.
#[derive(Clone, Debug, thiserror::Error)]
#[error("container {container} of account {account} does not fit the account's namespace (hns): {conflict}")]
pub struct NamespaceError {
    account: String,
    container: String,
    conflict: NamespaceConflict,
}

/// The blobs of all accounts of one server.
pub type Blobs = ServiceAccounts<Container>;

impl Resource for Container {
    const KIND: ServiceKind = ServiceKind::Blob;
    const ACTIONS: ServiceActions = ServiceActions::BLOB;
    const MISSING: ErrorCode = ErrorCode::ContainerNotFound;

    fn latest(&mut self) -> Option<&mut Timestamp> {
        Some(&mut self.latest)
    }
}

impl Restorable for Container {
    const ALREADY_EXISTS: ErrorCode = ErrorCode::ContainerAlreadyExists;
    const BEING_DELETED: ErrorCode = ErrorCode::ContainerBeingDeleted;
    // Shorter than the message of the error code (recorded).
    const BEING_DELETED_MESSAGE: &'static str = "The specified container is being deleted.";
    const DELETED_NAME: &'static str = "x-ms-deleted-container-name";
    const DELETED_VERSION: &'static str = "x-ms-deleted-container-version";
    const RESTORE_REPORTS_STATE: bool = false;

    fn created(&self) -> Timestamp {
        Container::created(self)
    }

    fn restored(mut self, now: Timestamp) -> Container {
        self.renew(now);
        self
    }
}

impl Described for Container {
    const RESTYPE: Option<Selector> = Some(Selector::Query("restype", "container"));
    const READ: OperationSpec =
        OperationSpec { resource: ResourceKind::Container, lease: LeaseCheck::IfPresent, ..OperationSpec::DEFAULT };
    const WRITE: OperationSpec = OperationSpec { access: Access::Write, conditions: ConditionSupport::Dates, ..Container::READ };

    fn check(&self, request: &Request) -> Result<(), StorageError> {
        self.check_container(request)
    }

    fn last_modified(&self) -> Option<Timestamp> {
        Some(self.properties().last_modified)
    }
}

impl HasMetadata for Container {
    const READERS: RequiredPermission =
        RequiredPermission::container("r").account_sas_only().or_anonymous(AnonymousAccess::Container);
    type View = ();

    fn metadata(&self, request: &Request, (): ()) -> Result<(&Metadata, Option<Timestamp>), StorageError> {
        self.check_container(request)?;
        Ok((&self.properties().metadata, self.last_modified()))
    }

    fn set_metadata(&mut self, metadata: Metadata, now: Timestamp) {
        self.revise(now, |properties| properties.metadata = metadata);
    }
}

input! { pub AclInput {
    access: Option<PublicAccess> = Header "x-ms-blob-public-access",
} }

impl HasPolicies for Container {
    const LETTERS: &'static str = "racwdxyltfmeopi";
    type Input = AclInput;

    fn policies(&self) -> &[Policy] {
        &self.properties().policies
    }

    fn set_policies(&mut self, policies: Arc<[Policy]>, input: AclInput, now: Timestamp) {
        self.revise(now, |properties| {
            properties.access = input.access.unwrap_or(PublicAccess::Private);
            properties.policies = policies;
        });
    }

    fn describe(&self, reply: Reply) -> Reply {
        reply.with_some("x-ms-blob-public-access", self.properties().access.name())
    }
}

impl Listed for Container {
    const PLURAL: &'static str = "Containers";
    const INCLUDE: &'static [&'static str] = &["metadata", "deleted", "system"];
    const SYSTEM: &'static [&'static str] = &names::SYSTEM;

    fn write_entry(xml: &mut Writer, line: &ListedResource<'_, Container>, include: &[&str], request: &Request) {
        wire::write_container(xml, line, include.contains(&"metadata"), request);
    }
}

impl Blobs {
    /// Changes properties of the blob that a request names, which affect neither its modification time nor its ETag.
    ///
    /// # Errors
    /// Those of [`Container::admit`] and of the change.
    pub async fn amend<T>(
        &self,
        request: &Request,
        change: impl FnOnce(&mut Blob) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let edit = |container: &mut Container| {
            let admitted = container.admit(request)?;
            container.amend(admitted, change)
        };
        self.write(request, edit).await
    }

    /// Gives the flat containers of accounts with a hierarchical namespace one, too, also deleted ones that can be restored. Returns a
    /// sentence for each.
    ///
    /// # Errors
    /// The first container that cannot be converted, or that has directories in an account without a hierarchical namespace.
    pub async fn convert(&self, accounts: &Accounts, now: Timestamp) -> Result<Vec<String>, NamespaceError> {
        let (mut converted, mut converted_deleted) = (Vec::new(), Vec::new());
        for account in accounts.iter() {
            let Ok(state) = self.account(&account.name) else { continue };
            let convert = |name: &str, container: &Container| {
                let error = |conflict| NamespaceError { account: account.name.clone(), container: name.to_owned(), conflict };
                match (account.hns, container.is_hierarchical()) {
                    (true, true) | (false, false) => Ok(None),
                    (false, true) => Err(error(NamespaceConflict::Hierarchical)),
                    (true, false) => container.converted(now).map(Some).map_err(error),
                }
            };
            let index = state.resources.read();
            for (name, cell) in index.iter() {
                let container = convert(name, &cell.read())?;
                converted.extend(container.map(|container| (account, name.clone(), cell.clone(), container)));
            }
            for (name, created, deleted) in index.deleted_from("", now) {
                let container = convert(&format!("{name} (deleted)"), &deleted.state())?;
                converted_deleted.extend(container.map(|container| (account, name.to_owned(), created, container)));
            }
        }
        // Nothing changes if any of them is refused.
        let mut messages = Vec::new();
        let write_failed = |account: &Account, name: &str| {
            let (account, container) = (account.name.clone(), name.to_owned());
            move |failed| NamespaceError { account, container, conflict: NamespaceConflict::Write(failed) }
        };
        for (account, name, created, container) in converted_deleted {
            let failed = write_failed(account, &name);
            let Ok(state) = self.account(&account.name) else { continue };
            let replace = |index: &mut ResourceIndex<Container>| {
                index.replace_deleted(&name, created, container);
                Ok(())
            };
            state.resources.write(replace).await.map_err(failed)?;
        }
        for (account, name, cell, container) in converted {
            let replace = |before: &mut Container| {
                *before = container;
                Ok(())
            };
            cell.write(replace).await.map_err(write_failed(account, &name))?;
            messages.push(format!("container {name} of account {} has a hierarchical namespace now", account.name));
        }
        Ok(messages)
    }

    /// The containers with deleted directories whose contents are not yet removed.
    pub fn with_discarded(&self, accounts: &Accounts) -> Vec<Weak<Cell<Container>>> {
        let indexes = accounts.iter().filter_map(|account| Some(self.account(&account.name).ok()?.resources.read()));
        let discarded = |index: Arc<ResourceIndex<Container>>| {
            let cells = index.values().filter(|cell| cell.read().has_discarded());
            cells.map(Arc::downgrade).collect::<Vec<_>>()
        };
        indexes.flat_map(discarded).collect()
    }

    /// What the hierarchical namespaces of an account contain, with the names of their containers.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn consistency(&self, account: &str) -> Result<Vec<(String, Consistency)>, StorageError> {
        let index = self.account(account)?.resources.read();
        Ok(index.iter().filter_map(|(name, cell)| Some((name.to_string(), cell.read().consistency()?))).collect())
    }

    /// How the account of a request retains overwritten and deleted blobs.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn retention_policy(&self, request: &Request) -> Result<RetentionPolicy, StorageError> {
        let days = self.account(&request.account.name)?.properties.read().delete_retention.retention.0;
        Ok(RetentionPolicy { versions: request.account.versioning, days })
    }
}
