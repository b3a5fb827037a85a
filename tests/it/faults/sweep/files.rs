//! Shares, directories, files and links.

use super::{RandomRequest, encoded};
use crate::rng::Rng;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// Operations: method, path, query, and parameters that get any value.
const OPERATIONS: [(&str, &str, &str, &[&str]); 46] = [
    ("GET", "/", "comp=list", &["marker", "maxresults", "prefix", "include"]),
    ("GET", "/", "restype=service&comp=properties", &[]),
    ("PUT", "/", "restype=service&comp=properties", &[]),
    ("POST", "/", "restype=service&comp=userdelegationkey", &[]),
    ("PUT", "/{share}", "restype=share", &[]),
    ("GET", "/{share}", "restype=share", &["sharesnapshot"]),
    ("DELETE", "/gone", "restype=share", &["sharesnapshot"]),
    ("PUT", "/{share}", "restype=share&comp=properties", &[]),
    ("GET", "/{share}", "restype=share&comp=metadata", &["sharesnapshot"]),
    ("PUT", "/{share}", "restype=share&comp=metadata", &[]),
    ("GET", "/{share}", "restype=share&comp=acl", &[]),
    ("PUT", "/{share}", "restype=share&comp=acl", &[]),
    ("GET", "/{share}", "restype=share&comp=stats", &[]),
    ("PUT", "/{share}", "restype=share&comp=filepermission", &[]),
    ("GET", "/{share}", "restype=share&comp=filepermission", &[]),
    ("PUT", "/{share}", "restype=share&comp=snapshot", &[]),
    ("PUT", "/{share}", "restype=share&comp=lease", &["sharesnapshot"]),
    ("PUT", "/{share}", "restype=share&comp=undelete", &[]),
    ("PUT", "/{share}/{path}", "restype=directory", &[]),
    ("GET", "/{share}/{path}", "restype=directory", &["sharesnapshot"]),
    ("DELETE", "/{share}/{path}", "restype=directory", &[]),
    ("PUT", "/{share}/{path}", "restype=directory&comp=properties", &[]),
    ("GET", "/{share}/{path}", "restype=directory&comp=metadata", &[]),
    ("PUT", "/{share}/{path}", "restype=directory&comp=metadata", &[]),
    ("GET", "/{share}", "restype=directory&comp=list", &["marker", "maxresults", "prefix", "include"]),
    ("GET", "/{share}/{path}", "restype=directory&comp=list", &["sharesnapshot"]),
    ("PUT", "/{share}/{path}", "restype=directory&comp=rename", &[]),
    ("PUT", "/{share}/{path}", "comp=rename", &[]),
    ("PUT", "/{share}/{path}", "", &[]),
    ("GET", "/{share}/{path}", "", &["sharesnapshot"]),
    ("GET", "/{share}/{path}", "", &[]),
    ("HEAD", "/{share}/{path}", "", &[]),
    ("DELETE", "/{share}/{path}", "", &[]),
    ("PUT", "/{share}/{path}", "comp=properties", &[]),
    ("GET", "/{share}/{path}", "comp=metadata", &[]),
    ("PUT", "/{share}/{path}", "comp=metadata", &[]),
    ("PUT", "/{share}/{path}", "comp=range", &[]),
    ("GET", "/{share}/{path}", "comp=rangelist", &["prevsharesnapshot", "marker", "maxresults"]),
    ("PUT", "/{share}/{path}", "comp=lease", &[]),
    ("PUT", "/{share}/{path}", "comp=copy", &["copyid"]),
    ("GET", "/{share}/{path}", "comp=listhandles", &["marker", "maxresults"]),
    ("PUT", "/{share}/{path}", "comp=forceclosehandles", &[]),
    ("PUT", "/nfs/{path}", "restype=hardlink", &[]),
    ("PUT", "/nfs/{path}", "restype=symboliclink", &[]),
    ("GET", "/nfs/link", "restype=symboliclink", &["sharesnapshot"]),
    ("OPTIONS", "/{share}/{path}", "", &[]),
];

