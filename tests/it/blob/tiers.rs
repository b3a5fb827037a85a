//! Access tiers: setting them, and the rehydration of archived blobs.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/b", "content").await;
    server
}

#[tokio::test]
async fn setting_a_tier_does_not_change_the_blob() {
    check_in(
        &server().await,
        "HEAD /box/b → 200 | etag: $e; last-modified: $l; x-ms-access-tier: Hot; x-ms-access-tier-inferred: true; x-ms-access-tier-change-time: -
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred>
         wait 10
         PUT /box/b?comp=tier | x-ms-access-tier: Cool → 200 | content-length: 0; etag: -
         HEAD /box/b → 200 | etag: {e}; last-modified: {l}; x-ms-access-tier: Cool; x-ms-access-tier-inferred: -; x-ms-access-tier-change-time: {at}
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Cool</AccessTier><AccessTierChangeTime>{at}</AccessTierChangeTime> | !Inferred
         PUT /box/b?comp=tier | x-ms-access-tier: cold → 200
         HEAD /box/b → 200 | x-ms-access-tier: Cold
         PUT /box/b?comp=tier → 400 MissingRequiredHeader
         PUT /box/b?comp=tier | x-ms-access-tier: Tepid → 400 InvalidHeaderValue | | ~<HeaderName>x-ms-access-tier</HeaderName>
         PUT /box/b?comp=tier | x-ms-access-tier: P4 → 400 AccessTierNotSupportedForBlobType
         PUT /box/b?comp=tier | x-ms-access-tier: Hot; x-ms-rehydrate-priority: Soon → 400 InvalidHeaderValue
         PUT /box/b?comp=tier | x-ms-access-tier: Hot; x-ms-if-tags: \"k\" = 'v' → 412 ConditionNotMet
         PUT /box/none?comp=tier | x-ms-access-tier: Hot → 404 BlobNotFound
         HEAD /box/b → 200 | x-ms-access-tier: Cold
         # the lease id is required (recorded)
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/b?comp=tier | x-ms-access-tier: Hot → 412 LeaseIdMissing
         PUT /box/b?comp=tier | x-ms-access-tier: Hot; x-ms-lease-id: {A} → 200
         HEAD /box/b → 200 | x-ms-access-tier: Hot; x-ms-access-tier-inferred: -
         # a snapshot has its own
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/b?comp=tier&snapshot={s} | x-ms-access-tier: Cool → 200
         HEAD /box/b?snapshot={s} → 200 | x-ms-access-tier: Cool
         HEAD /box/b → 200 | x-ms-access-tier: Hot
         # of other types
         PUT /box/a | x-ms-blob-type: AppendBlob → 201
         PUT /box/a?comp=tier | x-ms-access-tier: Cool → 400 AccessTierNotSupportedForBlobType
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-access-tier: P6 → 201
         HEAD /box/p → 200 | x-ms-access-tier: P6; x-ms-access-tier-inferred: -
         PUT /box/p?comp=tier | x-ms-access-tier: P10 → 200
         PUT /box/p?comp=tier | x-ms-access-tier: P4 → 409 CannotChangeToLowerTier
         PUT /box/p?comp=tier | x-ms-access-tier: Hot → 400 AccessTierNotSupportedForBlobType
         HEAD /box/p → 200 | x-ms-access-tier: P10",
    )
    .await;
}

