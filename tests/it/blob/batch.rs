//! Blob Batch: parts that are performed, authorized and answered one by one.

use crate::auth::token;
use crate::server::{Answer, TestServer, sign, start_of_time};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};

/// A part as clients write it: method, target, headers as they are.
fn part(id: usize, method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "--batch_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: {id}\r\n\r\n\
         {method} {target} HTTP/1.1\r\n{headers}\r\n\r\n"
    )
}

/// A part that is signed with the account's key; the version is the batch's and not written, as clients do it.
fn signed(id: usize, method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut all: Vec<(String, String)> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    all.push(("x-ms-date".into(), start_of_time().rfc1123()));
    all.push(("authorization".into(), sign(method, WELL_KNOWN_ACCOUNT, target, &all, 0, WELL_KNOWN_KEY)));
    let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    part(id, method, target, &all)
}

/// A path with the account in it, as path-style clients write it.
fn at(path: &str) -> String {
    format!("/{WELL_KNOWN_ACCOUNT}{path}")
}

fn whole(parts: &[String]) -> String {
    parts.concat() + "--batch_1--\r\n"
}

async fn send(server: &TestServer, target: &str, parts: &[String]) -> Answer {
    send_body(server, target, "multipart/mixed; boundary=batch_1", whole(parts)).await
}

async fn send_body(server: &TestServer, target: &str, kind: &str, body: impl Into<hyper::body::Bytes>) -> Answer {
    server.request("POST", target).header("content-type", kind).body(body).send().await
}

/// The answers to the parts: id, status, code.
fn verdicts(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.verdict(), "202", "{}", answer.text());
    let (kind, boundary) = answer.header("content-type").split_once("; boundary=").unwrap();
    assert_eq!(kind, "multipart/mixed");
    let text = std::str::from_utf8(&answer.body).unwrap();
    let text = text.strip_suffix(&format!("--{boundary}--")).unwrap();
    let verdict = |part: &str| {
        let line = |name: &str| part.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        let status = line("HTTP/1.1 ").split(' ').next().unwrap().to_owned();
        format!("{} {status} {}", line("Content-ID: "), line("x-ms-error-code: ")).trim().to_owned()
    };
    text.split(&format!("--{boundary}\r\n")).skip(1).map(verdict).collect()
}

async fn there(server: &TestServer, path: &str) -> bool {
    server.request("HEAD", path).send().await.status == 200
}

/// The answer of the service, byte for byte except for ids, version and time (recorded).
#[tokio::test]
async fn find_blobs_answers_as_recorded() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/a", "a").await;
    let parts =
        [signed(0, "DELETE", &at("/box/a?"), &[("x-ms-client-request-id", "mine")]), signed(1, "DELETE", &at("/box/b?"), &[])];
    let answer = send(&server, "/?comp=batch", &parts).await;
    assert_eq!(verdicts(&answer), ["0 202", "1 404 BlobNotFound"]);
    let boundary = answer.header("content-type").split_once('=').unwrap().1.to_owned();
    assert!(boundary.starts_with("batchresponse_") && boundary.len() == 50, "{boundary}");
    let text = std::str::from_utf8(&answer.body).unwrap();
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("x-ms-request-id: ")).collect();
    assert!(ids[0] != ids[1] && ids[0] != answer.header("x-ms-request-id"));
    let time = server.now().iso();
    let error = format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>BlobNotFound</Code><Message>The specified blob does not \
         exist.\nRequestId:{}\nTime:{time}</Message></Error>",
        ids[1]
    );
    let expected = format!(
        "--{boundary}\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\nHTTP/1.1 202 Accepted\r\n\
         x-ms-delete-type-permanent: true\r\nx-ms-request-id: {}\r\nx-ms-version: 2021-12-02\r\nx-ms-client-request-id: mine\r\n\
         Server: Windows-Azure-Blob/1.0\r\n\r\n\
         --{boundary}\r\nContent-Type: application/http\r\nContent-ID: 1\r\n\r\nHTTP/1.1 404 The specified blob does not exist.\r\n\
         x-ms-error-code: BlobNotFound\r\nx-ms-request-id: {}\r\nx-ms-version: 2021-12-02\r\nContent-Length: {}\r\n\
         Content-Type: application/xml\r\nServer: Windows-Azure-Blob/1.0\r\n\r\n{error}\r\n--{boundary}--",
        ids[0],
        ids[1],
        error.len()
    );
    assert_eq!(text, expected);
}

