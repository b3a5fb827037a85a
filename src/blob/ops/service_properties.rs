//! Get and Set Blob Service Properties.

use super::super::blobs::{AccountBlobs, Blobs};
use super::super::state::Container;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::encryption::Preset;
use crate::rules::fault::{Code, Fault};
use crate::rules::metadata::Metadata;
use crate::rules::{access::PublicAccess, condition::Accepts, lease::Guard, time::Timestamp, website};
use crate::store::cell::Cell;
use std::sync::Arc;

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
    let website = account
        .properties
        .write(|properties| {
            *properties = properties.updated(&document)?;
            Ok(properties.static_website.enabled)
        })
        .await?;
    if website {
        open_website(&account, call.now).await?;
    }
    Ok(Reply::new(call.row.status))
}

/// Makes the container that a website is served from, if there is none yet.
async fn open_website(account: &AccountBlobs, now: Timestamp) -> Result<(), Fault> {
    let container = || Container::new(now, Metadata::default(), PublicAccess::Private, Preset::default());
    account
        .containers
        .write(|containers| {
            if !containers.contains_key(website::CONTAINER) {
                containers.insert(website::CONTAINER.into(), Arc::new(Cell::new(container(), Code::ContainerNotFound)));
            }
            Ok(())
        })
        .await
}
