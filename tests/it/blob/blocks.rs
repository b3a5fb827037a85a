//! Blocks: uncommitted, committed in any order, listed, and deleted after a week.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn blocks_become_a_blob_when_they_are_listed() {
    check_in(
        &server().await,
        "PUT /box/b?comp=block&blockid=QQ== | | alpha → 201 | etag: -; last-modified: -; content-md5: -; x-ms-content-crc64: +; x-ms-request-server-encrypted: true; content-length: 0
         PUT /box/b?comp=block&blockid=Qg%3D%3D | content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==
         # no blob exists yet
         GET /box/b → 404 BlobNotFound
         HEAD /box/b → 404 BlobNotFound
         DELETE /box/b → 404 BlobNotFound
         PUT /box/b?comp=metadata → 404 BlobNotFound
         GET /box?restype=container&comp=list → 200 | | ~<Blobs />
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<Name>b</Name> | ~<Content-Length>0</Content-Length> | !<Etag>
         GET /box/b?comp=blocklist&blocklisttype=all → 200 | content-type: application/xml; etag: -; x-ms-blob-content-length: - | ~<CommittedBlocks /><UncommittedBlocks><Block><Name>QQ==</Name><Size>5</Size></Block><Block><Name>Qg==</Name><Size>5</Size></Block></UncommittedBlocks>
         # in the order of the list, each as often as the list names it
         PUT /box/b?comp=blocklist | x-ms-blob-content-type: text/plain; x-ms-meta-a: 1; content-type: text/xml | <?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList><Latest>Qg==</Latest><Uncommitted>QQ==</Uncommitted><Latest>Qg==</Latest></BlockList> → 201 | etag: $e; last-modified: {at}; x-ms-request-server-encrypted: true; x-ms-content-crc64: +; content-md5: - | {}
         GET /box/b → 200 | etag: {e}; content-type: text/plain; content-length: 15; x-ms-meta-a: 1; content-md5: -; x-ms-blob-type: BlockBlob | helloalphahello
         GET /box/b?comp=blocklist&blocklisttype=all → 200 | etag: {e}; x-ms-blob-content-length: 15 | ~<CommittedBlocks><Block><Name>Qg==</Name><Size>5</Size></Block><Block><Name>QQ==</Name><Size>5</Size></Block><Block><Name>Qg==</Name><Size>5</Size></Block></CommittedBlocks><UncommittedBlocks />
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<Etag>
         GET /box/b | x-ms-range: bytes=3-11 → 206 | | loalphahe",
    )
    .await;
}

#[tokio::test]
async fn blocks_are_looked_up_where_the_list_names_them() {
    let server = server().await;
    // A blob of A=old1 B=old2, with the uncommitted blocks A=new1 and C=new3. The content that each list commits.
    let cases = [
        ("<Committed>QQ==</Committed><Committed>Qg==</Committed>", "old1old2"),
        ("<Uncommitted>QQ==</Uncommitted><Committed>QQ==</Committed>", "new1old1"),
        ("<Latest>QQ==</Latest><Latest>Qg==</Latest><Latest>Qw==</Latest>", "new1old2new3"),
        ("<Latest>Qw==</Latest>", "new3"),
        ("<Committed>Qw==</Committed>", "400 InvalidBlockList"),
        ("<Uncommitted>Qg==</Uncommitted>", "400 InvalidBlockList"),
        ("<Latest>RA==</Latest>", "400 InvalidBlockList"),
        ("<Latest>QQ==</Latest><Latest>RA==</Latest>", "400 InvalidBlockList"),
        ("<Latest></Latest>", "400 InvalidBlockList"),
        ("<Newest>QQ==</Newest>", "400 InvalidXmlDocument"),
        ("<Latest>QQ==", "400 InvalidXmlDocument"),
        ("", ""),
    ];
    for (list, made) in cases {
        let refused = made.starts_with("400");
        let (verdict, content) = if refused { (made, "old1old2") } else { ("201", made) };
        let left = if refused {
            "~<UncommittedBlocks><Block><Name>QQ==</Name><Size>4</Size></Block><Block><Name>Qw=="
        } else {
            "~<UncommittedBlocks />"
        };
        check_in(
            &server,
            &format!(
                "# {list:?}
                 PUT /box/b?comp=block&blockid=QQ== | | old1 → 201
                 PUT /box/b?comp=block&blockid=Qg== | | old2 → 201
                 PUT /box/b?comp=blocklist | | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest></BlockList> → 201 | etag: $e
                 PUT /box/b?comp=block&blockid=QQ== | | new1 → 201
                 PUT /box/b?comp=block&blockid=Qw== | | new3 → 201
                 # uncommitted blocks do not change the blob
                 GET /box/b → 200 | etag: {{e}} | old1old2
                 # {list:?}
                 PUT /box/b?comp=blocklist | | <BlockList>{list}</BlockList> → {verdict}
                 GET /box/b → 200 | | {}
                 GET /box/b?comp=blocklist&blocklisttype=uncommitted → 200 | | {left} | !<CommittedBlocks
                 DELETE /box/b → 202
                 GET /box/b?comp=blocklist&blocklisttype=all → 404 BlobNotFound",
                if content.is_empty() { "{}" } else { content }
            ),
        )
        .await;
    }
}