/// The parts are no transaction: each is checked by its operation, after the effects of the parts before it.
#[tokio::test]
async fn each_part_succeeds_or_fails_alone() {
    let server = TestServer::new().await;
    server.container("box").await;
    for name in ["a", "b", "c", "d"] {
        server.blob(&format!("/box/{name}"), "x").await;
    }
    let lease = [("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "-1")];
    assert_eq!(server.request("PUT", "/box/b?comp=lease").headers(&lease).send().await.verdict(), "201");
    assert_eq!(server.request("PUT", "/box/d?comp=snapshot").send().await.verdict(), "201");
    let parts = [
        signed(0, "DELETE", &at("/box/a"), &[]),
        signed(1, "DELETE", &at("/box/b"), &[]),
        signed(2, "DELETE", &at("/box/c"), &[("if-match", "\"0x0\"")]),
        signed(3, "DELETE", &at("/box/d"), &[]),
        signed(4, "DELETE", &at("/box/d"), &[("x-ms-delete-snapshots", "include")]),
        signed(5, "DELETE", &at("/box/c"), &[("x-ms-delete-snapshots", "only")]),
        signed(6, "DELETE", &at("/none/a"), &[]),
        signed(7, "DELETE", &at("/box/a"), &[]),
    ];
    let expected = [
        "0 202",
        "1 412 LeaseIdMissing",
        "2 412 ConditionNotMet",
        "3 409 SnapshotsPresent",
        "4 202",
        "5 404 BlobNotFound",
        "6 404 ContainerNotFound",
        "7 404 BlobNotFound",
    ];
    assert_eq!(verdicts(&send(&server, "/?comp=batch", &parts).await), expected);
    for (name, stays) in [("a", false), ("b", true), ("c", true), ("d", false)] {
        assert_eq!(there(&server, &format!("/box/{name}")).await, stays, "{name}");
    }
}

/// Some clients leave the account out of the parts' paths, where the endpoint has it in its own, and sign what they write.
#[tokio::test]
async fn reads_paths_as_clients_write_them() {
    let server = TestServer::new().await;
    server.container("box").await;
    for (target, scope) in [
        ("/?comp=batch", "account"),
        ("?comp=batch&restype=container", "an account that is taken for a container"),
        ("/box?restype=container&comp=batch", "container"),
    ] {
        let name = "%C3%B6%20%2B";
        for (n, path) in [at(&format!("/box/{name}")), format!("/box/{name}"), format!("/box/{name}?")].iter().enumerate() {
            server.blob(&format!("/box/{name}"), "x").await;
            assert_eq!(
                verdicts(&send(&server, target, &[signed(n, "DELETE", path, &[])]).await),
                [format!("{n} 202")],
                "{scope} {path}"
            );
        }
        server.blob("/box/plain", "x").await;
        let url = format!("{}/box/plain", server.blob_url());
        let sas = token::account("sv=2021-12-02&sp=d&se=2099-01-01&ss=b&srt=o");
        let body = whole(&[part(7, "DELETE", &format!("{url}?{sas}"), &[])]).replace("\r\n", "\n");
        let answer = send_body(&server, target, "multipart/mixed;boundary=\"batch_1\"", body).await;
        assert_eq!(verdicts(&answer), ["7 202"], "{scope}");
    }
}

#[tokio::test]
async fn sets_tiers() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/a", "x").await;
    server.blob("/box/b", "x").await;
    let parts = [
        signed(0, "PUT", &at("/box/a?comp=tier"), &[("x-ms-access-tier", "Cool")]),
        signed(1, "PUT", &at("/box/b?comp=tier"), &[("x-ms-access-tier", "Lukewarm")]),
        signed(2, "PUT", &at("/box/b?comp=tier"), &[("x-ms-access-tier", "Archive")]),
        signed(3, "PUT", &at("/box/b?comp=tier"), &[("x-ms-access-tier", "Hot")]),
    ];
    let answer = send(&server, "/box?restype=container&comp=batch", &parts).await;
    assert_eq!(verdicts(&answer), ["0 200", "1 400 InvalidHeaderValue", "2 200", "3 202"]);
    assert_eq!(server.request("HEAD", "/box/a").send().await.header("x-ms-access-tier"), "Cool");
    assert_eq!(server.request("HEAD", "/box/b").send().await.header("x-ms-archive-status"), "rehydrate-pending-to-hot");
}

/// The permission to send a batch does not permit its parts.
#[tokio::test]
async fn each_part_is_authorized_by_itself() {
    let server = TestServer::with(&["--account=devstoreaccount1", "--account=other:c2VjcmV0"]).await;
    server.container("box").await;
    server.container("open").await;
    server.request("PUT", "/open?restype=container&comp=acl").header("x-ms-blob-public-access", "container").send().await;
    for name in ["/box/a", "/box/b", "/box/c", "/open/a"] {
        server.blob(name, "x").await;
    }
    let fields = "sv=2021-12-02&se=2099-01-01";
    let with = |path: &str, sas: String| part(0, "DELETE", &format!("{}?{sas}", at(path)), &[]);
    let wrong = signed(0, "DELETE", &at("/box/a"), &[]).replace("/box/a ", "/box/b ");
    let foreign = sign("DELETE", "other", "/other/box/a", &[("x-ms-date".into(), start_of_time().rfc1123())], 0, "c2VjcmV0");
    for (what, part, expected) in [
        ("nothing", part(0, "DELETE", &at("/box/a"), &[]), "0 401 NoAuthenticationInformation"),
        ("nothing, where reading is free", part(0, "DELETE", &at("/open/a"), &[]), "0 401 NoAuthenticationInformation"),
        ("another path's signature", wrong, "0 403 AuthenticationFailed"),
        (
            "another account's key",
            part(0, "DELETE", "/other/box/a", &[("x-ms-date", &start_of_time().rfc1123()), ("authorization", &foreign)]),
            "0 403 AuthenticationFailed",
        ),
        (
            "no letter",
            with("/box/a", token::service("box", &format!("{fields}&sr=c&sp=r"))),
            "0 403 AuthorizationPermissionMismatch",
        ),
        (
            "another container's",
            with("/box/a", token::service("open", &format!("{fields}&sr=c&sp=d"))),
            "0 403 AuthenticationFailed",
        ),
        ("a container's", with("/box/a", token::service("box", &format!("{fields}&sr=c&sp=d"))), "0 202"),
        ("a blob's", with("/box/b", token::service("box/b", &format!("{fields}&sr=b&sp=d"))), "0 202"),
        ("an account's", with("/box/c", token::account(&format!("{fields}&ss=b&srt=o&sp=d"))), "0 202"),
    ] {
        let answer = send(&server, "/?comp=batch", &[part]).await;
        let verdicts = verdicts(&answer);
        assert_eq!(verdicts, [expected], "{what}");
    }
    assert!(there(&server, "/open/a").await);
}

/// An account SAS with any permission permits the batch itself; for a container, a SAS of the container does, too.
#[tokio::test]
async fn the_batch_is_authorized_too() {
    let server = TestServer::new().await;
    server.container("box").await;
    let fields = "sv=2021-12-02&sp=r&se=2099-01-01";
    let (service, container) = ("/?comp=batch&", "/box?restype=container&comp=batch&");
    for (target, sas, expected) in [
        (service, token::account(&format!("{fields}&ss=b&srt=s")), "202"),
        (service, token::account(&format!("{fields}&ss=b&srt=co")), "403 AuthorizationResourceTypeMismatch"),
        (service, token::account(&format!("{fields}&ss=q&srt=s")), "403 AuthorizationServiceMismatch"),
        (container, token::account(&format!("{fields}&ss=b&srt=c")), "202"),
        (container, token::service("box", &format!("{fields}&sr=c")), "202"),
        (container, token::service("other", &format!("{fields}&sr=c")), "403 AuthenticationFailed"),
    ] {
        server.blob("/box/a", "x").await;
        let body = whole(&[signed(0, "DELETE", &at("/box/a"), &[])]);
        let request = server.request("POST", &format!("{target}{sas}")).anonymous();
        let answer = request.header("content-type", "multipart/mixed; boundary=batch_1").body(body).send().await;
        assert_eq!(answer.verdict(), expected, "{target}: {}", answer.text());
        assert_eq!(there(&server, "/box/a").await, expected != "202", "{target}");
    }
    let answer = server.request("POST", "/?comp=batch").anonymous().body("x").send().await;
    assert!([401, 403].contains(&answer.status), "{}", answer.verdict());
}

#[tokio::test]
async fn nothing_else_is_done_in_a_batch() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.container("other").await;
    server.blob("/box/a", "x").await;
    server.blob("/other/a", "x").await;
    for (method, target, expected) in [
        ("GET", "/box/a", "0 400 InvalidInput"),
        ("PUT", "/box/a?comp=metadata", "0 400 InvalidInput"),
        ("PUT", "/new?restype=container", "0 400 InvalidInput"),
        ("DELETE", "/box?restype=container", "0 400 InvalidInput"),
        ("POST", "/?comp=batch", "0 400 InvalidInput"),
        ("POST", "/box?restype=container&comp=batch", "0 400 InvalidInput"),
        ("DELETE", "/box/a?comp=foo", "0 400 InvalidQueryParameterValue"),
        ("PUT", "/box/a?comp=undelete", "0 400 InvalidInput"),
    ] {
        let answer = send(&server, "/?comp=batch", &[signed(0, method, &at(target), &[])]).await;
        assert_eq!(verdicts(&answer), [expected], "{method} {target}");
    }
    let parts = [signed(0, "DELETE", &at("/other/a"), &[]), signed(1, "DELETE", &at("/box/a"), &[])];
    let answer = send(&server, "/box?restype=container&comp=batch", &parts).await;
    assert_eq!(verdicts(&answer), ["0 400 InvalidInput", "1 202"]);
    assert!(there(&server, "/other/a").await && !there(&server, "/box/a").await);
    let answer = send(&server, "/none?restype=container&comp=batch", &parts).await;
    assert_eq!(answer.verdict(), "404 ContainerNotFound");
    let secondary = server.request("POST", "/?comp=batch").account(&format!("{WELL_KNOWN_ACCOUNT}-secondary"), WELL_KNOWN_KEY);
    assert_eq!(secondary.of(ServiceKind::Blob).body("x").send().await.status, 403);
}

