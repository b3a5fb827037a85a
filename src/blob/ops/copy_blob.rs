//! Copy Blob: within this server, where the bytes are shared and the copy is complete at once.
use super::super::blobs::Blobs;
use super::super::body::{Body, Copied};
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::condition::{self, Accepts, Stored};
use crate::rules::encryption::Encryption;
use crate::rules::fault::{Code, Fault};
use crate::rules::lease::{self, Guard, Subject};
use crate::rules::tier::Kept;
use crate::takes;
use std::sync::Arc;

pub(super) static COPY_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Copy Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::HasHeader("x-ms-copy-source")],
        takes: &[Asked::FIELDS, wire::Given::FIELDS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Create,
        lease: Guard::Write,
        status: 202,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    source: String = Header "x-ms-copy-source",
    source_lease: Option<lease::Id> = Header "x-ms-source-lease-id",
    seal: Option<bool> = Header "x-ms-seal-blob",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let given = wire::Given::read(&call, Kept::Standard)?;
    let source = call.sources.find(&call, &asked.source)?;
    let lost = |fault: Fault| Code::CannotVerifyCopySource.saying(fault.says().to_owned()).status_of(fault.status());
    let from = blobs.find(&source.account.name, &source.target.container).map_err(lost)?.read();
    let original = from.source(&source, call.now).map_err(lost)?;
    let stored = Stored { etag: original.etag(), modified: original.stamp, tags: &original.tags };
    lease::admit(original.lease(), Guard::Read, asked.source_lease, Subject::Blob, call.now)?;
    let want = call.conditions_named(&condition::SOURCE)?;
    condition::source_holds(&want, &stored).map_err(|_| Code::SourceConditionNotMet)?;
    original.check_online(call.now)?;
    // A copy brings no key of its source's.
    original.encryption.admits_reader(&Encryption::Service)?;
    let mut body = original.body.clone();
    // Recorded: the copy is sealed as its source was, unless the request says how it shall be.
    if let (Body::Append { sealed, .. }, Some(seal)) = (&mut body, asked.seal) {
        *sealed = seal;
    }

    let id = call.world.id();
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(&call)?;
            if claimed.stands().is_some_and(|blob| blob.body.type_name() != body.type_name()) {
                return Err(Code::InvalidBlobType.into());
            }
            if claimed.stands().is_some_and(|blob| blob.lease().duration(call.now) == Some("fixed")) {
                return Err(Code::InfiniteLeaseDurationRequired.into());
            }
            Ok(container.create(claimed, call.now, keeping, |new| {
                let mut blob = new.blob(body, original.headers.clone());
                blob.metadata = original.metadata.clone();
                let bytes = blob.body.len();
                blob.copy = Some(Arc::new(Copied { id, source: wire::without_signature(&asked.source), bytes, completed: blob.stamp }));
                given.apply(blob)
            }))
        })
        .await?;
    let reply = Reply::new(call.row.status)
        .with_state(blob.etag(), blob.stamp)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", "success");
    Ok(wire::with_made(reply, &blob))
}