/// Clients commit blocks in the order of this list, which is that of the decoded ids: base64 orders letters before digits.
#[tokio::test]
async fn uncommitted_blocks_are_listed_in_the_order_of_their_ids_bytes() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let server = server().await;
    let ids: Vec<String> = (0u8..=255).rev().step_by(5).map(|byte| STANDARD.encode([byte, byte])).collect();
    for id in &ids {
        let id = id.replace('+', "%2B").replace('/', "%2F");
        let put = server.request("PUT", &format!("/box/b?comp=block&blockid={id}")).body("x").send().await;
        assert_eq!(put.verdict(), "201", "{id}");
    }
    let list = server.request("GET", "/box/b?comp=blocklist&blocklisttype=uncommitted").send().await;
    assert_eq!(list.elements("Name"), ids.iter().rev().map(String::as_str).collect::<Vec<_>>());
}

/// From 2026-06-06 on, the permission to create is enough to put and commit blocks (the SDKs' own tests).
#[tokio::test]
async fn the_permission_to_create_is_enough_to_put_blocks() {
    let server = server().await;
    server.blob("/box/old", "old").await;
    let list = "<BlockList><Latest>QQ==</Latest></BlockList>";
    let source = format!("{}/box/old?{}", server.blob_url(), token::reader("box"));
    for (version, name, block, commit) in [
        ("2026-04-06", "b", "403 AuthorizationPermissionMismatch", "403 AuthorizationPermissionMismatch"),
        ("2026-06-06", "b", "201", "201"),
        ("2026-06-06", "b", "201", "403 UnauthorizedBlobOverwrite"),
        ("2026-06-06", "old", "201", "403 UnauthorizedBlobOverwrite"),
    ] {
        let sas = token::service("box", "sv=2021-12-02&sr=c&sp=c&se=2099-01-01");
        let request = |query: &str| {
            server.request("PUT", &format!("/box/{name}?{query}&{sas}")).anonymous().header("x-ms-version", version)
        };
        let put = request("comp=block&blockid=QQ%3D%3D").body("x").send().await;
        assert_eq!(put.verdict(), block, "{version} {name}");
        let put = request("comp=block&blockid=QQ%3D%3D").header("x-ms-copy-source", &source).send().await;
        assert_eq!(put.verdict(), block, "{version} {name} from a URL");
        let put = request("comp=blocklist").body(list).send().await;
        assert_eq!(put.verdict(), commit, "{version} {name}");
    }
}

