//! Create, Get Properties, Set Properties and Delete of a file system, which is a container.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::{PublicAccess, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::DefaultEncryption;
use crate::rules::error::StorageError;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::properties;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::FILE_SYSTEM;
use crate::services::blob::lake::wire::Properties;
use crate::services::blob::ops::create_container::{NewContainer, create};
use crate::services::blob::ops::delete_container::delete_container;
use crate::services::blob::state::Container;

pub(super) static CREATE_FILE_SYSTEM: Operation<Blobs> = operation!(
    create_file_system,
    NewFileSystem,
    OperationSpec {
        name: "Create Filesystem",
        methods: &["PUT"],
        requires: RequiredPermission::container("cw").account_sas_only().actions(&[&[RoleAction::ContainerWrite]]),
        access: Access::Write,
        status: 201,
        ..FILE_SYSTEM
    }
);

pub(super) static GET_FILE_SYSTEM_PROPERTIES: Operation<Blobs> = operation!(
    get_file_system_properties,
    OperationSpec {
        name: "Get Filesystem Properties",
        methods: &["HEAD"],
        requires: RequiredPermission::container("r").account_sas_only().actions(&[&[RoleAction::ContainerRead]]),
        ..FILE_SYSTEM
    }
);

pub(super) static SET_FILE_SYSTEM_PROPERTIES: Operation<Blobs> = operation!(
    set_file_system_properties,
    Properties,
    OperationSpec {
        name: "Set Filesystem Properties",
        methods: &["PATCH"],
        requires: RequiredPermission::container("w").account_sas_only().actions(&[&[RoleAction::ContainerWrite]]),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        ..FILE_SYSTEM
    }
);

pub(super) static DELETE_FILE_SYSTEM: Operation<Blobs> = operation!(
    delete_container,
    OperationSpec {
        name: "Delete Filesystem",
        methods: &["DELETE"],
        requires: RequiredPermission::container("d").account_sas_only().actions(&[&[RoleAction::ContainerDelete]]),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::Required,
        status: 202,
        ..FILE_SYSTEM
    }
);

input! { pub(super) NewFileSystem {
    properties: Properties,
    encryption: DefaultEncryption,
} }

async fn create_file_system(blobs: &Blobs, request: Request, input: NewFileSystem) -> Result<Reply, StorageError> {
    let metadata = input.properties.0.unwrap_or_default();
    let new = NewContainer { metadata, access: PublicAccess::Private, encryption: input.encryption };
    Ok(with_namespace(create(blobs, &request, new).await?, &request))
}

async fn get_file_system_properties(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.resource(&request)?.read();
    let text = Some(properties::format(&container.properties().metadata, PathKind::File)).filter(|text| !text.is_empty());
    Ok(with_namespace(state(&container, &request), &request).with_some("x-ms-properties", text))
}

async fn set_file_system_properties(blobs: &Blobs, request: Request, properties: Properties) -> Result<Reply, StorageError> {
    let set = |container: &mut Container| {
        container.check_container(&request)?;
        container.revise(request.now, |all| all.metadata = properties.0.unwrap_or_default());
        Ok(state(container, &request))
    };
    Ok(with_namespace(blobs.write(&request, set).await?, &request))
}

fn state(container: &Container, request: &Request) -> Reply {
    Reply::new(request.spec.status).with_state(container.etag(), container.properties().last_modified)
}

fn with_namespace(reply: Reply, request: &Request) -> Reply {
    reply.with("x-ms-namespace-enabled", request.account.hns.to_string())
}
