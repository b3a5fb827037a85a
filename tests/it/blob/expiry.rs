//! Set Blob Expiry, for accounts with a hierarchical namespace: blobs that expire.

use crate::auth::token;
use crate::scenario::{check, check_in};
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

async fn server() -> TestServer {
    let server = TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},hns")]).await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn a_blob_expires() {
    let server = server().await;
    let source = format!("{}/box/b", server.blob_url());
    check_in(
        &server,
        &"PUT /box/b?comp=expiry | x-ms-expiry-option: NeverExpire → 404 BlobNotFound
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | etag: $e
         HEAD /box/b → 200 | x-ms-expiry-time: -
         PUT /box/b?comp=expiry → 400 MissingRequiredHeader
         PUT /box/b?comp=expiry | x-ms-expiry-option: RelativeToNow → 400 MissingRequiredHeader
         PUT /box/b?comp=expiry | x-ms-expiry-option: Absolute; x-ms-expiry-time: 1000 → 400 InvalidHeaderValue
         PUT /box/b?comp=expiry | x-ms-expiry-option: Absolute; x-ms-expiry-time: {at} → 400 InvalidHeaderValue
         PUT /box/b?comp=expiry | x-ms-expiry-option: relativetonow; x-ms-expiry-time: 60000 → 200 | etag: {e}; last-modified: {at}
         HEAD /box/b → 200 | x-ms-expiry-time: {at+60}; etag: {e}
         GET /box?restype=container&comp=list → 200 | | ~<Expiry-Time>{at+60}</Expiry-Time><Etag>
         PUT /box/b?comp=expiry | x-ms-expiry-option: NeverExpire → 200
         HEAD /box/b → 200 | x-ms-expiry-time: -
         wait 10
         PUT /box/b?comp=expiry | x-ms-expiry-option: RelativeToCreation; x-ms-expiry-time: 9999 → 400 InvalidHeaderValue
         PUT /box/b?comp=expiry | x-ms-expiry-option: RelativeToCreation; x-ms-expiry-time: 29999 → 200
         PUT /box/b?comp=metadata | x-ms-meta-n: 1 → 200
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/b?comp=expiry | x-ms-expiry-option: NeverExpire → 412 LeaseIdMissing
         wait 19
         GET /box/b → 200 | x-ms-expiry-time: + | one
         wait 1
         # neither readers nor writers find it, and its lease has ended
         GET /box/b → 404 BlobNotFound
         DELETE /box/b → 404 BlobNotFound
         PUT /box/b?comp=undelete → 404 BlobNotFound
         PUT /box/copy | x-ms-copy-source: {source} → 404 BlobNotFound
         GET /box?restype=container&comp=list&include=deleted,snapshots → 200 | | !<Name>
         PUT /box/b | x-ms-blob-type: BlockBlob; if-none-match: * | two → 201
         GET /box/b → 200 | x-ms-expiry-time: -; x-ms-lease-state: available; x-ms-meta-n: - | two"
            .replace("{source}", &source),
    )
    .await;
}

#[tokio::test]
async fn a_blob_can_be_created_with_an_expiry() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 2000 | one → 201
         PUT /box/log | x-ms-blob-type: AppendBlob; x-ms-expiry-option: Absolute; x-ms-expiry-time: {at+2} → 201
         PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-expiry-option: Absolute | one → 400 MissingRequiredHeader
         HEAD /box/b → 200 | x-ms-expiry-time: {at+2}
         PUT /box/log?comp=appendblock | | x → 201
         wait 2
         HEAD /box/b → 404 BlobNotFound
         PUT /box/log?comp=appendblock | | x → 404 BlobNotFound
         # uncommitted blocks of an expired name
         PUT /box/b?comp=block&blockid=QQ== | | two → 201
         GET /box/b?comp=blocklist&blocklisttype=uncommitted → 200 | | ~<Name>QQ==</Name>",
    )
    .await;
}

#[tokio::test]
async fn an_expiry_time_without_its_option_is_refused() {
    let server = server().await;
    server.blob("/box/source", "one").await;
    let source = format!("{}/box/source", server.blob_url());
    let signed = format!("{source}?{}", token::reader("box"));
    check_in(
        &server,
        &format!(
            "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-expiry-time: 2000 | one → 400 MissingRequiredHeader | | ~<HeaderName>x-ms-expiry-option<
             PUT /box/b?comp=blocklist | x-ms-expiry-time: 2000 | <BlockList></BlockList> → 400 UnsupportedHeader | | ~<HeaderName>x-ms-expiry-time<
             PUT /box/b | x-ms-copy-source: {source}; x-ms-expiry-time: 2000 → 400 UnsupportedHeader
             PUT /box/b | x-ms-copy-source: {signed}; x-ms-requires-sync: true; x-ms-expiry-time: 2000 → 400 UnsupportedHeader
             PUT /box/b | x-ms-copy-source: {signed}; x-ms-blob-type: BlockBlob; x-ms-expiry-time: 2000 → 400 UnsupportedHeader
             GET /box/b → 404 BlobNotFound"
        ),
    )
    .await;
}

#[tokio::test]
async fn accounts_without_a_hierarchical_namespace_refuse_expiry() {
    check(
        "PUT /box?restype=container → 201
         PUT /box/b?comp=expiry | x-ms-expiry-option: NeverExpire → 400 HierarchicalNamespaceNotEnabled
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-expiry-option: NeverExpire | one → 400 HierarchicalNamespaceNotEnabled
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-expiry-time: 2000 | one → 400 HierarchicalNamespaceNotEnabled
         GET /box/b → 404 BlobNotFound",
    )
    .await;
}
