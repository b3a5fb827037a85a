//! Blobs and their containers.

use super::{RandomRequest, encoded};
use crate::rng::Rng;
use crate::server::TestServer;

/// Operations: method, query, and parameters that get any value.
const OPERATIONS: [(&str, &str, &[&str]); 34] = [
    ("GET", "comp=list", &["marker", "maxresults"]),
    ("GET", "comp=blobs", &["where"]),
    ("POST", "comp=batch", &[]),
    ("PUT", "restype=service&comp=properties", &[]),
    ("PUT", "restype=container", &[]),
    ("PUT", "restype=container&comp=acl", &[]),
    ("PUT", "restype=container&comp=rename", &[]),
    ("PUT", "restype=container&comp=lease", &[]),
    ("GET", "restype=container&comp=list", &["marker", "include", "delimiter"]),
    ("GET", "restype=container&comp=list", &["prefix", "startfrom"]),
    ("PUT", "", &[]),
    ("GET", "", &[]),
    ("GET", "", &["snapshot"]),
    ("GET", "", &["versionid"]),
    ("HEAD", "", &[]),
    ("DELETE", "", &[]),
    ("OPTIONS", "", &[]),
    ("POST", "comp=query", &[]),
    ("PUT", "comp=properties", &[]),
    ("PUT", "comp=metadata", &[]),
    ("PUT", "comp=lease", &[]),
    ("PUT", "comp=snapshot", &[]),
    ("PUT", "comp=tags", &[]),
    ("PUT", "comp=tier", &[]),
    ("PUT", "comp=undelete", &[]),
    ("PUT", "comp=copy", &["copyid"]),
    ("PUT", "comp=block", &["blockid"]),
    ("PUT", "comp=blocklist", &[]),
    ("GET", "comp=blocklist", &["blocklisttype"]),
    ("PUT", "comp=appendblock", &[]),
    ("PUT", "comp=seal", &[]),
    ("PUT", "comp=page", &[]),
    ("GET", "comp=pagelist", &["prevsnapshot"]),
    ("PATCH", "comp=none", &[]),
];

const HEADERS: [&str; 56] = [
    "x-ms-version",
    "x-ms-client-request-id",
    "x-ms-blob-type",
    "x-ms-blob-content-length",
    "x-ms-blob-sequence-number",
    "x-ms-sequence-number-action",
    "x-ms-range",
    "range",
    "x-ms-range-get-content-md5",
    "x-ms-range-get-content-crc64",
    "x-ms-page-write",
    "x-ms-lease-action",
    "x-ms-lease-id",
    "x-ms-lease-duration",
    "x-ms-lease-break-period",
    "x-ms-proposed-lease-id",
    "x-ms-copy-source",
    "x-ms-copy-action",
    "x-ms-requires-sync",
    "x-ms-source-range",
    "x-ms-source-content-md5",
    "x-ms-source-if-match",
    "x-ms-source-if-modified-since",
    "x-ms-source-if-tags",
    "x-ms-source-container-name",
    "x-ms-copy-source-tag-option",
    "x-ms-copy-source-blob-properties",
    "x-ms-access-tier",
    "x-ms-rehydrate-priority",
    "x-ms-tags",
    "x-ms-if-tags",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "x-ms-blob-condition-appendpos",
    "x-ms-blob-condition-maxsize",
    "x-ms-if-sequence-number-le",
    "x-ms-if-sequence-number-eq",
    "x-ms-delete-snapshots",
    "x-ms-meta-a",
    "x-ms-meta-a-b",
    "x-ms-blob-public-access",
    "x-ms-encryption-key",
    "x-ms-encryption-key-sha256",
    "x-ms-encryption-scope",
    "x-ms-default-encryption-scope",
    "content-md5",
    "x-ms-content-crc64",
    "x-ms-blob-content-md5",
    "content-type",
    "origin",
    "access-control-request-method",
    "access-control-request-headers",
    "accept",
    "x-ms-blob-content-type",
];

const VALUES: [&str; 84] = [
    "",
    "0",
    "1",
    "-1",
    "512",
    "513",
    "1024",
    "5001",
    "00001",
    "+5",
    "5.5",
    "1e3",
    "NaN",
    "１２",
    "2147483648",
    "8796093022208",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "true",
    "TRUE",
    "null",
    "*",
    "%zz",
    "../..",
    "//",
    "\\",
    "&=;,",
    "<a>&\"'",
    "\u{1}",
    "\u{7f}",
    "é",
    "e\u{301}",
    "\u{202e}",
    "\u{ffff}",
    "😀",
    "$root",
    "new",
    "QQ==",
    "QUE=",
    "====",
    "AAAAAAAAAAA=",
    "1B2M2Y8AsgTpgAmY7PhCfg==",
    "BlockBlob",
    "PageBlob",
    "AppendBlob",
    "bytes=0-511",
    "bytes=0-",
    "bytes=-1",
    "bytes=5-1",
    "bytes=0-0,5-6",
    "bytes=0-18446744073709551615",
    "bytes=18446744073709551615-",
    "update",
    "clear",
    "acquire",
    "break",
    "abort",
    "max",
    "increment",
    "Archive",
    "P10",
    "High",
    "include",
    "only",
    "COPY",
    "snapshots,versions,deleted,metadata,tags,uncommittedblobs,deletedwithversions",
    "all",
    "2!8!AAAAAAAA",
    "b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a",
    "{b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a}",
    "\"0x1\", \"0x2\"",
    "W/\"0x1\"",
    "a = 'b'",
    "a = 'b' OR (NOT c > 'd')",
    "k=v&k=w",
    "Sun, 31 Feb 2100 25:61:61 GMT",
    "Mon, 01 Jan 2001 00:00:00 GMT",
    "9999-12-31T23:59:59.9999999Z",
    "2020-13-45T00:00:00.0000000Z",
    "/devstoreaccount1/kept/b",
    "multipart/mixed; boundary=b",
];

