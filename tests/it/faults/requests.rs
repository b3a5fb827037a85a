//! Well-formed HTTP with invalid numbers, dates, names, documents or checksums, and with repeated headers or parameters.

use super::wire::{self, Wire};
use super::{Stored, refusal, refusal_of};
use crate::server::VERSION;
use lazuli::ServiceKind;

type RequestCase = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str, &'static str);

/// Sends each request, signed; checks the verdict, the format of the error, and that nothing changed.
async fn check(rows: &[RequestCase]) {
    let stored = Stored::new().await;
    for (method, target, headers, body, verdict) in rows {
        let row = format!("{method} {target} {headers:?} {body:.60}");
        let answer = stored.server.request(method, target).headers(headers).body(*body).send().await;
        assert_eq!(answer.verdict(), *verdict, "{row}: {}", answer.text());
        refusal(&answer, method, VERSION);
        stored.unchanged(&row).await;
    }
}

const PUT_BLOB: (&str, &str) = ("x-ms-blob-type", "BlockBlob");

#[tokio::test]
async fn absurd_numbers() {
    check(&[
        ("GET", "/?comp=list&maxresults=0", &[], "", "400 OutOfRangeInput"),
        ("GET", "/?comp=list&maxresults=-1", &[], "", "400 OutOfRangeInput"),
        ("GET", "/?comp=list&maxresults=ten", &[], "", "400 InvalidQueryParameterValue"),
        ("GET", "/?comp=list&maxresults=1e3", &[], "", "400 InvalidQueryParameterValue"),
        ("GET", "/?comp=list&maxresults=99999999999999999999", &[], "", "400 InvalidQueryParameterValue"),
        ("GET", "/kept?restype=container&comp=list&maxresults=0", &[], "", "400 OutOfRangeInput"),
        ("GET", "/kept/digits", &[("range", "bytes=10-")], "", "416 InvalidRange"),
        ("GET", "/kept/digits", &[("range", "bytes=18446744073709551615-")], "", "416 InvalidRange"),
        ("GET", "/kept/digits", &[("x-ms-range", "bytes=18446744073709551614-18446744073709551615")], "", "416 InvalidRange"),
        (
            "GET",
            "/kept/digits",
            &[("range", "bytes=0-1"), ("x-ms-range-get-content-md5", "perhaps")],
            "",
            "400 InvalidHeaderValue",
        ),
        ("GET", "/kept/digits", &[("x-ms-range-get-content-md5", "true")], "", "400 InvalidHeaderValue"),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "14")],
            "",
            "400 InvalidHeaderValue",
        ),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "61")],
            "",
            "400 InvalidHeaderValue",
        ),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "-2")],
            "",
            "400 InvalidHeaderValue",
        ),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "15.5")],
            "",
            "400 InvalidHeaderValue",
        ),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "18446744073709551617")],
            "",
            "400 InvalidHeaderValue",
        ),
        ("PUT", "/kept/digits?comp=lease", &[("x-ms-lease-action", "acquire")], "", "400 MissingRequiredHeader"),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "break"), ("x-ms-lease-break-period", "61")],
            "",
            "400 InvalidHeaderValue",
        ),
        (
            "PUT",
            "/kept/digits?comp=lease",
            &[("x-ms-lease-action", "break"), ("x-ms-lease-break-period", "-1")],
            "",
            "400 InvalidHeaderValue",
        ),
        ("PUT", "/kept/digits?comp=lease", &[("x-ms-lease-action", "seize")], "", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits?comp=lease", &[], "", "400 MissingRequiredHeader"),
        (
            "PUT",
            "/kept?restype=container&comp=lease",
            &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "0")],
            "",
            "400 InvalidHeaderValue",
        ),
    ])
    .await;
}

