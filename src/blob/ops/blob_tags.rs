//! Get and Set Blob Tags: the index tags of a blob. They change neither its entity tag nor its Last-Modified.

use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{CHECKSUMS, Call, Field, Op, Place, Reply, Row, STATE, Secondary, Shape, Sign, VERSION};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::{self, Accepts}, fault::Fault, lease::Guard};

pub(super) static GET_BLOB_TAGS: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Tags",
        methods: &["GET"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "tags")],
        takes: &[STATE, CONDITIONS],
        permit: Permit { level: Level::Object, account: "t", service: "t", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_BLOB_TAGS: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Tags",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "tags")],
        takes: &[VERSION, CONDITIONS, CHECKSUMS],
        permit: Permit { level: Level::Object, account: "t", service: "t", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 204,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

/// Conditions on the blob whose tags are meant: from 2026-02-06 on, `x-ms-blob-if-none-match` of the present tag is 304 to a reader.
const CONDITIONS: &[Field] = &[
    Field { place: Place::Header, name: condition::BLOB.if_match, required: false },
    Field { place: Place::Header, name: condition::BLOB.if_none_match, required: false },
    Field { place: Place::Header, name: condition::BLOB.if_modified_since, required: false },
    Field { place: Place::Header, name: condition::BLOB.if_unmodified_since, required: false },
];

/// The largest document of tags, in bytes.
const LIMIT: u64 = 64 << 10;

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let blob = blobs.container(&call)?.read().admit(&call)?;
    Ok(Reply::xml(call.row.status, wire::tags(&blob.tags)))
}

async fn set(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let claimed = call.claimed_checksums()?;
    let (document, digests) = call.body.document(LIMIT, claimed.wanted(call.version)).await?;
    claimed.check(digests)?;
    let tags = wire::read_tags(&document)?;
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            container.amend(admitted, |blob| blob.tags = tags);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
