//! Customer-provided keys and encryption scopes: reading and writing blobs that have one, and the answers that report it.

use crate::auth::token;
use crate::scenario::check_in;
use crate::scratch::Scratch;
use crate::server::TestServer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The headers of a key that consists of one letter, and its fingerprint.
fn key(letter: u8) -> (String, String) {
    let (text, sha256) = (STANDARD.encode([letter; 32]), STANDARD.encode(Sha256::digest([letter; 32])));
    (format!("x-ms-encryption-key: {text}; x-ms-encryption-key-sha256: {sha256}; x-ms-encryption-algorithm: AES256"), sha256)
}

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

const USES: &str = "409 BlobUsesCustomerSpecifiedEncryption";
const LACKS: &str = "409 BlobDoesNotUseCustomerSpecifiedEncryption";
const OTHER: &str = "409 BlobCustomerSpecifiedEncryptionMismatch";

/// The answer of each operation by the encryption of the blob and the headers of the request.
#[tokio::test]
async fn operations_require_the_key_or_scope_of_the_blob() {
    let server = server().await;
    let ((a, _), (b, _)) = (key(b'a'), key(b'b'));
    let shown = [String::new(), a, b, "x-ms-encryption-scope: s".into(), "x-ms-encryption-scope: t".into()];
    // Blobs: no encryption, the key a, the scope s. Requests: nothing, the keys a and b, the scopes s and t.
    let reads = [["", LACKS, LACKS, "", ""], [USES, "", OTHER, USES, USES], ["", OTHER, OTHER, "", ""]];
    let writes = [["", LACKS, LACKS, LACKS, LACKS], [USES, "", OTHER, OTHER, OTHER], [USES, OTHER, OTHER, "", OTHER]];
    for (n, with) in [0, 1, 3].into_iter().enumerate() {
        let with = &shown[with];
        check_in(
            &server,
            &format!(
                "PUT /box/a{n} | x-ms-blob-type: AppendBlob; {with} → 201
                 PUT /box/p{n} | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; {with} → 201"
            ),
        )
        .await;
        for (m, show) in shown.iter().enumerate() {
            for (request, headers, body, success, table) in [
                (format!("GET /box/a{n}"), "", "", "200", reads),
                (format!("HEAD /box/a{n}"), "", "", "200", reads),
                (format!("HEAD /box/a{n}?comp=metadata"), "", "", "200", reads),
                (format!("PUT /box/a{n}?comp=metadata"), "x-ms-meta-a: 1; ", "", "200", writes),
                (format!("PUT /box/a{n}?comp=snapshot"), "", "", "201", writes),
                (format!("PUT /box/a{n}?comp=appendblock"), "", "x", "201", writes),
                (format!("PUT /box/p{n}?comp=page"), "x-ms-page-write: clear; x-ms-range: bytes=0-511; ", "", "201", writes),
            ] {
                let verdict = if table[n][m].is_empty() { success } else { table[n][m] };
                check_in(&server, &format!("{request} | {headers}{show} | {body} → {verdict}")).await;
            }
        }
    }
}

/// A snapshot with metadata is a write, and reports its encryption (the SDKs' own tests).
#[tokio::test]
async fn a_snapshot_with_metadata_reports_its_encryption() {
    let server = server().await;
    let (key, sha256) = key(b'a');
    check_in(
        &server,
        &"PUT /box/k | x-ms-blob-type: BlockBlob; KEY | x → 201
         PUT /box/k?comp=snapshot | KEY → 201 | x-ms-request-server-encrypted: false; x-ms-encryption-key-sha256: -
         PUT /box/k?comp=snapshot | x-ms-meta-a: 1; KEY → 201 | x-ms-request-server-encrypted: true; x-ms-encryption-key-sha256: SHA
         PUT /box/s | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: scope | x → 201
         PUT /box/s?comp=snapshot | x-ms-encryption-scope: scope → 201 | x-ms-request-server-encrypted: false; x-ms-encryption-scope: -
         PUT /box/s?comp=snapshot | x-ms-meta-a: 1; x-ms-encryption-scope: scope → 201 | x-ms-request-server-encrypted: true; x-ms-encryption-scope: scope
         PUT /box/n | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/n?comp=snapshot | x-ms-meta-a: 1 → 201 | x-ms-request-server-encrypted: true"
            .replace("KEY", &key)
            .replace("SHA", &sha256),
    )
    .await;
}