#[tokio::test]
async fn ids_have_rules() {
    let server = server().await;
    let longest = "QUFB".repeat(21) + "QQ=="; // 64 bytes
    let too_long = "QUFB".repeat(21) + "QUE="; // 65 bytes
    let cases = [
        ("", "400 MissingRequiredQueryParameter"),
        ("&blockid=", "400 MissingRequiredQueryParameter"),
        ("&blockid=%3F%3F", "400 InvalidQueryParameterValue"),
        ("&blockid=QQ", "400 InvalidQueryParameterValue"),
        ("&blockid=Q", "400 InvalidQueryParameterValue"),
        (&format!("&blockid={too_long}"), "400 OutOfRangeInput"),
        (&format!("&blockid={longest}"), "201"),
    ];
    for (id, verdict) in cases {
        let put = server.request("PUT", &format!("/box/b?comp=block{id}")).body("x").send().await;
        assert_eq!(put.verdict(), verdict, "{id}");
    }
    check_in(
        &server,
        "# ids of one blob are of one length, before base64
         PUT /box/c?comp=block&blockid=QUE= | | x → 201
         PUT /box/c?comp=block&blockid=QQ== | | x → 400 InvalidBlobOrBlock
         PUT /box/c?comp=block&blockid=QUFB | | x → 400 InvalidBlobOrBlock
         PUT /box/c?comp=block&blockid=QUI= | | y → 201
         PUT /box/c?comp=blocklist | | <BlockList><Latest>QUE=</Latest></BlockList> → 201
         # the committed ones may be of another length
         PUT /box/c?comp=block&blockid=QQ== | | z → 201
         PUT /box/c?comp=block&blockid=QUE= | | x → 400 InvalidBlobOrBlock
         PUT /box/c?comp=blocklist | | <BlockList><Committed>QUE=</Committed><Latest>Q</Latest></BlockList> → 400 InvalidBlockId
         PUT /box/c?comp=blocklist | | <BlockList><Latest>not base64</Latest></BlockList> → 400 InvalidBlockId
         PUT /box/c?comp=blocklist | | <BlockList><Committed>QUE=</Committed><Latest>QQ==</Latest></BlockList> → 201
         GET /box/c → 200 | | xz
         # those of another blob may differ, too
         PUT /box/d?comp=block&blockid=QQ== | | x → 201
         # a block that is put again replaces the first
         PUT /box/d?comp=block&blockid=QQ== | | again → 201
         PUT /box/d?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         GET /box/d → 200 | | again
         # ids differ as their text does, slash and plus too
         PUT /box/e?comp=block&blockid=%2B%2F%2B%2F | | plus → 201
         PUT /box/e?comp=blocklist | | <BlockList><Latest>+/+/</Latest></BlockList> → 201
         GET /box/e → 200 | | plus",
    )
    .await;
}

#[tokio::test]
async fn bodies_are_checked() {
    check_in(
        &server().await,
        "# a block has bytes
         PUT /box/b?comp=block&blockid=QQ== → 400 InvalidHeaderValue | | ~<HeaderName>Content-Length</HeaderName>
         PUT /box/b?comp=block&blockid=QQ== | content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | x → 400 Md5Mismatch
         PUT /box/b?comp=block&blockid=QQ== | content-md5: nope | x → 400 InvalidMd5
         PUT /box/b?comp=block&blockid=QQ== | x-ms-content-crc64: AAAAAAAAAAA= | x → 400 Crc64Mismatch
         GET /box/b?comp=blocklist&blocklisttype=all → 404 BlobNotFound
         PUT /box/b?comp=block&blockid=QQ== | x-ms-content-crc64: V0JSBnCFdzM= | hello → 201 | x-ms-content-crc64: V0JSBnCFdzM=
         # the checksum of the list is checked, too
         PUT /box/b?comp=blocklist | content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | <BlockList><Latest>QQ==</Latest></BlockList> → 400 Md5Mismatch
         PUT /box/b?comp=blocklist | x-ms-content-crc64: AAAAAAAAAAA= | <BlockList><Latest>QQ==</Latest></BlockList> → 400 Crc64Mismatch
         GET /box/b → 404 BlobNotFound
         PUT /box/b?comp=blocklist | content-md5: juYlIODc30QDiVC2ELvcfw== | <BlockList><Latest>QQ==</Latest></BlockList> → 201 | content-md5: -; x-ms-content-crc64: +
         PUT /box/b?comp=blocklist | x-ms-version: 2018-11-09; content-md5: juYlIODc30QDiVC2ELvcfw== | <BlockList><Latest>QQ==</Latest></BlockList> → 201 | content-md5: juYlIODc30QDiVC2ELvcfw==; x-ms-content-crc64: -
         PUT /box/b?comp=blocklist | x-ms-content-crc64: 5frYRzq0Djo= | <BlockList><Latest>QQ==</Latest></BlockList> → 201 | x-ms-content-crc64: 5frYRzq0Djo=
         # the blob has the MD5 that it is given, and no other
         HEAD /box/b → 200 | content-md5: -
         PUT /box/b?comp=blocklist | x-ms-blob-content-md5: XUFAKrxLKna5cZ2REBfFkg== | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         HEAD /box/b → 200 | content-md5: XUFAKrxLKna5cZ2REBfFkg==
         # malformed documents
         PUT /box/b?comp=blocklist → 400 InvalidXmlDocument
         PUT /box/b?comp=blocklist | | <Blocks/> → 400 InvalidXmlDocument
         PUT /box/b?comp=blocklist | | hello → 400 InvalidXmlDocument
         PUT /box/b?comp=blocklist | | <!DOCTYPE x><BlockList/> → 400 InvalidXmlDocument
         GET /box/b → 200 | | hello
         GET /box/b?comp=blocklist&blocklisttype=some → 400 InvalidQueryParameterValue",
    )
    .await;
}

