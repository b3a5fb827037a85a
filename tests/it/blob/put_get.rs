//! Put Blob, Get Blob and Get Blob Properties.

use crate::scenario::check_in;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn the_properties_of_a_blob_are_returned() {
    check_in(
        &server().await,
        "# by its own headers
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-blob-content-type: text/plain;charset=utf-8; x-ms-blob-content-encoding: gzip; x-ms-blob-content-language: fr; x-ms-blob-cache-control: max-age=5; x-ms-blob-content-disposition: attachment; x-ms-meta-color: red; x-ms-tags: k=v&l=w | hello → 201 | etag: $e; last-modified: {at}; content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: V0JSBnCFdzM=; x-ms-request-server-encrypted: true; content-length: 0 | {}
         GET /box/b → 200 | etag: {e}; last-modified: {at}; content-length: 5; content-type: text/plain;charset=utf-8; content-encoding: gzip; content-language: fr; cache-control: max-age=5; content-disposition: attachment; content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-meta-color: red; x-ms-tag-count: 2; x-ms-blob-type: BlockBlob; x-ms-creation-time: {at}; x-ms-server-encrypted: true; accept-ranges: bytes; x-ms-lease-status: unlocked; x-ms-lease-state: available; content-range: -; x-ms-blob-content-md5: -; x-ms-copy-id: - | hello
         HEAD /box/b → 200 | etag: {e}; last-modified: {at}; content-length: 5; content-type: text/plain;charset=utf-8; content-encoding: gzip; content-language: fr; cache-control: max-age=5; content-disposition: attachment; content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-meta-color: red; x-ms-tag-count: 2; x-ms-blob-type: BlockBlob; x-ms-access-tier: Hot; x-ms-access-tier-inferred: true; accept-ranges: bytes | {}
         # by those of the body
         PUT /box/plain | x-ms-blob-type: BlockBlob; content-type: text/html; content-encoding: br; content-language: de; cache-control: no-store; content-disposition: inline | hello → 201
         GET /box/plain → 200 | content-type: text/html; content-encoding: br; content-language: de; cache-control: no-store; content-disposition: inline; x-ms-tag-count: - | hello
         # its own outrank the body's
         PUT /box/both | x-ms-blob-type: BlockBlob; content-type: text/html; x-ms-blob-content-type: text/css; content-language: de; x-ms-blob-content-language: fr | hello → 201
         GET /box/both → 200 | content-type: text/css; content-language: fr
         # none at all
         PUT /box/bare | x-ms-blob-type: BlockBlob → 201 | content-md5: 1B2M2Y8AsgTpgAmY7PhCfg==; x-ms-content-crc64: AAAAAAAAAAA=
         GET /box/bare → 200 | content-length: 0; content-type: application/octet-stream; content-encoding: -; content-language: -; cache-control: -; content-disposition: -; content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | {}
         # what only a SAS may override
         GET /box/bare?rscd=attachment&rsct=text/plain → 200 | content-disposition: -; content-type: application/octet-stream
         # requests for a missing blob
         GET /box/none → 404 BlobNotFound | | ~The specified blob does not exist.
         HEAD /box/none → 404 BlobNotFound | | {}",
    )
    .await;
}

#[tokio::test]
async fn overwriting_replaces_everything() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/html; x-ms-meta-a: 1; x-ms-tags: k=v; x-ms-access-tier: Cool | long content → 201 | etag: $first
         wait 10
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-b: 2 | short → 201 | etag: $second; last-modified: {at}
         HEAD /box/b → 200 | etag: {second}; content-length: 5; content-type: application/octet-stream; x-ms-meta-a: -; x-ms-meta-b: 2; x-ms-tag-count: -; x-ms-access-tier: Hot
         GET /box/b | if-match: {first} → 412 ConditionNotMet
         GET /box/b | if-match: {second} → 200 | | short
         # every state has its own ETag, also within a tick of the clock
         PUT /box/b | x-ms-blob-type: BlockBlob | third → 201 | etag: $third
         GET /box/b | if-match: {second} → 412 ConditionNotMet",
    )
    .await;
}

