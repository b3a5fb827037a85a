//! The letters of a SAS that permit an operation: each letter alone with each operation, for both kinds of SAS.

use super::{Headers, path, send, token};
use crate::server::TestServer;
use lazuli::WELL_KNOWN_ACCOUNT;

/// Every letter that a SAS for blobs can have.
const LETTERS: &str = "racwdxyltfmeopi";
/// A lease id.
const ID: &str = "b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a";

/// An operation: method, target, headers, body; level, letters of an account SAS, letters of a container's SAS (`-` for none).
type OperationCase<'a> = (&'a str, &'a str, Headers<'a>, &'a str, char, &'a str, &'a str);

const BLOCK: Headers<'static> = &[("x-ms-blob-type", "BlockBlob")];
const ACQUIRE: Headers<'static> = &[("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "15")];
const RENEW: Headers<'static> = &[("x-ms-lease-action", "renew"), ("x-ms-lease-id", ID)];
const CHANGE: Headers<'static> = &[("x-ms-lease-action", "change"), ("x-ms-lease-id", ID), ("x-ms-proposed-lease-id", ID)];
const RELEASE: Headers<'static> = &[("x-ms-lease-action", "release"), ("x-ms-lease-id", ID)];
const BREAK: Headers<'static> = &[("x-ms-lease-action", "break")];
const RENAME: Headers<'static> = &[("x-ms-source-container-name", "old")];
const CLEAR: Headers<'static> = &[("x-ms-page-write", "clear"), ("x-ms-range", "bytes=0-511")];
const ABORT: Headers<'static> = &[("x-ms-copy-action", "abort")];
/// Not a URL: a valid source would be refused for lack of the permission to read it.
const SOURCE: (&str, &str) = ("x-ms-copy-source", "nowhere");

