//! Delete Blob: the blob, its snapshots with it or instead of it, or one snapshot.
use super::super::blobs::Blobs;
use super::super::state::Snapshots;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::{Code, Fault}, lease::Guard};
use crate::takes;

pub(super) static DELETE_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Delete Blob",
        methods: &["DELETE"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "dx", service: "dx", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 202,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    delete_snapshots: Option<String> = Header "x-ms-delete-snapshots",
    snapshot: Option<String> = Query "snapshot",
    version: Option<String> = Query "versionid",
    delete_type: Option<String> = Query "deletetype",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    if asked.delete_type.is_some() {
        return Err(Code::NotImplemented.saying("Deleting for good what soft delete keeps is not implemented yet."));
    }
    let snapshots = match asked.delete_snapshots.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("include") if asked.snapshot.is_none() => Some(Snapshots::Include),
        Some("only") if asked.snapshot.is_none() => Some(Snapshots::Only),
        Some(other) => return Err(Fault::header("x-ms-delete-snapshots", other)),
    };
    let by_version = asked.version.is_some();
    if by_version && snapshots.is_some() {
        return Err(Fault::header("x-ms-delete-snapshots", asked.delete_snapshots.unwrap_or_default()));
    }
    if !call.grant.allows(if by_version { "x" } else { "d" }) {
        return Err(Code::AuthorizationPermissionMismatch.into());
    }
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let for_good = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            container.remove(&admitted, snapshots, by_version, call.now, keeping)
        })
        .await?;
    Ok(Reply::new(call.row.status).with("x-ms-delete-type-permanent", if for_good { "true" } else { "false" }))
}
