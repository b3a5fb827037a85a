//! Shares: create, describe, list and delete.

use super::{check, check_in};
use crate::server::TestServer;

#[tokio::test]
async fn a_share_is_created_and_described() {
    check(
        "# made once
         PUT /box?restype=share | x-ms-meta-Color: red; x-ms-share-quota: 7 → 201 | etag: $e; last-modified: {at}; content-length: 0 | {}
         PUT /box?restype=share → 409 ShareAlreadyExists | | ~The specified share already exists.
         # all properties
         GET /box?restype=share → 200 | etag: {e}; last-modified: {at}; x-ms-meta-color: red; x-ms-share-quota: 7; x-ms-access-tier: TransactionOptimized; x-ms-access-tier-change-time: {at}; x-ms-lease-status: unlocked; x-ms-lease-state: available; x-ms-has-immutability-policy: false; x-ms-enabled-protocols: - | {}
         HEAD /box?restype=share → 200 | etag: {e} | {}
         GET /box?restype=share&comp=metadata → 200 | etag: {e}; x-ms-meta-color: red; x-ms-share-quota: - | {}
         # properties by version
         GET /box?restype=share | x-ms-version: 2019-02-02 → 200 | x-ms-access-tier: -; x-ms-lease-state: -; x-ms-share-quota: 7
         # a change of its content does not change the state of the share
         wait 5
         PUT /box/d?restype=directory → 201
         GET /box?restype=share → 200 | etag: {e}; last-modified: {at-5}
         # changed
         PUT /box?restype=share&comp=metadata | x-ms-meta-size: 3 → 200 | etag: $f; last-modified: {at}
         GET /box?restype=share → 200 | etag: {f}; x-ms-meta-size: 3; x-ms-meta-color: -
         PUT /box?restype=share&comp=properties | x-ms-share-quota: 8; x-ms-access-tier: cool → 200 | last-modified: {at}
         GET /box?restype=share → 200 | x-ms-share-quota: 8; x-ms-access-tier: Cool; x-ms-access-tier-change-time: {at}
         # deleted with everything in it
         DELETE /box?restype=share → 202 | content-length: 0; etag: - | {}
         # a second deletion succeeds while the first is in progress
         DELETE /box?restype=share → 202
         wait 30
         DELETE /box?restype=share → 404 ShareNotFound
         GET /box?restype=share → 404 ShareNotFound
         GET /box/d?restype=directory → 404 ShareNotFound
         PUT /box?restype=share → 201
         GET /box/d?restype=directory → 404 ResourceNotFound",
    )
    .await;
}

#[tokio::test]
async fn invalid_names_and_settings_of_a_share_are_refused() {
    check(
        "PUT /Box?restype=share → 400 InvalidResourceName
         PUT /bo?restype=share → 400 OutOfRangeInput
         PUT /$root?restype=share → 400 InvalidResourceName
         PUT /%E5%95%8A%E5%95%8A%E5%95%8A?restype=share → 400 InvalidResourceName | | ~The specifed resource name contains invalid characters.
         PUT /box?restype=share | x-ms-share-quota: 0 → 400 InvalidHeaderValue | | ~<HeaderName>x-ms-share-quota</HeaderName>
         PUT /box?restype=share | x-ms-access-tier: Lukewarm → 400 InvalidHeaderValue
         PUT /box?restype=share | x-ms-root-squash: AllSquash → 400 InvalidHeaderValue
         GET /box?restype=share → 404 ShareNotFound
         PUT /shr?restype=share&comp=properties | x-ms-share-quota: 102401 → 400 InvalidHeaderValue
         GET /shr?restype=share → 200 | x-ms-share-quota: 5120
         PUT /shr?restype=share&comp=undelete → 400 MissingRequiredHeader
         PUT /shr?restype=share&comp=foo → 400 InvalidQueryParameterValue
         PUT /shr?restype=foo → 400 InvalidQueryParameterValue
         PUT /shr → 400 InvalidUri",
    )
    .await;
}

#[tokio::test]
async fn shares_are_listed_in_pages_with_their_snapshots() {
    let server = TestServer::new().await;
    check_in(
        &server,
        "PUT /aa1?restype=share | x-ms-meta-k: v → 201
         PUT /aa2?restype=share → 201
         PUT /bbb?restype=share | x-ms-enabled-protocols: NFS; x-ms-root-squash: RootSquash → 201
         PUT /aa1?restype=share&comp=snapshot → 201 | x-ms-snapshot: $t
         GET /?comp=list → 200 | | ~<Share><Name>aa1</Name><Properties> | ~<Quota>5120</Quota><AccessTier>TransactionOptimized</AccessTier> | !<Snapshot> | !<Metadata
         GET /?comp=list → 200 | | ~<Name>bbb</Name> | ~<Quota>100</Quota><EnabledProtocols>NFS</EnabledProtocols><RootSquash>RootSquash</RootSquash><AccessTier>Premium</AccessTier>
         GET /?comp=list&prefix=aa&include=metadata → 200 | | ~<Prefix>aa</Prefix> | ~<Metadata><k>v</k></Metadata> | ~<Metadata /> | !bbb
         GET /?comp=list&include=snapshots → 200 | | ~<Share><Name>aa1</Name><Snapshot>{t}</Snapshot><Properties> | ~</Share><Share><Name>aa1</Name><Properties>
         # a snapshot has its own lease, and no tier
         GET /?comp=list&include=snapshots&prefix=aa1&maxresults=1 | x-ms-version: 2020-02-10 → 200 | | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState><Quota>5120</Quota><DefaultEncryptionScope>
         PUT /aa1?restype=share&comp=lease&sharesnapshot={t} | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 201
         GET /?comp=list&include=snapshots&prefix=aa1 | x-ms-version: 2020-02-10 → 200 | | ~<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>infinite</LeaseDuration><Quota>5120</Quota><DefaultEncryptionScope> | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState><Quota>5120</Quota><AccessTier>
         GET /?comp=list&include=snapshots&prefix=aa1 | x-ms-version: 2019-07-07 → 200 | | !Lease
         GET /?comp=list&maxresults=1 → 200 | | ~<MaxResults>1</MaxResults> | ~<NextMarker>/devstoreaccount1/aa2</NextMarker>
         GET /?comp=list&maxresults=5&marker=/devstoreaccount1/aa2 → 200 | | ~<Marker>/devstoreaccount1/aa2</Marker> | !aa1 | ~<NextMarker />
         GET /?comp=list&include=foo → 400 InvalidQueryParameterValue
         GET /?comp=list | x-ms-version: 2019-02-02 → 200 | | ~<Quota>5120</Quota></Properties>",
    )
    .await;
}

