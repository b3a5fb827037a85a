//! Copy File: from a file of this server, whose bytes are shared, so that the copy is complete at once.

use super::super::files::Files;
use super::super::node::{Body, Copied, File, Node};
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Opens, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::posix::{self, Posix};
use crate::rules::smb::{Attributes, Given, Permission, Sort};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::takes;
use std::sync::Arc;

pub(super) static COPY_FILE: Op<Files> = Op {
    row: Row {
        name: "Copy File",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::HasHeader("x-ms-copy-source"), Sign::Lacks("x-ms-type")],
        takes: &[Asked::FIELDS, wire::SMB, wire::POSIX, wire::DOTS, wire::SOURCE_DOTS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 202,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    source: String = Header "x-ms-copy-source",
    permission_from: Option<String> = Header "x-ms-file-permission-copy-mode",
    ignore_readonly: Option<bool> = Header "x-ms-file-copy-ignore-readonly",
    set_archive: Option<bool> = Header "x-ms-file-copy-set-archive",
    mode_from: Option<String> = Header "x-ms-file-mode-copy-mode",
    owner_from: Option<String> = Header "x-ms-file-owner-copy-mode",
} }

impl Asked {
    /// What Unix knows of the source, as far as the copy gets it.
    fn posix(&self, source: &Node) -> Result<Option<Posix>, Fault> {
        let mode = from_source("x-ms-file-mode-copy-mode", self.mode_from.as_deref())?;
        let owner = from_source("x-ms-file-owner-copy-mode", self.owner_from.as_deref())?;
        let fresh = posix::Given::default().over(None, posix::Sort::File);
        Ok(source.posix.as_deref().filter(|_| mode || owner).map(|known| Posix {
            mode: if mode { known.mode.clone() } else { fresh.mode },
            owner: if owner { known.owner.clone() } else { fresh.owner },
            group: if owner { known.group.clone() } else { fresh.group },
        }))
    }
}

/// Whether the copy gets something from its source, and not from the request or by default.
fn from_source(header: &'static str, mode: Option<&str>) -> Result<bool, Fault> {
    match mode {
        None => Ok(false),
        Some(mode) if mode.eq_ignore_ascii_case("override") => Ok(false),
        Some(mode) if mode.eq_ignore_ascii_case("source") => Ok(true),
        Some(mode) => Err(Fault::header(header, mode)),
    }
}

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let mut given = wire::given(&call)?;
    let copies_permission = from_source("x-ms-file-permission-copy-mode", asked.permission_from.as_deref())?;
    let posix = wire::given_posix(&call)?;
    let metadata = call.metadata()?;
    let source = files.source(&call, &asked.source, Opens::Caller)?;
    let original = source.node.file().ok_or(Code::ResourceTypeMismatch)?;
    if copies_permission {
        given.permission = source.permission.map(|text| Permission::Is(text.to_string()));
    }
    let known = asked.posix(&source.node)?;
    let file = File { content: original.content.clone(), headers: original.headers.clone(), ..File::default() };
    let (id, bytes) = (call.world.id(), file.content.len());

    let share = files.share(&call)?;
    let node = share
        .write(|share| {
            let claimed = share.claim(&call, Want::File, asked.ignore_readonly == Some(true))?;
            let permission = share.permission(&given, Sort::File, None)?;
            let fresh = Given::default().make(Sort::File, permission, call.now)?;
            let mut smb = given.revise(Sort::File, fresh, Some(source.node.smb), permission, call.now)?;
            if asked.set_archive == Some(true) {
                smb.attributes = Attributes::archived(smb.attributes);
            }
            let posix = share.posix(posix, posix::Sort::File, known.as_ref())?;
            Ok(share.create(claimed, call.now, |new| {
                let copied = Copied { id, source: wire::without_signature(&asked.source), bytes, completed: new.stamp() };
                let file = File { copy: Some(Arc::new(copied)), ..file };
                let metadata = if metadata.is_empty() { source.node.metadata.clone() } else { metadata };
                Node { posix, ..new.node(Body::File(Box::new(file)), smb, metadata) }
            }))
        })
        .await?;
    Ok(Reply::new(call.row.status)
        .with_state(node.etag(), node.stamp)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", "success"))
}
