//! Create Share.

use super::super::{files::Files, state::Share, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::etag::ETag;
use crate::rules::fault::Fault;
use crate::rules::{condition::Accepts, lease::Guard, share::Settings};

pub(super) static CREATE_SHARE: Op<Files> = Op {
    row: Row {
        name: "Create Share",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share")],
        takes: &[wire::SETTINGS, METADATA],
        permit: Permit { level: Level::Container, account: "cw", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let settings = Settings::make(|name| wire::text(&call, name), call.account.premium, call.now)?;
    let share = Share::new(call.now, call.metadata()?, settings);
    let stamp = share.about().stamp;
    let account = files.account(&call.account.name)?;
    account
        .named
        .write(|shares| {
            shares.check_free(call.container(), call.now)?;
            shares.insert(call.container().into(), files.cell(share));
            Ok(())
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(ETag::of(stamp), stamp);
    Ok(wire::with_provision(reply, &settings))
}
