//! Get and Set Blob Service Properties.

use crate::operation::{Operation, Reply, Request, ServiceKind};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::blob::website;
use crate::rules::encryption::DefaultEncryption;
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;
use crate::services::shared::properties;

pub(super) static GET_SERVICE_PROPERTIES: Operation<Blobs> = Operation {
    spec: properties::get_row("Get Blob Service Properties"),
    start: |blobs, request| Ok(Box::pin(std::future::ready(properties::get(blobs, &request, ServiceKind::Blob)))),
};

pub(super) static SET_SERVICE_PROPERTIES: Operation<Blobs> = Operation {
    spec: properties::set_row("Set Blob Service Properties"),
    start: |blobs, request| Ok(Box::pin(set(blobs, request))),
};

/// Sets the properties. A website that is switched on gets the container that it is served from, if there is none yet, and logging the one
/// that logs go to: nothing is logged, but programs look for it.
async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let (account, now) = (blobs.account(&request.account.name)?, request.now);
    let reply = properties::set(blobs, request, ServiceKind::Blob).await?;
    let properties = account.properties.read();
    let site = properties.static_website.enabled.then_some(website::CONTAINER);
    let logs = properties.logging.is_on().then_some(names::LOGS);
    for name in site.into_iter().chain(logs) {
        let container = || Container::new(now, Metadata::default(), PublicAccess::Private, DefaultEncryption::default());
        account
            .resources
            .write(|containers| {
                containers.entry(name.into()).or_insert_with(|| blobs.cell(container()));
                Ok(())
            })
            .await?;
    }
    Ok(reply)
}
