//! Restore Container: brings a deleted container back within its days of retention, under its name or another one.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::retention;
use crate::services::blob::blobs::Blobs;
use crate::takes;

pub(super) static RESTORE_CONTAINER: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Restore Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "undelete")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    name: String = Header "x-ms-deleted-container-name",
    version: String = Header "x-ms-deleted-container-version",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // What is no version is that of no container: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            containers.restore(&asked.name, born, request.container(), request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
