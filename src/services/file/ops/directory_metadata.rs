//! Get and Set Directory Metadata.

use crate::operation::{METADATA, Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

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
