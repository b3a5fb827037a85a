//! The operations that read their bytes from a URL: the result of each, and their common checks of the source.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;

/// The five of them: the target in the container `box`, headers of its own, the status of success.
const ALL: [(&str, &str, &str); 5] = [
    ("b", "x-ms-blob-type: BlockBlob", "201"),
    ("b", "x-ms-requires-sync: true", "202"),
    ("b?comp=block&blockid=QQ==", "", "201"),
    ("a?comp=appendblock", "", "201"),
    ("p?comp=page", "x-ms-page-write: update; x-ms-range: bytes=0-511", "201"),
];

/// A server with the source `/box/source`, a page of `x`, and for each operation somewhere to write; and the source's URL, signed.
async fn server() -> (TestServer, String) {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/source | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-a: 1; x-ms-tags: k=v | {512*x} → 201
         PUT /box/a | x-ms-blob-type: AppendBlob → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | old → 201
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 1024 → 201",
    )
    .await;
    let url = format!("{}/box/source?{}", server.blob_url(), token::reader("box"));
    (server, url)
}

#[tokio::test]
async fn every_operation_writes_the_bytes_of_the_source() {
    let (server, url) = server().await;
    check_in(
        &server,
        &"PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-meta-b: 2 → 201 | etag: +; x-ms-content-crc64: +; x-ms-request-server-encrypted: true; x-ms-copy-id: -
         GET /box/b → 200 | content-type: text/plain; content-md5: +; x-ms-meta-b: 2; x-ms-meta-a: -; x-ms-tag-count: -; x-ms-copy-id: - | {512*x}
         PUT /box/b | x-ms-requires-sync: true; x-ms-copy-source: URL → 202 | x-ms-copy-id: $id; x-ms-copy-status: success; x-ms-content-crc64: +
         GET /box/b → 200 | content-type: text/plain; x-ms-meta-a: 1; x-ms-copy-id: {id}; x-ms-copy-source: BARE; x-ms-copy-progress: 512/512 | {512*x}
         PUT /box/b?comp=block&blockid=QQ== | x-ms-copy-source: URL; x-ms-source-range: bytes=0-2 → 201 | x-ms-content-crc64: +
         PUT /box/b?comp=block&blockid=Qg== | x-ms-copy-source: URL; x-ms-source-range: bytes=510-9999 → 201
         PUT /box/b?comp=blocklist | | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest></BlockList> → 201
         GET /box/b → 200 | | xxxxx
         PUT /box/a?comp=appendblock | x-ms-copy-source: URL; x-ms-source-range: bytes=0-2 → 201 | x-ms-blob-append-offset: 0; x-ms-blob-committed-block-count: 1; content-md5: +
         PUT /box/a?comp=appendblock | x-ms-copy-source: URL; x-ms-source-range: bytes=0-0; x-ms-blob-condition-appendpos: 3 → 201 | x-ms-blob-append-offset: 3
         PUT /box/a?comp=appendblock | x-ms-copy-source: URL; x-ms-blob-condition-appendpos: 0 → 412 AppendPositionConditionNotMet
         PUT /box/a?comp=appendblock | x-ms-copy-source: URL; x-ms-blob-condition-maxsize: 5 → 412 MaxBlobSizeConditionNotMet
         GET /box/a → 200 | | xxxx
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=512-1023; x-ms-copy-source: URL; x-ms-source-range: bytes=0-511 → 201 | x-ms-blob-sequence-number: 0; content-md5: +; x-ms-content-crc64: -
         GET /box/p → 200 | | {512*\0}{512*x}
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-copy-source: URL; x-ms-source-range: bytes=0-9 → 400 InvalidHeaderValue
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-510; x-ms-copy-source: URL → 416 InvalidPageRange
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511; x-ms-copy-source: URL → 400 InvalidHeaderValue
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-copy-source: URL; x-ms-if-sequence-number-lt: 0 → 412 SequenceNumberConditionNotMet
         # wrong places
         PUT /box/b?comp=appendblock | x-ms-copy-source: URL → 409 InvalidBlobType
         PUT /box/a?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-copy-source: URL → 409 InvalidBlobType
         PUT /box/p?comp=block&blockid=QQ== | x-ms-copy-source: URL → 409 InvalidBlobType
         PUT /box/none?comp=appendblock | x-ms-copy-source: URL → 404 BlobNotFound
         # the source is deleted, the bytes are not
         DELETE /box/source → 202
         GET /box/a → 200 | | xxxx
         GET /box/p | x-ms-range: bytes=512-513 → 206 | | xx"
            .replace("URL", &url)
            .replace("BARE", url.split("&sig=").next().unwrap()),
    )
    .await;
}

