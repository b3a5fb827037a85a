//! Anonymous requests: what they can read of a public container, and how a private one is hidden.

use super::{Headers, path, send};
use crate::server::TestServer;
use lazuli::ServiceKind;

/// A version before the bearer challenge (2019-12-12), and one after.
const OLD: &str = "2019-07-07";
const NEW: &str = "2021-12-02";

/// A server with a container of each public access level, each with a blob of one block.
async fn server_with_open_containers() -> TestServer {
    let server = TestServer::new().await;
    for (name, access) in [("private", ""), ("blobs", "blob"), ("whole", "container")] {
        let request = server.request("PUT", &format!("/{name}?restype=container"));
        let request = if access.is_empty() { request } else { request.header("x-ms-blob-public-access", access) };
        assert_eq!(request.send().await.verdict(), "201");
        server.blob(&format!("/{name}/blob"), "content").await;
    }
    server
}

#[tokio::test]
async fn what_may_be_read_of_an_open_container() {
    let server = server_with_open_containers().await;
    let (hidden, challenged) = ("404 ResourceNotFound", "401 NoAuthenticationInformation");
    // the request; the answers of the containers with the access levels private, blob and container
    for (method, target, expected) in [
        ("GET", "/{c}/blob", ["no", "200", "200"]),
        ("HEAD", "/{c}/blob", ["no", "200", "200"]),
        ("GET", "/{c}/blob?comp=metadata", ["no", "200", "200"]),
        ("GET", "/{c}/none", ["no", "404 BlobNotFound", "404 BlobNotFound"]),
        ("GET", "/{c}?restype=container&comp=list", ["no", "no", "200"]),
        ("GET", "/{c}?restype=container", ["no", "no", "200"]),
        ("HEAD", "/{c}?restype=container", ["no", "no", "200"]),
        ("GET", "/{c}?restype=container&comp=metadata", ["no", "no", "200"]),
        ("GET", "/{c}?restype=container&comp=acl", ["no"; 3]),
        ("GET", "?comp=list", ["no"; 3]),
        ("GET", "?restype=service&comp=properties", ["no"; 3]),
        ("PUT", "/{c}/blob", ["no"; 3]),
        ("PUT", "/{c}/blob?comp=metadata", ["no"; 3]),
        ("PUT", "/{c}/blob?comp=block&blockid=MQ%3D%3D", ["no"; 3]),
        ("DELETE", "/{c}/blob", ["no"; 3]),
        ("PUT", "/{c}?restype=container", ["no"; 3]),
        ("PUT", "/{c}?restype=container&comp=acl", ["no"; 3]),
        ("DELETE", "/{c}?restype=container", ["no"; 3]),
    ] {
        for version in [OLD, NEW] {
            for (container, expected) in ["private", "blobs", "whole"].into_iter().zip(expected) {
                let expected = match expected {
                    "no" if version == OLD => hidden,
                    "no" => challenged,
                    expected => expected,
                };
                let headers: Headers<'_> = &[("x-ms-version", version), ("x-ms-blob-type", "BlockBlob")];
                let target = path(&target.replace("{c}", container));
                let answer = send(&server, method, &target, headers, "").await;
                assert_eq!(answer.verdict(), expected, "{method} {target} {version}");
                let challenge = answer.header("www-authenticate");
                assert_eq!(challenge.starts_with("Bearer authorization_uri="), expected == challenged, "{target}: {challenge}");
            }
        }
    }
    // A container that does not exist is hidden like a private one.
    for (version, expected) in [(OLD, hidden), (NEW, challenged)] {
        let answer = send(&server, "GET", &path("/nowhere/blob"), &[("x-ms-version", version)], "").await;
        assert_eq!(answer.verdict(), expected, "{version}");
    }
}

/// The other services answer anonymous requests as the Blob service does.
#[tokio::test]
async fn every_service_hides_from_old_versions() {
    let server = TestServer::new().await;
    for (kind, requests) in [
        (
            ServiceKind::Blob,
            [("GET", "/?comp=list"), ("PUT", "/box?restype=container"), ("POST", "/?restype=service&comp=userdelegationkey")],
        ),
        (ServiceKind::Queue, [("GET", "/?comp=list"), ("PUT", "/work"), ("GET", "/work/messages")]),
        (ServiceKind::Table, [("GET", "/Tables"), ("GET", "/people()"), ("DELETE", "/Tables('people')")]),
        (ServiceKind::File, [("GET", "/?comp=list"), ("PUT", "/shr?restype=share"), ("GET", "/shr/file")]),
    ] {
        for (method, target) in requests {
            for (version, expected, challenged) in
                [(OLD, "404 ResourceNotFound", false), ("2019-12-12", "401 NoAuthenticationInformation", true)]
            {
                let request = server.request(method, target).of(kind).anonymous().header("x-ms-version", version);
                let answer = request.send().await;
                assert_eq!(answer.verdict(), expected, "{kind:?} {method} {target} {version}: {}", answer.text());
                assert_eq!(answer.header("www-authenticate").starts_with("Bearer "), challenged, "{kind:?} {method} {target}");
            }
        }
    }
}

/// A browser names no version; the answer names the version that it follows. In the oldest, the error code is in the body only (recorded).
#[tokio::test]
async fn without_a_version_the_oldest_is_spoken() {
    let server = server_with_open_containers().await;
    let answer = send(&server, "GET", &path("/private/blob"), &[], "").await;
    assert_eq!((answer.status, answer.element("Code")), (404, "ResourceNotFound"));
    assert_eq!((answer.header("x-ms-error-code"), answer.header("x-ms-version")), ("", "2009-09-19"));
    let answer = send(&server, "GET", &path("/blobs/blob"), &[], "").await;
    assert_eq!((answer.status, answer.text(), answer.header("x-ms-version")), (200, "content", "2009-09-19"));
    let properties =
        "<StorageServiceProperties><DefaultServiceVersion>2014-02-14</DefaultServiceVersion></StorageServiceProperties>";
    let set = server.request("PUT", "/?restype=service&comp=properties").body(properties).send().await;
    assert_eq!(set.verdict(), "202", "{}", set.text());
    for target in ["/private/blob", "/blobs/blob"] {
        assert_eq!(send(&server, "GET", &path(target), &[], "").await.header("x-ms-version"), "2014-02-14", "{target}");
    }
}

#[tokio::test]
async fn access_follows_the_container() {
    let server = server_with_open_containers().await;
    for (access, get, list) in [
        ("blob", "200", "401 NoAuthenticationInformation"),
        ("container", "200", "200"),
        ("", "401 NoAuthenticationInformation", "401 NoAuthenticationInformation"),
    ] {
        let request = server.request("PUT", "/private?restype=container&comp=acl");
        let request = if access.is_empty() { request } else { request.header("x-ms-blob-public-access", access) };
        assert_eq!(request.send().await.verdict(), "200");
        let shown = server.request("GET", "/private?restype=container&comp=acl").send().await;
        assert_eq!(shown.header("x-ms-blob-public-access"), access);
        for (target, expected) in [("/private/blob", get), ("/private?restype=container&comp=list", list)] {
            let answer = send(&server, "GET", &path(target), &[("x-ms-version", NEW)], "").await;
            assert_eq!(answer.verdict(), expected, "{access} {target}");
        }
    }
    for target in ["/odd?restype=container", "/private?restype=container&comp=acl"] {
        let odd = server.request("PUT", target).header("x-ms-blob-public-access", "everything").send().await;
        assert_eq!(odd.verdict(), "400 InvalidHeaderValue", "{target}");
    }
}
