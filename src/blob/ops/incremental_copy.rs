//! Incremental Copy Blob: a blob that takes in one snapshot after another of a page blob, and keeps each as a snapshot of its own. The
//! blob itself is never read or written; its snapshots are read.

use super::super::blobs::Blobs;
use super::super::body::Body;
use super::super::copied::{self, Copied, Increment};
use super::super::wire;
use crate::op::{Call, Found, Op, Opens, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::encryption::Encryption;
use crate::rules::fault::{Code, Fault};
use crate::rules::{condition::Accepts, lease::Guard, time::Timestamp};
use crate::store::content::Content;
use crate::store::sparse::{Change, Sparse};
use crate::takes;
use std::sync::Arc;

pub(super) static INCREMENTAL_COPY: Op<Blobs> = Op {
    row: Row {
        name: "Incremental Copy Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "incrementalcopy")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::CopyTargetIfMatch,
        lease: Guard::Write,
        status: 202,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    source: String = Header "x-ms-copy-source",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?.source;
    // The snapshots of another server cannot be told to be those of one blob.
    let Found::Here(source) = call.sources.find(&call, &asked, Opens::Caller)? else { return Err(Code::InvalidSourceBlobUrl.into()) };
    let taken = source.snapshot.as_deref().and_then(Timestamp::parse_iso).ok_or(Code::IncrementalCopySourceMustBeSnapshot)?;
    let lost = |fault: Fault| source.refused(&call, fault);
    let from = blobs.find(&source.account.name, &source.target.container).map_err(lost)?.read();
    let original = from.source(&source, call.now).map_err(lost)?;
    let Body::Page { content, sequence } = &original.body else { return Err(Code::InvalidSourceBlobType.into()) };
    original.encryption.admits_reader(&Encryption::Service)?;

    let id = call.world.id();
    let of = [source.account.name.clone(), source.target.container.clone(), source.target.blob.clone()];
    let increment = Increment { of, created: original.created, snapshot: taken, kept: Timestamp::default() };
    let copied = |at| Some(Arc::new(Copied::whole(id, copied::without_signature(&asked), content.len(), at)));
    let keeping = blobs.keeping(&call)?;
    let begun = blobs
        .container(&call)?
        .write(|container| {
            container.copy_increment(
                &call,
                keeping,
                increment,
                |new| {
                    let mut blob = new.blob(original.body.clone(), original.headers.clone());
                    blob.metadata = original.metadata.clone();
                    blob.copy = copied(blob.stamp);
                    blob
                },
                |blob, last| {
                    if let Body::Page { content: before, .. } = &blob.body {
                        let content = advanced(before, content, last, blob.stamp);
                        blob.body = Body::Page { content, sequence: *sequence };
                    }
                    blob.headers = original.headers.clone();
                    blob.metadata = original.metadata.clone();
                    blob.copy = copied(blob.stamp);
                },
            )
        })
        .await?;
    let reply = Reply::new(call.row.status)
        .with_state(begun.etag(), begun.stamp)
        .with("x-ms-copy-id", wire::guid(id))
        // Recorded: it is pending when it is answered, however soon it ends.
        .with("x-ms-copy-status", "pending");
    Ok(wire::with_made(reply, &begun))
}

/// The pages as they were after the last snapshot, with what changed up to this one written now: a difference between two snapshots of
/// the copy is found as one between two of the source.
fn advanced(before: &Sparse, source: &Sparse, last: Timestamp, now: Timestamp) -> Sparse {
    let mut pages = before.clone();
    pages.resize(source.len());
    for change in source.changes(before, last, 0..source.len()) {
        match change {
            Change::Written(range) => pages.write(range.start, &Content::from_chunks(source.slice(range.clone())), now),
            Change::Cleared(range) => pages.clear_at(range, now),
        }
    }
    pages
}
