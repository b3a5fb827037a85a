//! Delete Container: its blobs go with it, leased or not; its own lease guards it. An account may keep it for some days.
use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::{Code, Fault}, lease::Guard, name};

pub(super) static DELETE_CONTAINER: Op<Blobs> = Op {
    row: Row {
        name: "Delete Container",
        methods: &["DELETE"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "d", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Dates,
        lease: Guard::Write,
        status: 202,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let account = blobs.account(&call.account.name)?;
    account
        .named
        .write(|containers| {
            // Recorded: what is being deleted can be deleted again, and nothing comes of it.
            if !containers.contains_key(call.container()) && containers.is_going(call.container(), call.now) {
                return Ok(());
            }
            let days = call.account.container_retention;
            containers.delete(call.container(), call.now, days, |container| {
                container.admit_self(&call)?;
                if name::SYSTEM.contains(&call.container()) {
                    return Err(Code::AuthorizationFailure.into());
                }
                if call.account.immutability { container.check_empty(call.now) } else { Ok(()) }
            })
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
