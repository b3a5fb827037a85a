//! Get and Set Blob Service Properties.

use super::super::blobs::Blobs;
use super::super::state::Container;
use crate::op::{Call, Kind, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public, PublicAccess};
use crate::rules::{condition::Accepts, encryption::Preset, fault::Fault, lease::Guard, metadata::Metadata, website};
use crate::service::properties;

const SIGNS: &[Sign] = &[Sign::Query("restype", "service"), Sign::Query("comp", "properties")];

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
    run: |blobs, call| Box::pin(std::future::ready(properties::get(blobs, &call, Kind::Blob))),
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

/// Sets the properties; a website that is switched on gets the container that it is served from, if there is none yet.
async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let (account, now) = (blobs.account(&call.account.name)?, call.now);
    let reply = properties::set(blobs, call, Kind::Blob).await?;
    if account.properties.read().static_website.enabled {
        let container = || Container::new(now, Metadata::default(), PublicAccess::Private, Preset::default());
        account
            .named
            .write(|containers| {
                containers.entry(website::CONTAINER.into()).or_insert_with(|| blobs.cell(container()));
                Ok(())
            })
            .await?;
    }
    Ok(reply)
}
