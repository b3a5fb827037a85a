//! Get and Set File Metadata.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static GET_FILE_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get File Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[wire::SNAPSHOT, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, request| Box::pin(get(files, request)),
};

pub(super) static SET_FILE_METADATA: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set File Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[wire::DOTS, METADATA],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::Required,
        status: 200,
    },
    run: |files, request| Box::pin(set(files, request)),
};

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let node = files.share(&request)?.read().admit(&request, WantedNode::File, FileAccess::Look)?;
    Ok(Reply::new(request.spec.status).with_state(node.etag(), node.last_modified).with_metadata(&node.metadata))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let share = files.share(&request)?;
    let node = share
        .write(|share| {
            let node = share.admit(&request, WantedNode::File, FileAccess::Describe)?;
            Ok(share.replace(&node, request.now, |node| {
                node.metadata = metadata;
                node.smb.changed = request.now;
            }))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(node.etag(), node.last_modified).with("x-ms-request-server-encrypted", "true"))
}
