//! The headers and XML of the file service: the groups of headers that requests have, and how responses describe shares, directories and
//! files.

use crate::operation::xml::Writer;
use crate::operation::{Fields, FromRequest, Input, Reply, Request, header_text};
use crate::rules::conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::file::path::TrailingDots;
use crate::rules::file::posix::PosixInput;
use crate::rules::file::share::{Protocol, RootSquash, Settings, SettingsInput, Tier};
use crate::rules::file::smb::SmbInput;
use crate::rules::ranges::InclusiveRange;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use crate::services::file::node::{Body, Node, NodeId};
use crate::services::file::state::{Admitted, Share, ShareProperties, ShareView, trailing_dots};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::lease::{with_lease, write_lease};
use crate::services::shared::listing::{ListedResource, write_metadata};
use std::ops::Range;

/// The header of a new file that was restored from elsewhere.
const SEMANTICS: &str = "x-ms-file-property-semantics";

impl FromRequest for SmbInput {
    const INPUTS: &'static [Input] = &[Input::Headers(&[
        "x-ms-file-attributes",
        "x-ms-file-creation-time",
        "x-ms-file-last-write-time",
        "x-ms-file-change-time",
        "x-ms-file-permission",
        "x-ms-file-permission-key",
        "x-ms-file-permission-format",
    ])];

    /// Returns 400 UnsupportedHeader for `x-ms-file-property-semantics`, except for operations that declare it.
    fn from_request(fields: &Fields<'_>) -> Result<SmbInput, StorageError> {
        if header_text(&fields.headers, SEMANTICS).is_some() && !fields.spec.reads(SEMANTICS) {
            return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", SEMANTICS));
        }
        SmbInput::parse(|name| fields.header(name))
    }
}

parsed_input! {
    /// The SMB headers of an operation that requires most of them before 2021-06-08.
    pub(super) RequiredSmbHeaders(SmbInput) = [Input::Group(SmbInput::INPUTS)],
    |fields| {
        let smb = SmbInput::from_request(fields)?;
        smb.check_complete(fields.version)?;
        Ok(smb)
    }
}

input! {
    /// The SMB headers of a new directory or file.
    pub(super) NewSmbHeaders {
        smb: RequiredSmbHeaders,
        semantics: Option<PropertySemantics> = Header "x-ms-file-property-semantics",
    }
}

impl NewSmbHeaders {
    pub(super) fn input(self) -> SmbInput {
        SmbInput { restores: self.semantics == Some(PropertySemantics::Restore), ..self.smb.0 }
    }
}

words! {
    /// Whether a file is new or restored from elsewhere.
    pub(super) PropertySemantics { New = "new", Restore = "restore" }
}

impl FromRequest for PosixInput {
    const INPUTS: &'static [Input] = &[Input::Headers(&["x-ms-mode", "x-ms-owner", "x-ms-group"])];

    fn from_request(fields: &Fields<'_>) -> Result<PosixInput, StorageError> {
        PosixInput::parse(|name| fields.header(name))
    }
}

impl FromRequest for SettingsInput {
    const INPUTS: &'static [Input] = &[Input::Headers(&[
        "x-ms-share-quota",
        "x-ms-access-tier",
        "x-ms-enabled-protocols",
        "x-ms-root-squash",
        "x-ms-enable-snapshot-virtual-directory-access",
        "x-ms-share-paid-bursting-enabled",
        "x-ms-share-paid-bursting-max-iops",
        "x-ms-share-paid-bursting-max-bandwidth-mibps",
        "x-ms-share-provisioned-iops",
        "x-ms-share-provisioned-bandwidth-mibps",
    ])];

    fn from_request(fields: &Fields<'_>) -> Result<SettingsInput, StorageError> {
        SettingsInput::parse(|name| fields.header(name))
    }
}

parsed_input! {
    /// Whether the names in a copy's source keep the dots at their end.
    pub(super) SourceTrailingDots(TrailingDots) = [Input::header("x-ms-source-allow-trailing-dot")],
    |fields| trailing_dots(fields, "x-ms-source-allow-trailing-dot")
}

