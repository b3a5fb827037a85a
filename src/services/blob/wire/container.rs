//! Containers on the wire: their public access, their encryption scope, and their entries in List Containers.

use crate::operation::xml::Writer;
use crate::operation::{Fields, FromRequest, Input, Request};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::encryption::{ACCOUNT_SCOPE, DEFAULT_SCOPE, DENY_OVERRIDE, DefaultEncryption};
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::blob::state::Container;
use crate::services::shared::lease::write_lease;
use crate::services::shared::listing::{ListedResource, write_metadata};

/// The encryption scope that a new container sets for its blobs.
impl FromRequest for DefaultEncryption {
    const INPUTS: &'static [Input] = &[Input::header(DEFAULT_SCOPE), Input::header(DENY_OVERRIDE)];

    fn from_request(fields: &Fields<'_>) -> Result<DefaultEncryption, StorageError> {
        DefaultEncryption::read(fields.header(DEFAULT_SCOPE), fields.header(DENY_OVERRIDE), &fields.account.scopes)
    }
}

/// The scope that a container reports, and whether it denies others.
pub(in crate::services::blob) fn reported_scope(encryption: &DefaultEncryption) -> (&str, &'static str) {
    (encryption.scope.as_deref().unwrap_or(ACCOUNT_SCOPE), if encryption.deny_override { "true" } else { "false" })
}

from_text! {
    PublicAccess: |text: &str| {
        let named = |access: &PublicAccess| access.name().is_some_and(|name| name.eq_ignore_ascii_case(text));
        [PublicAccess::Blob, PublicAccess::Container].into_iter().find(named)
    };
}

/// A `<Container>` of List Containers.
pub(in crate::services::blob) fn write_container(
    xml: &mut Writer,
    line: &ListedResource<'_, Container>,
    metadata: bool,
    request: &Request,
) {
    let properties = line.state.properties();
    xml.open("Container");
    line.write_name(xml);
    xml.open("Properties");
    xml.leaf("Last-Modified", properties.last_modified.rfc1123()).leaf("Etag", line.state.etag().quoted());
    match line.deleted {
        None => write_lease(xml, line.state.lease(), request.now),
        // It is leased while it is being deleted (recorded).
        Some((_, deletion)) if deletion.is_going_on(request.now) => {
            xml.leaf("LeaseStatus", "locked").leaf("LeaseState", "leased").leaf("LeaseDuration", "fixed");
        }
        Some(_) => _ = xml.leaf("LeaseStatus", "unlocked").leaf("LeaseState", "expired"),
    }
    if request.version >= Version::V2016_05_31 {
        xml.leaf_some("PublicAccess", properties.access.name());
    }
    if request.version >= Version::V2019_02_02 {
        let (scope, deny) = reported_scope(&properties.encryption);
        xml.leaf("DefaultEncryptionScope", scope).leaf("DenyEncryptionScopeOverride", deny);
    }
    if request.version >= Version::V2017_11_09 {
        xml.leaf("HasImmutabilityPolicy", "false").leaf("HasLegalHold", "false");
    }
    if request.version >= Version::V2020_10_02 {
        xml.leaf("ImmutableStorageWithVersioningEnabled", request.account.immutability.to_string());
    }
    line.write_deletion(xml, request.now);
    xml.close("Properties");
    if metadata {
        write_metadata(xml, &properties.metadata);
    }
    xml.close("Container");
}