#[tokio::test]
async fn rehydration_takes_hours() {
    check_in(
        &server().await,
        "PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
         GET /box/b → 409 BlobArchived
         GET /box/b | x-ms-range: bytes=0-1 → 409 BlobArchived
         HEAD /box/b → 200 | x-ms-access-tier: Archive; x-ms-archive-status: -; content-length: 7
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Archive</AccessTier> | !ArchiveStatus
         GET /box/b?comp=tags → 200
         # within fifteen hours
         PUT /box/b?comp=tier | x-ms-access-tier: Hot → 202
         HEAD /box/b → 200 | x-ms-access-tier: Archive; x-ms-archive-status: rehydrate-pending-to-hot; x-ms-rehydrate-priority: Standard
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Archive</AccessTier><ArchiveStatus>rehydrate-pending-to-hot</ArchiveStatus><RehydratePriority>Standard</RehydratePriority>
         HEAD /box/b | x-ms-version: 2019-07-07 → 200 | x-ms-archive-status: rehydrate-pending-to-hot; x-ms-rehydrate-priority: -
         GET /box?restype=container&comp=list | x-ms-version: 2019-07-07 → 200 | | ~</ArchiveStatus> | !RehydratePriority
         GET /box/b → 409 BlobArchived
         PUT /box/b?comp=tier | x-ms-access-tier: Cool → 409 BlobBeingRehydrated
         PUT /box/b?comp=tier | x-ms-access-tier: Archive → 409 BlobBeingRehydrated
         wait 53999
         GET /box/b → 409 BlobArchived
         wait 1
         GET /box/b → 200 | | content
         HEAD /box/b → 200 | x-ms-access-tier: Hot; x-ms-archive-status: -; x-ms-rehydrate-priority: -; x-ms-access-tier-change-time: {at}
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Hot</AccessTier> | !ArchiveStatus
         # within an hour
         PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
         PUT /box/b?comp=tier | x-ms-access-tier: Cool; x-ms-rehydrate-priority: High → 202
         HEAD /box/b → 200 | x-ms-archive-status: rehydrate-pending-to-cool; x-ms-rehydrate-priority: High
         wait 3600
         GET /box/b → 200 | | content
         HEAD /box/b → 200 | x-ms-access-tier: Cool
         # the priority is raised
         PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
         PUT /box/b?comp=tier | x-ms-access-tier: Hot → 202
         PUT /box/b?comp=tier | x-ms-access-tier: Hot; x-ms-rehydrate-priority: High → 202
         HEAD /box/b → 200 | x-ms-rehydrate-priority: High
         wait 3600
         GET /box/b → 200 | | content
         # an archived blob can be tagged and overwritten, but not changed
         PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
         PUT /box/b?comp=metadata | x-ms-meta-a: 1 → 409 BlobArchived
         PUT /box/b?comp=properties | x-ms-blob-content-type: text/plain → 409 BlobArchived
         PUT /box/b?comp=snapshot → 409 BlobArchived
         PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags> → 204
         HEAD /box/b?comp=metadata → 200
         PUT /box/b | x-ms-blob-type: BlockBlob | new → 201
         GET /box/b → 200 | | new",
    )
    .await;
}

/// The copy is rehydrated as its source would be, and the source stays archived.
#[tokio::test]
async fn a_copy_of_an_archived_blob_is_rehydrated() {
    let server = server().await;
    let source = format!("{}/box/b", server.blob_url());
    let signed = format!("{source}?{}", token::reader("box"));
    check_in(
        &server,
        &format!(
            "PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
             PUT /box/c | x-ms-copy-source: {source} → 409 BlobArchived
             PUT /box/c | x-ms-copy-source: {source}; x-ms-access-tier: Archive → 409 BlobArchived
             PUT /box/b | x-ms-copy-source: {source}; x-ms-access-tier: Hot → 409 BlobArchived
             PUT /box/c | x-ms-copy-source: {source}; x-ms-access-tier: Hot; x-ms-rehydrate-priority: Soon → 400 InvalidHeaderValue
             HEAD /box/c → 404 BlobNotFound
             PUT /box/c | x-ms-copy-source: {source}; x-ms-access-tier: Cool; x-ms-rehydrate-priority: High → 202 | x-ms-copy-status: success
             HEAD /box/c → 200 | content-length: 7; x-ms-access-tier: Archive; x-ms-archive-status: rehydrate-pending-to-cool; x-ms-rehydrate-priority: High
             PUT /box/d | x-ms-copy-source: {source}; x-ms-access-tier: Hot → 202
             HEAD /box/d → 200 | x-ms-access-tier: Archive; x-ms-archive-status: rehydrate-pending-to-hot; x-ms-rehydrate-priority: Standard
             GET /box/c → 409 BlobArchived
             wait 3599
             GET /box/c → 409 BlobArchived
             wait 1
             GET /box/c → 200 | | content
             HEAD /box/c → 200 | x-ms-access-tier: Cool; x-ms-archive-status: -
             GET /box/d → 409 BlobArchived
             wait 50400
             GET /box/d → 200 | | content
             HEAD /box/b → 200 | x-ms-access-tier: Archive; x-ms-archive-status: -
             # a source that can be read is copied at once
             PUT /box/e | x-ms-copy-source: {source}x; x-ms-access-tier: Hot → 404 BlobNotFound
             PUT /box/e | x-ms-copy-source: {source_c}; x-ms-access-tier: Hot; x-ms-rehydrate-priority: High → 202
             HEAD /box/e → 200 | x-ms-access-tier: Hot; x-ms-archive-status: -
             # no other write rehydrates, and none has a priority
             PUT /box/f | x-ms-requires-sync: true; x-ms-copy-source: {signed}; x-ms-access-tier: Hot → 409 BlobArchived
             PUT /box/f | x-ms-requires-sync: true; x-ms-copy-source: {source}; x-ms-rehydrate-priority: High → 400 UnsupportedHeader
             PUT /box/f | x-ms-blob-type: BlockBlob; x-ms-copy-source: {signed}; x-ms-rehydrate-priority: High → 400 UnsupportedHeader
             PUT /box/f?comp=block&blockid=QQ== | x-ms-copy-source: {signed}; x-ms-rehydrate-priority: High → 400 UnsupportedHeader
             PUT /box/f | x-ms-blob-type: BlockBlob; x-ms-rehydrate-priority: High | x → 400 UnsupportedHeader
             HEAD /box/f → 404 BlobNotFound",
            source_c = source.replace("/box/b", "/box/c"),
        ),
    )
    .await;
}