const BODIES: [&str; 24] = [
    "",
    "<",
    "<a/>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
    "\u{feff}<BlockList/>",
    "<BlockList><Latest>QQ==</Latest><Committed>QUE=</Committed><Uncommitted>!</Uncommitted></BlockList>",
    "<BlockList><Latest>QQ==</Latest></BlockList>",
    "<BlockList>&#0;</BlockList>",
    "<BlockList a=\"1\" a=\"2\"/>",
    "<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>",
    "<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
    "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy></StorageServiceProperties>",
    "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>99999999999</Days></DeleteRetentionPolicy></StorageServiceProperties>",
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>x</Start></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
    "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT * FROM BlobStorage</Expression></QueryRequest>",
    "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT CAST(_1 AS INT)/0, 5%0, -9223372036854775808/-1 FROM BlobStorage</Expression></QueryRequest>",
    "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT SUBSTRING(_1, -9223372036854775808, 9223372036854775807) FROM BlobStorage</Expression></QueryRequest>",
    "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT sys.split(0) FROM BlobStorage LIMIT 99999999999999999999</Expression></QueryRequest>",
    "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT _99999999999999999999 FROM BlobStorage WHERE _1 LIKE '%_%_%'</Expression></QueryRequest>",
    "--b\r\nContent-Type: application/http\r\n\r\nDELETE /devstoreaccount1/kept/b HTTP/1.1\r\n\r\n--b--",
    "--b\r\n\r\n--b--",
    "plain text",
    "{512*}",
    "{1024*}",
];

const NAMES: [&str; 8] = ["b", "a", "p", "b", "a", "p", "new", ""];

/// Puts back what an earlier request may have taken away: a blob of each type.
pub async fn stock(server: &TestServer) {
    for (target, headers) in [
        ("/kept?restype=container", &[][..]),
        ("/$root?restype=container", &[]),
        ("/kept/b", &[("x-ms-blob-type", "BlockBlob")]),
        ("/kept/a", &[("x-ms-blob-type", "AppendBlob")]),
        ("/kept/p", &[("x-ms-blob-type", "PageBlob"), ("x-ms-blob-content-length", "2048")]),
    ] {
        let answer = server.request("PUT", target).headers(headers).send().await;
        // A lease may stand in the way, and a container is there already.
        assert!([201, 403, 409, 412].contains(&answer.status), "{target}: {}", answer.verdict());
    }
}

/// Any request to them.
pub fn request(rng: &mut Rng) -> RandomRequest {
    let (method, query, parameters) = rng.pick(&OPERATIONS);
    let path = match query {
        "comp=batch" | "comp=blobs" => String::new(),
        _ if query.starts_with("restype=service") => String::new(),
        _ if query.starts_with("restype=container") => format!("/{}", rng.pick(&["kept", "kept", "kept", "gone", "$root"])),
        _ if rng.roll(10) == 0 => format!("/kept/{}", encoded(rng.pick(&VALUES))),
        _ => format!("/kept/{}", rng.pick(&NAMES)),
    };
    let mut target = format!("{path}?{query}");
    for parameter in parameters {
        target += &format!("&{parameter}={}", encoded(rng.pick(&VALUES)));
    }
    if rng.roll(10) == 0 {
        let any = rng.pick(&["comp", "restype", "snapshot", "versionid", "timeout", "maxresults", "deletetype", "rsct", "x"]);
        target += &format!("&{any}={}", encoded(rng.pick(&VALUES)));
    }
    let mut headers = Vec::new();
    for (name, values) in [
        ("x-ms-blob-type", &["BlockBlob", "PageBlob", "AppendBlob"][..]),
        ("x-ms-page-write", &["update", "clear"]),
        ("x-ms-range", &["bytes=0-511", "bytes=512-1535"]),
        ("x-ms-lease-action", &["acquire", "renew", "change", "release", "break"]),
        ("x-ms-copy-source", &["http://127.0.0.1/devstoreaccount1/kept/b", "http://127.0.0.1/devstoreaccount1/kept/p"]),
        ("content-type", &["multipart/mixed; boundary=b"]),
    ] {
        let wanted = match name {
            "content-type" => query == "comp=batch",
            "x-ms-blob-type" => method == "PUT" && query.is_empty() && rng.roll(4) > 0,
            "x-ms-lease-action" => query.ends_with("comp=lease") && rng.roll(4) > 0,
            "x-ms-copy-source" => method == "PUT" && rng.roll(5) == 0,
            _ => query == "comp=page" && rng.roll(4) > 0,
        };
        if wanted {
            headers.push((name, rng.pick(values)));
        }
    }
    for _ in 0..rng.pick(&[0, 0, 1, 1, 2, 4]) {
        headers.push((rng.pick(&HEADERS), rng.pick(&VALUES)));
    }
    let body = match method {
        "PUT" | "POST" | "PATCH" if rng.roll(4) > 0 => rng.pick(&BODIES),
        _ => "",
    };
    let body = body.replace("{512*}", &"a".repeat(512)).replace("{1024*}", &"a".repeat(1024));
    RandomRequest { method, target, headers, body }
}