#[tokio::test]
async fn values_that_are_none() {
    check(&[
        ("GET", "/kept/digits", &[("if-modified-since", "yesterday")], "", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("if-unmodified-since", "2020-01-01")], "new", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-if-tags", "colour is blue")], "new", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-lease-id", "mine")], "new", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-access-tier", "Lukewarm")], "new", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-tags", "a=b&a=c")], "new", "400 DuplicateTagNames"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-meta-a-b", "x")], "new", "400 InvalidMetadata"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-meta-", "x")], "new", "400 EmptyMetadataKey"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("content-md5", "short")], "new", "400 InvalidMd5"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==")], "new", "400 Md5Mismatch"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-blob-content-md5", "AAAAAAAAAAAAAAAAAAAAAA==")], "new", "400 Md5Mismatch"),
        ("PUT", "/kept/digits", &[PUT_BLOB, ("x-ms-content-crc64", "AAAAAAAAAAA=")], "new", "400 Crc64Mismatch"),
        ("PUT", "/kept/digits", &[("x-ms-blob-type", "SuperBlob")], "new", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[], "new", "400 MissingRequiredHeader"),
        ("PUT", "/kept/digits", &[("x-ms-blob-type", "")], "new", "400 MissingRequiredHeader"),
        ("PUT", "/kept/digits", &[("x-ms-copy-source", "no url at all")], "", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[("x-ms-copy-source", "/devstoreaccount1/%zz/b")], "", "400 InvalidHeaderValue"),
        ("PUT", "/kept/digits", &[("x-ms-copy-source", "")], "", "400 MissingRequiredHeader"),
        ("PUT", "/kept/digits", &[("x-ms-copy-source", ""), ("x-ms-blob-type", "BlockBlob")], "", "400 MissingRequiredHeader"),
        ("PUT", "/kept/digits?comp=block&blockid=not!base64", &[], "new", "400 InvalidQueryParameterValue"),
        ("PUT", "/kept/digits?comp=block", &[], "new", "400 MissingRequiredQueryParameter"),
        ("PUT", "/kept/digits?comp=block&blockid=YWE%3D", &[], "", "400 InvalidHeaderValue"),
        ("PUT", "/kept/waiting?comp=block&blockid=YWFh", &[], "new", "400 InvalidBlobOrBlock"),
        ("GET", "/kept/digits?comp=blocklist&blocklisttype=some", &[], "", "400 InvalidQueryParameterValue"),
        ("GET", "/kept/digits?snapshot=monday", &[], "", "400 InvalidQueryParameterValue"),
        ("DELETE", "/kept/digits", &[("x-ms-delete-snapshots", "perhaps")], "", "400 InvalidHeaderValue"),
        ("GET", "/kept?restype=container&comp=list&include=everything", &[], "", "400 InvalidQueryParameterValue"),
        ("GET", "/?comp=list&include=everything", &[], "", "400 InvalidQueryParameterValue"),
        ("PUT", "/other?restype=container", &[("x-ms-blob-public-access", "everybody")], "", "400 InvalidHeaderValue"),
        ("OPTIONS", "/kept/digits", &[], "", "400 InvalidHeaderValue"),
        (
            "OPTIONS",
            "/kept/digits",
            &[("origin", "http://a"), ("access-control-request-method", "PUT")],
            "",
            "403 CorsPreflightFailure",
        ),
    ])
    .await;
}

#[tokio::test]
async fn names_that_nothing_has() {
    let long = format!("/{}?restype=container", "a".repeat(64));
    let blob = format!("/kept/{}", "b".repeat(1025));
    let deep = format!("/kept/{}", ["a"; 255].join("/"));
    let stored = Stored::new().await;
    for (method, target, verdict) in [
        ("PUT", "/UPPER?restype=container", "400 InvalidResourceName"),
        ("PUT", "/a--b?restype=container", "400 InvalidResourceName"),
        ("PUT", "/%2e%2e%2fkept?restype=container", "400 InvalidResourceName"),
        ("PUT", "/ab?restype=container", "400 OutOfRangeInput"),
        ("PUT", long.as_str(), "400 OutOfRangeInput"),
        ("PUT", "//digits", "400 OutOfRangeInput"),
        ("PUT", blob.as_str(), "400 OutOfRangeInput"),
        ("PUT", deep.as_str(), "400 OutOfRangeInput"),
        ("PUT", "/kept/%", "400 InvalidUri"),
        ("PUT", "/kept/%4", "400 InvalidUri"),
        ("PUT", "/kept/%zz", "400 InvalidUri"),
        ("PUT", "/kept/%C3", "400 InvalidUri"),
        ("PUT", "/kept/%FF%FE", "400 InvalidUri"),
        ("PUT", "/%C3?restype=container", "400 InvalidUri"),
        ("PUT", "/kept/digits?comp=%zz", "400 InvalidQueryParameterValue"),
        ("PUT", "/kept/digits?x=%C3", "400 InvalidQueryParameterValue"),
        ("PUT", "/kept/digits?%C3=x", "400 InvalidUri"),
        ("GET", "/nowhere/digits", "404 ContainerNotFound"),
        ("GET", "/kept/nothing", "404 BlobNotFound"),
        ("HEAD", "/kept/nothing", "404 BlobNotFound"),
        ("GET", "/kept/digits?snapshot=2020-01-01T00:00:00.0000000Z", "404 BlobNotFound"),
        ("GET", "/kept/digits?versionid=2020-01-01T00:00:00.0000000Z", "404 BlobNotFound"),
        ("DELETE", "/kept/digits?versionid=2020-01-01T00:00:00.0000000Z", "404 BlobNotFound"),
    ] {
        let answer = stored.server.request(method, target).header("x-ms-blob-type", "BlockBlob").send().await;
        assert_eq!(answer.verdict(), verdict, "{method} {target:.80}: {}", answer.text());
        refusal(&answer, method, VERSION);
        stored.unchanged(target).await;
    }
}

