//! Create File: all zeros, of the size that is said.

use super::super::files::Files;
use super::super::node::{Body, ContentHeaders, File, Node};
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::{condition::Accepts, lease::Guard, posix, smb::Sort};
use crate::store::sparse::Sparse;
use crate::takes;

pub(super) static CREATE_FILE: Op<Files> = Op {
    row: Row {
        name: "Create File",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Header("x-ms-type", "file")],
        takes: &[Asked::FIELDS, wire::CONTENT, wire::SMB, wire::POSIX, wire::DOTS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    length: u64 = Header "x-ms-content-length",
} }

/// Bytes of a file, at most: 4 TiB.
const LIMIT: u64 = 4 << 40;

/// Checks that a file may have so many bytes.
///
/// # Errors
/// 400 OutOfRangeInput.
pub(super) fn check_size(size: u64) -> Result<u64, Fault> {
    match size > LIMIT {
        true => Err(Code::OutOfRangeInput.saying("The file size exceeds the maximum permissible limit.")),
        false => Ok(size),
    }
}

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let size = check_size(Asked::of(&call)?.length)?;
    if call.body.announced() != 0 {
        return Err(Fault::header("Content-Length", call.body.announced().to_string()));
    }
    let given = wire::given(&call)?;
    given.check_complete(call.version)?;
    let posix = wire::given_posix(&call)?;
    let (metadata, headers) = (call.metadata()?, ContentHeaders::read(&call).with_type());
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            let claimed = share.claim(&call, Want::File, false)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, Sort::File, None)?;
            let smb = given.make(Sort::File, permission, call.now)?;
            let posix = share.posix(posix, posix::Sort::File, None)?;
            let file = File { content: Sparse::new(size), headers, ..File::default() };
            Ok((share.create(claimed, call.now, |new| Node { posix, ..new.node(Body::File(Box::new(file)), smb, metadata) }), parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &call))
}
