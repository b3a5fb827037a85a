//! Get and Set File Metadata.

use super::super::files::Files;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::handle::Touch;
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static GET_FILE_METADATA: Op<Files> = Op {
    row: Row {
        name: "Get File Metadata",
        methods: &["GET", "HEAD"],
        shape: Shape::Path,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[wire::SNAPSHOT, wire::DOTS],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(get(files, call)),
};

pub(super) static SET_FILE_METADATA: Op<Files> = Op {
    row: Row {
        name: "Set File Metadata",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[wire::DOTS, METADATA],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 200,
    },
    run: |files, call| Box::pin(set(files, call)),
};

async fn get(files: &Files, call: Call) -> Result<Reply, Fault> {
    let node = files.share(&call)?.read().admit(&call, Want::File, Touch::Look)?;
    Ok(Reply::new(call.row.status).with_state(node.etag(), node.stamp).with_metadata(&node.metadata))
}

async fn set(files: &Files, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let share = files.share(&call)?;
    let node = share
        .write(|share| {
            let node = share.admit(&call, Want::File, Touch::Describe)?;
            Ok(share.replace(&node, call.now, |node| {
                node.metadata = metadata;
                node.smb.changed = call.now;
            }))
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(node.etag(), node.stamp).with("x-ms-request-server-encrypted", "true"))
}
