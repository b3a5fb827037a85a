//! Shared Key and Shared Key Lite: the parts of a request that are signed, and their form.

use super::signed::{GET, SignedRequest, USUAL};
use super::{Headers, path, server_with_blob};

#[tokio::test]
async fn the_parts_of_a_request_that_are_signed() {
    let server = server_with_blob().await;
    let put = "/devstoreaccount1/box/new";
    let put_headers: Headers<'_> = &[("x-ms-blob-type", "BlockBlob"), ("x-ms-date", "{date}"), ("x-ms-version", "2021-12-02")];
    let put_signs =
        "x-ms-blob-type:BlockBlob|x-ms-date:{date}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/new";
    for (why, row, verdict) in [
        ("a plain read", GET, "200"),
        ("lite", SignedRequest { scheme: "SharedKeyLite", ..GET }, "200"),
        ("HEAD", SignedRequest { method: "HEAD", ..GET }, "200"),
        (
            "a method that is not the one signed",
            SignedRequest { signs: "PUT||||||||||||x-ms-date:{date}|x", ..GET },
            "403 AuthenticationFailed",
        ),
        (
            "a date header alone",
            SignedRequest {
                headers: &[("Date", "{date}"), ("x-ms-version", "2021-12-02")],
                signs: "GET||||||{date}||||||x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob",
                ..GET
            },
            "200",
        ),
        (
            "both dates: x-ms-date is the one, and Date is neither signed nor looked at",
            SignedRequest { headers: &[("Date", "long ago"), ("x-ms-date", "{date}"), ("x-ms-version", "2021-12-02")], ..GET },
            "200",
        ),
        (
            "every standard header",
            SignedRequest {
                headers: &[
                    ("Content-Encoding", "gzip"),
                    ("Content-Language", "de"),
                    ("Content-MD5", "mgNkuembtIDdJeHwKEyFVQ=="),
                    ("Content-Type", "text/plain; charset=utf-8"),
                    ("If-Unmodified-Since", "{date}"),
                    ("x-ms-blob-type", "BlockBlob"),
                    ("x-ms-date", "{date}"),
                    ("x-ms-version", "2021-12-02"),
                ],
                method: "PUT",
                target: put,
                body: "content",
                signs: "PUT|gzip|de|7|mgNkuembtIDdJeHwKEyFVQ==|text/plain; charset=utf-8|||||{date}||x-ms-blob-type:BlockBlob|\
                        x-ms-date:{date}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/new",
                ..GET
            },
            "201",
        ),
        (
            "a range and conditions",
            SignedRequest {
                headers: &[
                    ("If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT"),
                    ("If-Match", "*"),
                    ("If-None-Match", "\"0x1\""),
                    ("Range", "bytes=1-2"),
                    ("x-ms-date", "{date}"),
                    ("x-ms-version", "2021-12-02"),
                ],
                signs: "GET|||||||Sat, 01 Jan 2000 00:00:00 GMT|*|\"0x1\"||bytes=1-2|x-ms-date:{date}|x-ms-version:2021-12-02|\
                        /devstoreaccount1/devstoreaccount1/box/blob",
                ..GET
            },
            "206",
        ),
        (
            "an empty body counts nothing",
            SignedRequest { method: "PUT", target: put, headers: put_headers, signs: put_signs, ..GET },
            "201",
        ),
        (
            "an empty body counts 0 before 2015-02-21",
            SignedRequest {
                method: "PUT",
                target: put,
                headers: &[("x-ms-blob-type", "BlockBlob"), ("x-ms-date", "{date}"), ("x-ms-version", "2014-02-14")],
                signs: "PUT|||0|||||||||x-ms-blob-type:BlockBlob|x-ms-date:{date}|x-ms-version:2014-02-14|\
                        /devstoreaccount1/devstoreaccount1/box/new",
                ..GET
            },
            "201",
        ),
        (
            "a header repeated, with blanks around its values",
            SignedRequest {
                headers: &[
                    ("X-MS-Date", "{date}"),
                    ("x-ms-tail", "  one  two "),
                    ("x-ms-Tail", "three"),
                    ("x-ms-version", "2021-12-02"),
                ],
                signs: "x-ms-date:{date}|x-ms-tail:one  two,three|x-ms-version:2021-12-02|\
                        /devstoreaccount1/devstoreaccount1/box/blob",
                ..GET
            },
            "200",
        ),
        (
            "an empty header",
            SignedRequest {
                headers: &[("x-ms-date", "{date}"), ("x-ms-empty", ""), ("x-ms-version", "2016-05-31")],
                signs: "x-ms-date:{date}|x-ms-empty:|x-ms-version:2016-05-31|/devstoreaccount1/devstoreaccount1/box/blob",
                ..GET
            },
            "200",
        ),
        (
            "an empty header before 2016-05-31",
            SignedRequest {
                headers: &[("x-ms-date", "{date}"), ("x-ms-empty", ""), ("x-ms-version", "2015-12-11")],
                signs: "x-ms-date:{date}|x-ms-version:2015-12-11|/devstoreaccount1/devstoreaccount1/box/blob",
                ..GET
            },
            "200",
        ),
    ] {
        assert_eq!(row.verdict(&server).await, verdict, "{why}");
    }
}