/// Documents that no operation accepts.
#[tokio::test]
async fn malformed_documents() {
    let deep = "<BlockList>".repeat(200);
    let bomb = "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]><BlockList>&lol2;</BlockList>";
    let outside = "<!DOCTYPE x [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><SignedIdentifiers>&x;</SignedIdentifiers>";
    let documents: Vec<Vec<u8>> = [
        "hello",
        "{}",
        "<",
        "<>",
        "<BlockList>",
        "<BlockList></Other>",
        "<BlockList/><BlockList/>",
        "</BlockList>",
        "<BlockList>&nope;</BlockList>",
        "<BlockList>&#xFFFFFFFF;</BlockList>",
        "<BlockList><Surprise>YWE=</Surprise></BlockList>",
        "<SignedIdentifiers><Surprise/></SignedIdentifiers>",
        "<StorageServiceProperties><Surprise/></StorageServiceProperties>",
        "<BlockList a=\"1\" a='2'",
        "<![CDATA[",
        "<!-- ",
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
        bomb,
        outside,
        deep.as_str(),
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .chain([b"<BlockList>\xff\xfe</BlockList>".to_vec(), b"\xff\xfe<\0B\0/\0>\0".to_vec(), vec![0; 100]])
    .collect();
    let (xml, json) = ("400 InvalidXmlDocument", "400 InvalidInput");
    for (kind, rows) in [
        (
            ServiceKind::Blob,
            &[
                ("PUT", "/kept/digits?comp=blocklist", xml),
                ("PUT", "/kept?restype=container&comp=acl", xml),
                ("PUT", "/?restype=service&comp=properties", xml),
            ][..],
        ),
        (
            ServiceKind::Queue,
            &[("POST", "/kept/messages", xml), ("PUT", "/kept?comp=acl", xml), ("PUT", "/?restype=service&comp=properties", xml)],
        ),
        (
            ServiceKind::Table,
            &[
                ("PUT", "/kept?comp=acl", xml),
                ("PUT", "/?restype=service&comp=properties", xml),
                ("POST", "/Tables", json),
                ("POST", "/kept", json),
                ("PUT", "/kept(PartitionKey='p',RowKey='r')", json),
                ("MERGE", "/kept(PartitionKey='p',RowKey='r')", json),
            ],
        ),
    ] {
        let stored = Stored::of(kind).await;
        for (document, (method, target, verdict)) in
            documents.iter().flat_map(|document| rows.iter().map(move |row| (document, row)))
        {
            // Some of them accept an object without members.
            if document == b"{}" && *verdict == json {
                continue;
            }
            let row = format!("{kind:?} {method} {target} {:.60}", String::from_utf8_lossy(document));
            let answer = stored.server.request(method, target).of(kind).body(document.clone()).send().await;
            assert_eq!(answer.verdict(), *verdict, "{row}: {}", answer.text());
            refusal_of(kind, &answer, method, VERSION);
            stored.unchanged(&row).await;
        }
    }
}

#[tokio::test]
async fn documents_that_say_nonsense() {
    check(&[
        ("PUT", "/kept/digits?comp=blocklist", &[], "<BlockList><Latest>bm9uZQ==</Latest></BlockList>", "400 InvalidBlockList"),
        ("PUT", "/kept/digits?comp=blocklist", &[], "<BlockList><Latest></Latest></BlockList>", "400 InvalidBlockList"),
        ("PUT", "/kept/digits?comp=blocklist", &[], "", "400 InvalidXmlDocument"),
        ("PUT", "/?restype=service&comp=properties", &[], "", "400 InvalidXmlDocument"),
        (
            "PUT",
            "/?restype=service&comp=properties",
            &[],
            "<StorageServiceProperties><DefaultServiceVersion>soon</DefaultServiceVersion></StorageServiceProperties>",
            "400 InvalidXmlNodeValue",
        ),
        (
            "PUT",
            "/?restype=service&comp=properties",
            &[],
            "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>99999999999</Days>\
             </DeleteRetentionPolicy></StorageServiceProperties>",
            "400 InvalidXmlDocument",
        ),
        (
            "PUT",
            "/?restype=service&comp=properties",
            &[],
            "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods>\
             <MaxAgeInSeconds>-1</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>",
            "400 InvalidXmlNodeValue",
        ),
        (
            "PUT",
            "/kept?restype=container&comp=acl",
            &[],
            "<SignedIdentifiers><SignedIdentifier><Id>two</Id><AccessPolicy><Expiry>tomorrow</Expiry></AccessPolicy>\
             </SignedIdentifier></SignedIdentifiers>",
            "400 InvalidXmlNodeValue",
        ),
        (
            "PUT",
            "/kept?restype=container&comp=acl",
            &[],
            "<SignedIdentifiers><SignedIdentifier><Id></Id></SignedIdentifier></SignedIdentifiers>",
            "400 InvalidXmlDocument",
        ),
    ])
    .await;
}

/// Of a repeated header or parameter, both values count, or neither does.
#[tokio::test]
async fn said_twice() {
    let stored = Stored::new().await;
    let etag = stored.server.request("HEAD", "/kept/digits").send().await.header("etag").to_owned();
    let sas = wire::sas();
    let put = format!(
        "PUT /devstoreaccount1/kept/digits?{sas} HTTP/1.1\r\nhost: a\r\nx-ms-version: {VERSION}\r\ncontent-length: 3\r\n"
    );
    let twice_the_lease =
        "x-ms-lease-id: 00000000-0000-0000-0000-000000000001\r\nx-ms-lease-id: 00000000-0000-0000-0000-000000000002\r\n";
    let rows = [
        ("x-ms-blob-type: BlockBlob\r\nx-ms-blob-type: PageBlob\r\n".to_owned(), "400 InvalidHeaderValue"),
        (format!("x-ms-blob-type: BlockBlob\r\nif-match: {etag}\r\nif-match: \"0x1\"\r\n"), "400 MultipleConditionHeadersNotSupported"),
        ("x-ms-blob-type: BlockBlob\r\nif-none-match: \"0x1\"\r\nif-none-match: *\r\n".to_owned(), "400 MultipleConditionHeadersNotSupported"),
        (
            "x-ms-blob-type: BlockBlob\r\nif-unmodified-since: Fri, 01 Jan 2100 00:00:00 GMT\r\nif-unmodified-since: Wed, 01 Jan 2020 00:00:00 GMT\r\n".to_owned(),
            "400 InvalidHeaderValue",
        ),
        (format!("x-ms-blob-type: BlockBlob\r\n{twice_the_lease}"), "400 InvalidHeaderValue"),
        ("x-ms-blob-type: BlockBlob\r\ncontent-md5: AAAAAAAAAAAAAAAAAAAAAA==\r\ncontent-md5: AAAAAAAAAAAAAAAAAAAAAA==\r\n".to_owned(), "400 InvalidMd5"),
        // Of two versions neither is followed, and the code is in the body only.
        ("x-ms-blob-type: BlockBlob\r\nx-ms-version: 2019-12-12\r\n".to_owned(), "400"),
    ];
    for (headers, verdict) in rows {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{put}{headers}\r\nnew")).await;
        let answer = wire.hear("PUT").await.answer;
        assert_eq!(answer.verdict(), verdict, "{headers}: {}", answer.text());
        stored.unchanged(&headers).await;
    }
    for (target, verdict) in [
        ("/kept?restype=container&comp=list&comp=acl", "400 InvalidQueryParameterValue"),
        ("/kept?restype=container&restype=account&comp=list", "400 InvalidQueryParameterValue"),
        ("/kept?restype=container&COMP=acl&comp=list", "400 InvalidQueryParameterValue"),
        ("/kept?restype=container&comp=list&maxresults=1&maxresults=2", "400 InvalidQueryParameterValue"),
        ("/kept/digits?snapshot=a&snapshot=b", "400 InvalidQueryParameterValue"),
        ("/kept/digits?sp=r", "403 AuthenticationFailed"),
    ] {
        let answer = stored.server.request("GET", &format!("{target}&{sas}")).anonymous().send().await;
        assert_eq!(answer.verdict(), verdict, "{target}: {}", answer.text());
    }
    // A repeated metadata name has one value, joined from both, as in the real service.
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    let twice = "x-ms-blob-type: BlockBlob\r\nx-ms-meta-a: 1\r\nX-Ms-Meta-A: 2\r\n";
    wire.say(format!("{}{twice}\r\nnew", put.replace("digits", "joined"))).await;
    assert_eq!(wire.hear("PUT").await.answer.verdict(), "201");
    assert_eq!(stored.server.request("HEAD", "/kept/joined").send().await.header("x-ms-meta-a"), "1,2");
}

/// The clock stops at the end of the calendar, and the server still answers.
#[tokio::test]
async fn the_end_of_time() {
    let stored = Stored::new().await;
    for _ in 0..100 {
        stored.server.wait(u64::from(u32::MAX));
    }
    let answer = stored.server.request("GET", "/kept/digits").send().await;
    assert_eq!((answer.verdict(), answer.header("date")), ("200".to_owned(), "Fri, 31 Dec 9999 23:59:59 GMT"));
    stored.server.blob("/kept/late", "late").await;
    stored.server.blob("/kept/later", "later").await;
    assert_eq!(stored.server.request("GET", "/kept/later").send().await.text(), "later");
}