const HEADERS: [&str; 69] = [
    "x-ms-client-request-id",
    "x-ms-date",
    "x-ms-meta-a",
    "x-ms-type",
    "x-ms-content-length",
    "x-ms-content-type",
    "x-ms-content-md5",
    "x-ms-write",
    "x-ms-range",
    "range",
    "x-ms-range-get-content-md5",
    "x-ms-structured-body",
    "x-ms-structured-content-length",
    "content-md5",
    "x-ms-content-crc64",
    "x-ms-allow-trailing-dot",
    "x-ms-source-allow-trailing-dot",
    "x-ms-file-attributes",
    "x-ms-file-creation-time",
    "x-ms-file-last-write-time",
    "x-ms-file-change-time",
    "x-ms-file-permission",
    "x-ms-file-permission-key",
    "x-ms-file-permission-format",
    "x-ms-file-property-semantics",
    "x-ms-file-file-type",
    "x-ms-file-extended-info",
    "x-ms-file-support-rename",
    "x-ms-file-request-intent",
    "x-ms-mode",
    "x-ms-owner",
    "x-ms-group",
    "x-ms-link-text",
    "x-ms-file-target-file",
    "x-ms-share-quota",
    "x-ms-access-tier",
    "x-ms-enabled-protocols",
    "x-ms-root-squash",
    "x-ms-enable-snapshot-virtual-directory-access",
    "x-ms-share-paid-bursting-enabled",
    "x-ms-share-paid-bursting-max-iops",
    "x-ms-share-provisioned-iops",
    "x-ms-share-provisioned-bandwidth-mibps",
    "x-ms-delete-snapshots",
    "x-ms-deleted-share-name",
    "x-ms-deleted-share-version",
    "x-ms-lease-action",
    "x-ms-lease-id",
    "x-ms-lease-duration",
    "x-ms-lease-break-period",
    "x-ms-proposed-lease-id",
    "x-ms-source-lease-id",
    "x-ms-destination-lease-id",
    "x-ms-copy-source",
    "x-ms-copy-action",
    "x-ms-source-range",
    "x-ms-source-content-crc64",
    "x-ms-source-if-match-crc64",
    "x-ms-file-permission-copy-mode",
    "x-ms-file-copy-ignore-readonly",
    "x-ms-file-copy-set-archive",
    "x-ms-file-mode-copy-mode",
    "x-ms-file-owner-copy-mode",
    "x-ms-file-rename-source",
    "x-ms-file-rename-replace-if-exists",
    "x-ms-handle-id",
    "x-ms-recursive",
    "origin",
    "access-control-request-method",
];

const VALUES: [&str; 72] = [
    "",
    "0",
    "1",
    "-1",
    "512",
    "00001",
    "+5",
    "5.5",
    "NaN",
    "１２",
    "100",
    "102400",
    "4398046511104",
    "4398046511105",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "true",
    "TRUE",
    "null",
    "*",
    "%zz",
    "../..",
    "//",
    "\\",
    "a/b/c",
    "dir/",
    "dots...",
    "con",
    "&=;,",
    "<a>&\"'",
    "\u{1}",
    "\u{7f}",
    "é",
    "\u{202e}",
    "\u{ffff}",
    "😀",
    "file",
    "Regular",
    "SMB",
    "NFS",
    "AllSquash",
    "Premium",
    "Hot",
    "update",
    "clear",
    "acquire",
    "break",
    "abort",
    "include",
    "include-leased",
    "now",
    "preserve",
    "source",
    "override",
    "inherit",
    "restore",
    "binary",
    "ReadOnly|Hidden",
    "Directory",
    "O:SYG:SYD:P(A;;FA;;;WD)",
    "O:",
    "AQAAgA==",
    "13873374433176186500*12283110577416128263",
    "timestamps,etag,attributes,permissionkey",
    "metadata,snapshots,deleted",
    "2!8!AAAAAAAA",
    "b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a",
    "9999-12-31T23:59:59.9999999Z",
    "2020-13-45T00:00:00.0000000Z",
    "bytes=0-18446744073709551615",
    "AAAAAAAAAAA=",
];

const BODIES: [&str; 12] = [
    "",
    "<",
    "<a/>",
    "{",
    "{\"permission\":\"O:SYG:SYD:P(A;;FA;;;WD)\"}",
    "{\"permission\":\"AQAAgA==\",\"format\":\"binary\"}",
    "{\"permission\":1,\"format\":[]}",
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>x</Start></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>",
    "<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
    "<KeyInfo><Expiry>9999-12-31T23:59:59Z</Expiry></KeyInfo>",
    "{512*}",
];

const DIRECTORIES: [&str; 6] = ["dir", "DIR", "dir/sub", "new", "f", ""];

const FILES: [&str; 8] = ["f", "f", "F", "dir/f", "dir/f", "link", "dir", "gone/f"];