#[tokio::test]
async fn a_list_describes_the_blob_as_put_blob_does() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-old: 1; x-ms-tags: old=1; x-ms-access-tier: Cool; content-language: fr | old → 201
         PUT /box/b?comp=block&blockid=QQ== | | new → 201
         PUT /box/b?comp=blocklist | x-ms-blob-content-type: text/plain; x-ms-blob-content-encoding: gzip; x-ms-blob-content-language: de; x-ms-blob-cache-control: no-cache; x-ms-blob-content-disposition: inline; x-ms-meta-new: 2; x-ms-tags: new=2; x-ms-access-tier: Cold | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         HEAD /box/b → 200 | content-type: text/plain; content-encoding: gzip; content-language: de; cache-control: no-cache; content-disposition: inline; x-ms-meta-new: 2; x-ms-meta-old: -; x-ms-tag-count: 1; x-ms-access-tier: Cold
         GET /box/b | x-ms-if-tags: \"new\" = '2' → 200 | | new
         PUT /box/b?comp=blocklist | | <BlockList><Committed>QQ==</Committed></BlockList> → 201
         HEAD /box/b → 200 | content-type: application/octet-stream; content-encoding: -; content-language: -; x-ms-meta-new: -; x-ms-tag-count: -; x-ms-access-tier: Hot",
    )
    .await;
}

#[tokio::test]
async fn uncommitted_blocks_are_deleted_after_a_week() {
    check_in(
        &server().await,
        "# by Put Blob, which has no blocks of its own
         PUT /box/b?comp=block&blockid=QQ== | | uncommitted → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | whole → 201
         GET /box/b?comp=blocklist&blocklisttype=all → 200 | x-ms-blob-content-length: 5 | ~<CommittedBlocks /><UncommittedBlocks />
         PUT /box/b?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 400 InvalidBlockList
         GET /box/b → 200 | | whole
         # by a list that does not name it
         PUT /box/b?comp=block&blockid=QQ== | | uncommitted → 201
         PUT /box/b?comp=blocklist | | <BlockList/> → 201
         GET /box/b → 200 | | {}
         GET /box/b?comp=blocklist&blocklisttype=all → 200 | | ~<CommittedBlocks /><UncommittedBlocks />
         # by a deletion
         PUT /box/b?comp=block&blockid=QQ== | | uncommitted → 201
         DELETE /box/b → 202
         GET /box/b?comp=blocklist&blocklisttype=all → 404 BlobNotFound
         # by a week without another block
         PUT /box/c?comp=block&blockid=QQ== | | first → 201
         wait 604799
         PUT /box/c?comp=block&blockid=Qg== | | second → 201
         wait 604799
         GET /box/c?comp=blocklist&blocklisttype=uncommitted → 200 | | ~<Name>QQ==</Name> | ~<Name>Qg==</Name>
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<Name>c</Name>
         wait 1
         GET /box/c?comp=blocklist&blocklisttype=uncommitted → 404 BlobNotFound
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | !<Name>c</Name>
         PUT /box/c?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 400 InvalidBlockList
         # then ids may have another length
         PUT /box/c?comp=block&blockid=QUE= | | third → 201
         GET /box/c?comp=blocklist&blocklisttype=uncommitted → 200 | | !<Name>QQ==</Name>",
    )
    .await;
}