#[tokio::test]
async fn a_smart_tier_reports_the_tier_that_it_uses() {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: Smart | one → 201
         HEAD /box/b → 200 | x-ms-access-tier: Smart; x-ms-smart-access-tier: Hot; x-ms-access-tier-inferred: -
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Smart</AccessTier><SmartAccessTier>Hot</SmartAccessTier>
         PUT /box/b?comp=tier | x-ms-access-tier: Archive → 200
         PUT /box/b?comp=tier | x-ms-access-tier: smart → 202
         HEAD /box/b → 200 | x-ms-access-tier: Archive; x-ms-archive-status: rehydrate-pending-to-smart; x-ms-smart-access-tier: -
         wait 54000
         HEAD /box/b → 200 | x-ms-access-tier: Smart; x-ms-smart-access-tier: Hot
         # a reader of the content gets the tier since 2026-10-06
         GET /box/b → 200 | x-ms-access-tier: -; x-ms-smart-access-tier: - | one
         GET /box/b | x-ms-version: 2026-02-06 → 200 | x-ms-access-tier: -; x-ms-smart-access-tier: Hot | one
         GET /box/b | x-ms-version: 2026-10-06 → 200 | x-ms-access-tier: Smart; x-ms-smart-access-tier: Hot | one
         GET /box/b | x-ms-version: 2026-10-06; x-ms-range: bytes=0-0 → 206 | x-ms-access-tier: Smart | o
         PUT /box/b?comp=tier | x-ms-access-tier: Cool → 200
         HEAD /box/b → 200 | x-ms-smart-access-tier: -
         PUT /box/page | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-access-tier: Smart → 400 AccessTierNotSupportedForBlobType",
    )
    .await;
}

/// A premium account's page blob has the smallest size class from P10 on that it fits into, until one is set.
#[tokio::test]
async fn a_premium_account_infers_size_classes() {
    let server = TestServer::with(&["--account", "devstoreaccount1,premium"]).await;
    let rows = "PUT /box?restype=container → 201
         GET /?restype=account&comp=properties → 200 | x-ms-sku-name: Premium_LRS
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 1024 → 201
         HEAD /box/p → 200 | x-ms-access-tier: P10; x-ms-access-tier-inferred: true
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>P10</AccessTier><AccessTierInferred>true</AccessTierInferred>
         PUT /box/large | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 137438953984 → 201
         HEAD /box/large → 200 | x-ms-access-tier: P15; x-ms-access-tier-inferred: true
         # given, and too small
         PUT /box/large?comp=tier | x-ms-access-tier: P10 → 409 BlobTierInadequateForContentLength
         PUT /box/new | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 137438953984; x-ms-access-tier: P6 → 409 BlobTierInadequateForContentLength
         HEAD /box/new → 404 BlobNotFound
         PUT /box/p?comp=tier | x-ms-access-tier: P4 → 200
         HEAD /box/p → 200 | x-ms-access-tier: P4; x-ms-access-tier-inferred: -
         PUT /box/p?comp=properties | x-ms-blob-content-length: 137438953984 → 409 ContentLengthLargerThanTierLimit
         HEAD /box/p → 200 | content-length: 1024
         # a copy has the class that it is given, or one of its own
         PUT /box/c | x-ms-copy-source: {base}/box/p; x-ms-access-tier: P30 → 202
         HEAD /box/c → 200 | x-ms-access-tier: P30; x-ms-access-tier-inferred: -
         PUT /box/d | x-ms-copy-source: {base}/box/p → 202
         HEAD /box/d → 200 | x-ms-access-tier: P10; x-ms-access-tier-inferred: true
         PUT /box/e | x-ms-copy-source: {base}/box/p; x-ms-access-tier: Cool → 400 AccessTierNotSupportedForBlobType
         PUT /box/e | x-ms-copy-source: {base}/box/large; x-ms-access-tier: P10 → 409 BlobTierInadequateForContentLength
         HEAD /box/e → 404 BlobNotFound";
    check_in(&server, &rows.replace("{base}", &server.blob_url())).await;
}