/// The answer to a malformed batch is one part without Content-ID, which has the error.
#[tokio::test]
async fn a_malformed_batch_is_refused_in_one_part() {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/a", "x").await;
    let good = signed(0, "DELETE", &at("/box/a"), &[]);
    let kind = "multipart/mixed; boundary=batch_1";
    let one = whole(std::slice::from_ref(&good));
    let nested = format!("--batch_1\r\nContent-Type: {kind}\r\n\r\n{good}");
    for (kind, body, expected) in [
        ("multipart/mixed", one.clone(), "400 InvalidHeaderValue"),
        ("multipart/mixed; boundary=", one.clone(), "400 InvalidHeaderValue"),
        ("application/xml", one.clone(), "400 InvalidHeaderValue"),
        ("multipart/mixed; boundary=batch_1; boundary=batch_1", one.clone(), "400 InvalidInput"),
        ("multipart/mixed; boundary=other", one.clone(), "400 InvalidInput"),
        (kind, String::new(), "400 InvalidInput"),
        (kind, whole(&[]), "400 InvalidInput"),
        (kind, good.clone(), "400 InvalidInput"),
        (kind, whole(&[good.clone(), nested]), "400 InvalidInput"),
        (kind, whole(&[good.clone(), "--batch_1\r\n\r\n".into()]), "400 InvalidInput"),
    ] {
        for target in ["/?comp=batch", "/box?restype=container&comp=batch"] {
            let request = server.request("POST", target).header("content-type", kind).header("x-ms-client-request-id", "mine");
            let answer = request.body(body.clone()).send().await;
            assert_eq!(verdicts(&answer), [expected], "{kind}: {}", answer.text());
            assert_eq!(answer.text().matches("x-ms-client-request-id: mine\r\n").count(), 1, "{kind}: {}", answer.text());
        }
    }
    // Without a Content-Type the batch is refused; so is a body that is too long.
    let answer = server.request("POST", "/?comp=batch").body(one.clone()).send().await;
    assert_eq!(answer.verdict(), "400 MissingRequiredHeader");
    let answer = send_body(&server, "/?comp=batch", kind, one + &" ".repeat(4 << 20)).await;
    assert_eq!(answer.verdict(), "413 RequestBodyTooLarge");
    // Azure refused too many parts in this way (Azure/azure-sdk-for-java#6725). No recording has a mix; the code is Azurite's.
    let many: Vec<String> = (0..257).map(|n| signed(n, "DELETE", &at("/box/a"), &[])).collect();
    assert_eq!(verdicts(&send(&server, "/?comp=batch", &many).await), ["400 ExceedsMaxBatchRequestCount"]);
    let mixed = [good, signed(1, "PUT", &at("/box/a?comp=tier"), &[("x-ms-access-tier", "Cool")])];
    assert_eq!(verdicts(&send(&server, "/?comp=batch", &mixed).await), ["400 AllBatchSubRequestsShouldBeSameApi"]);
    assert!(there(&server, "/box/a").await);
    assert_eq!(verdicts(&send(&server, "/?comp=batch", &many[..256]).await).len(), 256);
    assert!(!there(&server, "/box/a").await);
}
