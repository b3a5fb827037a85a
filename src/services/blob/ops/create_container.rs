//! Create Container.
use crate::operation::{METADATA, Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
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
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let access = wire::read_public_access(&call)?;
    let metadata = call.metadata()?;
    let account = blobs.account(&call.account.name)?;
    let container = Container::new(call.now, metadata, access, wire::read_preset(&call)?);
    let reply = Reply::new(call.spec.status).with_state(container.etag(), container.properties().last_modified);
    account
        .resources
        .write(|containers| {
            containers.check_free(call.container(), call.now)?;
            // How the service refuses a system container is not known: no recording and no test has one.
            if names::SYSTEM.contains(&call.container()) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            containers.insert(call.container().into(), blobs.cell(container));
            Ok(())
        })
        .await?;
    Ok(reply)
}