parsed_input! {
    /// Proof that the request has no conditions on the source of a copy, which the file service does not support: 400
    /// ConditionHeadersNotSupported for any of them. They are no inputs: the operation only refuses them.
    pub(super) NoSourceConditions(()) = [],
    |fields| match fields.conditions_named(&conditions::SOURCE)?.is_empty() {
        true => Ok(()),
        false => Err(ErrorCode::ConditionHeadersNotSupported.into()),
    }
}

/// The range from its first byte to the one after its last.
pub(super) fn half_open(range: InclusiveRange) -> Range<u64> {
    range.start..range.end.saturating_add(1)
}

/// The names of the headers that describe the content of a file, in the order of the fields.
const FILE_HEADERS: [&str; 6] = [
    "x-ms-content-type",
    "x-ms-content-encoding",
    "x-ms-content-language",
    "x-ms-content-md5",
    "x-ms-cache-control",
    "x-ms-content-disposition",
];

parsed_input! {
    /// The headers that describe the content of a new or changed file.
    pub(super) FileContentHeaders(ContentHeaders) = [Input::Headers(&FILE_HEADERS)],
    |fields| Ok(ContentHeaders::read(FILE_HEADERS, |name| fields.header(name)))
}

/// A response without a body that reports the state of a node.
pub(super) fn state(node: &Node, request: &Request) -> Reply {
    Reply::new(request.spec.status).with_state(node.etag(), node.last_modified)
}

/// The response to a write to a directory or a file, with its SMB or POSIX properties.
pub(super) fn written(node: &Node, parent: NodeId, request: &Request) -> Reply {
    with_smb(state(node, request).with("x-ms-request-server-encrypted", "true"), node, parent, request)
}

/// A response without a body that reports the state of a share.
pub(super) fn share_state(properties: &ShareProperties, request: &Request) -> Reply {
    with_share_state(Reply::new(request.spec.status), properties)
}

/// Adds the state of a share.
pub(super) fn with_share_state(reply: Reply, properties: &ShareProperties) -> Reply {
    reply.with_state(ETag::of(properties.last_modified), properties.last_modified)
}

/// Adds the SMB or, in an NFS share, the POSIX properties of a directory or a file.
pub(super) fn with_smb(reply: Reply, node: &Node, parent: NodeId, request: &Request) -> Reply {
    if request.version < Version::V2019_02_02 {
        return reply;
    }
    let smb = &node.smb;
    let reply = reply
        .with("x-ms-file-creation-time", smb.created.iso())
        .with("x-ms-file-last-write-time", smb.written.iso())
        .with("x-ms-file-change-time", smb.changed.iso())
        .with("x-ms-file-id", node.id.wire().to_string())
        .with("x-ms-file-parent-id", parent.wire().to_string());
    match &node.posix {
        Some(posix) => reply
            .with("x-ms-mode", &posix.mode)
            .with("x-ms-owner", &posix.owner)
            .with("x-ms-group", &posix.group)
            .with("x-ms-file-file-type", file_type(node))
            .with("x-ms-link-count", node.places.len().max(1).to_string()),
        None => reply
            .with("x-ms-file-attributes", smb.attributes.to_string())
            .with("x-ms-file-permission-key", smb.permission.to_string()),
    }
}

fn file_type(node: &Node) -> &'static str {
    match node.body {
        Body::Directory => "Directory",
        Body::File(_) => "Regular",
        Body::Link(_) => "SymLink",
    }
}

