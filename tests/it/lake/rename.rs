//! Rename Path.

use super::{check, check_in, lake, names};
use lazuli::ServiceKind;

#[tokio::test]
async fn a_directory_moves_with_all_that_is_below() {
    let server = lake(&[]).await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file → 201 | etag: $file
         PATCH /box/a/b/f?action=append&position=0&flush=true | | text → 202 | etag: $file
         HEAD /box/a → 200 | etag: $directory
         PUT /box/c?mode=legacy | x-ms-rename-source: /box/a → 201 | etag: {directory}; content-length: 0
         HEAD /box/a → 404 PathNotFound
         HEAD /box/a/b/f → 404 PathNotFound
         GET /box/c/b/f → 200 | etag: {file} | text
         # Its names can be used again.
         PUT /box/a/b/f?resource=file → 201
         GET /box/c/b/f → 200 | | text
         # The source.
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/none → 404 SourcePathNotFound
         PUT /box/d?mode=legacy | x-ms-rename-source: /none/f → 404 FilesystemNotFound
         PUT /box/d?mode=legacy | x-ms-rename-source: none → 400 InvalidSourceUri
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/c; x-ms-source-if-match: \"0x1\" → 412 SourceConditionNotMet
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/c; x-ms-source-lease-id: {A} → 412 LeaseNotPresent
         PUT /box/d?mode=other | x-ms-rename-source: /box/c → 400 InvalidQueryParameterValue
         # The destination.
         PUT /box/c/b/c?mode=legacy | x-ms-rename-source: /box/c → 409 InvalidRenameSourcePath
         PUT /box/c?mode=legacy | x-ms-rename-source: /box/c → 409 InvalidRenameSourcePath
         PUT /box/none/d?mode=legacy | x-ms-rename-source: /box/c → 404 RenameDestinationParentPathNotFound
         PUT /box/a/b/f/d?mode=legacy | x-ms-rename-source: /box/c → 409 InvalidDestinationPath
         PUT /box/a?mode=legacy | x-ms-rename-source: /box/c → 409 DirectoryNotEmpty
         PUT /box/a/b/f?mode=legacy | x-ms-rename-source: /box/c → 409 InvalidSourceOrDestinationResourceType
         PUT /box/a/b/f?mode=legacy | x-ms-rename-source: /box/c/b/f; if-none-match: * → 409 PathAlreadyExists
         PUT /box/a/b/f?mode=legacy | x-ms-rename-source: /box/c/b/f → 201 | etag: {file}
         GET /box/a/b/f → 200 | | text",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/b/", "a/b/f", "c/", "c/b/"]);
}

/// hadoop-azure and OpenDAL send no mode.
#[tokio::test]
async fn in_posix_mode_a_path_moves_into_a_directory() {
    check(
        "PUT /box/f?resource=file → 201
         PUT /box/d?resource=directory → 201
         PUT /box/d | x-ms-rename-source: /box/f; if-none-match: * → 201
         HEAD /box/d/f → 200 | x-ms-resource-type: file
         PUT /box/f?resource=file → 201
         PUT /box/d | x-ms-rename-source: /box/f → 409 PathAlreadyExists
         PUT /box/e?mode=posix | x-ms-rename-source: /box/f → 201
         HEAD /box/e → 200
         PUT /box/d?mode=legacy | x-ms-rename-source: /box/e → 409 InvalidSourceOrDestinationResourceType",
    )
    .await;
}

#[tokio::test]
async fn leases_and_properties_travel() {
    check(
        "PUT /box/d?resource=directory | x-ms-properties: k=dg== → 201
         POST /box/d | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/e?mode=legacy | x-ms-rename-source: /box/d → 412 LeaseIdMissing
         PUT /box/e?mode=legacy | x-ms-rename-source: /box/d; x-ms-source-lease-id: {B} → 412 LeaseIdMismatch
         PUT /box/e?mode=legacy | x-ms-rename-source: /box/d; x-ms-source-lease-id: {A} → 201
         HEAD /box/e → 200 | x-ms-lease-state: leased; x-ms-properties: k=dg==,hdi_isfolder=dHJ1ZQ==
         # The destination keeps its lease.
         PUT /box/f?resource=directory → 201 | etag: $source
         PUT /box/e?mode=legacy | x-ms-rename-source: /box/f → 412 LeaseIdMissing
         PUT /box/e?mode=legacy | x-ms-rename-source: /box/f; x-ms-lease-id: {A}; x-ms-properties: n=dw== → 201
         HEAD /box/e → 200 | etag: {source}; x-ms-lease-state: leased; x-ms-properties: n=dw==,hdi_isfolder=dHJ1ZQ==
         # pyarrow breaks the lease of what it moves, and deletes the result at once.
         PUT /box/g?resource=file → 201
         POST /box/g | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {B} → 201
         POST /box/g | x-ms-lease-action: break; x-ms-lease-break-period: 3 → 202
         PUT /box/h?mode=legacy | x-ms-rename-source: /box/g; x-ms-source-lease-id: {B} → 201
         DELETE /box/h → 200",
    )
    .await;
}