#[tokio::test]
async fn policies_statistics_and_service_properties() {
    let acl = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Expiry>2099-01-01</Expiry><Permission>rl</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    let service = "<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>5</Days></RetentionPolicy></HourMetrics></StorageServiceProperties>";
    check(&format!(
        "GET /shr?restype=share&comp=acl → 200 | etag: $e | ~<SignedIdentifiers />
         PUT /shr?restype=share&comp=acl | | {acl} → 200 | etag: +
         GET /shr?restype=share&comp=acl → 200 | | ~<Id>one</Id> | ~<Permission>rl</Permission>
         PUT /shr?restype=share&comp=acl | | {} → 400 InvalidXmlNodeValue
         GET /shr?restype=share&comp=stats → 200 | | ~<ShareStats><ShareUsageBytes>0</ShareUsageBytes></ShareStats>
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 100 → 201
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 11 → 201
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 5 → 201
         GET /shr?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>16</ShareUsageBytes>
         DELETE /shr/g → 202
         GET /shr?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>5</ShareUsageBytes>
         PUT /?restype=service&comp=properties | | {service} → 202
         GET /?restype=service&comp=properties → 200 | | ~<HourMetrics><Version>1.0</Version><Enabled>true</Enabled> | ~<Cors /><ProtocolSettings><SMB><Multichannel><Enabled>false</Enabled></Multichannel></SMB></ProtocolSettings> | !<Logging>
         PUT /?restype=service&comp=properties | | <StorageServiceProperties><ProtocolSettings><SMB><Multichannel><Enabled>true</Enabled></Multichannel></SMB></ProtocolSettings></StorageServiceProperties> → 202
         GET /?restype=service&comp=properties → 200 | | ~<Days>5</Days> | ~<Multichannel><Enabled>true</Enabled></Multichannel>",
        acl.replace("rl", "rx")
    ))
    .await;
}

/// A premium account stores and reports provisioned IOPS and bandwidth; another account refuses them.
#[tokio::test]
async fn shares_are_provisioned_in_premium_accounts() {
    let server = TestServer::with(&["--account", "devstoreaccount1,premium"]).await;
    check_in(
        &server,
        "PUT /box?restype=share | x-ms-share-provisioned-iops: 10240; x-ms-share-provisioned-bandwidth-mibps: 125; x-ms-share-quota: 32 → 201 | x-ms-share-quota: 32; x-ms-share-provisioned-iops: 10240; x-ms-share-provisioned-bandwidth-mibps: 125; x-ms-share-included-burst-iops: 30720; x-ms-share-max-burst-credits-for-iops: 73728000
         GET /box?restype=share → 200 | x-ms-access-tier: Premium; x-ms-share-provisioned-iops: 10240; x-ms-share-provisioned-bandwidth-mibps: 125; x-ms-share-included-burst-iops: 30720; x-ms-share-next-allowed-provisioned-iops-downgrade-time: {at}
         PUT /box?restype=share&comp=properties | x-ms-share-provisioned-bandwidth-mibps: 200 → 200 | x-ms-share-provisioned-iops: 10240; x-ms-share-provisioned-bandwidth-mibps: 200; x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time: {at}
         GET /?comp=list → 200 | | ~<ProvisionedIops>10240</ProvisionedIops> | ~<ProvisionedBandwidthMiBps>200</ProvisionedBandwidthMiBps><IncludedBurstIops>30720</IncludedBurstIops>
         PUT /box?restype=share&comp=properties | x-ms-share-provisioned-iops: 100001 → 400 InvalidHeaderValue
         PUT /plain?restype=share → 201 | x-ms-share-quota: -
         GET /plain?restype=share → 200 | x-ms-access-tier: Premium; x-ms-share-quota: 100; x-ms-share-provisioned-iops: 500; x-ms-share-provisioned-bandwidth-mibps: -",
    )
    .await;
    let server = TestServer::new().await;
    check_in(
        &server,
        "PUT /box?restype=share | x-ms-share-provisioned-iops: 10240 → 400 UnsupportedHeader | | ~<HeaderName>x-ms-share-provisioned-iops</HeaderName>
         PUT /box?restype=share | x-ms-share-provisioned-bandwidth-mibps: 125 → 400 UnsupportedHeader
         GET /box?restype=share → 404 ShareNotFound
         PUT /box?restype=share → 201
         PUT /box?restype=share&comp=properties | x-ms-share-provisioned-iops: 10240 → 400 UnsupportedHeader",
    )
    .await;
}