/// The checksum in the answer to a write of pages (recorded, except for versions in between).
#[tokio::test]
async fn page_writes_report_the_recorded_checksums() {
    let server = server().await;
    let (key, _) = key(b'a');
    check_in(&server, "PUT /box/source | x-ms-blob-type: BlockBlob | {512*x} → 201").await;
    let source = format!("x-ms-copy-source: {}/box/source?{}", server.blob_url(), token::reader("box"));
    for (version, with, from_url, reported) in [
        ("2019-02-02", "", "", "content-md5: -; x-ms-content-crc64: +"),
        ("2019-02-02", &*key, "", "content-md5: -; x-ms-content-crc64: +"),
        ("2019-02-02", &*key, &*source, "content-md5: +; x-ms-content-crc64: -"),
        ("2019-02-02", "", &*source, "content-md5: -; x-ms-content-crc64: +"),
        ("2019-07-07", "", "", "content-md5: -; x-ms-content-crc64: +"),
        ("2019-07-07", "x-ms-encryption-scope: scope", "", "content-md5: +; x-ms-content-crc64: -"),
        ("2019-07-07", "x-ms-encryption-scope: scope", &*source, "content-md5: +; x-ms-content-crc64: -"),
        ("2019-12-12", "", "", "content-md5: +; x-ms-content-crc64: -"),
    ] {
        let (from, body) = if from_url.is_empty() { ("x-ms-client-request-id: plain", "{512*y}") } else { (from_url, "") };
        let with = if with.is_empty() { "x-ms-meta-a: 1" } else { with };
        check_in(
            &server,
            &format!(
                "PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; {with} → 201
                 PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-version: {version}; {with}; {from} | {body} → 201 | {reported}"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn malformed_keys_are_refused_and_not_returned() {
    let server = server().await;
    let (whole, sha256) = key(b'a');
    let text = STANDARD.encode([b'a'; 32]);
    for (headers, verdict) in [
        (format!("x-ms-encryption-key: {text}"), "400 MissingRequiredHeader"),
        (format!("x-ms-encryption-key: {text}; x-ms-encryption-key-sha256: {sha256}"), "400 MissingRequiredHeader"),
        (whole.replace("AES256", "ROT13"), "400 InvalidHeaderValue"),
        (whole.replace(&sha256, &key(b'b').1), "400 InvalidHeaderValue"),
        (whole.replace(&text, &text[4..]), "400 InvalidHeaderValue"),
        (whole.replace(&text, &format!("?{}", &text[1..])), "400 InvalidHeaderValue"),
        (format!("{whole}; x-ms-encryption-scope: s"), "400 InvalidInput"),
    ] {
        check_in(
            &server,
            &format!(
                "PUT /box/b | x-ms-blob-type: BlockBlob; {headers} | x → {verdict} | | !{}
                 PUT /box/b?comp=block&blockid=QQ== | {headers} | x → {verdict} | | !{}
                 GET /box/b → 404 BlobNotFound",
                &text[8..32],
                &text[8..32],
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn answers_report_the_encryption() {
    let server = server().await;
    let (a, sha256) = key(b'a');
    let (b, _) = key(b'b');
    let secret = STANDARD.encode([b'a'; 32]);
    let url = format!("{}/box/k?{}", server.blob_url(), token::reader("box"));
    check_in(
        &server,
        &format!(
            "PUT /box/k | x-ms-blob-type: BlockBlob; x-ms-meta-m: hidden; {a} | text → 201 | x-ms-encryption-key-sha256: {sha256}; x-ms-encryption-key: -; x-ms-encryption-scope: -
             GET /box/k | {a} → 200 | x-ms-encryption-key-sha256: {sha256}; x-ms-encryption-key: -; x-ms-server-encrypted: true; x-ms-meta-m: hidden | text
             HEAD /box/k | {a} → 200 | x-ms-encryption-key-sha256: {sha256}
             GET /box/k → {USES} | x-ms-encryption-key-sha256: -; x-ms-meta-m: - | !{secret} | !text
             # a change of the properties needs no key, but a key in the request must be the right one
             PUT /box/k?comp=properties | x-ms-blob-content-type: text/css → 200
             PUT /box/k?comp=properties | x-ms-blob-content-type: text/plain; {a} → 200
             PUT /box/k?comp=properties | x-ms-blob-content-type: text/html; {b} → 409 BlobCustomerSpecifiedEncryptionMismatch
             PUT /box/k?comp=properties | x-ms-blob-content-type: text/html; x-ms-encryption-scope: s → 409 BlobCustomerSpecifiedEncryptionMismatch
             GET /box/k | {a} → 200 | content-type: text/plain
             PUT /box/s | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: s; x-ms-meta-m: shown | text → 201 | x-ms-encryption-scope: s; x-ms-encryption-key-sha256: -
             GET /box/s → 200 | x-ms-encryption-scope: s; x-ms-meta-m: shown | text
             GET /box?restype=container&comp=list&include=metadata → 200 | | ~<CustomerProvidedKeySha256>{sha256}</CustomerProvidedKeySha256> | ~<Metadata Encrypted=\"true\" /> | ~<EncryptionScope>s</EncryptionScope> | ~<Metadata><m>shown</m></Metadata> | !hidden | !{secret}
             PUT /box/l?comp=block&blockid=QQ== | {a} | text → 201 | x-ms-encryption-key-sha256: {sha256}
             PUT /box/l?comp=blocklist | {a} | <BlockList><Latest>QQ==</Latest></BlockList> → 201 | x-ms-encryption-key-sha256: {sha256}
             GET /box/l → {USES}
             GET /box/l | {a} → 200 | | text
             # a copy has no key for its source, whatever its own encryption is
             PUT /box/c | x-ms-copy-source: {url} → {USES}
             PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url} → {USES}
             PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; {a} → {USES}
             GET /box/c → 404 BlobNotFound
             PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-copy-source: {}; {a} → 201 | x-ms-encryption-key-sha256: {sha256}
             GET /box/c | {a} → 200 | x-ms-encryption-scope: - | text",
            url.replace("/box/k", "/box/s"),
        ),
    )
    .await;
}

#[tokio::test]
async fn a_container_has_a_scope_for_its_blobs() {
    let (a, _) = key(b'a');
    let forbidden = "403 RequestForbiddenByContainerEncryptionPolicy";
    check_in(
        &TestServer::new().await,
        &format!(
            "PUT /soft?restype=container | x-ms-default-encryption-scope: s; x-ms-deny-encryption-scope-override: false → 201
             PUT /hard?restype=container | x-ms-default-encryption-scope: s; x-ms-deny-encryption-scope-override: true → 201
             PUT /odd?restype=container | x-ms-default-encryption-scope: s; x-ms-deny-encryption-scope-override: maybe → 400 InvalidHeaderValue
             HEAD /hard?restype=container → 200 | x-ms-default-encryption-scope: s; x-ms-deny-encryption-scope-override: true
             PUT /soft/b | x-ms-blob-type: BlockBlob | x → 201 | x-ms-encryption-scope: s
             PUT /soft/c | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: t | x → 201 | x-ms-encryption-scope: t
             PUT /soft/d | x-ms-blob-type: BlockBlob; {a} | x → 201 | x-ms-encryption-scope: -; x-ms-encryption-key-sha256: +
             PUT /hard/b | x-ms-blob-type: BlockBlob | x → 201 | x-ms-encryption-scope: s
             PUT /hard/b | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: s | x → 201
             PUT /hard/b | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: t | y → {forbidden}
             PUT /hard/b | x-ms-blob-type: BlockBlob; {a} | y → {forbidden}
             PUT /hard/b?comp=block&blockid=QQ== | x-ms-encryption-scope: t | y → {forbidden}
             PUT /hard/b?comp=metadata | x-ms-meta-a: 1 → 200 | x-ms-encryption-scope: s
             GET /hard/b → 200 | x-ms-encryption-scope: s | x"
        ),
    )
    .await;
}

/// One without the other is refused, even if the scope is the account's own, and creates no container.
#[tokio::test]
async fn a_default_scope_and_its_flag_need_each_other() {
    let says = "~Container encryption policy missing header: x-ms-default-encryption-scope and x-ms-deny-encryption-scope-override \
                are required.";
    let missing = format!("400 MissingRequiredHeader | | {says}");
    check_in(
        &TestServer::new().await,
        &format!(
            "PUT /can?restype=container | x-ms-default-encryption-scope: s → {missing}
             PUT /can?restype=container | x-ms-default-encryption-scope: $account-encryption-key → {missing}
             PUT /can?restype=container | x-ms-deny-encryption-scope-override: true → {missing}
             PUT /can?restype=container | x-ms-deny-encryption-scope-override: false → {missing}
             HEAD /can?restype=container → 404 ContainerNotFound
             PUT /can?restype=container | x-ms-default-encryption-scope: $account-encryption-key; x-ms-deny-encryption-scope-override: true → 201
             HEAD /can?restype=container → 200 | x-ms-default-encryption-scope: $account-encryption-key; x-ms-deny-encryption-scope-override: true"
        ),
    )
    .await;
}

/// In an account that declares its scopes, no blob can be written with another. A blob that was written before can be read.
#[tokio::test]
async fn an_account_declares_its_scopes() {
    let folder = Scratch::new("scopes");
    let keep = ["--location", folder.path()];
    let declares = ["--location", folder.path(), "--account", "devstoreaccount1,scope=one,scope=two"];
    let mut server = TestServer::with(&keep).await;
    check_in(
        &server,
        "PUT /box?restype=container | x-ms-blob-public-access: blob → 201
         PUT /box/other | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: other | x → 201",
    )
    .await;
    server.restart_with(&declares).await;
    check_in(
        &server,
        "GET /box/other → 200 | x-ms-encryption-scope: other | x
         # a read names no scope, and is not refused for its absence
         GET /box/other | x-ms-encryption-scope: other → 200 | | x
         PUT /can?restype=container | x-ms-default-encryption-scope: other; x-ms-deny-encryption-scope-override: false → 400 InvalidHeaderValue | | ~<HeaderName>x-ms-default-encryption-scope</HeaderName><HeaderValue>other</HeaderValue>
         PUT /can?restype=container | x-ms-default-encryption-scope: one; x-ms-deny-encryption-scope-override: false → 201
         PUT /can/b | x-ms-blob-type: BlockBlob | x → 201 | x-ms-encryption-scope: one
         PUT /can/b | x-ms-blob-type: BlockBlob; x-ms-encryption-scope: two | x → 201 | x-ms-encryption-scope: two
         PUT /box/a | x-ms-blob-type: AppendBlob; x-ms-encryption-scope: one → 201
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-encryption-scope: one → 201
         PUT /box/s | x-ms-blob-type: BlockBlob | {512*k} → 201 | x-ms-encryption-scope: -",
    )
    .await;
    let source = format!("x-ms-copy-source: {}/box/s; ", server.blob_url());
    let list = "<BlockList><Latest>QQ==</Latest></BlockList>";
    for (target, headers, body, status) in [
        ("/box/b", "x-ms-blob-type: BlockBlob; ".to_owned(), "x", 201),
        ("/box/b?comp=metadata", "x-ms-meta-a: 1; ".to_owned(), "", 200),
        ("/box/b?comp=snapshot", String::new(), "", 201),
        ("/box/b?comp=block&blockid=QQ==", String::new(), "x", 201),
        ("/box/b?comp=blocklist", String::new(), list, 201),
        ("/box/b?comp=block&blockid=QQ==", source.clone(), "", 201),
        ("/box/b", format!("{source}x-ms-blob-type: BlockBlob; "), "", 201),
        ("/box/b", format!("{source}x-ms-requires-sync: true; "), "", 202),
        ("/box/a", "x-ms-blob-type: AppendBlob; ".to_owned(), "", 201),
        ("/box/a?comp=appendblock", String::new(), "x", 201),
        ("/box/a?comp=appendblock", source.clone(), "", 201),
        ("/box/p", "x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; ".to_owned(), "", 201),
        ("/box/p?comp=page", "x-ms-page-write: update; x-ms-range: bytes=0-511; ".to_owned(), "{512*k}", 201),
        (
            "/box/p?comp=page",
            format!("{source}x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-source-range: bytes=0-511; "),
            "",
            201,
        ),
    ] {
        check_in(
            &server,
            &format!(
                "PUT {target} | {headers}x-ms-encryption-scope: other | {body} → 400 InvalidHeaderValue | | ~<HeaderName>x-ms-encryption-scope</HeaderName><HeaderValue>other</HeaderValue>
                 PUT {target} | {headers}x-ms-encryption-scope: one | {body} → {status}"
            ),
        )
        .await;
    }
}

/// A copy with its source's key reads the source, on this server and on another. A copy with a wrong key does not, and a key without its
/// fingerprint is refused before the source is requested.
#[tokio::test]
async fn a_copy_may_have_the_key_of_its_source() {
    let (server, other) = (server().await, TestServer::new().await);
    let ((a, _), (b, sha256)) = (key(b'a'), key(b'b'));
    let source = |key: &str| key.replace("x-ms-encryption", "x-ms-source-encryption");
    check_in(
        &server,
        &format!(
            "PUT /box?restype=container&comp=acl | x-ms-blob-public-access: blob → 200
             PUT /box/k | x-ms-blob-type: BlockBlob; {a} | {{512*k}} → 201
             PUT /box/plain | x-ms-blob-type: BlockBlob | x → 201"
        ),
    )
    .await;
    let url = format!("{}/box/k", server.blob_url());
    for (copier, mine) in [(&server, true), (&other, false)] {
        if !mine {
            copier.container("box").await;
        }
        let mismatch = if mine { OTHER } else { "409 CannotVerifyCopySource" };
        for (target, own, status) in [
            ("b", "x-ms-blob-type: BlockBlob; ", 201),
            ("c", "x-ms-requires-sync: true; ", 202),
            ("b?comp=block&blockid=QQ==", "", 201),
            ("a?comp=appendblock", "", 201),
            ("p?comp=page", "x-ms-page-write: update; x-ms-range: bytes=0-511; ", 201),
        ] {
            check_in(
                copier,
                &format!(
                    "PUT /box/a | x-ms-blob-type: AppendBlob → 201
                     PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
                     PUT /box/{target} | {own}x-ms-copy-source: {url} → {}
                     PUT /box/{target} | {own}x-ms-copy-source: {url}; {} → {mismatch}
                     PUT /box/{target} | {own}x-ms-copy-source: {url}; x-ms-source-encryption-key: {} → 400 MissingRequiredHeader
                     PUT /box/{target} | {own}x-ms-copy-source: {url}; {} → {status}",
                    if mine { USES } else { "409 CannotVerifyCopySource" },
                    source(&b),
                    STANDARD.encode([b'a'; 32]),
                    source(&a),
                ),
            )
            .await;
        }
        check_in(
            copier,
            &format!(
                "GET /box/c → 200 | x-ms-encryption-key-sha256: - | {{512*k}}
                 GET /box/b → 200 | x-ms-encryption-key-sha256: - | {{512*k}}
                 # from one key to another
                 PUT /box/d | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; {}; {b} → 201 | x-ms-encryption-key-sha256: {sha256}
                 GET /box/d → {USES}
                 GET /box/d | {b} → 200 | | {{512*k}}",
                source(&a)
            ),
        )
        .await;
    }
    let lacks = format!(
        "PUT /box/e | x-ms-blob-type: BlockBlob; x-ms-copy-source: {}; {} → {LACKS}",
        url.replace("/box/k", "/box/plain"),
        source(&a)
    );
    check_in(&server, &lacks).await;
}

/// Blocks have the key or scope of their request, and the list that commits them must have the same.
#[tokio::test]
async fn a_block_list_shows_what_its_blocks_were_put_with() {
    let server = server().await;
    let ((a, _), (b, _)) = (key(b'a'), key(b'b'));
    let scope = "x-ms-encryption-scope: s";
    let list = "<BlockList><Latest>QQ==</Latest></BlockList>";
    for (at, (put, listed, verdict)) in [
        ("", "", "201"),
        (&*a, &*a, "201"),
        (scope, scope, "201"),
        (&a, "", USES),
        (&a, &b, OTHER),
        (&a, scope, OTHER),
        ("", &a, LACKS),
        ("", scope, LACKS),
        (scope, "", USES),
        (scope, &a, OTHER),
    ]
    .into_iter()
    .enumerate()
    {
        check_in(
            &server,
            &format!(
                "PUT /box/l{at}?comp=block&blockid=QQ== | {put} | x → 201
                 PUT /box/l{at}?comp=blocklist | {listed} | {list} → {verdict}"
            ),
        )
        .await;
    }
    // A committed block has that of the blob.
    check_in(
        &server,
        &format!(
            "PUT /box/l1?comp=blocklist | | {list} → {USES}
             PUT /box/l1?comp=blocklist | {b} | {list} → {OTHER}
             PUT /box/l1?comp=blocklist | | <BlockList /> → 201
             GET /box/l1 → 200 | | {{}}"
        ),
    )
    .await;
}

/// Copy Blob and Incremental Copy Blob do not encrypt: a header of encryption is refused, not ignored.
#[tokio::test]
async fn copies_refuse_encryption() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/source", "text").await;
    let source = format!("{}/box/source", server.blob_url());
    for target in ["/box/copy", "/box/copy?comp=incrementalcopy"] {
        for header in ["x-ms-encryption-key", "x-ms-encryption-key-sha256", "x-ms-encryption-algorithm", "x-ms-encryption-scope"]
        {
            let copy = server.request("PUT", target).header("x-ms-copy-source", &source).header(header, "scope");
            assert_eq!(copy.send().await.verdict(), "400 UnsupportedHeader", "{target} {header}");
        }
    }
    assert_eq!(server.request("HEAD", "/box/copy").send().await.status, 404);
}