const OPERATIONS: &[OperationCase<'static>] = &[
    ("GET", "?comp=list", &[], "", 's', "l", "-"),
    ("GET", "?restype=service&comp=properties", &[], "", 's', "r", "-"),
    ("PUT", "?restype=service&comp=properties", &[], "<StorageServiceProperties/>", 's', "w", "-"),
    ("GET", "?comp=blobs&where=a%3D'1'", &[], "", 'o', "f", "-"),
    ("POST", "?comp=batch", &[], "", 's', LETTERS, "-"),
    ("GET", "-secondary?restype=service&comp=stats", &[], "", 's', "r", "-"),
    ("GET", "?restype=account&comp=properties", &[], "", 's', LETTERS, "-"),
    ("GET", "/box?restype=account&comp=properties", &[], "", 'c', LETTERS, LETTERS),
    ("GET", "/box/blob?restype=account&comp=properties", &[], "", 'o', LETTERS, LETTERS),
    ("PUT", "/box?restype=container", &[], "", 'c', "cw", "-"),
    ("GET", "/box?restype=container", &[], "", 'c', "r", "-"),
    ("HEAD", "/box?restype=container", &[], "", 'c', "r", "-"),
    ("GET", "/box?restype=container&comp=metadata", &[], "", 'c', "r", "-"),
    ("PUT", "/box?restype=container&comp=metadata", &[], "", 'c', "w", "-"),
    ("GET", "/box?restype=container&comp=acl", &[], "", 'c', "-", "-"),
    ("PUT", "/box?restype=container&comp=acl", &[], "", 'c', "-", "-"),
    ("PUT", "/box?restype=container&comp=lease", ACQUIRE, "", 'c', "w", "-"),
    ("PUT", "/box?restype=container&comp=lease", RENEW, "", 'c', "w", "-"),
    ("PUT", "/box?restype=container&comp=lease", CHANGE, "", 'c', "w", "-"),
    ("PUT", "/box?restype=container&comp=lease", RELEASE, "", 'c', "w", "-"),
    ("PUT", "/box?restype=container&comp=lease", BREAK, "", 'c', "wd", "-"),
    ("GET", "/box?restype=container&comp=list", &[], "", 'c', "l", "l"),
    ("GET", "/box?restype=container&comp=blobs&where=a%3D'1'", &[], "", 'o', "f", "f"),
    ("POST", "/box?restype=container&comp=batch", &[], "", 'c', LETTERS, LETTERS),
    ("DELETE", "/box?restype=container", &[], "", 'c', "d", "-"),
    ("PUT", "/box?restype=container&comp=undelete", &[], "", 'c', "w", "-"),
    ("PUT", "/box/blob", BLOCK, "content", 'o', "cw", "cw"),
    ("GET", "/box/blob", &[], "", 'o', "r", "r"),
    ("HEAD", "/box/blob", &[], "", 'o', "r", "r"),
    ("PUT", "/box/blob?comp=properties", &[], "", 'o', "w", "w"),
    ("GET", "/box/blob?comp=metadata", &[], "", 'o', "r", "r"),
    ("PUT", "/box/blob?comp=metadata", &[], "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=lease", ACQUIRE, "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=lease", RENEW, "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=lease", CHANGE, "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=lease", RELEASE, "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=lease", BREAK, "", 'o', "wd", "wd"),
    ("PUT", "/box/blob?comp=immutabilityPolicies", &[], "", 'o', "i", "i"),
    ("DELETE", "/box/blob?comp=immutabilityPolicies", &[], "", 'o', "i", "i"),
    ("PUT", "/box/blob?comp=legalhold", &[], "", 'o', "i", "i"),
    ("PUT", "/box/blob?comp=expiry", &[], "", 'o', "w", "w"),
    ("DELETE", "/box/blob", &[], "", 'o', "d", "d"),
    ("DELETE", "/box/blob?versionid=2020-01-01T00:00:00.0000000Z", &[], "", 'o', "x", "x"),
    ("DELETE", "/box/blob?versionid=2020-01-01T00:00:00.0000000Z&deletetype=permanent", &[], "", 'o', "y", "y"),
    ("PUT", "/box/blob?comp=block&blockid=MQ%3D%3D", &[], "content", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=blocklist", &[], "<BlockList/>", 'o', "w", "w"),
    ("GET", "/box/blob?comp=blocklist", &[], "", 'o', "r", "r"),
    ("PUT", "/box?restype=container&comp=rename", RENAME, "", 'c', "w", "-"),
    ("DELETE", "/box/blob?versionid=2020-01-01T00:00:00.0000000Z", &[], "", 'o', "x", "x"),
    ("PUT", "/box/blob?comp=undelete", &[], "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=snapshot", &[], "", 'o', "cw", "cw"),
    ("PUT", "/box/blob?comp=tier", &[("x-ms-access-tier", "Cool")], "", 'o', "w", "w"),
    ("GET", "/box/blob?comp=tags", &[], "", 'o', "t", "t"),
    ("PUT", "/box/blob?comp=tags", &[], "<Tags><TagSet/></Tags>", 'o', "t", "t"),
    ("POST", "/box/blob?comp=query", &[], "<QueryRequest/>", 'o', "r", "r"),
    ("PUT", "/box/blob?comp=appendblock", &[], "line", 'o', "aw", "aw"),
    ("PUT", "/box/blob?comp=seal", &[], "", 'o', "aw", "aw"),
    ("PUT", "/box/blob?comp=page", CLEAR, "", 'o', "w", "w"),
    ("GET", "/box/blob?comp=pagelist", &[], "", 'o', "r", "r"),
    ("PUT", "/box/blob", &[SOURCE], "", 'o', "cw", "cw"),
    ("PUT", "/box/blob", &[SOURCE, ("x-ms-requires-sync", "true")], "", 'o', "cw", "cw"),
    ("PUT", "/box/blob", &[SOURCE, ("x-ms-blob-type", "BlockBlob")], "", 'o', "cw", "cw"),
    ("PUT", "/box/blob?comp=block&blockid=MQ%3D%3D", &[SOURCE], "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=appendblock", &[SOURCE], "", 'o', "aw", "aw"),
    ("PUT", "/box/blob?comp=page", &[SOURCE, ("x-ms-page-write", "update")], "", 'o', "w", "w"),
    ("PUT", "/box/blob?comp=copy&copyid=b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a", ABORT, "", 'o', "w", "w"),
];

/// Sends the request of an operation with a SAS. Returns the verdict, or `in` if the request is authorized.
async fn verdict(server: &TestServer, row: &OperationCase<'_>, sas: &str) -> String {
    let (method, target, headers, body, ..) = *row;
    let mark = if target.contains('?') { '&' } else { '?' };
    let mut headers = headers.to_vec();
    headers.push(("x-ms-version", crate::server::VERSION));
    let answer = send(server, method, &format!("{}{mark}{sas}", path(target)), &headers, body).await;
    match answer.status {
        401 | 403 => answer.verdict(),
        _ => "in".to_owned(),
    }
}

/// The verdict of a request with one letter for an operation that these letters permit.
fn expected(opens: &str, letter: char) -> &'static str {
    match opens {
        "-" => "403 AuthorizationFailure",
        _ if opens.contains(letter) => "in",
        _ => "403 AuthorizationPermissionMismatch",
    }
}

