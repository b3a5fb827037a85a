//! Set Blob Service Properties, which may create system containers.

use crate::operation::{Operation, Reply, Request};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::blob::website;
use crate::rules::encryption::DefaultEncryption;
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;
use crate::services::shared::resource_index::ResourceIndex;
use crate::services::shared::service_properties;

pub(super) static SET_SERVICE_PROPERTIES: Operation<Blobs> =
    operation!(set, service_properties::set_spec::<Container>("Set Blob Service Properties"));

/// Sets the properties. Enabling the static website creates the container that it is served from, and enabling logging the container of
/// the logs: nothing is logged, but clients look for that container.
async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let (account, now) = (blobs.account(&request.account.name)?, request.now);
    let reply = service_properties::update(blobs, request).await?;
    let properties = account.properties.read();
    let site = properties.static_website.enabled.then_some(website::CONTAINER);
    let logs = properties.logging.is_on().then_some(names::LOGS);
    let new = || Container::new(now, Metadata::default(), PublicAccess::Private, DefaultEncryption::default());
    for name in site.into_iter().chain(logs) {
        let create = |containers: &mut ResourceIndex<Container>| {
            containers.entry(name.into()).or_insert_with(|| blobs.cell(new()));
            Ok(())
        };
        account.resources.write(create).await?;
    }
    Ok(reply)
}