/// The headers by which Get File and Get File Properties describe a file or a link.
pub(super) fn describe(reply: Reply, node: &Admitted, whole: bool, request: &Request) -> Reply {
    let mut reply = reply
        .with_state(node.etag(), node.last_modified)
        .with("x-ms-type", "File")
        .with("x-ms-server-encrypted", "true")
        .with_metadata(&node.metadata);
    reply = with_smb(reply, node, node.parent(), request);
    let Some(file) = node.file() else { return reply };
    let headers = &file.headers;
    reply = headers
        .describe(reply)
        .with_some("content-type", headers.content_type.as_deref())
        .with_some(if whole { "content-md5" } else { "x-ms-content-md5" }, headers.md5.as_deref());
    if let Some(copy) = &file.copy {
        reply = copy.progress.describe(reply, copy.id, &copy.source, copy.total);
    }
    match request.version >= Version::V2019_02_02 {
        true => with_lease(reply, file.lease, request.now),
        false => reply,
    }
}

/// The source URL of a copy without its signature.
pub(super) fn without_signature(url: &str) -> String {
    match url.split_once('?') {
        Some((path, query)) if query.contains("sig=") => {
            let names = ["sharesnapshot=", "snapshot=", "versionid="];
            let named: Vec<&str> = query.split('&').filter(|part| names.iter().any(|name| part.starts_with(name))).collect();
            if named.is_empty() { path.to_owned() } else { format!("{path}?{}", named.join("&")) }
        }
        _ => url.to_owned(),
    }
}

/// The headers by which Get Share Properties describes a share.
pub(super) fn describe_share(view: &ShareView<'_>, request: &Request) -> Reply {
    let (properties, settings) = (view.properties, view.properties.settings);
    let mut reply =
        share_state(properties, request).with_metadata(&properties.metadata).with("x-ms-share-quota", settings.quota.to_string());
    if request.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-has-immutability-policy", "false").with("x-ms-has-legal-hold", "false");
    }
    if Settings::reports_tier(request.version) {
        reply = reply
            .with("x-ms-access-tier", settings.tier.name())
            .with("x-ms-access-tier-change-time", settings.tier_since.rfc1123());
        reply = with_lease(reply, view.lease, request.now);
    }
    if settings.is_premium() {
        reply = reply
            .with("x-ms-share-provisioned-iops", settings.iops().to_string())
            .with("x-ms-share-provisioned-ingress-mbps", settings.ingress().to_string())
            .with("x-ms-share-provisioned-egress-mbps", settings.egress().to_string())
            .with("x-ms-share-next-allowed-quota-downgrade-time", properties.last_modified.rfc1123())
            .with("x-ms-enabled-protocols", settings.protocol.unwrap_or(Protocol::Smb).name());
    }
    if settings.is_provisioned() {
        reply = with_bursts(reply, &settings)
            .with("x-ms-share-next-allowed-provisioned-iops-downgrade-time", properties.last_modified.rfc1123())
            .with("x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time", properties.last_modified.rfc1123());
    }
    let flag = |value: bool| if value { "true" } else { "false" };
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    reply
        .with_some("x-ms-root-squash", settings.root_squash.map(RootSquash::name))
        .with_some("x-ms-enable-snapshot-virtual-directory-access", settings.snapshot_directory.map(flag))
        .with_some("x-ms-share-paid-bursting-enabled", settings.paid_bursting.map(flag))
        .with_some("x-ms-share-paid-bursting-max-iops", number(settings.bursting_iops))
        .with_some("x-ms-share-paid-bursting-max-bandwidth-mibps", number(settings.bursting_mibps))
        .with_some("x-ms-share-provisioned-bandwidth-mibps", number(settings.mibps()))
}

/// Adds the settings of a share whose operations or bandwidth are provisioned to the response to a write: all of them, even those that the
/// request does not set.
pub(super) fn with_provision(reply: Reply, settings: &Settings) -> Reply {
    if !settings.is_provisioned() {
        return reply;
    }
    with_bursts(reply, settings)
        .with("x-ms-share-quota", settings.quota.to_string())
        .with("x-ms-share-provisioned-iops", settings.iops().to_string())
        .with_some("x-ms-share-provisioned-bandwidth-mibps", settings.mibps().map(|value| value.to_string()))
}

/// Adds the included bursts of such a share.
fn with_bursts(reply: Reply, settings: &Settings) -> Reply {
    reply
        .with("x-ms-share-included-burst-iops", settings.burst_iops().to_string())
        .with("x-ms-share-max-burst-credits-for-iops", settings.burst_credits().to_string())
}