#[tokio::test]
async fn every_operation_checks_the_source() {
    let (server, url) = server().await;
    let source = server.request("HEAD", "/box/source").send().await;
    let (etag, md5) = (source.header("etag"), source.header("content-md5"));
    let crc64 = server.request("PUT", "/box/twin").header("x-ms-blob-type", "BlockBlob").body("x".repeat(512)).send().await;
    let crc64 = crc64.header("x-ms-content-crc64");
    let named = |name: &str| format!("x-ms-copy-source: {}", url.replace("/box/source", name));
    check_in(&server, "PUT /box/archived | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive | {512*x} → 201 \n wait 10")
        .await;
    let failed = "412 CannotVerifyCopySource";
    let unchanged = "304 CannotVerifyCopySource";
    let from = |more: &str| format!("x-ms-copy-source: {url}{more}");
    for (source, body, verdict) in [
        (named("/box/nothing"), "", "404 CannotVerifyCopySource"),
        (named("/nowhere/b"), "", "404 CannotVerifyCopySource"),
        (from("&snapshot=2020-01-01T00:00:00.0000000Z"), "", "404 CannotVerifyCopySource"),
        ("x-ms-copy-source: nonsense".into(), "", "400 InvalidHeaderValue"),
        (named("/box/archived"), "", "409 BlobArchived"),
        (from("; x-ms-source-range: bytes=512-600"), "", "416 CannotVerifyCopySource"),
        (from("; x-ms-source-content-md5: 1B2M2Y8AsgTpgAmY7PhCfg=="), "", "400 Md5Mismatch"),
        (from("; x-ms-source-content-md5: nope"), "", "400 InvalidMd5"),
        (from("; x-ms-source-content-crc64: AAAAAAAAAAA="), "", "400 Crc64Mismatch"),
        (from("; x-ms-source-if-match: \"0x1\""), "", failed),
        (from("; x-ms-source-if-unmodified-since: {at-11}"), "", failed),
        (from(&format!("; x-ms-source-if-none-match: {etag}")), "", unchanged),
        (from("; x-ms-source-if-modified-since: {at-10}"), "", unchanged),
        (from(""), "body", "400 InvalidHeaderValue"),
        (from(&format!("; x-ms-source-content-md5: {md5}")), "", ""),
        (from(&format!("; x-ms-source-content-crc64: {crc64}")), "", ""),
        (from(&format!("; x-ms-source-if-match: {etag}; x-ms-source-if-unmodified-since: {{at}}")), "", ""),
        (from("; x-ms-source-if-none-match: \"0x1\""), "", ""),
        (from("; x-ms-source-if-modified-since: {at-11}"), "", ""),
    ] {
        for (target, own, success) in ALL {
            // A copy ignores the range.
            let whole = own.contains("sync") && source.contains("range");
            let verdict = if verdict.is_empty() || whole { success } else { verdict };
            // Put Blob From URL has an error code of its own (live tests of the JavaScript SDK).
            let names_it = own.contains("BlockBlob") && [failed, unchanged].contains(&verdict);
            let verdict = if names_it { "412 SourceConditionNotMet" } else { verdict };
            let own = if own.is_empty() { String::new() } else { format!("{own}; ") };
            check_in(&server, &format!("PUT /box/{target} | {own}{source} | {body} → {verdict}")).await;
        }
    }
}

#[tokio::test]
async fn failed_source_conditions_have_the_recorded_messages() {
    let (server, url) = server().await;
    for (target, own, _) in ALL {
        let own = if own.is_empty() { String::new() } else { format!("{own}; ") };
        let absent = if target.contains("comp=appendblock") || target.contains("comp=page") { '!' } else { '~' };
        let names_it = own.contains("BlockBlob");
        let tagged = if names_it { "ConditionNotMet" } else { "CannotVerifyCopySource" };
        check_in(
            &server,
            &format!(
                "PUT /box/{target} | {own}x-ms-copy-source: {url}; x-ms-source-content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== → 400 Md5Mismatch | | {absent}<ServerCalculatedMd5>
                 PUT /box/{target} | {own}x-ms-copy-source: {url}; x-ms-source-if-tags: \"k\" = 'w' → 412 {tagged}"
            ),
        )
        .await;
        if names_it {
            continue;
        }
        for (version, says) in [
            ("2019-07-07", "Could not verify the copy source within the specified time."),
            ("2020-08-04", "The condition specified using HTTP conditional header(s) is not met."),
        ] {
            let request = format!("PUT /box/{target} | {own}x-ms-version: {version}; x-ms-copy-source: {url}");
            check_in(&server, &format!("{request}; x-ms-source-if-match: \"0x1\" → 412 CannotVerifyCopySource | | ~{says}"))
                .await;
        }
    }
}

