//! Create Container.
use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;
use crate::services::blob::wire;

pub(super) static CREATE_CONTAINER: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Create Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container")],
        inputs: &[Input::Group(METADATA), Input::Group(wire::ACCESS), Input::Group(wire::PRESET)],
        requires: RequiredPermission::container("cw").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let access = wire::read_public_access(&request)?;
    let metadata = request.metadata()?;
    let account = blobs.account(&request.account.name)?;
    let container = Container::new(request.now, metadata, access, wire::read_preset(&request)?);
    let reply = Reply::new(request.spec.status).with_state(container.etag(), container.properties().last_modified);
    account
        .resources
        .write(|containers| {
            containers.check_free(request.target.container()?, request.now)?;
            // How the service refuses a system container is not known: no recording and no test has one.
            if names::SYSTEM.contains(&request.target.container()?) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            containers.insert(request.target.container()?.into(), blobs.cell(container));
            Ok(())
        })
        .await?;
    Ok(reply)
}
