//! Get and Set Blob Service Properties.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

const SIGNS: &[Sign] = &[Sign::Query("restype", "service"), Sign::Query("comp", "properties")];
/// The largest document of properties, in bytes.
const LIMIT: u64 = 64 << 10;

pub(super) static GET_SERVICE_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Service Properties",
        methods: &["GET"],
        shape: Shape::Service,
        signs: SIGNS,
        takes: &[],
        permit: Permit { level: Level::Service, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Service Properties",
        methods: &["PUT"],
        shape: Shape::Service,
        signs: SIGNS,
        takes: &[],
        permit: Permit { level: Level::Service, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 202,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let properties = blobs.account(&call.account.name)?.properties.read();
    Ok(Reply::xml(call.row.status, properties.blob_document(call.version)))
}

async fn set(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let document = call.body.bytes(LIMIT).await?;
    let account = blobs.account(&call.account.name)?;
    account
        .properties
        .write(|properties| {
            *properties = properties.updated(&document)?;
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
