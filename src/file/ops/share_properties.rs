//! Get and Set Share Properties.

use super::super::{files::Files, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};

pub(super) static GET_SHARE_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Get Share Properties",
        methods: &["GET", "HEAD"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share")],
        takes: &[wire::SNAPSHOT],
        permit: Permit { level: Level::Container, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_SHARE_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Set Share Properties",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "properties")],
        takes: &[wire::SETTINGS],
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
    Ok(wire::describe_share(&share.admit_self(&call)?, &call))
}

async fn set(files: &Files, call: Call) -> Result<Reply, Fault> {
    let share = files.share(&call)?;
    let (stamp, settings) = share
        .write(|share| {
            let before = share.admit_self(&call)?.about.settings;
            let settings = before.revise(|name| wire::text(&call, name), call.now)?;
            share.revise(call.now, |about| about.settings = settings);
            Ok((share.about().stamp, settings))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(wire::with_downgrades(reply, &settings, stamp), &settings))
}