/// Later versions report the refusal of the source in headers, where the SDKs read it, and in the document.
#[tokio::test]
async fn later_versions_report_the_refusal_of_the_source() {
    let (server, url) = server().await;
    let etag = server.request("HEAD", "/box/source").send().await.header("etag").to_owned();
    let writer = token::service("box", "sv=2021-12-02&sr=c&sp=w&se=2099-01-01");
    let base = server.blob_url();
    for (target, own, _) in ALL {
        let own = if own.is_empty() { String::new() } else { format!("{own}; ") };
        for (source, verdict, code, says) in [
            (
                format!("{base}/box/source?{writer}"),
                "403",
                "AuthorizationPermissionMismatch",
                "This request is not authorized to perform this operation using this permission.",
            ),
            (format!("{base}/box/source"), "401", "NoAuthenticationInformation", "Server failed to authenticate the request."),
            (url.replace("/source", "/none"), "404", "BlobNotFound", "The specified blob does not exist."),
        ] {
            check_in(
                &server,
                &format!(
                    "PUT /box/{target} | {own}x-ms-version: 2024-11-04; x-ms-copy-source: {source} → {verdict} CannotVerifyCopySource | x-ms-copy-source-status-code: {verdict}; x-ms-copy-source-error-code: {code} | ~<CopySourceStatusCode>{verdict}</CopySourceStatusCode><CopySourceErrorCode>{code}</CopySourceErrorCode><CopySourceErrorMessage>{says}
                     PUT /box/{target} | {own}x-ms-version: 2024-08-04; x-ms-copy-source: {source} → {verdict} CannotVerifyCopySource | x-ms-copy-source-status-code: -; x-ms-copy-source-error-code: - | !<CopySource"
                ),
            )
            .await;
        }
        if !own.contains("BlockBlob") {
            check_in(
                &server,
                &format!("PUT /box/{target} | {own}x-ms-version: 2024-11-04; x-ms-copy-source: {url}; x-ms-source-if-none-match: {etag} → 304 CannotVerifyCopySource | x-ms-copy-source-status-code: 304; x-ms-copy-source-error-code: ConditionNotMet | {{}}"),
            )
            .await;
        }
    }
}

