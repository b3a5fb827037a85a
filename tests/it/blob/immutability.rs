//! Immutable storage: policies and holds on single blobs, snapshots and versions, in accounts with immutability.

use crate::auth::token;
use crate::scenario::{check, check_in};
use crate::scratch::Scratch;
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

/// A server whose account has immutable storage, with the container `box`.
async fn server() -> TestServer {
    let server = TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},immutability")]).await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn a_policy_can_be_set_extended_and_deleted() {
    check_in(
        &server().await,
        "GET /box?restype=container → 200 | x-ms-immutable-storage-with-versioning-enabled: true
         GET /?comp=list → 200 | | ~<ImmutableStorageWithVersioningEnabled>true<
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60} → 404 BlobNotFound
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | etag: $e; x-ms-version-id: $v
         HEAD /box/b → 200 | x-ms-immutability-policy-mode: -; x-ms-legal-hold: -
         # malformed dates and dates in the past are refused
         PUT /box/b?comp=immutabilityPolicies → 400 MissingRequiredHeader
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: soon → 400 InvalidHeaderValue
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at} → 400 InvalidHeaderValue
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: Mutable → 400 InvalidHeaderValue
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60}; if-unmodified-since: {at-60} → 412 ConditionNotMet
         # set and reported, without a new state of the blob
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60}; if-unmodified-since: {at} → 200 | x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: unlocked; etag: -
         HEAD /box/b → 200 | x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: unlocked; etag: {e}
         GET /box/b?versionid={v} → 200 | x-ms-immutability-policy-until-date: {at+60} | one
         GET /box?restype=container&comp=list → 200 | | !Immutability
         GET /box?restype=container&comp=list&include=immutabilitypolicy,legalhold → 200 | | ~<ImmutabilityPolicyUntilDate>{at+60}</ImmutabilityPolicyUntilDate><ImmutabilityPolicyMode>unlocked</ImmutabilityPolicyMode> | !LegalHold
         # unlocked, it is shortened and deleted
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+30} → 200
         DELETE /box/b?comp=immutabilityPolicies → 200
         DELETE /box/b?comp=immutabilityPolicies → 200
         HEAD /box/b → 200 | x-ms-immutability-policy-mode: -
         # locked, it is only extended
         PUT /box/b?comp=immutabilityPolicies&versionid={v} | x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: Locked → 200 | x-ms-immutability-policy-mode: locked
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+30}; x-ms-immutability-policy-mode: Locked → 409 BlobImmutableDueToPolicy
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+90} → 409 BlobImmutableDueToPolicy
         DELETE /box/b?comp=immutabilityPolicies → 409 ImmutabilityPolicyDeleteOnLockedPolicy
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+90}; x-ms-immutability-policy-mode: locked → 200
         wait 100
         DELETE /box/b?comp=immutabilityPolicies → 409 ImmutabilityPolicyDeleteOnLockedPolicy",
    )
    .await;
}

