//! Get and Set Blob Service Properties.

use super::super::blobs::Blobs;
use super::super::state::Container;
use crate::op::{Call, Kind, Op, Reply};
use crate::rules::{access::PublicAccess, encryption::Preset, fault::Fault, metadata::Metadata, website};
use crate::service::properties;

pub(super) static GET_SERVICE_PROPERTIES: Op<Blobs> = Op {
    row: properties::get_row("Get Blob Service Properties"),
    run: |blobs, call| Box::pin(std::future::ready(properties::get(blobs, &call, Kind::Blob))),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Blobs> = Op {
    row: properties::set_row("Set Blob Service Properties"),
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
