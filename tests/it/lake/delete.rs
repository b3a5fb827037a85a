//! Delete Path, deleted paths and their restore.

use super::{check, check_in, lake, names, retain_deleted_paths};

#[tokio::test]
async fn a_directory_is_deleted_with_all_that_is_below() {
    let server = lake(&[]).await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file → 201 | etag: $file
         PUT /box/e?resource=directory → 201
         DELETE /box/a → 409 DirectoryNotEmpty
         DELETE /box/a?recursive=false → 409 DirectoryNotEmpty
         DELETE /box/e → 200 | content-length: 0; x-ms-deletion-id: -
         DELETE /box/a/b/f | if-match: \"0x1\" → 412 ConditionNotMet
         DELETE /box/a/b/f | x-ms-lease-id: {A} → 412 LeaseNotPresent
         DELETE /box/a?recursive=true&paginated=true → 200
         DELETE /box/a?recursive=true → 404 PathNotFound
         DELETE /none/a → 404 FilesystemNotFound
         DELETE /box/?recursive=true → 400 InvalidUri
         # The names can be used again, and have nothing of before.
         PUT /box/a/b?resource=directory → 201
         HEAD /box/a/b/f → 404 PathNotFound
         POST /box/a/b | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         DELETE /box/a/b → 412 LeaseIdMissing
         DELETE /box/a/b | x-ms-lease-id: {A} → 200",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/"]);
}

#[tokio::test]
async fn deleted_paths_are_restored() {
    let server = lake(&[]).await;
    retain_deleted_paths(&server).await;
    check_in(
        &server,
        "PUT /box/a/b/f?resource=file | x-ms-owner: ann → 201 | etag: $file
         PUT /box/a/g?resource=file → 201
         DELETE /box/a/g → 200 | x-ms-delete-type-permanent: false; x-ms-deletion-id: $own
         DELETE /box/a?recursive=true → 200 | x-ms-deletion-id: $whole
         PUT /box/a?resource=directory → 201",
    )
    .await;
    let list = |query: &str| {
        let target = format!("/box?restype=container&comp=list{query}");
        let request = server.request("GET", &target).header("x-ms-version", "2021-06-08");
        async move { request.send().await }
    };
    let deleted = list("&showonly=deleted").await;
    assert_eq!(deleted.elements("Name"), ["a", "a/g"], "{}", deleted.text());
    let ids: Vec<String> = deleted.elements("DeletionId").into_iter().map(str::to_owned).collect();
    let page = list("&showonly=deleted&maxresults=1").await;
    assert_eq!(page.elements("Name"), ["a"]);
    let rest = list(&format!("&showonly=deleted&marker={}", page.element("NextMarker").replace('=', "%3D"))).await;
    assert_eq!(rest.elements("Name"), ["a/g"]);
    // With what exists under the same name, page by page.
    let (mut names_in_pages, mut marker) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = list(&format!("&include=deleted&maxresults=1{marker}")).await;
        names_in_pages
            .extend(page.elements("Name").into_iter().map(|name| (name.to_owned(), page.text().contains("DeletionId"))));
        marker = format!("&marker={}", page.element("NextMarker").replace('=', "%3D").replace('!', "%21"));
    }
    assert_eq!(names_in_pages, [("a", true), ("a", false), ("a/g", true)].map(|(name, deleted)| (name.to_owned(), deleted)));
    assert_eq!(marker, "&marker=");

    let undelete = |target: &str, id: &str| {
        let request = server.request("PUT", &format!("{target}?comp=undelete")).header("x-ms-version", "2021-06-08");
        let request = request.header("x-ms-undelete-source", format!("?deletionid={id}"));
        async move { request.send().await }
    };
    assert_eq!(undelete("/box/a", &ids[0]).await.verdict(), "409 BlobAlreadyExists");
    assert_eq!(undelete("/box/a", "1").await.verdict(), "404 BlobNotFound");
    check_in(&server, "DELETE /box/a?recursive=true → 200").await;
    let restored = undelete("/box/a", &ids[0]).await;
    assert_eq!((restored.verdict().as_str(), restored.header("x-ms-resource-type")), ("200", "directory"));
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/b/", "a/b/f"]);
    check_in(&server, "HEAD /box/a/b/f → 200 | x-ms-owner: ann").await;
    assert_eq!(undelete("/box/a/g", &ids[1]).await.verdict(), "200");
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/b/", "a/b/f", "a/g"]);
    // Nothing of an expired file is in the one that is restored at its place.
    check_in(
        &server,
        "DELETE /box/a/g → 200
         PUT /box/a/g?resource=file → 201
         PATCH /box/a/g?action=append&position=0 | | stale → 202
         PUT /box/a/g?comp=expiry | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 200
         wait 6",
    )
    .await;
    assert_eq!(server.request("PUT", "/box/a/g?comp=undelete").send().await.verdict(), "200");
    check_in(&server, "PATCH /box/a/g?action=flush&position=5 → 400 InvalidFlushPosition").await;
    // The retention ends.
    server.wait(8 * 24 * 60 * 60);
    assert_eq!(list("&showonly=deleted").await.elements("Name"), Vec::<&str>::new());
}

/// Appends are part of the file: a name with appends alone has no lease and no block list, unlike one with uncommitted blocks.
#[tokio::test]
async fn the_appends_of_an_expired_file_are_gone_with_it() {
    check(
        "PUT /box/f?resource=file → 201
         PATCH /box/f?action=append&position=0 | | old → 202
         PUT /box/f?comp=expiry | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 200
         wait 6
         POST /box/f | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 404 PathNotFound
         GET /box/f?comp=blocklist → 404 BlobNotFound
         PUT /box/f?comp=block&blockid=QQ== | | block → 201
         PUT /box/f?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         GET /box/f → 200 | | block",
    )
    .await;
}

#[tokio::test]
async fn a_file_expires() {
    check(
        "PUT /box/f?resource=file → 201 | etag: $file
         PUT /box/f?comp=expiry | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 200 | etag: {file}
         HEAD /box/f → 200 | x-ms-expiry-time: +
         wait 6
         HEAD /box/f → 404 PathNotFound
         PUT /box/f?resource=file → 201
         # A directory does not.
         PUT /box/d?resource=directory → 201
         PUT /box/d?comp=expiry | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 409 ResourceTypeMismatch
         HEAD /box/d → 200 | x-ms-expiry-time: -",
    )
    .await;
}