#[tokio::test]
async fn a_long_list_has_a_limit() {
    let server = server().await;
    check_in(&server, "PUT /box/b?comp=block&blockid=QQ== | | x → 201").await;
    for (count, verdict) in [(50_001, "400 BlockListTooLong"), (50_000, "201")] {
        let list = format!("<BlockList>{}</BlockList>", "<Latest>QQ==</Latest>".repeat(count));
        assert_eq!(server.request("PUT", "/box/b?comp=blocklist").body(list).send().await.verdict(), verdict, "{count} blocks");
    }
    let got = server.request("GET", "/box/b").send().await;
    assert_eq!(got.text(), "x".repeat(50_000));
    assert_eq!(server.request("GET", "/box/b?comp=blocklist").send().await.elements("Block").len(), 50_000);
}

#[tokio::test]
async fn the_limit_of_a_block_depends_on_the_version() {
    let server = server().await;
    let put = |version: &'static str, size: usize| {
        server.request("PUT", "/box/b?comp=block&blockid=QQ==").header("x-ms-version", version).body(vec![1_u8; size]).send()
    };
    let refused = put("2015-12-11", (4 << 20) + 1).await;
    assert_eq!((refused.status, refused.element("MaxLimit")), (413, "4194304"));
    assert_eq!(put("2015-12-11", 4 << 20).await.status, 201);
    assert_eq!(put("2016-05-31", (4 << 20) + 1).await.status, 201);
}

#[tokio::test]
async fn a_large_blob_in_blocks_reads_back_by_ranges() {
    const BLOCK: usize = 8 << 20;
    const BLOCKS: usize = 8;
    let server = server().await;
    // Every eight bytes contain their offset.
    let block = |n: usize| -> Vec<u8> { (n * BLOCK / 8..(n + 1) * BLOCK / 8).flat_map(|at| (at as u64).to_le_bytes()).collect() };
    let mut list = String::from("<BlockList>");
    for n in 0..BLOCKS {
        let put = server
            .request("PUT", &format!("/box/b?comp=block&blockid=QUF{}", char::from(b'A' + n as u8)))
            .body(block(n))
            .send()
            .await;
        assert_eq!(put.verdict(), "201");
        list += &format!("<Latest>QUF{}</Latest>", char::from(b'A' + n as u8));
    }
    let made = server.request("PUT", "/box/b?comp=blocklist").body(list + "</BlockList>").send().await;
    assert_eq!(made.verdict(), "201");
    // Ranges within blocks, across their boundaries, and across all of them.
    let size = BLOCK * BLOCKS;
    let ranges =
        [(0, 7), (BLOCK - 3, BLOCK + 4), (BLOCK, 2 * BLOCK - 1), (BLOCK + 1, 5 * BLOCK + 1), (size - 9, size - 1), (0, size - 1)];
    for (first, last) in ranges {
        let got = server.request("GET", "/box/b").header("x-ms-range", format!("bytes={first}-{last}")).send().await;
        assert_eq!((got.status, got.body.len()), (206, last - first + 1));
        let is_right = |(at, byte): (usize, &u8)| *byte == (((first + at) / 8) as u64).to_le_bytes()[(first + at) % 8];
        assert!(got.body.iter().enumerate().all(is_right), "bytes {first}-{last}");
    }
}
