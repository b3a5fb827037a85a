//! Get and Set Directory Properties.

use super::super::files::Files;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::handle::Touch;
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, posix, smb::Sort};

pub(super) static GET_DIRECTORY_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Get Directory Properties",
        methods: &["GET", "HEAD"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "directory")],
        takes: &[wire::SNAPSHOT, wire::DOTS],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_DIRECTORY_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Set Directory Properties",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "directory"), Sign::Query("comp", "properties")],
        takes: &[wire::SMB, wire::POSIX, wire::DOTS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

async fn get(files: &Files, call: Call) -> Result<Reply, Fault> {
    let directory = files.share(&call)?.read().admit(&call, Want::Directory, Touch::Look)?;
    let reply = Reply::new(call.row.status)
        .with_state(directory.etag(), directory.stamp)
        .with("x-ms-server-encrypted", "true")
        .with_metadata(&directory.metadata);
    Ok(wire::with_smb(reply, &directory, directory.parent(), &call))
}

async fn set(files: &Files, call: Call) -> Result<Reply, Fault> {
    let given = wire::given(&call)?;
    given.check_complete(call.version)?;
    let posix = wire::given_posix(&call)?;
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            let directory = share.admit(&call, Want::Directory, Touch::Describe)?;
            let (before, parent) = (directory.smb, directory.parent());
            let permission = share.permission(&given, Sort::Directory, Some(before.permission))?;
            let smb = given.revise(Sort::Directory, before, None, permission, call.now)?;
            let posix = share.posix(posix, posix::Sort::Directory, directory.posix.as_deref())?;
            let node = share.replace(&directory, call.now, |node| {
                node.smb = smb;
                node.posix = posix;
            });
            Ok((node, parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &call))
}
