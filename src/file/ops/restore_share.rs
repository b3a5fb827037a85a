//! Restore Share: brings a deleted share back within its days of retention, under its name or another one.

use super::super::files::Files;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard, retention};
use crate::takes;

pub(super) static RESTORE_SHARE: Op<Files> = Op {
    row: Row {
        name: "Restore Share",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "undelete")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    name: String = Header "x-ms-deleted-share-name",
    version: String = Header "x-ms-deleted-share-version",
} }

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let account = files.account(&call.account.name)?;
    account
        .named
        .write(|shares| {
            // What is no version is that of no share: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            shares.restore(&asked.name, born, call.container(), call.now)
        })
        .await?;
    let stamp = files.share(&call)?.read().about().stamp;
    Ok(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp))
}