#[tokio::test]
async fn the_url_as_it_is_signed() {
    let server = server_with_blob().await;
    server.blob("/box/a%20b%2Bc", "").await;
    server.container("my-secondary").await;
    server.blob("/my-secondary/blob", "").await;
    let usual = "x-ms-date:{date}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1";
    let no = "403 AuthenticationFailed";
    let host: Headers<'_> =
        &[("Host", "devstoreaccount1.blob.localhost:{port}"), ("x-ms-date", "{date}"), ("x-ms-version", "2021-12-02")];
    for (scheme, target, headers, signs, verdict) in [
        ("SharedKey", "/box?restype=container&comp=list&timeout=20", USUAL, "/box|comp:list|restype:container|timeout:20", "200"),
        ("SharedKey", "/box?RESTYPE=container&Comp=list", USUAL, "/box|comp:list|restype:container", "200"),
        (
            "SharedKey",
            "/box?restype=container&comp=list&prefix=b&Prefix=a",
            USUAL,
            "/box|comp:list|prefix:a,b|restype:container",
            "200",
        ),
        (
            "SharedKey",
            "/box?restype=container&comp=list&prefix=a%20b%2Bc&delimiter=%2F",
            USUAL,
            "/box|comp:list|delimiter:/|prefix:a b+c|restype:container",
            "200",
        ),
        ("SharedKey", "/box?restype=container&comp=list&prefix=a+b", USUAL, "/box|comp:list|prefix:a+b|restype:container", "200"),
        (
            "SharedKey",
            "/box?restype=container&comp=list&prefix=&timeout",
            USUAL,
            "/box|comp:list|prefix:|restype:container|timeout:",
            "200",
        ),
        ("SharedKey", "/box?restype=container&comp=list&prefix=a+b", USUAL, "/box|comp:list|prefix:a b|restype:container", "200"),
        // A parameter without `=` is a value without a name, as Microsoft.Azure.Storage signs its `update`.
        ("SharedKey", "/box?restype=container&comp=list&update", USUAL, "/box|:update|comp:list|restype:container", "200"),
        ("SharedKey", "/box?restype=container&comp=list&update", USUAL, "/box|comp:list|restype:container|update:", "200"),
        ("SharedKey", "/box?b&restype=container&comp=list&a", USUAL, "/box|:a,b|comp:list|restype:container", "200"),
        ("SharedKey", "/box?restype=container&comp=list&update", USUAL, "/box|comp:list|restype:container", no),
        ("SharedKey", "/box?restype=container&comp=list&update=", USUAL, "/box|:update|comp:list|restype:container", no),
        ("SharedKey", "/box?restype=container&%63omp=list", USUAL, "/box|comp:list|restype:container", "200"),
        (
            "SharedKey",
            "/box?restype=container&comp=list&prefix=a%3Db=c",
            USUAL,
            "/box|comp:list|prefix:a=b=c|restype:container",
            "200",
        ),
        ("SharedKey", "/box?restype=container&comp=list", USUAL, "/box|comp:list", no),
        ("SharedKey", "/box/a%20b%2Bc", USUAL, "/box/a%20b%2Bc", "200"),
        ("SharedKey", "/box/a%20b%2Bc", USUAL, "/box/a b+c", no),
        ("SharedKeyLite", "/box?restype=container&comp=list", USUAL, "/box?comp=list", "200"),
        ("SharedKeyLite", "/box?restype=container&comp=list", USUAL, "/box", no),
        ("SharedKeyLite", "/box?restype=container&comp=list", USUAL, "/box?comp=list&restype=container", no),
        ("SharedKey", "?comp=list", USUAL, "|comp:list", "200"),
        ("SharedKey", "/?comp=list", USUAL, "/|comp:list", "200"),
        ("SharedKey", "/my-secondary/blob", USUAL, "/my-secondary/blob", "200"),
        // Only the account's own suffix may be left out.
        ("SharedKey", "/my-secondary/blob", USUAL, "/my/blob", no),
    ] {
        let (target, signs) = (path(target), format!("{usual}{signs}"));
        let row = SignedRequest { scheme, target: &target, headers, signs: &signs, ..GET };
        assert_eq!(row.verdict(&server).await, verdict, "{scheme} {target} {signs}");
    }
    let (once, twice) = ("/devstoreaccount1/box/blob", "/devstoreaccount1/devstoreaccount1/box/blob");
    for (path, verdict) in [(once, "200"), (twice, no)] {
        let signs = format!("x-ms-date:{{date}}|x-ms-version:2021-12-02|{path}");
        let row = SignedRequest { target: "/box/blob", headers: host, signs: &signs, ..GET };
        assert_eq!(row.verdict(&server).await, verdict, "the account's own host, signed {path}");
    }
    let suffixed = "x-ms-date:{date}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1-secondary/box/blob";
    for (signs, verdict) in [(suffixed, "200"), (GET.signs, "200"), ("/devstoreaccount1/box/blob", no)] {
        let row = SignedRequest { target: "/devstoreaccount1-secondary/box/blob", signs, ..GET };
        assert_eq!(row.verdict(&server).await, verdict, "the secondary, signed {signs}");
    }
}