#[tokio::test]
async fn checksums_are_checked() {
    check_in(
        &server().await,
        "# MD5 of the request
         PUT /box/b | x-ms-blob-type: BlockBlob; content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==
         PUT /box/b | x-ms-blob-type: BlockBlob; content-md5: XUFAKrxLKna5cZ2REBfFkg== | hellO → 400 Md5Mismatch | | ~<UserSpecifiedMd5>XUFAKrxLKna5cZ2REBfFkg==</UserSpecifiedMd5><ServerCalculatedMd5>
         PUT /box/b | x-ms-blob-type: BlockBlob; content-md5: bm90IDE2 | hello → 400 InvalidMd5
         PUT /box/b | x-ms-blob-type: BlockBlob; content-md5: ??? | hello → 400 InvalidMd5
         # MD5 of the blob
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-blob-content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-blob-content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | hello → 400 Md5Mismatch
         # it outranks the body's, and the answer has both checksums
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-blob-content-md5: XUFAKrxLKna5cZ2REBfFkg==; content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: V0JSBnCFdzM=
         PUT /box/b | x-ms-blob-type: BlockBlob; content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: V0JSBnCFdzM=
         PUT /box/c?comp=block&blockid=QQ== | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-version: 2026-10-06 | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: V0JSBnCFdzM=
         # CRC64
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-content-crc64: V0JSBnCFdzM= | hello → 201 | x-ms-content-crc64: V0JSBnCFdzM=
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-content-crc64: AAAAAAAAAAA= | hello → 400 Crc64Mismatch | | ~<UserSpecifiedCrc>AAAAAAAAAAA=</UserSpecifiedCrc><ServerCalculatedCrc>V0JSBnCFdzM=</ServerCalculatedCrc>
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-content-crc64: V0JSBnCFdzM=; content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 400 BothCrc64AndMd5HeaderPresent
         # refused requests changed nothing
         GET /box/b → 200 | | hello
         # old versions do not support CRC64
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-version: 2018-11-09 | hello → 201 | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: -",
    )
    .await;
}

#[tokio::test]
async fn invalid_put_requests_create_no_blob() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/b | | x → 400 MissingRequiredHeader | | ~<HeaderName>x-ms-blob-type</HeaderName>
         PUT /box/b | x-ms-blob-type: BlobBlob | x → 400 InvalidHeaderValue | | ~<HeaderValue>BlobBlob</HeaderValue>
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-a-b: 1 | x → 400 InvalidMetadata
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-k: {8192*v} | x → 400 MetadataTooLarge
         # 10 tags of 128 and 256 characters, each key once, of a few characters
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: {129*k}=v | x → 400 TagsTooLarge
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: k={257*v} | x → 400 TagsTooLarge
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: a=&b=&c=&d=&e=&f=&g=&h=&i=&j=&k= | x → 400 TagsTooLarge
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: =v | x → 400 EmptyTagName
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: k=1&k=2 | x → 400 DuplicateTagNames
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: novalue | x → 400 InvalidHeaderValue
         # tiers
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: Tepid | x → 400 InvalidHeaderValue
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: P10 | x → 400 AccessTierNotSupportedForBlobType
         # headers that this server cannot store are refused
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-legal-hold: true | x → 400 UnsupportedHeader
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-structured-body: XSM/1.0 | x → 400 UnsupportedHeader
         GET /box/b → 404 BlobNotFound
         # the most tags
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: a=&b=&c=&d=&e=&f=&g=&h=&i={256*v}&{128*k}=+%3D | x → 201
         HEAD /box/b → 200 | x-ms-tag-count: 10",
    )
    .await;
    for (characters, verdict) in [(1, "201"), (1024, "201"), (1025, "400 OutOfRangeInput")] {
        let put =
            server.request("PUT", &format!("/box/{}", "n".repeat(characters))).header("x-ms-blob-type", "BlockBlob").send().await;
        assert_eq!(put.verdict(), verdict, "a name of {characters}");
    }
}

#[tokio::test]
async fn sizes_are_bounded_by_version() {
    let server = server().await;
    let mib = vec![7_u8; (64 << 20) + 1];
    let put = |version: &'static str, size: usize| {
        let request = server.request("PUT", "/box/b").headers(&[("x-ms-blob-type", "BlockBlob"), ("x-ms-version", version)]);
        request.body(mib[..size].to_vec()).send()
    };
    let refused = put("2015-12-11", (64 << 20) + 1).await;
    assert_eq!((refused.status, refused.element("Code")), (413, "RequestBodyTooLarge"));
    assert_eq!(refused.element("MaxLimit"), (64 << 20).to_string());
    assert_eq!(put("2015-12-11", 64 << 20).await.status, 201);
    assert_eq!(put("2016-05-31", (64 << 20) + 1).await.status, 201);
    let length = server.request("HEAD", "/box/b").send().await.header("content-length").to_owned();
    assert_eq!(length, ((64 << 20) + 1).to_string());
}

