//! Get and Set Share ACL: the stored access policies of a share.

use super::super::files::Files;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};
use crate::service::policies;

pub(super) static GET_SHARE_ACL: Op<Files> = Op {
    row: Row {
        name: "Get Share ACL",
        methods: &["GET", "HEAD"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "acl")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_SHARE_ACL: Op<Files> = Op {
    row: Row {
        name: "Set Share ACL",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "acl")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

/// The permissions that a policy of a share can give.
const LETTERS: &str = "rcwdl";

async fn get(files: &Files, call: Call) -> Result<Reply, Fault> {
    let share = files.share(&call)?.read();
    let about = share.admit_self(&call)?.about;
    let reply = Reply::xml(call.row.status, policies::document(&about.policies));
    Ok(reply.with_state(ETag::of(about.stamp), about.stamp))
}

async fn set(files: &Files, mut call: Call) -> Result<Reply, Fault> {
    let stored = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let share = files.share(&call)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&call)?;
            share.revise(call.now, |about| about.policies = stored.into());
            Ok(share.about().stamp)
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp))
}