#[tokio::test]
async fn a_protected_blob_cannot_be_changed_and_stays_as_a_version() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: Locked | one → 201 | x-ms-version-id: $v1
         PUT /box/b?comp=metadata | x-ms-meta-n: 1 → 409 BlobImmutableDueToPolicy
         PUT /box/b?comp=properties | x-ms-blob-content-type: text/plain → 409 BlobImmutableDueToPolicy
         # leases, tags, tiers and snapshots are allowed
         PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags> → 204
         PUT /box/b?comp=tier | x-ms-access-tier: Cool → 200
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15 → 201
         PUT /box/b?comp=lease | x-ms-lease-action: break; x-ms-lease-break-period: 0 → 202
         # a new blob makes it a version, which cannot be deleted before its date
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v2
         HEAD /box/b → 200 | x-ms-immutability-policy-mode: -
         HEAD /box/b?versionid={v1} → 200 | x-ms-immutability-policy-mode: locked
         DELETE /box/b?versionid={v1} → 409 BlobImmutableDueToPolicy
         PUT /box/b?comp=metadata | x-ms-meta-n: 1 → 200 | x-ms-version-id: $v3
         # deleting the blob would make it a version, too, and is refused
         PUT /box/b?comp=legalhold | x-ms-legal-hold: true → 200 | x-ms-legal-hold: true
         DELETE /box/b → 409 BlobImmutableDueToLegalHold
         GET /box/b → 200 | | two
         PUT /box/b?comp=legalhold | x-ms-legal-hold: false → 200
         DELETE /box/b → 202 | x-ms-delete-type-permanent: false
         GET /box/b → 404 BlobNotFound
         PUT /box/b?comp=legalhold&versionid={v3} | x-ms-legal-hold: true → 200
         GET /box/b?versionid={v3} → 200 | x-ms-legal-hold: true | two
         DELETE /box/b?versionid={v3} → 409 BlobImmutableDueToLegalHold
         GET /box?restype=container&comp=list&include=versions,legalhold → 200 | | ~<LegalHold>true</LegalHold>
         PUT /box/b?comp=legalhold&versionid={v3} | x-ms-legal-hold: false → 200 | x-ms-legal-hold: false
         GET /box/b?versionid={v3} → 200 | x-ms-legal-hold: false
         DELETE /box/b?versionid={v3} → 202
         # after the date
         wait 59
         DELETE /box/b?versionid={v1} → 409 BlobImmutableDueToPolicy
         wait 1
         DELETE /box/b?versionid={v1} → 202
         GET /box/b?versionid={v1} → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn every_operation_that_creates_a_blob_can_protect_it() {
    let server = server().await;
    server.blob("/box/source", "content").await;
    let source = format!("{}/box/source", server.blob_url());
    let signed = format!("{source}?{}", token::reader("box"));
    let protect = "x-ms-immutability-policy-until-date: {at+60}; x-ms-legal-hold: true";
    let ways = [
        ("", "x-ms-blob-type: BlockBlob", "x"),
        ("", "x-ms-blob-type: AppendBlob", ""),
        ("", "x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512", ""),
        ("?comp=blocklist", "x-ms-version: 2021-12-02", "<BlockList></BlockList>"),
        ("", &format!("x-ms-copy-source: {source}"), ""),
        ("", &format!("x-ms-copy-source: {signed}; x-ms-requires-sync: true"), ""),
        ("", &format!("x-ms-copy-source: {signed}; x-ms-blob-type: BlockBlob"), ""),
    ];
    for (place, (query, headers, body)) in ways.iter().enumerate() {
        let status = if headers.contains("copy") && !headers.contains("blob-type") { 202 } else { 201 };
        check_in(
            &server,
            &format!(
                "PUT /box/b{place}{query} | {headers}; {protect} | {body} → {status} | x-ms-version-id: $v
                 HEAD /box/b{place} → 200 | x-ms-immutability-policy-until-date: {{at+60}}; x-ms-immutability-policy-mode: unlocked; x-ms-legal-hold: true
                 PUT /box/b{place}?comp=metadata → 409 BlobImmutableDueToLegalHold
                 PUT /box/b{place}?comp=legalhold | x-ms-legal-hold: false → 200
                 PUT /box/b{place}?comp=metadata → 409 BlobImmutableDueToPolicy
                 PUT /box/b{place} | x-ms-blob-type: BlockBlob | new → 201
                 DELETE /box/b{place}?versionid={{v}} → 409 BlobImmutableDueToPolicy"
            ),
        )
        .await;
    }
    check_in(
        &server,
        "PUT /box/b1?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60} → 200
         PUT /box/log | x-ms-blob-type: AppendBlob; x-ms-legal-hold: true → 201
         PUT /box/log?comp=appendblock | | x → 409 BlobImmutableDueToLegalHold
         PUT /box/log?comp=seal → 409 BlobImmutableDueToLegalHold
         PUT /box/page | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-immutability-policy-until-date: {at+1} → 201
         wait 2
         # after its date, a blob with a policy cannot be changed, but it can be deleted
         PUT /box/page?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 409 BlobImmutableDueToPolicy
         DELETE /box/page → 202
         # an incomplete policy, and a policy in a request that creates no blob
         PUT /box/new | x-ms-blob-type: BlockBlob; x-ms-immutability-policy-mode: Locked | x → 400 MissingRequiredHeader
         PUT /box/new | x-ms-blob-type: BlockBlob; x-ms-legal-hold: maybe | x → 400 InvalidHeaderValue
         PUT /box/log?comp=appendblock | x-ms-legal-hold: true | x → 400 UnsupportedHeader
         GET /box/new → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn snapshots_have_their_own_protection_and_a_container_must_be_empty() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-legal-hold: true | one → 201 | x-ms-version-id: $v1
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s; x-ms-version-id: $v2
         HEAD /box/b?snapshot={s} → 200 | x-ms-legal-hold: -
         HEAD /box/b?versionid={v2} → 200 | x-ms-legal-hold: true
         PUT /box/b?comp=immutabilityPolicies&snapshot={s} | x-ms-immutability-policy-until-date: {at+60} → 200
         DELETE /box/b?snapshot={s} → 409 BlobImmutableDueToPolicy
         DELETE /box/b | x-ms-delete-snapshots: include → 409 BlobImmutableDueToPolicy
         DELETE /box/b | x-ms-delete-snapshots: only → 409 BlobImmutableDueToPolicy
         HEAD /box/b → 200
         HEAD /box/b?snapshot={s} → 200 | x-ms-immutability-policy-mode: unlocked
         DELETE /box/b?comp=immutabilityPolicies&snapshot={s} → 200
         # the hold of the blob itself
         DELETE /box/b | x-ms-delete-snapshots: include → 409 BlobImmutableDueToLegalHold
         HEAD /box/b?snapshot={s} → 200
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60} → 200
         PUT /box/b?comp=legalhold | x-ms-legal-hold: false → 200
         DELETE /box/b | x-ms-delete-snapshots: include → 409 BlobImmutableDueToPolicy
         HEAD /box/b → 200 | x-ms-version-id: {v2}
         DELETE /box/b?comp=immutabilityPolicies → 200
         DELETE /box/b | x-ms-delete-snapshots: include → 202
         PUT /box/b?comp=legalhold&versionid={v2} | x-ms-legal-hold: true → 200
         # two versions are left
         DELETE /box?restype=container → 409 BlobImmutableDueToPolicy
         GET /box/b?versionid={v1} → 200 | | one
         PUT /box/b?comp=legalhold&versionid={v1} | x-ms-legal-hold: false → 200
         PUT /box/b?comp=legalhold&versionid={v2} | x-ms-legal-hold: false → 200
         DELETE /box/b?versionid={v1} → 202
         DELETE /box?restype=container → 409 BlobImmutableDueToPolicy
         DELETE /box/b?versionid={v2} → 202
         DELETE /box?restype=container → 202",
    )
    .await;
}