#[tokio::test]
async fn a_path_moves_to_another_file_system() {
    let server = lake(&[]).await;
    server.container("other").await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file → 201
         PATCH /box/a/b/f?action=append&position=0&flush=true | | text → 202 | etag: $file
         PUT /box/a/c?resource=directory → 201
         PATCH /box/a/b/f?action=append&position=4 | | more → 202
         PUT /other/d?mode=legacy | x-ms-rename-source: /box/a → 201
         GET /other/d/b/f → 200 | etag: {file} | text
         PATCH /other/d/b/f?action=flush&position=8 → 200
         GET /other/d/b/f → 200 | | textmore
         HEAD /box/a → 404 PathNotFound
         PUT /other/d/b/g?resource=file → 201
         PUT /box/a?mode=legacy | x-ms-rename-source: /other/d/b → 201",
    )
    .await;
    assert_eq!(names(&server, "/other?resource=filesystem&recursive=true").await, ["d/", "d/c/"]);
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/f", "a/g"]);
}

#[tokio::test]
async fn uncommitted_blocks_move_to_another_file_system() {
    let server = lake(&[]).await;
    server.container("other").await;
    let blocks = async |rows| crate::scenario::check_of(&server, ServiceKind::Blob, rows).await;
    check_in(&server, "PUT /box/a/b?resource=directory → 201").await;
    blocks("PUT /box/a/b/new?comp=block&blockid=QQ== | | block → 201").await;
    check_in(&server, "PUT /other/a?mode=legacy | x-ms-rename-source: /box/a → 201").await;
    blocks(
        "PUT /other/a/b/new?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         GET /other/a/b/new → 200 | | block",
    )
    .await;
}

/// What was written to a name and never became a path, or is the rest of one that has expired, has no part in what moves there.
#[tokio::test]
async fn uncommitted_data_of_the_destination_is_dropped() {
    check(
        "PUT /box/f?resource=file → 201
         PATCH /box/f?action=append&position=0 | | old → 202
         PUT /box/f?comp=expiry | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 200
         wait 6
         PUT /box/g?resource=file → 201
         PUT /box/f?mode=legacy | x-ms-rename-source: /box/g → 201
         PATCH /box/f?action=flush&position=3 → 400 InvalidFlushPosition
         PUT /box/h?comp=block&blockid=QQ== | | old → 201
         PUT /box/h?mode=legacy | x-ms-rename-source: /box/f → 201
         PUT /box/h?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 400 InvalidBlockList",
    )
    .await;
}

/// Renames make directories that are deeper than any path of a request. They too move to another file system.
#[tokio::test]
async fn deep_directories_move_to_another_file_system() {
    let server = lake(&[]).await;
    server.container("other").await;
    check_in(&server, "PUT /box/b/f?resource=file → 201").await;
    let deep = vec!["d"; 59].join("/");
    for _ in 0..100 {
        check_in(
            &server,
            &format!(
                "PUT /box/a/{deep}?resource=directory → 201
                 PUT /box/a/{deep}/b?mode=legacy | x-ms-rename-source: /box/b → 201
                 PUT /box/b?mode=legacy | x-ms-rename-source: /box/a → 201"
            ),
        )
        .await;
    }
    check_in(
        &server,
        &format!(
            "PUT /other/b?mode=legacy | x-ms-rename-source: /box/b → 201
             HEAD /box/b → 404 PathNotFound
             HEAD /other/b/{deep}/b → 200
             DELETE /other/b?recursive=true → 200"
        ),
    )
    .await;
}

/// Go's SDK puts the account before the source; those of JavaScript and C++ also leave it out of the URL.
#[tokio::test]
async fn renames_of_path_style_clients() {
    let server = lake(&[]).await;
    let rename = |source| server.request("PUT", "/box/g?mode=legacy").of(ServiceKind::Blob).header("x-ms-rename-source", source);
    for (source, request) in [
        ("/box/f", rename("/box/f")),
        ("/devstoreaccount1/box/f", rename("/devstoreaccount1/box/f")),
        ("/devstoreaccount1/box/f", rename("/devstoreaccount1/box/f").host_style()),
    ] {
        check_in(&server, "PUT /box/f?resource=file → 201").await;
        assert_eq!(request.send().await.verdict(), "201", "{source}");
    }
    // Without the file system nothing says what was meant.
    let lost = server.request("PUT", "/g?mode=legacy").header("x-ms-rename-source", "/box/g").send().await;
    assert_eq!(lost.status / 100, 4, "{}", lost.verdict());
}
