//! The Blob API of an account with a hierarchical namespace.

use super::{check_in, lake, names};
use crate::scenario::check_in as check_blobs;

#[tokio::test]
async fn directories_are_blobs() {
    let server = lake(&[]).await;
    check_blobs(
        &server,
        "PUT /box/a/b/f | x-ms-blob-type: BlockBlob | text → 201 | etag: $file
         HEAD /box/a | x-ms-version: 2021-04-10 → 200 | content-length: 0; content-type: application/octet-stream; x-ms-meta-hdi_isfolder: true; x-ms-blob-type: BlockBlob; x-ms-access-tier: Hot; x-ms-resource-type: directory; x-ms-permissions: rwxr-x---
         HEAD /box/a | x-ms-version: 2020-06-12 → 200 | x-ms-resource-type: -; x-ms-owner: $superuser
         HEAD /box/a | x-ms-version: 2020-04-08 → 200 | x-ms-owner: -
         HEAD /box/a/ → 200 | x-ms-meta-hdi_isfolder: true
         GET /box/a → 200 | | {}
         HEAD /box/a/b/f → 200 | x-ms-meta-hdi_isfolder: -; x-ms-permissions: rw-r-----
         # A file is not written over a directory, and not below a file.
         PUT /box/a | x-ms-blob-type: BlockBlob | text → 409 ResourceTypeMismatch
         PUT /box/a/b/f/g | x-ms-blob-type: BlockBlob | text → 409 PathConflict
         # Directories as older tools make them, and pyarrow.
         PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-meta-hdi_isfolder: true; x-ms-meta-k: v → 201
         HEAD /box/c → 200 | x-ms-resource-type: directory; x-ms-meta-k: v
         PUT /box/d/ | x-ms-blob-type: BlockBlob; x-ms-meta-is_directory: true → 201
         HEAD /box/d → 200 | x-ms-resource-type: directory
         # Their own metadata.
         PUT /box/c?comp=metadata | x-ms-meta-n: w → 200 | etag: +
         HEAD /box/c → 200 | x-ms-meta-n: w; x-ms-meta-k: -; x-ms-meta-hdi_isfolder: true
         # Only empty directories are deleted.
         DELETE /box/a → 409 DirectoryIsNotEmpty
         DELETE /box/a/b/f | x-ms-delete-snapshots: include → 202
         DELETE /box/a/b → 202
         DELETE /box/a → 202
         HEAD /box/a → 404 BlobNotFound",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["c/", "d/"]);
}

#[tokio::test]
async fn the_apis_do_not_write_into_the_content_of_each_other() {
    let server = lake(&[]).await;
    check_in(
        &server,
        "PUT /box/f?resource=file → 201
         PATCH /box/f?action=append&position=0&flush=true | | lake → 202",
    )
    .await;
    check_blobs(
        &server,
        "PUT /box/f?comp=block&blockid=QQ== | | block → 409 BlobOperationNotSupported
         GET /box/f?comp=blocklist&blocklisttype=all → 200 | | !<Block>
         PUT /box/f | x-ms-blob-type: BlockBlob | blob → 201
         PUT /box/f?comp=block&blockid=QQ== | | block → 201
         PUT /box/f?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201",
    )
    .await;
    check_in(
        &server,
        "PATCH /box/f?action=append&position=5 | | lake → 409 InvalidFlushOperation
         GET /box/f → 200 | | block
         PUT /box/f?resource=file → 201
         PATCH /box/f?action=append&position=0&flush=true | | lake → 202",
    )
    .await;
}

#[tokio::test]
async fn lists_walk_the_tree() {
    let server = lake(&[]).await;
    for path in ["a/z", "a-b", "b/c/d"] {
        server.blob(&format!("/box/{path}"), "text").await;
    }
    for (query, expected) in [
        ("", "a a/z a-b b b/c b/c/d"),
        ("&delimiter=/", "a-b a/ b/"),
        ("&prefix=b/", "b/c b/c/d"),
        ("&prefix=b/&delimiter=/", "b/c/"),
        ("&prefix=b/c/&delimiter=/", "b/c/d"),
        ("&prefix=a", "a a/z a-b"),
        ("&prefix=none/", ""),
    ] {
        let target = format!("/box?restype=container&comp=list{query}");
        let listed = server.request("GET", &target).send().await;
        let mut found = listed.elements("Name");
        found.sort_unstable();
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{query}: {}", listed.text());
        let (mut paged, mut marker) = (Vec::new(), String::new());
        loop {
            let page = server.request("GET", &format!("{target}&maxresults=1{marker}")).send().await;
            paged.extend(page.elements("Name").into_iter().map(str::to_owned));
            if page.element("NextMarker").is_empty() {
                break;
            }
            marker = format!("&marker={}", page.element("NextMarker").replace('=', "%3D").replace('!', "%21"));
        }
        paged.sort_unstable();
        assert_eq!(paged, expected, "{query}, in pages");
    }
    check_blobs(
        &server,
        "GET /box?restype=container&comp=list → 200 | | ~<ResourceType>directory</ResourceType> | ~<ResourceType>file</ResourceType>
         GET /box?restype=container&comp=list&include=permissions → 200 | | ~<Owner>$superuser</Owner> | ~<Permissions>rw-r-----</Permissions>
         GET /box?restype=container&comp=list&delimiter=- → 400 InvalidQueryParameterValue",
    )
    .await;
}

#[tokio::test]
async fn what_needs_a_flat_namespace_is_refused() {
    const REFUSED: &str = "409 FeatureNotYetSupportedForHierarchicalNamespaceAccounts";
    let server = lake(&[]).await;
    server.blob("/box/f", "text").await;
    for (method, target, headers) in [
        ("PUT", "/box/f?comp=snapshot", &[][..]),
        ("PUT", "/box/p", &[("x-ms-blob-type", "PageBlob"), ("x-ms-blob-content-length", "512")]),
        ("PUT", "/box/g", &[("x-ms-blob-type", "BlockBlob"), ("x-ms-tags", "k=v")]),
        ("GET", "/box/f?comp=tags", &[]),
    ] {
        let answer = server.request(method, target).headers(headers).send().await;
        assert_eq!(answer.verdict(), REFUSED, "{method} {target}");
    }
    let information = server.request("GET", "/?restype=account&comp=properties").send().await;
    assert_eq!(information.header("x-ms-is-hns-enabled"), "true");
}

/// A name of a blob is a path, and has the same forms as in Data Lake.
#[tokio::test]
async fn names_of_blobs_are_paths() {
    let server = lake(&[]).await;
    let (deep, deeper) = (vec!["a"; 61].join("/"), vec!["a"; 62].join("/"));
    check_blobs(
        &server,
        &format!(
            "PUT /box/seg./f | x-ms-blob-type: BlockBlob | text → 201
             GET /box/seg/f → 200 | | text
             GET /box//seg.//f. → 200 | | text
             PUT /box/b/../g. | x-ms-blob-type: BlockBlob | more → 201
             PUT /box/h.?comp=block&blockid=QQ== | | block → 201
             PUT /box/h?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
             PUT /box/.. | x-ms-blob-type: BlockBlob | text → 409 ResourceTypeMismatch
             PUT /box/%01 | x-ms-blob-type: BlockBlob | text → 400 InvalidResourceName
             PUT /box/{deeper} | x-ms-blob-type: BlockBlob | text → 400 OutOfRangeInput
             DELETE /box/h... → 202
             DELETE /box/.. → 400 InvalidUri
             PUT /box/{deep} | x-ms-blob-type: BlockBlob | text → 201
             HEAD /box/{deep} → 200"
        ),
    )
    .await;
    check_in(&server, "GET /box/b/g → 200 | | more\nDELETE /box/a?recursive=true → 200").await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["b/", "b/g", "seg/", "seg/f"]);
}