#[tokio::test]
async fn an_account_without_immutability_refuses_policies() {
    check(
        "PUT /box?restype=container → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         PUT /box/b?comp=immutabilityPolicies | x-ms-immutability-policy-until-date: {at+60} → 409 BlobOperationNotSupported
         DELETE /box/b?comp=immutabilityPolicies → 409 BlobOperationNotSupported
         PUT /box/b?comp=legalhold | x-ms-legal-hold: true → 409 BlobOperationNotSupported
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-legal-hold: true | two → 400 UnsupportedHeader
         GET /box/b → 200 | | one
         DELETE /box?restype=container → 202",
    )
    .await;
}

/// A server can be started without the immutability that its account had.
#[tokio::test]
async fn protection_holds_after_the_account_lost_its_immutability() {
    let folder = Scratch::new("protection");
    let account = format!("devstoreaccount1:{WELL_KNOWN_KEY},immutability");
    let mut server = TestServer::with(&["--location", folder.path(), "--account", &account]).await;
    server.container("box").await;
    server.container("other").await;
    server.blob("/other/source", "two").await;
    check_in(
        &server,
        "PUT /box/held | x-ms-blob-type: BlockBlob; x-ms-legal-hold: true | one → 201
         PUT /box/kept | x-ms-blob-type: BlockBlob; x-ms-immutability-policy-until-date: {at+60}; x-ms-immutability-policy-mode: Locked | one → 201
         PUT /box/free | x-ms-blob-type: BlockBlob | one → 201",
    )
    .await;
    server.restart_with(&["--location", folder.path()]).await;
    let source = format!("{}/other/source", server.blob_url());
    let signed = format!("{source}?{}", token::reader("other"));
    for (name, code) in [("held", "BlobImmutableDueToLegalHold"), ("kept", "BlobImmutableDueToPolicy")] {
        check_in(
            &server,
            &format!(
                "PUT /box/{name} | x-ms-blob-type: BlockBlob | two → 409 {code}
                 PUT /box/{name} | x-ms-blob-type: AppendBlob → 409 {code}
                 PUT /box/{name}?comp=block&blockid=QQ== | | two → 201
                 PUT /box/{name}?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 409 {code}
                 PUT /box/{name} | x-ms-copy-source: {source} → 409 {code}
                 PUT /box/{name} | x-ms-copy-source: {signed}; x-ms-requires-sync: true → 409 {code}
                 PUT /box/{name} | x-ms-copy-source: {signed}; x-ms-blob-type: BlockBlob → 409 {code}
                 DELETE /box/{name} → 409 {code}
                 GET /box/{name} → 200 | | one
                 DELETE /box?restype=container → 409 BlobImmutableDueToLegalHold"
            ),
        )
        .await;
    }
    check_in(
        &server,
        "PUT /box/free | x-ms-blob-type: BlockBlob | two → 201
         GET /box/free → 200 | | two
         DELETE /other?restype=container → 202",
    )
    .await;
}
