//! Create Container.
use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::{Code, Fault}, lease::Guard, name};
use super::super::state::Container;
use super::super::wire;

pub(super) static CREATE_CONTAINER: Op<Blobs> = Op {
    row: Row {
        name: "Create Container",
        methods: &["PUT"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container")],
        takes: &[METADATA, wire::ACCESS, wire::PRESET],
        permit: Permit { level: Level::Container, account: "cw", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let access = wire::read_public_access(&call)?;
    let metadata = call.metadata()?;
    let account = blobs.account(&call.account.name)?;
    let container = Container::new(call.now, metadata, access, wire::read_preset(&call)?);
    let reply = Reply::new(call.row.status).with_state(container.etag(), container.about().stamp);
    account
        .named
        .write(|containers| {
            containers.check_free(call.container(), call.now)?;
            // How the service refuses a system container is not known: no recording and no test has one.
            if name::SYSTEM.contains(&call.container()) {
                return Err(Code::AuthorizationFailure.into());
            }
            containers.insert(call.container().into(), blobs.cell(container));
            Ok(())
        })
        .await?;
    Ok(reply)
}
