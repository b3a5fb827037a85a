//! Get and Set Share Metadata.

use super::super::{files::Files, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};

pub(super) static GET_SHARE_METADATA: Op<Files> = Op {
    row: Row {
        name: "Get Share Metadata",
        methods: &["GET", "HEAD"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "metadata")],
        takes: &[wire::SNAPSHOT],
        permit: Permit { level: Level::Container, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_SHARE_METADATA: Op<Files> = Op {
    row: Row {
        name: "Set Share Metadata",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "metadata")],
        takes: &[METADATA],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

async fn get(files: &Files, call: Call) -> Result<Reply, Fault> {
    let share = files.share(&call)?.read();
    let about = share.admit_self(&call)?.about;
    Ok(Reply::new(call.row.status).with_state(ETag::of(about.stamp), about.stamp).with_metadata(&about.metadata))
}

async fn set(files: &Files, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let share = files.share(&call)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&call)?;
            share.revise(call.now, |about| about.metadata = metadata);
            Ok(share.about().stamp)
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp))
}
