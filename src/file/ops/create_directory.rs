//! Create Directory.

use super::super::files::Files;
use super::super::node::{Body, Node};
use super::super::state::refuse_root;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, posix, smb::Sort};

pub(super) static CREATE_DIRECTORY: Op<Files> = Op {
    row: Row {
        name: "Create Directory",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "directory")],
        takes: &[wire::SMB, wire::SEMANTICS, wire::POSIX, wire::DOTS, METADATA],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    refuse_root(&call)?;
    let given = wire::given(&call)?;
    given.check_complete(call.version)?;
    let posix = wire::given_posix(&call)?;
    let metadata = call.metadata()?;
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            let claimed = share.claim_free(&call)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, Sort::Directory, None)?;
            let smb = given.make(Sort::Directory, permission, call.now)?;
            let posix = share.posix(posix, posix::Sort::Directory, None)?;
            Ok((share.create(claimed, call.now, |new| Node { posix, ..new.node(Body::Directory, smb, metadata) }), parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &call))
}
