//! Data Lake requests to an account without a hierarchical namespace.

use super::{check_in, names};
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

#[tokio::test]
async fn names_imply_directories() {
    let server = flat().await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file → 201
         PUT /box/a-b?resource=file → 201
         PUT /box/c?resource=directory → 201
         PUT /box/c/f?resource=file → 201
         HEAD /box/c → 200 | x-ms-meta-hdi_isfolder: true
         PUT /box/c?resource=file | if-none-match: * → 409 PathAlreadyExists | x-ms-existing-resource-type: directory
         PUT /box/g?mode=legacy | x-ms-rename-source: /box/a-b → 201
         PUT /box/h?mode=legacy | x-ms-rename-source: /box/c → 501 NotImplemented",
    )
    .await;
    for (query, expected) in [
        ("recursive=true", "a/ a/b/ a/b/f c/ c/f g"),
        ("recursive=false", "a/ c/ g"),
        ("recursive=false&directory=a", "a/b/"),
        ("recursive=true&directory=c", "c/f"),
    ] {
        assert_eq!(names(&server, &format!("/box?resource=filesystem&{query}")).await.join(" "), expected, "{query}");
    }
    check_in(&server, "GET /box?resource=filesystem&recursive=true&directory=none → 404 PathNotFound").await;
}
