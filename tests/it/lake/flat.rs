//! Data Lake requests to an account without a hierarchical namespace.

use super::check_in;
use crate::server::TestServer;

async fn flat() -> TestServer {
    let server = TestServer::with(&["--dfs-port=0"]).await;
    server.container("box").await;
    server
}

/// By these requests hadoop-azure, pyarrow and Trino find out what kind of account it is.
#[tokio::test]
async fn access_control_is_refused() {
    check_in(
        &flat().await,
        "HEAD /box/?action=getAccessControl&upn=false → 400 HierarchicalNamespaceNotEnabled
         HEAD /box?resource=filesystem → 200 | x-ms-namespace-enabled: false
         PATCH /box/f?action=setAccessControl | x-ms-permissions: 0777 → 400 HierarchicalNamespaceNotEnabled
         PATCH /box/f?action=setAccessControlRecursive&mode=set | x-ms-acl: user::rwx → 400 HierarchicalNamespaceNotEnabled
         HEAD /box/f?action=checkAccess&fsAction=r-x → 400 HierarchicalNamespaceNotEnabled",
    )
    .await;
}

#[tokio::test]
async fn files_are_blobs() {
    check_in(
        &flat().await,
        "PUT /box/a/f?resource=file | x-ms-properties: k=dg== → 201
         PATCH /box/a/f?action=append&position=0 | | text → 202
         PATCH /box/a/f?action=flush&position=4 → 200 | etag: $file
         GET /box/a/f → 200 | etag: {file}; x-ms-owner: -; x-ms-properties: k=dg== | text
         HEAD /box/a/f → 200 | etag: {file}; content-length: 4
         PUT /box/a/f?resource=file | if-none-match: * → 409 PathAlreadyExists
         DELETE /box/a/f → 200
         HEAD /box/a/f → 404 PathNotFound
         GET /?resource=account → 200 | | ~\"name\":\"box\"",
    )
    .await;
}
