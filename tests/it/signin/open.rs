//! Servers that check less: no signature (`--auth none`), no name of an account (`--account *`), no origin of a web page (`--cors all`).

use super::send;
use crate::scratch::Scratch;
use crate::server::{TestServer, configuration};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

#[tokio::test]
async fn without_checks_every_request_may_do_everything() {
    let server = TestServer::with(&["--auth", "none"]).await;
    for (kind, request, headers, body, status) in [
        (ServiceKind::Blob, "PUT /box?restype=container", &[][..], "", 201),
        (ServiceKind::Blob, "PUT /box/blob", &[("x-ms-blob-type", "BlockBlob")], "x", 201),
        (ServiceKind::Blob, "GET /box/blob", &[("authorization", "SharedKey devstoreaccount1:AAAA")], "", 200),
        (ServiceKind::Blob, "GET /box/blob", &[("authorization", "SharedKey other:AAAA")], "", 200),
        (ServiceKind::Blob, "GET /box/blob", &[("authorization", "Bearer x")], "", 200),
        (ServiceKind::Blob, "GET /box/blob?sv=2021-12-02&sr=b&sp=r&se=2000-01-01&sig=AAAA", &[], "", 200),
        (ServiceKind::Blob, "GET /box/blob?sig=AAAA", &[], "", 200),
        (ServiceKind::Blob, "GET /box?restype=container&comp=acl", &[], "", 200),
        (ServiceKind::Blob, "GET /absent/blob", &[], "", 404),
        (
            ServiceKind::Blob,
            "POST /?restype=service&comp=userdelegationkey",
            &[],
            "<KeyInfo><Expiry>2000-01-01</Expiry></KeyInfo>",
            400,
        ),
        (ServiceKind::Queue, "PUT /work", &[], "", 201),
        (ServiceKind::Table, "POST /Tables", &[], r#"{"TableName":"people"}"#, 201),
        (ServiceKind::File, "PUT /share?restype=share", &[], "", 201),
        (ServiceKind::File, "GET /share?restype=directory&comp=list", &[], "", 200),
        (ServiceKind::DataLake, "GET /box?resource=filesystem&recursive=true", &[], "", 200),
    ] {
        let (method, target) = request.split_once(' ').unwrap();
        let port = if kind == ServiceKind::DataLake { ServiceKind::Blob } else { kind };
        let answer = server.request(method, target).of(port).anonymous().headers(headers).body(body).send().await;
        assert_eq!(answer.status, status, "{kind:?} {request} {headers:?}: {}", answer.text());
    }
    // The headers that a SAS sets on a read are set all the same.
    let named = "/box/blob?sv=2021-12-02&sr=b&sp=r&se=2099-01-01&rscd=attachment&sig=AAAA";
    let answer = server.request("GET", named).anonymous().send().await;
    assert_eq!(answer.header("content-disposition"), "attachment");
}

#[tokio::test]
async fn a_copy_needs_no_credentials_for_its_source_either() {
    let server = TestServer::with(&["--auth=none", "--account=devstoreaccount1;other"]).await;
    for account in ["devstoreaccount1", "other"] {
        let made = server.request("PUT", "/box?restype=container").account(account, WELL_KNOWN_KEY).anonymous().send().await;
        assert_eq!(made.verdict(), "201");
    }
    let put = server.request("PUT", "/box/blob").account("other", WELL_KNOWN_KEY).anonymous();
    assert_eq!(put.header("x-ms-blob-type", "BlockBlob").body("x").send().await.verdict(), "201");
    let source = format!("http://{}/other/box/blob", server.host(ServiceKind::Blob));
    let copy = server.request("PUT", "/box/copy").anonymous().header("x-ms-copy-source", source);
    assert_eq!(copy.send().await.verdict(), "202");
}

#[test]
fn a_server_without_checks_says_so() {
    let warnings = |arguments: &[&str]| format!("{:?}", configuration(arguments));
    assert!(warnings(&["--auth", "none"]).contains("--auth none: no signature is checked"));
    assert!(!warnings(&["--auth", "keys"]).contains("no signature is checked"));
}

#[tokio::test]
async fn every_name_is_an_account() {
    let scratch = Scratch::new("any-account");
    let arguments = ["--account", "*,versioning", "--location", scratch.path()];
    let mut server = TestServer::with(&arguments).await;
    for account in ["devstoreaccount1", "one", "two"] {
        let create = server.request("PUT", "/box?restype=container").account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(create.verdict(), "201", "{account}: {}", create.text());
        let put = server.request("PUT", "/box/blob").account(account, WELL_KNOWN_KEY).header("x-ms-blob-type", "BlockBlob");
        let put = put.body(account).send().await;
        assert_eq!((put.verdict().as_str(), put.header("x-ms-version-id").is_empty()), ("201", false), "{account}");
        let queue = server.request("PUT", "/work").of(ServiceKind::Queue).account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(queue.verdict(), "201", "{account}");
    }
    server.restart().await;
    for account in ["devstoreaccount1", "one", "two"] {
        let get = server.request("GET", "/box/blob").account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(get.text(), account, "its data is its own");
    }
    for account in ["three", "three-secondary"] {
        let list = server.request("GET", "/?comp=list").account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(list.verdict(), "200", "{account}: {}", list.text());
    }
    // Another key, and a name that no account can have.
    let other = server.request("GET", "/?comp=list").account("one", "b3RoZXI=").send().await;
    assert_eq!(other.verdict(), "403 AuthenticationFailed");
    let invalid = server.request("GET", "/?comp=list").account("No-Name", WELL_KNOWN_KEY).send().await;
    assert_eq!(invalid.verdict(), "404 ResourceNotFound");
    // Without the flag, the data of the other accounts is kept for later.
    server.restart_with(&["--location", scratch.path()]).await;
    assert_eq!(server.request("GET", "/box/blob").send().await.text(), "devstoreaccount1");
    server.restart_with(&arguments).await;
    assert_eq!(server.request("GET", "/box/blob").account("two", WELL_KNOWN_KEY).send().await.text(), "two");
}

/// The paths that SDKs expect of an issuer are not accounts by chance.
#[tokio::test]
async fn every_name_but_those_of_the_issuer_owns_its_paths() {
    let server = TestServer::with(&["--account=*", "--oauth=local"]).await;
    let token = super::bearer(&server, "ann").await;
    assert_eq!(send(&server, ServiceKind::Blob, &token, "GET /?comp=list", &[], "").await.verdict(), "200");
    let mine = server.request("GET", "/oauth2/token").account("mine", WELL_KNOWN_KEY).send().await;
    assert_eq!(mine.verdict(), "404 ContainerNotFound");
    assert_eq!(super::visit(&server, "POST", "/adfs/oauth2/token", &[], "").await.status, 400);
}

#[tokio::test]
async fn pages_of_every_origin_may_send_requests() {
    let server = TestServer::with(&["--cors", "all"]).await;
    server.container("box").await;
    server.blob("/box/blob", "content").await;
    let origin = ("origin", "http://localhost:3000");
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        let preflight = server.request("OPTIONS", "/box").of(kind).anonymous().headers(&[
            origin,
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "x-ms-blob-type,authorization,x-ms-date"),
        ]);
        let preflight = preflight.send().await;
        assert_eq!(preflight.verdict(), "200", "{kind:?}: {}", preflight.text());
        assert_eq!(preflight.header("access-control-allow-methods"), "PUT");
    }
    let get = server.request("GET", "/box/blob").headers(&[origin]).send().await;
    assert_eq!((get.status, get.header("access-control-allow-origin")), (200, "*"));
    assert!(
        get.header("access-control-expose-headers").contains("ETag")
            || get.header("access-control-expose-headers").contains("etag")
    );
    let refused = server.request("GET", "/box/blob").anonymous().headers(&[origin]).send().await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, "*"), "a page can read a refusal too");
    let rules = TestServer::new().await;
    assert_eq!(rules.request("GET", "/?comp=list").headers(&[origin]).send().await.header("access-control-allow-origin"), "");
}
