//! Restore Container: brings a deleted container back within its days of retention, under its name or another one.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, retention};
use crate::takes;

pub(super) static RESTORE_CONTAINER: Op<Blobs> = Op {
    row: Row {
        name: "Restore Container",
        methods: &["PUT"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "undelete")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    name: String = Header "x-ms-deleted-container-name",
    version: String = Header "x-ms-deleted-container-version",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let account = blobs.account(&call.account.name)?;
    account
        .named
        .write(|containers| {
            // What is no version is that of no container: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            containers.restore(&asked.name, born, call.container(), call.now)
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
