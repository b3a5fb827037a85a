//! The file service's words on the wire: which headers tell a reader about a share, a directory or a file.

use crate::operation::xml::Writer;
use crate::operation::{Fields, FromRequest, Input, Reply, Request};
use crate::rules::error::StorageError;
use crate::rules::file::posix;
use crate::rules::file::share::{Protocol, RootSquash, Settings, Tier};
use crate::rules::file::smb::SmbInput;
use crate::rules::lease::Lease;
use crate::rules::retention;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::file::node::{Body, ContentHeaders, Node, NodeId};
use crate::services::file::state::{Admitted, Share, ShareView};
use crate::services::shared::listing::ListedResource;

/// The query parameter that names a snapshot of the share, instead of the share as it is.
pub(super) const SNAPSHOT: &[Input] = &[Input::query("sharesnapshot")];

/// The header that keeps dots at the end of names.
pub(super) const DOTS: &[Input] = &[Input::header("x-ms-allow-trailing-dot")];

/// The query parameter that names a snapshot of the share. Its value is in the target.
#[derive(Clone, Copy, Debug)]
pub struct ShareSnapshotQuery;

impl FromRequest for ShareSnapshotQuery {
    const INPUTS: &'static [Input] = SNAPSHOT;

    fn from_request(_: &Fields<'_>) -> Result<ShareSnapshotQuery, StorageError> {
        Ok(ShareSnapshotQuery)
    }
}

/// The header that keeps dots at the end of names. Its value is in the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrailingDotsHeader;

impl FromRequest for TrailingDotsHeader {
    const INPUTS: &'static [Input] = DOTS;

    fn from_request(_: &Fields<'_>) -> Result<TrailingDotsHeader, StorageError> {
        Ok(TrailingDotsHeader)
    }
}

/// The same of a copy's source.
pub(super) const SOURCE_DOTS: &[Input] = &[Input::header("x-ms-source-allow-trailing-dot")];

/// The headers that say what Windows knows of a file.
pub(super) const SMB: &[Input] = &[
    Input::header("x-ms-file-attributes"),
    Input::header("x-ms-file-creation-time"),
    Input::header("x-ms-file-last-write-time"),
    Input::header("x-ms-file-change-time"),
    Input::header("x-ms-file-permission"),
    Input::header("x-ms-file-permission-key"),
    Input::header("x-ms-file-permission-format"),
];

/// The header that says whether what is made is new.
pub(super) const SEMANTICS: &[Input] = &[Input::header("x-ms-file-property-semantics")];

/// The headers that describe a content.
pub(super) const CONTENT: &[Input] = &[
    Input::header("x-ms-content-type"),
    Input::header("x-ms-content-encoding"),
    Input::header("x-ms-content-language"),
    Input::header("x-ms-cache-control"),
    Input::header("x-ms-content-md5"),
    Input::header("x-ms-content-disposition"),
];

/// The headers that tell a share anything.
pub(super) const SETTINGS: &[Input] = &[
    Input::header("x-ms-share-quota"),
    Input::header("x-ms-access-tier"),
    Input::header("x-ms-enabled-protocols"),
    Input::header("x-ms-root-squash"),
    Input::header("x-ms-enable-snapshot-virtual-directory-access"),
    Input::header("x-ms-share-paid-bursting-enabled"),
    Input::header("x-ms-share-paid-bursting-max-iops"),
    Input::header("x-ms-share-paid-bursting-max-bandwidth-mibps"),
    Input::header("x-ms-share-provisioned-iops"),
    Input::header("x-ms-share-provisioned-bandwidth-mibps"),
];

/// The text of a header. An empty one counts as absent, as it does for the service.
pub(super) fn text(request: &Request, name: &str) -> Option<String> {
    request.header(name).filter(|text| !text.is_empty()).map(Into::into)
}

/// Reads what a request says of attributes, times and permission.
///
/// # Errors
/// As [`Given::read`].
pub(super) fn given(request: &Request) -> Result<SmbInput, StorageError> {
    SmbInput::read(|name| text(request, name))
}

/// The Content-Type of a file that was made without one.
const DEFAULT_TYPE: &str = "application/octet-stream";