#[tokio::test]
async fn tiers_are_reported_and_archived_blobs_cannot_be_read() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: Cool | x → 201
         HEAD /box/b → 200 | x-ms-access-tier: Cool; x-ms-access-tier-inferred: -; x-ms-access-tier-change-time: {at}
         GET /box/b → 200 | | x
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: cold | x → 201
         HEAD /box/b → 200 | x-ms-access-tier: Cold
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive; x-ms-meta-a: 1 | x → 201
         GET /box/b → 409 BlobArchived | | ~This operation is not permitted on an archived blob.
         GET /box/b | x-ms-range: bytes=0-0 → 409 BlobArchived
         HEAD /box/b → 200 | x-ms-access-tier: Archive; content-length: 1; x-ms-meta-a: 1
         GET /box/b?comp=metadata → 200 | x-ms-meta-a: 1
         GET /box?restype=container&comp=list → 200 | | ~<AccessTier>Archive</AccessTier> | !<AccessTierInferred>
         # it can be replaced and deleted
         PUT /box/b | x-ms-blob-type: BlockBlob | y → 201
         GET /box/b → 200 | | y
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive | x → 201
         DELETE /box/b → 202",
    )
    .await;
}

#[tokio::test]
async fn ranges() {
    let server = server().await;
    server.blob("/box/ten", "0123456789").await;
    server.blob("/box/empty", "").await;
    // The requested range, the status, and the bytes of the answer.
    let cases = [
        ("bytes=0-0", 206, "0", "bytes 0-0/10"),
        ("bytes=2-5", 206, "2345", "bytes 2-5/10"),
        ("bytes=0-9", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=0-", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=9-", 206, "9", "bytes 9-9/10"),
        ("bytes=8-100", 206, "89", "bytes 8-9/10"),
        ("bytes=9-18446744073709551615", 206, "9", "bytes 9-9/10"),
        ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=10-10", 416, "", "bytes */10"),
        ("bytes=11-20", 416, "", "bytes */10"),
        ("bytes=-5", 200, "0123456789", ""),
        ("bytes=0-1,4-5", 200, "0123456789", ""),
        ("bytes=5-2", 200, "0123456789", ""),
        ("bytes=a-b", 200, "0123456789", ""),
        ("bytes=+1-2", 200, "0123456789", ""),
        ("chars=0-1", 200, "0123456789", ""),
        ("bytes=", 200, "0123456789", ""),
    ];
    for (range, status, content, says) in cases {
        for header in ["range", "x-ms-range"] {
            let got = server.request("GET", "/box/ten").header(header, range).send().await;
            assert_eq!((got.status, got.header("content-range")), (status, says), "{header}: {range}");
            if status == 416 {
                assert_eq!(got.verdict(), "416 InvalidRange");
            } else {
                assert_eq!((got.text(), got.header("content-length")), (content, content.len().to_string().as_str()), "{range}");
                assert_eq!(got.header("accept-ranges"), "bytes");
                // The stored MD5 is that of the whole blob.
                let md5 = "eB5eJF1ptWaXm4bijSPyxw==";
                let wanted = if status == 206 { ("", md5) } else { (md5, "") };
                assert_eq!((got.header("content-md5"), got.header("x-ms-blob-content-md5")), wanted, "{range}");
            }
        }
    }
    check_in(
        &server,
        "# the service's own header wins
         GET /box/ten | range: bytes=0-1; x-ms-range: bytes=4-5 → 206 | content-range: bytes 4-5/10 | 45
         # an empty blob has no ranges
         GET /box/empty → 200 | | {}
         GET /box/empty | range: bytes=0- → 416 InvalidRange | content-range: bytes */0
         GET /box/empty | range: bytes=0-0 → 416 InvalidRange | content-range: bytes */0
         # properties ignore the range
         HEAD /box/ten | x-ms-range: bytes=0-1 → 200 | content-length: 10; content-range: -
         # conditions come before ranges
         GET /box/ten | range: bytes=99-; if-match: \"0x1\" → 412 ConditionNotMet
         # checksums of a part
         GET /box/ten | x-ms-range: bytes=2-5; x-ms-range-get-content-md5: true → 206 | content-md5: gbBz3pNw6oc/VI4xuK3AgQ==; x-ms-blob-content-md5: eB5eJF1ptWaXm4bijSPyxw==; x-ms-content-crc64: -
         GET /box/ten | x-ms-range: bytes=2-5; x-ms-range-get-content-crc64: true → 206 | x-ms-content-crc64: 0F+fuGFLNdI=; content-md5: -
         GET /box/ten | x-ms-range: bytes=2-5; x-ms-range-get-content-md5: false → 206 | content-md5: -
         GET /box/ten | x-ms-range: bytes=2-5; x-ms-range-get-content-md5: true; x-ms-range-get-content-crc64: true → 400 BothCrc64AndMd5RangeHeaderPresent
         GET /box/ten | x-ms-range: bytes=2-5; x-ms-range-get-content-md5: maybe → 400 InvalidHeaderValue
         GET /box/ten | x-ms-range-get-content-md5: true → 400 InvalidHeaderValue
         GET /box/ten | x-ms-range-get-content-crc64: true → 400 InvalidHeaderValue",
    )
    .await;
}