/// The server has no data, so only the SAS can cause a 403.
#[tokio::test]
async fn each_letter_opens_what_the_reference_says() {
    for row in OPERATIONS {
        let server = TestServer::new().await;
        let (method, target, headers, _, level, by_account, by_service) = *row;
        for letter in LETTERS.chars() {
            let fields = format!("sv=2021-12-02&sp={letter}&se=2099-01-01");
            let sas = token::account(&format!("{fields}&ss=b&srt={level}"));
            let what = format!("{method} {target} {headers:?} with {letter}");
            assert_eq!(verdict(&server, row, &sas).await, expected(by_account, letter), "{what}, account SAS");
            if target.starts_with("/box") {
                let sas = token::service("box", &format!("{fields}&sr=c"));
                assert_eq!(verdict(&server, row, &sas).await, expected(by_service, letter), "{what}, service SAS");
            }
        }
    }
}

#[tokio::test]
async fn an_account_sas_serves_its_services_at_its_levels() {
    let server = TestServer::new().await;
    let all = "rwdxylacuptfi";
    for row in OPERATIONS {
        let (method, target, .., level, by_account, _) = *row;
        let closed = by_account == "-";
        for other in "sco".chars().filter(|other| *other != level) {
            let sas = token::account(&format!("sv=2021-12-02&sp={all}&se=2099-01-01&ss=bqtf&srt={other}"));
            let expected = if closed { "403 AuthorizationFailure" } else { "403 AuthorizationResourceTypeMismatch" };
            assert_eq!(verdict(&server, row, &sas).await, expected, "{method} {target} with srt={other}");
        }
        let sas = token::account(&format!("sv=2021-12-02&sp={all}&se=2099-01-01&ss=qtf&srt=sco"));
        let expected = if closed { "403 AuthorizationFailure" } else { "403 AuthorizationServiceMismatch" };
        assert_eq!(verdict(&server, row, &sas).await, expected, "{method} {target} with ss=qtf");
    }
    // Newer versions report the required level.
    for (version, level, detail) in [
        ("2024-05-04", 's', ""),
        ("2024-08-04", 's', "SignedResourceTypes 'o' is required to perform this operation."),
        ("2024-11-04", 'c', "SignedResourceTypes 'o' is required to perform this operation."),
    ] {
        let sas = token::account(&format!("sv=2021-12-02&sp=r&se=2099-01-01&ss=b&srt={level}"));
        let target = format!("/{WELL_KNOWN_ACCOUNT}/box/blob?{sas}");
        let answer = send(&server, "GET", &target, &[("x-ms-version", version)], "").await;
        assert_eq!(answer.verdict(), "403 AuthorizationResourceTypeMismatch");
        assert_eq!(answer.element("ExtendedErrorDetail"), detail, "{version}");
    }
}

/// A SAS for a blob permits access to that blob only.
#[tokio::test]
async fn a_blobs_sas_ends_at_the_blob() {
    let server = TestServer::new().await;
    for row in OPERATIONS.iter().filter(|row| row.1.starts_with("/box")) {
        let (method, target, ..) = *row;
        let sas = token::service("box/blob", "sv=2021-12-02&sr=b&sp=racwdxytmeopi&se=2099-01-01");
        let expected = if target.starts_with("/box/") { "in" } else { "403 AuthenticationFailed" };
        assert_eq!(verdict(&server, row, &sas).await, expected, "{method} {target}");
    }
}

/// It reaches the blob's snapshots as well: SDKs put the snapshot's moment beside the signature of its blob. The reference speaks of the
/// blob's content alone, and of signatures for one snapshot (`sr=bs`); nothing says that the real service refuses the others.
#[tokio::test]
async fn a_blobs_sas_reaches_its_snapshots() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/blob", "one").await;
    let taken = server.request("PUT", "/box/blob?comp=snapshot").send().await.header("x-ms-snapshot").to_owned();
    server.blob("/box/blob", "two").await;
    let sas = token::service("box/blob", "sv=2021-12-02&sr=b&sp=r&se=2099-01-01");
    for (query, content) in [(String::new(), "two"), (format!("snapshot={taken}&"), "one")] {
        let target = format!("/{WELL_KNOWN_ACCOUNT}/box/blob?{query}{sas}");
        let answer = send(&server, "GET", &target, &[("x-ms-version", crate::server::VERSION)], "").await;
        assert_eq!((answer.verdict().as_str(), answer.text()), ("200", content), "{query}");
    }
}