impl ContentHeaders {
    /// Reads them off a request. Recorded: a file is made with a type, and loses it when its properties are set without one.
    pub(super) fn read(request: &Request) -> ContentHeaders {
        let one = |name: &str| text(request, name).map(Box::from);
        ContentHeaders {
            content_type: one("x-ms-content-type"),
            encoding: one("x-ms-content-encoding"),
            language: one("x-ms-content-language"),
            cache_control: one("x-ms-cache-control"),
            md5: one("x-ms-content-md5"),
            disposition: one("x-ms-content-disposition"),
        }
    }

    /// These, and the type of whoever says none.
    pub(super) fn with_type(mut self) -> ContentHeaders {
        self.content_type.get_or_insert_with(|| DEFAULT_TYPE.into());
        self
    }
}

/// The answer to a write to a directory or a file, with what Windows knows of it.
pub(super) fn written(node: &Node, parent: NodeId, request: &Request) -> Reply {
    let reply =
        Reply::new(request.spec.status).with_state(node.etag(), node.last_modified).with("x-ms-request-server-encrypted", "true");
    with_smb(reply, node, parent, request)
}

/// Adds what Windows, or Unix, knows of a directory or a file.
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
    reply = reply
        .with_some("content-type", headers.content_type.as_deref())
        .with_some("content-encoding", headers.encoding.as_deref())
        .with_some("content-language", headers.language.as_deref())
        .with_some("cache-control", headers.cache_control.as_deref())
        .with_some("content-disposition", headers.disposition.as_deref())
        .with_some(if whole { "content-md5" } else { "x-ms-content-md5" }, headers.md5.as_deref());
    if let Some(copy) = &file.copy {
        reply = copy.progress.describe(reply, copy.id, &copy.source, copy.total);
    }
    match request.version >= Version::V2019_02_02 {
        true => with_lease(reply, file.lease, request.now),
        false => reply,
    }
}

/// A copy's source as it is remembered: without the signature that opened it.
pub(super) fn without_signature(url: &str) -> String {
    match url.split_once('?') {
        Some((path, query)) if query.contains("sig=") => {
            let names = ["sharesnapshot=", "snapshot=", "versionid="];
            let kept: Vec<&str> = query.split('&').filter(|part| names.iter().any(|name| part.starts_with(name))).collect();
            if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
        }
        _ => url.to_owned(),
    }
}

/// Sixteen bytes as an id is written: lower case, 8-4-4-4-12.
pub(super) fn guid(id: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(id).to_string()
}

/// The lease headers of a share or a file.
pub(super) fn with_lease(reply: Reply, lease: Lease, now: Timestamp) -> Reply {
    reply
        .with("x-ms-lease-status", lease.status(now))
        .with("x-ms-lease-state", lease.state(now))
        .with_some("x-ms-lease-duration", lease.duration(now))
}