#[tokio::test]
async fn every_operation_checks_the_destination() {
    let (server, url) = server().await;
    for (target, own, success) in ALL {
        let blob = target.split('?').next().unwrap();
        let own = if own.is_empty() { String::new() } else { format!("{own}; ") };
        let request = format!("PUT /box/{target} | {own}x-ms-copy-source: {url}");
        let conditional = match own.contains("BlockBlob") {
            // Recorded with 2021-08-06; for dates the code is ConditionNotMet, recorded with 2020-04-08.
            true => "412 TargetConditionNotMet",
            false if target.contains("comp=block&") => success,
            false => "412 ConditionNotMet",
        };
        let dated = if conditional == success { success } else { "412 ConditionNotMet" };
        check_in(
            &server,
            &format!(
                "{request}; if-match: \"0x1\" → {conditional}
                 {request}; if-unmodified-since: {{at-10}} → {dated}
                 {request}; if-modified-since: {{at}} → {dated}
                 PUT /box/{blob}?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {{A}} → 201
                 {request} → 412 LeaseIdMissing
                 {request}; x-ms-lease-id: {{B}} → 412 LeaseIdMismatchWithBlobOperation
                 {request}; x-ms-lease-id: {{A}} → {success}
                 PUT /box/{blob}?comp=lease | x-ms-lease-action: release; x-ms-lease-id: {{A}} → 200"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn properties_and_tags_are_copied_if_requested() {
    let (server, url) = server().await;
    for own in ["x-ms-blob-type: BlockBlob", "x-ms-requires-sync: true"] {
        let status = if own.contains("sync") { "202" } else { "201" };
        check_in(
            &server,
            &format!(
                "PUT /box/t | {own}; x-ms-copy-source: {url}; x-ms-copy-source-tag-option: COPY → {status}
                 GET /box/t?comp=tags → 200 | | ~<Key>k</Key><Value>v</Value>
                 PUT /box/t | {own}; x-ms-copy-source: {url}; x-ms-copy-source-tag-option: REPLACE; x-ms-tags: n=1 → {status}
                 GET /box/t?comp=tags → 200 | | ~<Key>n</Key><Value>1</Value> | !<Key>k</Key>
                 PUT /box/t | {own}; x-ms-copy-source: {url} → {status}
                 HEAD /box/t → 200 | x-ms-tag-count: -
                 PUT /box/t | {own}; x-ms-copy-source: {url}; x-ms-copy-source-tag-option: COPY; x-ms-tags: n=1 → 400 BothUserTagsAndSourceTagsCopyPresentException
                 PUT /box/t | {own}; x-ms-copy-source: {url}; x-ms-copy-source-tag-option: BOTH → 400 InvalidHeaderValue"
            ),
        )
        .await;
    }
    let md5 = server.request("PUT", "/box/twin").header("x-ms-blob-type", "BlockBlob").body("x".repeat(512)).send().await;
    let md5 = md5.header("content-md5").to_owned();
    check_in(
        &server,
        &"PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-copy-source-blob-properties: false → 201 | content-md5: -; x-ms-content-crc64: +
         # an MD5 of its own (recorded)
         HEAD /box/t → 200 | content-type: application/octet-stream; content-md5: MD5; x-ms-meta-a: -
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-copy-source-blob-properties: true → 201
         HEAD /box/t → 200 | content-type: text/plain; content-md5: +; x-ms-meta-a: 1
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-meta-b: 2 → 201
         HEAD /box/t → 200 | content-type: text/plain; x-ms-meta-a: -; x-ms-meta-b: 2
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-blob-content-md5: AAAAAAAAAAAAAAAAAAAAAA==; x-ms-copy-source-blob-properties: false → 201
         HEAD /box/t → 200 | content-md5: AAAAAAAAAAAAAAAAAAAAAA==
         # the MD5 is that of the bytes, of a part too
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-source-range: bytes=0-2 → 201 | content-md5: -; x-ms-content-crc64: +
         HEAD /box/t → 200 | content-md5: 9WGq9u8L8U1CCLtGpMyzrQ==
         PUT /box/u | x-ms-blob-type: BlockBlob | xxx → 201 | content-md5: 9WGq9u8L8U1CCLtGpMyzrQ==
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-version: 2026-10-06; x-ms-source-content-md5: MD5 → 201 | content-md5: MD5; x-ms-content-crc64: +
         PUT /box/b?comp=block&blockid=QQ== | x-ms-copy-source: URL; x-ms-version: 2026-10-06; x-ms-source-content-md5: MD5 → 201 | content-md5: MD5; x-ms-content-crc64: +
         PUT /box/b?comp=block&blockid=QQ== | x-ms-copy-source: URL; x-ms-version: 2026-06-06; x-ms-source-content-md5: MD5 → 201 | content-md5: MD5; x-ms-content-crc64: -
         PUT /box/a?comp=appendblock | x-ms-copy-source: URL; x-ms-version: 2026-10-06; x-ms-source-content-md5: MD5 → 201 | content-md5: MD5; x-ms-content-crc64: +
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-copy-source: URL; x-ms-version: 2026-10-06; x-ms-source-content-md5: MD5 → 201 | content-md5: MD5; x-ms-content-crc64: +
         PUT /box/t | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL; x-ms-blob-content-language: de → 201
         HEAD /box/t → 200 | content-type: text/plain; content-language: de"
            .replace("URL", &url)
            .replace("MD5", &md5),
    )
    .await;
}

#[tokio::test]
async fn tags_and_metadata_have_limits() {
    let (server, url) = server().await;
    check_in(
        &server,
        &"PUT /box/huge | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 268435968 → 201
         PUT /box/b | x-ms-requires-sync: true; x-ms-copy-source: HUGE → 413 RequestBodyTooLarge | | ~<MaxLimit>268435456</MaxLimit>
         PUT /box/a?comp=appendblock | x-ms-copy-source: HUGE → 413 RequestBodyTooLarge | | ~<MaxLimit>4194304</MaxLimit>
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-copy-source: HUGE → 413 RequestBodyTooLarge | | ~<MaxLimit>4194304</MaxLimit>
         GET /box/b → 200 | | old"
            .replace("HUGE", &url.replace("/source", "/huge")),
    )
    .await;
}

#[tokio::test]
async fn a_copy_has_the_type_of_its_source() {
    let (server, url) = server().await;
    check_in(
        &server,
        &"PUT /box/a | x-ms-requires-sync: true; x-ms-copy-source: URL → 409 InvalidBlobType
         PUT /box/p | x-ms-requires-sync: true; x-ms-copy-source: URL → 409 InvalidBlobType
         PUT /box/source | x-ms-requires-sync: true; x-ms-copy-source: PAGES → 409 InvalidBlobType
         GET /box/source → 200 | | {512*x}
         # Put Blob From URL replaces the blob
         PUT /box/a | x-ms-blob-type: BlockBlob; x-ms-copy-source: URL → 201
         GET /box/a → 200 | x-ms-blob-type: BlockBlob | {512*x}"
            .replace("URL", &url)
            .replace("PAGES", &url.replace("/source", "/p")),
    )
    .await;
}
