//! Data Lake requests to an account without a hierarchical namespace.

use super::{check_in, names, retain_deleted_paths};
use crate::scenario::check_in as check_blobs;
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
         HEAD /box/a/f → 200 | etag: {file}; content-length: 4; x-ms-resource-type: file
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
         HEAD /box/c → 200 | x-ms-meta-hdi_isfolder: true; x-ms-resource-type: directory
         HEAD /box/c?action=getStatus → 200 | x-ms-resource-type: directory
         PUT /box/c?resource=file | if-none-match: * → 409 PathAlreadyExists | x-ms-existing-resource-type: directory
         PUT /box/g?mode=legacy | x-ms-rename-source: /box/a-b → 201
         HEAD /box/a-b → 404 PathNotFound",
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

/// The service moves each name below a directory.
#[tokio::test]
async fn a_directory_is_renamed_with_all_names_below() {
    let server = flat().await;
    server.container("other").await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file | x-ms-properties: k=dg== → 201
         PATCH /box/a/b/f?action=append&position=0&flush=true | | text → 202 | etag: $file
         PUT /box/a/g?resource=file → 201
         PATCH /box/a/g?action=append&position=0 | | pending → 202
         PUT /box/ab?resource=file → 201
         # A directory that only names imply.
         PUT /box/c?mode=legacy | x-ms-rename-source: /box/a → 201 | etag: +
         GET /box/c/b/f → 200 | etag: {file}; x-ms-properties: k=dg== | text
         HEAD /box/a/b/f → 404 PathNotFound
         HEAD /box/c → 200 | x-ms-meta-hdi_isfolder: true
         PATCH /box/c/g?action=flush&position=7 → 200
         GET /box/c/g → 200 | | pending
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/a → 404 SourcePathNotFound
         # A directory that is marked as one.
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/c → 201
         HEAD /box/c → 404 PathNotFound
         GET /box/d/b/f → 200 | etag: {file} | text
         # To another file system, and into a directory.
         PUT /other/e?mode=legacy | x-ms-rename-source: /box/d → 201
         GET /other/e/b/f → 200 | etag: {file} | text
         PUT /other/h?resource=directory → 201
         PUT /other/h | x-ms-rename-source: /other/e → 201
         GET /other/h/e/b/f → 200 | | text
         # What is refused.
         PUT /other/h/e/x?mode=legacy | x-ms-rename-source: /other/h → 409 InvalidRenameSourcePath
         PUT /other/i/f?resource=file → 201
         PUT /other/i?mode=legacy | x-ms-rename-source: /other/h → 409 DirectoryNotEmpty
         PUT /other/i/f?mode=legacy | x-ms-rename-source: /other/h → 409 InvalidSourceOrDestinationResourceType
         POST /other/h/e/b/f | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /other/j?mode=legacy | x-ms-rename-source: /other/h → 412 LeaseIdMissing
         GET /other/h/e/b/f → 200 | | text",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["ab"]);
    assert_eq!(
        names(&server, "/other?resource=filesystem&recursive=true").await,
        ["h/", "h/e/", "h/e/b/", "h/e/b/f", "h/e/g", "i/", "i/f"]
    );
}

#[tokio::test]
async fn a_directory_is_deleted_with_all_names_below() {
    let server = flat().await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file → 201
         PUT /box/a/g?resource=file → 201
         PUT /box/ab?resource=file → 201
         PUT /box/c?resource=directory → 201
         PUT /box/c/f?resource=file → 201
         DELETE /box/a → 409 DirectoryNotEmpty
         DELETE /box/c → 409 DirectoryNotEmpty
         DELETE /box/a?recursive=true | if-match: * → 412 ConditionNotMet
         DELETE /box/a?recursive=true → 200
         DELETE /box/a?recursive=true → 404 PathNotFound
         DELETE /box/c?recursive=true → 200
         HEAD /box/c → 404 PathNotFound
         DELETE /box/?recursive=true → 400 InvalidUri
         # A leased file stops it.
         PUT /box/d/e?resource=file → 201
         PUT /box/d/f?resource=file → 201
         POST /box/d/f | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         DELETE /box/d?recursive=true → 412 LeaseIdMissing
         HEAD /box/d/e → 200",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["ab", "d/", "d/e", "d/f"]);
}

/// What an account retains it also retains of the requests of Data Lake.
#[tokio::test]
async fn soft_delete_retains_what_data_lake_deletes_and_replaces() {
    let server = flat().await;
    retain_deleted_paths(&server).await;
    for path in ["a/f", "a/g", "b", "c", "d"] {
        server.blob(&format!("/box/{path}"), path).await;
    }
    check_in(
        &server,
        "DELETE /box/a?recursive=true → 200 | x-ms-deletion-id: -
         DELETE /box/b → 200
         PUT /box/c?resource=file → 201
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/c → 201",
    )
    .await;
    let listed = server.request("GET", "/box?restype=container&comp=list&include=deleted,snapshots").send().await;
    let deleted: Vec<_> =
        listed.text().split("<Blob>").filter(|blob| blob.contains("<Deleted>true")).map(str::to_owned).collect();
    let found: Vec<_> = deleted.iter().map(|blob| blob.split(['<', '>']).nth(2).unwrap_or_default()).collect();
    assert_eq!(found, ["a/f", "a/g", "b", "c", "d"], "{}", listed.text());
    check_blobs(&server, "PUT /box/a/f?comp=undelete → 200\nGET /box/a/f → 200 | | a/f").await;
}

#[tokio::test]
async fn no_blob_is_the_root_directory() {
    let server = flat().await;
    check_in(
        &server,
        "PUT /box/a/f?resource=file → 201
         PUT /box/?resource=file → 409 PathConflict
         PUT /box/?resource=directory → 409 PathConflict
         PUT /box/?mode=legacy | x-ms-rename-source: /box/a → 409 InvalidSourceOrDestinationResourceType
         GET /box/a/f → 200",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/f"]);
}
