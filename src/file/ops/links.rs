//! Create Hard Link, Create Symbolic Link and Get Symbolic Link, in shares that are served over NFS.

use super::super::files::Files;
use super::super::node::Body;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::file_name::{Path, TrailingDots};
use crate::rules::handle::Touch;
use crate::rules::{
    condition::Accepts,
    lease::{self, Guard},
    name, posix,
    smb::Sort,
};
use crate::takes;

pub(super) static CREATE_HARD_LINK: Op<Files> = Op {
    row: Row {
        name: "Create Hard Link",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "hardlink")],
        takes: &[Hard::FIELDS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |files, call| Box::pin(create_hard(files, call)),
};

pub(super) static CREATE_SYMBOLIC_LINK: Op<Files> = Op {
    row: Row {
        name: "Create Symbolic Link",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "symboliclink")],
        takes: &[Symbolic::FIELDS, wire::SMB, wire::POSIX, METADATA],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 201,
    },
    run: |files, call| Box::pin(create_symbolic(files, call)),
};

pub(super) static GET_SYMBOLIC_LINK: Op<Files> = Op {
    row: Row {
        name: "Get Symbolic Link",
        methods: &["GET", "HEAD"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "symboliclink")],
        takes: &[wire::SNAPSHOT],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |files, call| Box::pin(get_symbolic(files, call)),
};

takes! { Hard {
    target: String = Header "x-ms-file-target-file",
    kind: Option<String> = Header "x-ms-type",
    lease: Option<lease::Id> = Header "x-ms-lease-id",
} }

takes! { Symbolic {
    text: String = Header "x-ms-link-text",
} }

async fn create_hard(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Hard::of(&call)?;
    if let Some(kind) = asked.kind.filter(|kind| !kind.eq_ignore_ascii_case("file")) {
        return Err(Fault::header("x-ms-type", kind));
    }
    let target = Path::parse(name::decode(&asked.target)?.trim_start_matches('/'), TrailingDots::Kept)?;
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let file = share.admit_at(&target, Want::Content, Touch::Describe, asked.lease, call.now, false)?;
            let claimed = share.claim_free(&call)?;
            let parent = claimed.parent();
            Ok((share.link(&file, claimed, call.now), parent))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(node.etag(), node.stamp);
    Ok(wire::with_smb(reply, &node, parent, &call))
}

async fn create_symbolic(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Symbolic::of(&call)?;
    let (given, metadata) = (wire::given(&call)?, call.metadata()?);
    let posix = wire::given_posix(&call)?;
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let claimed = share.claim_free(&call)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, Sort::File, None)?;
            let smb = given.make(Sort::File, permission, call.now)?;
            let posix = share.posix(posix, posix::Sort::Link, None)?;
            let made = share.create(claimed, call.now, |new| {
                let mut node = new.node(Body::Link(asked.text.as_str().into()), smb, metadata);
                node.posix = posix;
                node
            });
            Ok((made, parent))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(node.etag(), node.stamp);
    Ok(wire::with_smb(reply, &node, parent, &call))
}

async fn get_symbolic(files: &Files, call: Call) -> Result<Reply, Fault> {
    let link = files.share(&call)?.read().admit(&call, Want::Link, Touch::Look)?;
    let Body::Link(text) = &link.body else { return Err(Code::ResourceTypeMismatch.into()) };
    Ok(Reply::new(call.row.status).with_state(link.etag(), link.stamp).with("x-ms-link-text", text))
}