/// The headers by which Get Share Properties describes a share.
pub(super) fn describe_share(view: &ShareView<'_>, request: &Request) -> Reply {
    let (about, settings) = (view.about, view.about.settings);
    let mut reply = Reply::new(request.spec.status)
        .with_state(crate::rules::etag::ETag::of(about.last_modified), about.last_modified)
        .with_metadata(&about.metadata)
        .with("x-ms-share-quota", settings.quota.to_string());
    if request.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-has-immutability-policy", "false").with("x-ms-has-legal-hold", "false");
    }
    if Settings::tells_tier(request.version) {
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
            .with("x-ms-share-next-allowed-quota-downgrade-time", about.last_modified.rfc1123())
            .with("x-ms-enabled-protocols", settings.protocol.unwrap_or(Protocol::Smb).name());
    }
    if settings.is_provisioned() {
        reply = with_bursts(reply, &settings)
            .with("x-ms-share-next-allowed-provisioned-iops-downgrade-time", about.last_modified.rfc1123())
            .with("x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time", about.last_modified.rfc1123());
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

/// What a share whose operations or bandwidth are provisioned is told when that is set: all of it, whatever was named.
pub(super) fn with_provision(reply: Reply, settings: &Settings) -> Reply {
    if !settings.is_provisioned() {
        return reply;
    }
    with_bursts(reply, settings)
        .with("x-ms-share-quota", settings.quota.to_string())
        .with("x-ms-share-provisioned-iops", settings.iops().to_string())
        .with_some("x-ms-share-provisioned-bandwidth-mibps", settings.mibps().map(|value| value.to_string()))
}

/// How such a share bursts.
fn with_bursts(reply: Reply, settings: &Settings) -> Reply {
    reply
        .with("x-ms-share-included-burst-iops", settings.burst_iops().to_string())
        .with("x-ms-share-max-burst-credits-for-iops", settings.burst_credits().to_string())
}

/// When such a share may be given less: at once here.
pub(super) fn with_downgrades(reply: Reply, settings: &Settings, stamp: Timestamp) -> Reply {
    if !settings.is_provisioned() {
        return reply;
    }
    reply
        .with("x-ms-share-next-allowed-quota-downgrade-time", stamp.rfc1123())
        .with("x-ms-share-next-allowed-provisioned-iops-downgrade-time", stamp.rfc1123())
        .with("x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time", stamp.rfc1123())
}

/// A `<Share>` of List Shares: a share as it is or was, or one of its snapshots.
pub(super) fn write_share(
    xml: &mut Writer,
    line: &ListedResource<'_, Share>,
    view: &ShareView<'_>,
    metadata: bool,
    request: &Request,
) {
    let (about, settings) = (view.about, view.about.settings);
    let tells_tier = Settings::tells_tier(request.version);
    xml.open("Share").leaf("Name", line.name);
    if let Some((born, _)) = line.deleted {
        xml.leaf("Deleted", "true").leaf("Version", retention::container_version(born));
    }
    xml.leaf_some("Snapshot", view.taken.map(Timestamp::iso));
    xml.open("Properties");
    xml.leaf("Last-Modified", about.last_modified.rfc1123())
        .leaf("Etag", crate::rules::etag::ETag::of(about.last_modified).quoted());
    if tells_tier && line.deleted.is_some() {
        xml.leaf("LeaseStatus", "unlocked").leaf("LeaseState", "broken");
    } else if tells_tier {
        xml.leaf("LeaseStatus", view.lease.status(request.now)).leaf("LeaseState", view.lease.state(request.now));
        xml.leaf_some("LeaseDuration", view.lease.duration(request.now));
    }
    xml.leaf("Quota", settings.quota.to_string());
    xml.leaf_some("EnabledProtocols", settings.protocol.map(Protocol::name));
    xml.leaf_some("RootSquash", settings.root_squash.map(RootSquash::name));
    // Recorded: a premium share tells its tier before others do, and the entry of a snapshot has none.
    let live = view.taken.is_none();
    if live && (tells_tier || settings.tier == Tier::Premium) {
        xml.leaf("AccessTier", settings.tier.name());
    }
    if live && tells_tier {
        xml.leaf("AccessTierChangeTime", settings.tier_since.rfc1123());
    }
    if settings.is_premium() {
        xml.leaf("ProvisionedIops", settings.iops().to_string());
        xml.leaf("ProvisionedIngressMBps", settings.ingress().to_string());
        xml.leaf("ProvisionedEgressMBps", settings.egress().to_string());
        xml.leaf("NextAllowedQuotaDowngradeTime", about.last_modified.rfc1123());
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
        xml.leaf("NextAllowedProvisionedIopsDowngradeTime", about.last_modified.rfc1123());
        xml.leaf("NextAllowedProvisionedBandwidthDowngradeTime", about.last_modified.rfc1123());
    }
    if request.version >= Version::V2020_02_10 {
        xml.leaf("DefaultEncryptionScope", "$account-encryption-key").leaf("DenyEncryptionScopeOverride", "false");
    }
    if let Some((_, deletion)) = line.deleted {
        xml.leaf("DeletedTime", deletion.at.rfc1123());
        xml.leaf("RemainingRetentionDays", deletion.days_left_of_container(request.now).to_string());
    }
    xml.close("Properties");
    if metadata {
        xml.nest("Metadata", |xml| about.metadata.iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
    }
    xml.close("Share");
}

/// The headers that say what Unix knows of a file.
pub(super) const POSIX: &[Input] = &[Input::header("x-ms-mode"), Input::header("x-ms-owner"), Input::header("x-ms-group")];

/// Reads what a request says of a file's mode, owner and group.
///
/// # Errors
/// As [`posix::Given::read`].
pub(super) fn given_posix(request: &Request) -> Result<posix::PosixInput, StorageError> {
    posix::PosixInput::read(|name| text(request, name))
}
