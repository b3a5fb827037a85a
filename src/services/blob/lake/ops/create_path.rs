//! Create a file or a directory, with its missing parents. A file that exists is overwritten, a directory keeps what it contains.

use crate::operation::{EncryptionCheck, FieldLocation, FromField, Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::rules::lake::acl::NewAccess;
use crate::rules::lake::append::WrittenBy;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lease::{LeaseDuration, LeaseId};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::{LakeContentHeaders, Properties};
use crate::services::blob::ops::set_expiry::NewBlobExpiry;
use crate::services::blob::path_properties::NewPath;
use crate::services::blob::state::{Container, NewBlob};
use crate::services::blob::wire;
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static CREATE_FILE: Operation<Blobs> = operation!(
    create_file,
    NewPathInput,
    OperationSpec { name: "Create File", selectors: &[Selector::Query("resource", "file")], ..CREATE }
);

pub(super) static CREATE_DIRECTORY: Operation<Blobs> = operation!(
    create_directory,
    NewPathInput,
    OperationSpec { name: "Create Directory", selectors: &[Selector::Query("resource", "directory")], ..CREATE }
);

const CREATE: OperationSpec = OperationSpec {
    methods: &["PUT"],
    requires: RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
    conditions: ConditionSupport::Create,
    encryption: EncryptionCheck::Write,
    status: 201,
    ..WRITE
};

input! { pub(super) NewPathInput {
    properties: Properties,
    content: LakeContentHeaders,
    access: PathAccess,
    expiry: NewBlobExpiry,
    encryption_context: Option<String> = Header "x-ms-encryption-context",
    owner: Option<String> = Header "x-ms-owner",
    group: Option<String> = Header "x-ms-group",
    lease: NewLease,
} }

const LEASE_ID: &str = "x-ms-proposed-lease-id";
const LEASE_DURATION: &str = "x-ms-lease-duration";

parsed_input! {
    /// The lease that a new path has from the beginning.
    pub(super) NewLease(Option<(LeaseId, LeaseDuration)>) = [Input::Headers(&[LEASE_ID, LEASE_DURATION])],
    |fields| {
        let id = Option::<LeaseId>::from_field(fields, FieldLocation::Header, LEASE_ID)?;
        let duration = Option::<LeaseDuration>::from_field(fields, FieldLocation::Header, LEASE_DURATION)?;
        match (id, duration) {
            (Some(id), Some(duration)) => Ok(Some((id, duration))),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(StorageError::missing_header(LEASE_ID)),
            (Some(_), None) => Err(StorageError::missing_header(LEASE_DURATION)),
        }
    }
}

const PERMISSIONS: &str = "x-ms-permissions";
const UMASK: &str = "x-ms-umask";
const ACL: &str = "x-ms-acl";

parsed_input! {
    /// The permissions of a new path.
    pub(super) PathAccess(NewAccess) = [Input::Headers(&[PERMISSIONS, UMASK, ACL])],
    |fields| NewAccess::read(fields.header(PERMISSIONS), fields.header(UMASK), fields.header(ACL))
}

async fn create_file(blobs: &Blobs, request: Request, input: NewPathInput) -> Result<Reply, StorageError> {
    create(blobs, request, PathKind::File, input).await
}

async fn create_directory(blobs: &Blobs, request: Request, input: NewPathInput) -> Result<Reply, StorageError> {
    create(blobs, request, PathKind::Directory, input).await
}

async fn create(blobs: &Blobs, request: Request, kind: PathKind, input: NewPathInput) -> Result<Reply, StorageError> {
    request.check_no_content()?;
    if input.owner.is_some() || input.group.is_some() {
        request.principal.check(Action::SetOwner, &[], None)?;
    }
    if kind == PathKind::Directory && input.expiry.0.is_some() {
        return Err(StorageError::invalid_header("x-ms-expiry-option", "").with_reason("a directory does not expire"));
    }
    let text = |text: Option<String>| text.map(Arc::from);
    let new = NewPath {
        kind,
        owner: text(input.owner),
        group: text(input.group),
        access: input.access.0,
        encryption_context: text(input.encryption_context),
        written_by: WrittenBy::Lake,
        ..NewPath::by(&request.principal)
    };
    let body = Body::Block { content: Content::default(), blocks: Arc::default() };
    // A flat namespace has no other directories.
    let marks = kind == PathKind::Directory && !request.account.hns;
    let make = |blob: NewBlob| {
        let mut blob = blob.blob(body, input.content.0);
        blob.metadata = input.properties.0.unwrap_or_default();
        if marks {
            blob.metadata = blob.metadata.with(IS_FOLDER, "true");
        }
        blob.expiring(input.expiry.0)
    };
    let retention = blobs.retention_policy(&request)?;
    let create = |container: &mut Container| container.create_path(&request, new, input.lease.0, retention, make);
    let blob = blobs.write(&request, create).await?;
    Ok(wire::written(&blob, &request))
}
