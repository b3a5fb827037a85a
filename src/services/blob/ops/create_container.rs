//! Create Container.
use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;
use crate::services::blob::wire;

pub(super) static CREATE_CONTAINER: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Create Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container")],
        inputs: &[METADATA, wire::ACCESS, wire::PRESET],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "cw",
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

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let access = wire::read_public_access(&request)?;
    let metadata = request.metadata()?;
    let account = blobs.account(&request.account.name)?;
    let container = Container::new(request.now, metadata, access, wire::read_preset(&request)?);
    let reply = Reply::new(request.spec.status).with_state(container.etag(), container.properties().last_modified);
    account
        .resources
        .write(|containers| {
            containers.check_free(request.container(), request.now)?;
            // How the service refuses a system container is not known: no recording and no test has one.
            if names::SYSTEM.contains(&request.container()) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            containers.insert(request.container().into(), blobs.cell(container));
            Ok(())
        })
        .await?;
    Ok(reply)
}
