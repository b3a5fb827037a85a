//! Get and Set Directory Metadata.

use super::super::files::Files;
use super::super::state::WantedNode;
use super::super::wire;
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind, Selector, METADATA};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::handle::FileAccess;
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck};

pub(super) static GET_DIRECTORY_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Directory Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "metadata")],
        inputs: &[wire::SNAPSHOT, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_DIRECTORY_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Directory Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "metadata")],
        inputs: &[wire::DOTS, METADATA],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

async fn get(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let node = files.share(&call)?.read().admit(&call, WantedNode::Directory, FileAccess::Look)?;
    Ok(Reply::new(call.spec.status).with_state(node.etag(), node.last_modified).with_metadata(&node.metadata))
}

async fn set(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let metadata = call.metadata()?;
    let share = files.share(&call)?;
    let node = share
        .write(|share| {
            let node = share.admit(&call, WantedNode::Directory, FileAccess::Describe)?;
            Ok(share.replace(&node, call.now, |node| {
                node.metadata = metadata;
                node.smb.changed = call.now;
            }))
        })
        .await?;
    Ok(Reply::new(call.spec.status).with_state(node.etag(), node.last_modified).with("x-ms-request-server-encrypted", "true"))
}
