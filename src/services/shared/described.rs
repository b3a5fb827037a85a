//! Get and Set Metadata, and Get and Set ACL, of containers, shares, queues and tables.

use crate::operation::{FromRequest, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::auth::sas::Policy;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::policies;
use crate::services::shared::resource::Resource;
use crate::store::cell::Cell;
use std::sync::Arc;

/// A container, share, queue or table, as the operations on its metadata and its access policies see it.
pub trait Described: Resource {
    /// The `restype` of the operations, if the service has one.
    const RESTYPE: Option<Selector>;
    /// What the operations that read declare: the resource and the lease check.
    const READ: OperationSpec;
    /// What the operations that write declare: also the conditions and the status.
    const WRITE: OperationSpec;

    /// Finds the resource that a request names.
    ///
    /// # Errors
    /// 404.
    fn find(accounts: &ServiceAccounts<Self>, request: &Request) -> Result<Arc<Cell<Self>>, StorageError> {
        accounts.resource(request)
    }

    /// Checks the conditions and the lease id of a request.
    ///
    /// # Errors
    /// 412.
    fn check(&self, _: &Request) -> Result<(), StorageError> {
        Ok(())
    }

    /// Its Last-Modified, from which the entity tag is derived. Queues and tables report neither.
    fn last_modified(&self) -> Option<Timestamp> {
        None
    }
}

impl<S: Described> ServiceAccounts<S> {
    /// Edits the resource that a request names.
    ///
    /// # Errors
    /// 404, and those of the edit.
    pub async fn write<T>(
        &self,
        request: &Request,
        edit: impl FnOnce(&mut S) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        S::find(self, request)?.write(edit).await
    }
}

/// A container, share or queue, which has metadata.
pub trait HasMetadata: Described {
    /// Who may read it.
    const READERS: RequiredPermission;
    /// The input of Get Metadata.
    type View: FromRequest + Send + Sync + 'static;

    /// Returns the metadata that a request reads, and the Last-Modified that goes with it, once the request is checked.
    ///
    /// # Errors
    /// As [`Described::check`].
    fn metadata(&self, request: &Request, view: Self::View) -> Result<(&Metadata, Option<Timestamp>), StorageError>;

    fn set_metadata(&mut self, metadata: Metadata, now: Timestamp);

    /// Adds what else Get Metadata reports.
    fn describe(&self, reply: Reply, _: Timestamp) -> Reply {
        reply
    }
}

/// A container, share, queue or table, which has stored access policies.
pub trait HasPolicies: Described {
    /// The permissions that a policy can give.
    const LETTERS: &'static str;
    /// The input of Set ACL, besides the policies in the body.
    type Input: FromRequest + Send + Sync + 'static;

    fn policies(&self) -> &[Policy];

    fn set_policies(&mut self, policies: Arc<[Policy]>, input: Self::Input, now: Timestamp);

    /// Adds what else Get ACL reports.
    fn describe(&self, reply: Reply) -> Reply {
        reply
    }
}

/// The selectors of an operation with this `comp`.
macro_rules! selectors {
    ($resource:ident, $comp:literal) => {
        const {
            match $resource::RESTYPE {
                Some(restype) => &[restype, $crate::operation::Selector::Query("comp", $comp)],
                None => &[$crate::operation::Selector::Query("comp", $comp)] as &[$crate::operation::Selector],
            }
        }
    };
}

pub(super) use selectors;

/// Declares Get Metadata.
pub const fn get_metadata<S: HasMetadata>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    let selectors = selectors!(S, "metadata");
    operation!(
        read_metadata,
        S::View,
        OperationSpec { name, methods: &["GET", "HEAD"], selectors, requires: S::READERS.actions(S::ACTIONS.read), ..S::READ }
    )
}

/// Declares Set Metadata.
pub const fn set_metadata<S: HasMetadata>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    let (selectors, requires) =
        (selectors!(S, "metadata"), RequiredPermission::container("w").account_sas_only().actions(S::ACTIONS.write));
    operation!(write_metadata, Metadata, OperationSpec { name, methods: &["PUT"], selectors, requires, ..S::WRITE })
}

/// Declares Get ACL.
pub const fn get_acl<S: HasPolicies>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    let (selectors, requires) =
        (selectors!(S, "acl"), RequiredPermission::owner(ResourceLevel::Container).actions(S::ACTIONS.get_acl));
    operation!(read_acl, OperationSpec { name, methods: &["GET", "HEAD"], selectors, requires, ..S::READ })
}

/// Declares Set ACL.
pub const fn set_acl<S: HasPolicies>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    let (selectors, requires) =
        (selectors!(S, "acl"), RequiredPermission::owner(ResourceLevel::Container).actions(S::ACTIONS.set_acl));
    operation!(write_acl, S::Input, OperationSpec { name, methods: &["PUT"], selectors, requires, ..S::WRITE })
}

async fn read_metadata<S: HasMetadata>(
    accounts: &ServiceAccounts<S>,
    request: Request,
    view: S::View,
) -> Result<Reply, StorageError> {
    let resource = S::find(accounts, &request)?.read();
    let (metadata, last_modified) = resource.metadata(&request, view)?;
    let reply = resource.describe(with_state(Reply::new(request.spec.status), last_modified), request.now);
    Ok(reply.with_metadata(metadata))
}

async fn write_metadata<S: HasMetadata>(
    accounts: &ServiceAccounts<S>,
    request: Request,
    metadata: Metadata,
) -> Result<Reply, StorageError> {
    write(accounts, &request, |resource| resource.set_metadata(metadata, request.now)).await
}

async fn read_acl<S: HasPolicies>(accounts: &ServiceAccounts<S>, request: Request) -> Result<Reply, StorageError> {
    let resource = S::find(accounts, &request)?.read();
    resource.check(&request)?;
    let reply = Reply::xml(request.spec.status, policies::document(resource.policies()));
    Ok(resource.describe(with_state(reply, resource.last_modified())))
}

async fn write_acl<S: HasPolicies>(
    accounts: &ServiceAccounts<S>,
    mut request: Request,
    input: S::Input,
) -> Result<Reply, StorageError> {
    let policies = policies::read(&request.body.bytes(policies::LIMIT).await?, S::LETTERS)?;
    write(accounts, &request, |resource| resource.set_policies(policies.into(), input, request.now)).await
}

async fn write<S: Described>(
    accounts: &ServiceAccounts<S>,
    request: &Request,
    change: impl FnOnce(&mut S),
) -> Result<Reply, StorageError> {
    let edit = |resource: &mut S| {
        resource.check(request)?;
        change(resource);
        Ok(resource.last_modified())
    };
    let last_modified = accounts.write(request, edit).await?;
    Ok(with_state(Reply::new(request.spec.status), last_modified))
}

/// Adds the Last-Modified and the entity tag that a service reports.
pub fn with_state(reply: Reply, last_modified: Option<Timestamp>) -> Reply {
    match last_modified {
        Some(last_modified) => reply.with_state(ETag::of(last_modified), last_modified),
        None => reply,
    }
}