/// Adds when the provisioning of such a share may be reduced: at once on this server.
pub(super) fn with_downgrades(reply: Reply, settings: &Settings, last_modified: Timestamp) -> Reply {
    if !settings.is_provisioned() {
        return reply;
    }
    reply
        .with("x-ms-share-next-allowed-quota-downgrade-time", last_modified.rfc1123())
        .with("x-ms-share-next-allowed-provisioned-iops-downgrade-time", last_modified.rfc1123())
        .with("x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time", last_modified.rfc1123())
}

/// Writes a `<Share>` of List Shares: a current or deleted share, or one of its snapshots.
pub(super) fn write_share(
    xml: &mut Writer,
    line: &ListedResource<'_, Share>,
    view: &ShareView<'_>,
    metadata: bool,
    request: &Request,
) {
    let (properties, settings) = (view.properties, view.properties.settings);
    let reports_tier = Settings::reports_tier(request.version);
    xml.open("Share");
    line.write_name(xml);
    xml.leaf_some("Snapshot", view.snapshot.map(Timestamp::iso));
    xml.open("Properties");
    xml.leaf("Last-Modified", properties.last_modified.rfc1123()).leaf("Etag", ETag::of(properties.last_modified).quoted());
    if reports_tier && line.deleted.is_some() {
        xml.leaf("LeaseStatus", "unlocked").leaf("LeaseState", "broken");
    } else if reports_tier {
        write_lease(xml, view.lease, request.now);
    }
    xml.leaf("Quota", settings.quota.to_string());
    xml.leaf_some("EnabledProtocols", settings.protocol.map(Protocol::name));
    xml.leaf_some("RootSquash", settings.root_squash.map(RootSquash::name));
    // Older versions report only the premium tier, and the entry of a snapshot has none (recorded).
    let is_current = view.snapshot.is_none();
    if is_current && (reports_tier || settings.tier == Tier::Premium) {
        xml.leaf("AccessTier", settings.tier.name());
    }
    if is_current && reports_tier {
        xml.leaf("AccessTierChangeTime", settings.tier_since.rfc1123());
    }
    if settings.is_premium() {
        xml.leaf("ProvisionedIops", settings.iops().to_string());
        xml.leaf("ProvisionedIngressMBps", settings.ingress().to_string());
        xml.leaf("ProvisionedEgressMBps", settings.egress().to_string());
        xml.leaf("NextAllowedQuotaDowngradeTime", properties.last_modified.rfc1123());
    }
    let flag = |value: bool| if value { "true" } else { "false" };
    xml.leaf_some("EnableSnapshotVirtualDirectoryAccess", settings.snapshot_directory.map(flag));
    xml.leaf_some("PaidBurstingEnabled", settings.paid_bursting.map(flag));
    xml.leaf_some("PaidBurstingMaxIops", settings.bursting_iops.map(|value| value.to_string()));
    xml.leaf_some("PaidBurstingMaxBandwidthMibps", settings.bursting_mibps.map(|value| value.to_string()));
    xml.leaf_some("ProvisionedBandwidthMiBps", settings.mibps().map(|value| value.to_string()));
    if settings.is_provisioned() {
        xml.leaf("IncludedBurstIops", settings.burst_iops().to_string());
        xml.leaf("MaxBurstCreditsForIops", settings.burst_credits().to_string());
        xml.leaf("NextAllowedProvisionedIopsDowngradeTime", properties.last_modified.rfc1123());
        xml.leaf("NextAllowedProvisionedBandwidthDowngradeTime", properties.last_modified.rfc1123());
    }
    if request.version >= Version::V2020_02_10 {
        xml.leaf("DefaultEncryptionScope", "$account-encryption-key").leaf("DenyEncryptionScopeOverride", "false");
    }
    line.write_deletion(xml, request.now);
    xml.close("Properties");
    if metadata {
        write_metadata(xml, &properties.metadata);
    }
    xml.close("Share");
}