#[tokio::test]
async fn only_ranges_up_to_four_mebibytes_have_a_checksum() {
    let server = server().await;
    server.blob("/box/b", vec![1_u8; (4 << 20) + 1]).await;
    check_in(
        &server,
        "GET /box/b | x-ms-range: bytes=0-4194303; x-ms-range-get-content-md5: true → 206 | content-length: 4194304; content-md5: +
         GET /box/b | x-ms-range: bytes=0-4194304; x-ms-range-get-content-md5: true → 400 OutOfRangeInput
         GET /box/b | x-ms-range: bytes=0-; x-ms-range-get-content-crc64: true → 400 OutOfRangeInput
         GET /box/b | x-ms-range: bytes=1-; x-ms-range-get-content-crc64: true → 206 | content-length: 4194304; x-ms-content-crc64: +",
    )
    .await;
}

#[tokio::test]
async fn names_are_stored_as_the_client_wrote_them() {
    let server = server().await;
    // The path as sent, and the name in the list.
    let names = [
        ("a%20b", "a b"),
        ("a+b", "a+b"),
        ("a%2Fb", "a/b"),
        ("x/y/z", "x/y/z"),
        ("100%25", "100%"),
        ("q%3Fk%3Dv%23f", "q?k=v#f"),
        ("%D0%B6%E2%82%AC%F0%9F%98%80", "ж€😀"),
        ("%26%3Ctag%3E", "&amp;&lt;tag&gt;"),
        ("dot.", "dot."),
        ("UPPER", "UPPER"),
        ("upper", "upper"),
    ];
    for (path, name) in names {
        server.blob(&format!("/box/{path}"), name).await;
    }
    for (path, name) in names {
        assert_eq!(server.request("GET", &format!("/box/{path}")).send().await.text(), name, "{path}");
    }
    let listed = server.request("GET", "/box?restype=container&comp=list").send().await;
    let mut wanted = names.map(|(_, name)| name);
    wanted.sort_by_key(|name| name.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"));
    assert_eq!(listed.elements("Name"), wanted);
    // An encoded slash is a slash too.
    assert_eq!(server.request("GET", "/box/a/b").send().await.text(), "a/b");
    assert_eq!(server.request("GET", "/box/%E2%82").send().await.verdict(), "400 InvalidUri");
}

#[tokio::test]
async fn a_blob_of_the_root_container_needs_no_container_in_its_path() {
    check_in(
        &TestServer::new().await,
        "PUT /top.txt | x-ms-blob-type: BlockBlob | x → 404 ContainerNotFound
         PUT /$root?restype=container → 201
         PUT /top.txt | x-ms-blob-type: BlockBlob | at the top → 201
         GET /top.txt → 200 | | at the top
         GET /$root/top.txt → 200 | | at the top
         GET /$root?restype=container&comp=list → 200 | | ~<Name>top.txt</Name>",
    )
    .await;
}