/// The service sorts headers as .NET's culture does; some clients sort them by byte.
#[tokio::test]
async fn metadata_may_be_signed_in_either_order() {
    let server = server_with_blob().await;
    let headers: Headers<'_> = &[
        ("x-ms-meta-a1", "1"),
        ("x-ms-meta-ab", "2"),
        ("x-ms-meta-a_b", "3"),
        ("x-ms-date", "{date}"),
        ("x-ms-version", "2021-12-02"),
    ];
    let culture = "x-ms-meta-a_b:3|x-ms-meta-a1:1|x-ms-meta-ab:2";
    let ordinal = "x-ms-meta-a1:1|x-ms-meta-a_b:3|x-ms-meta-ab:2";
    let neither = "x-ms-meta-ab:2|x-ms-meta-a1:1|x-ms-meta-a_b:3";
    for (order, verdict) in [(culture, "200"), (ordinal, "200"), (neither, "403 AuthenticationFailed")] {
        let signs = format!(
            "x-ms-date:{{date}}|{order}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob|comp:metadata"
        );
        let row =
            SignedRequest { method: "PUT", target: "/devstoreaccount1/box/blob?comp=metadata", headers, signs: &signs, ..GET };
        assert_eq!(row.verdict(&server).await, verdict, "{order}");
    }
    // A dash sorts last by culture and first by byte. It cannot be in the name of metadata, which is checked after the authorization.
    let headers: Headers<'_> =
        &[("x-ms-meta-a-b", "1"), ("x-ms-meta-aa", "2"), ("x-ms-date", "{date}"), ("x-ms-version", "2021-12-02")];
    for order in ["x-ms-meta-aa:2|x-ms-meta-a-b:1", "x-ms-meta-a-b:1|x-ms-meta-aa:2"] {
        let signs = format!(
            "x-ms-date:{{date}}|{order}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob|comp:metadata"
        );
        let row =
            SignedRequest { method: "PUT", target: "/devstoreaccount1/box/blob?comp=metadata", headers, signs: &signs, ..GET };
        assert_eq!(row.verdict(&server).await, "400 InvalidMetadata", "{order}");
    }
}