/// Values of metadata are Latin-1 in both APIs, and as text in a list.
#[tokio::test]
async fn metadata_is_latin_1() {
    let server = lake(&[]).await;
    check_in(&server, "PUT /box/f?resource=file | x-ms-properties: k=6Q== → 201\nHEAD /box/f → 200 | x-ms-properties: k=6Q==")
        .await;
    let answer = server.request("HEAD", "/box/f").send().await;
    assert_eq!(answer.headers.get("x-ms-meta-k").map(|value| value.as_bytes()), Some(&b"\xe9"[..]));
    check_blobs(&server, "GET /box?restype=container&comp=list&include=metadata → 200 | | ~<k>é</k>").await;
}

/// Names that only have uncommitted blocks are no paths, and are listed only on request. Data that is not flushed is not visible.
#[tokio::test]
async fn what_is_not_committed_is_not_listed() {
    let server = lake(&[]).await;
    check_blobs(
        &server,
        "PUT /box/a/f?comp=block&blockid=QQ== | | block → 201
         HEAD /box/a/f → 404 BlobNotFound
         GET /box/a/f?comp=blocklist&blocklisttype=all → 200 | | ~<Name>QQ==</Name>
         GET /box?restype=container&comp=list → 200 | | !<Name>a/f</Name>
         GET /box?restype=container&comp=list&delimiter=/&include=uncommittedblobs → 200 | | ~<Name>a/</Name> | !<Name>a/f</Name>",
    )
    .await;
    server.blob("/box/a/b/e", "text").await;
    server.blob("/box/a/g", "text").await;
    server.blob("/box/h", "text").await;
    let listed = |query: &str| {
        let request = server.request("GET", &format!("/box?restype=container&comp=list&include=uncommittedblobs{query}"));
        async move { request.send().await }
    };
    assert_eq!(listed("").await.elements("Name"), ["a", "a/b", "a/b/e", "a/f", "a/g", "h"]);
    assert_eq!(listed("&prefix=a/f").await.elements("Name"), ["a/f"]);
    assert_eq!(listed("&prefix=b").await.elements("Name"), Vec::<&str>::new());
    let page = listed("&maxresults=3").await;
    let marker = format!("&marker={}", page.element("NextMarker").replace('=', "%3D").replace('!', "%21"));
    assert_eq!(listed(&marker).await.elements("Name"), ["a/f", "a/g", "h"]);
    check_in(&server, "DELETE /box/a/b?recursive=true → 200\nDELETE /box/a/g → 200\nDELETE /box/h → 200").await;
    check_in(
        &server,
        "HEAD /box/a/f → 404 PathNotFound
         PATCH /box/a/f?action=append&position=0 | | text → 404 PathNotFound
         DELETE /box/a/f → 404 PathNotFound
         PUT /box/g?resource=file → 201
         PATCH /box/g?action=append&position=0 | | text → 202
         HEAD /box/g → 200 | content-length: 0
         # Creating the path drops the blocks.
         PUT /box/a/f?resource=file → 201",
    )
    .await;
    check_blobs(
        &server,
        "PUT /box/a/f?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 400 InvalidBlockList
         GET /box/g?comp=blocklist&blocklisttype=all → 200 | | !<Block>
         GET /box?restype=container&comp=list → 200 | | ~<Name>g</Name> | ~<Content-Length>0</Content-Length>",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/f", "g"]);
}