/// Headers that make many requests valid: name, the end of the query of the operations that need it, and values.
const USUAL: [(&str, &str, &[&str]); 11] = [
    ("x-ms-content-length", "?", &["0", "512", "2048"]),
    ("x-ms-type", "?", &["file"]),
    ("x-ms-write", "comp=range", &["update", "clear"]),
    ("x-ms-range", "comp=range", &["bytes=0-511", "bytes=512-1535", "bytes=10-20"]),
    ("x-ms-lease-action", "comp=lease", &["acquire", "renew", "change", "release", "break"]),
    ("x-ms-lease-duration", "comp=lease", &["-1", "15"]),
    ("x-ms-copy-action", "comp=copy", &["abort"]),
    ("x-ms-file-rename-source", "comp=rename", &["http://127.0.0.1/devstoreaccount1/kept/dir", "/devstoreaccount1/kept/f"]),
    ("x-ms-file-target-file", "restype=hardlink", &["/f", "f", "dir"]),
    ("x-ms-link-text", "restype=symboliclink", &["f", "../é"]),
    ("x-ms-handle-id", "comp=forceclosehandles", &["*", "1"]),
];

/// Creates the shares, directories, files and links that earlier requests may have deleted.
pub async fn stock(server: &TestServer) {
    for (target, headers) in [
        ("/kept?restype=share", &[][..]),
        ("/nfs?restype=share", &[("x-ms-enabled-protocols", "NFS")]),
        ("/kept/dir?restype=directory", &[]),
        ("/kept/f", &[("x-ms-type", "file"), ("x-ms-content-length", "2048")]),
        ("/kept/dir/f", &[("x-ms-type", "file"), ("x-ms-content-length", "2048")]),
        ("/nfs/f", &[("x-ms-type", "file"), ("x-ms-content-length", "2048")]),
        ("/nfs/link?restype=symboliclink", &[("x-ms-link-text", "f")]),
    ] {
        let answer = server.request("PUT", target).of(ServiceKind::File).headers(headers).send().await;
        // A lease, an attribute or a directory of the same name may forbid it, and the parent may be a file.
        assert!([201, 404, 409, 412].contains(&answer.status), "{target}: {}", answer.verdict());
    }
}

/// Any request to them.
pub fn request(rng: &mut Rng) -> RandomRequest {
    let (method, path, query, parameters) = rng.pick(&OPERATIONS);
    let share =
        if rng.roll(20) == 0 { encoded(rng.pick(&VALUES)) } else { rng.pick(&["kept", "kept", "nfs", "gone"]).to_owned() };
    let name = match query.starts_with("restype=directory") {
        _ if rng.roll(10) == 0 => encoded(rng.pick(&VALUES)),
        true => rng.pick(&DIRECTORIES).to_owned(),
        false => rng.pick(&FILES).to_owned(),
    };
    let mut target = path.replace("{share}", &share).replace("{path}", &name);
    target += &format!("?{query}");
    for parameter in parameters.iter().filter(|_| rng.roll(3) == 0).collect::<Vec<_>>() {
        target += &format!("&{parameter}={}", encoded(rng.pick(&VALUES)));
    }
    if rng.roll(10) == 0 {
        let any = rng.pick(&["comp", "restype", "sharesnapshot", "timeout", "maxresults", "marker", "sv", "x"]);
        target += &format!("&{any}={}", encoded(rng.pick(&VALUES)));
    }
    let mut headers = vec![("x-ms-version", rng.pick(&["2019-02-02", "2022-11-02", "2025-05-05", "2026-06-06"]))];
    let of_new_file = if method == "PUT" && query.is_empty() { "?" } else { query };
    for (name, end, values) in USUAL {
        if method == "PUT" && of_new_file.ends_with(end) && rng.roll(4) > 0 {
            headers.push((name, rng.pick(values)));
        }
    }
    if method == "PUT" && ["", "comp=range"].contains(&query) && rng.roll(5) == 0 {
        headers
            .push(("x-ms-copy-source", rng.pick(&["http://127.0.0.1/devstoreaccount1/kept/f", "/devstoreaccount1/kept/dir/f"])));
        headers.push(("x-ms-source-range", rng.pick(&["bytes=0-511", "bytes=0-10"])));
    }
    for _ in 0..rng.pick(&[0, 0, 1, 1, 2, 4]) {
        headers.push((rng.pick(&HEADERS), rng.pick(&VALUES)));
    }
    if query == "comp=range" && rng.roll(2) == 0 {
        let body = "a".repeat(512);
        return RandomRequest { method, target, headers, body };
    }
    let body = if matches!(method, "PUT" | "POST") && rng.roll(2) == 0 { rng.pick(&BODIES) } else { "" };
    RandomRequest { method, target, headers, body: body.replace("{512*}", &"a".repeat(512)) }
}
