//! Bearer tokens: where they are accepted, what they permit, and how they are refused.

use super::jwt::{self, ANN};
use crate::server::{Answer, TestServer, VERSION};
use lazuli::ServiceKind;

const FAILED: &str = "403 AuthenticationFailed";
const UNFIT: &str = "401 InvalidAuthenticationInfo";

async fn send(
    server: &TestServer,
    method: &str,
    target: &str,
    authorization: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let request = server.request(method, target).anonymous().header("authorization", authorization).headers(headers);
    request.body(body.to_owned()).send().await
}

/// A server with this level of token checks, with the container `box` and in it the blob `blob`.
async fn server(level: &str) -> TestServer {
    let server = TestServer::with(&["--oauth", level]).await;
    server.container("box").await;
    server.blob("/box/blob", "content").await;
    server
}

#[tokio::test]
async fn tokens_are_refused_by_default() {
    let server = super::server_with_blob().await;
    let detail = "Bearer tokens are off: start the server with --oauth local, basic (https) or dev (any).";
    for (version, verdict) in [(VERSION, UNFIT), ("2019-12-12", UNFIT), ("2019-07-07", FAILED), ("2017-11-09", FAILED)] {
        let answer = send(&server, "GET", "/box/blob", &jwt::of(ANN), &[("x-ms-version", version)], "").await;
        assert_eq!((answer.verdict().as_str(), answer.element("AuthenticationErrorDetail")), (verdict, detail), "{version}");
        let challenge = answer.header("www-authenticate");
        let expected = "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize \
                        resource_id=https://storage.azure.com";
        assert_eq!(challenge, if verdict == UNFIT { expected } else { "" }, "{version}");
    }
}

#[tokio::test]
async fn basic_is_for_https() {
    let server = server("basic").await;
    let answer = send(&server, "GET", "/box/blob", &jwt::of(ANN), &[], "").await;
    assert_eq!(answer.verdict(), FAILED);
    let detail = answer.element("AuthenticationErrorDetail");
    assert!(detail.starts_with("Authentication scheme Bearer is not allowed with HTTP"), "{detail}");
}

#[tokio::test]
async fn dev_takes_any_token_until_it_expires() {
    let server = server("dev").await;
    let expired = jwt::claims("https://storage.azure.com", "https://sts.windows.net/t/", ANN, -1);
    for (authorization, version, verdict) in [
        (jwt::of(ANN), VERSION, "200"),
        (jwt::of(ANN).replacen("Bearer", "bearer", 1), VERSION, "200"),
        (jwt::bearer("{}"), VERSION, "200"),
        (jwt::of(ANN), "2017-11-09", "200"),
        (jwt::of(ANN), "2017-07-29", FAILED),
        (jwt::of(ANN), "", "403 AuthenticationFailed"),
        (jwt::bearer(&expired), VERSION, UNFIT),
        (jwt::bearer(&expired), "2019-07-07", FAILED),
        (jwt::bearer("nonsense"), VERSION, UNFIT),
        ("Bearer".to_owned(), VERSION, UNFIT),
        ("Bearer x.y.z".to_owned(), VERSION, UNFIT),
        ("Bearerx.y.z".to_owned(), VERSION, "400 InvalidAuthenticationInfo"),
    ] {
        let answer = send(&server, "GET", "/box/blob", &authorization, &[("x-ms-version", version)], "").await;
        assert_eq!(answer.status.to_string(), verdict[..3], "{authorization} {version}: {}", answer.text());
        if version == VERSION {
            assert_eq!(answer.verdict(), verdict, "{authorization}");
        }
    }
    // Clients use the time of the machine, and so do their tokens.
    server.wait(30 * 86_400);
    assert_eq!(send(&server, "GET", "/box/blob", &jwt::of(ANN), &[], "").await.verdict(), "200");
}

/// There are no roles: a user may do everything, including access policies.
#[tokio::test]
async fn a_user_may_do_everything() {
    let server = server("dev").await;
    let ann = jwt::of(ANN);
    let policies = "<SignedIdentifiers><SignedIdentifier><Id>p</Id></SignedIdentifier></SignedIdentifiers>";
    let source = format!("{}/box/blob", server.blob_url());
    for (method, target, headers, body, status) in [
        ("GET", "/?comp=list", &[][..], "", 200),
        ("GET", "/?restype=service&comp=properties", &[], "", 200),
        ("GET", "/?restype=account&comp=properties", &[], "", 200),
        ("PUT", "/new?restype=container", &[], "", 201),
        ("PUT", "/new/blob", &[("x-ms-blob-type", "BlockBlob")], "x", 201),
        ("PUT", "/new/blob", &[("x-ms-blob-type", "BlockBlob")], "y", 201),
        ("PUT", "/new/copy", &[("x-ms-copy-source", &source)], "", 202),
        ("PUT", "/new?restype=container&comp=acl", &[], policies, 200),
        ("GET", "/new?restype=container&comp=acl", &[], "", 200),
        ("DELETE", "/new/blob", &[], "", 202),
        ("DELETE", "/new?restype=container", &[], "", 202),
    ] {
        let answer = send(&server, method, target, &ann, headers, body).await;
        assert_eq!(answer.status, status, "{method} {target}: {}", answer.text());
    }
}

/// The same for queues and tables, with refusals in their own formats.
#[tokio::test]
async fn queues_and_tables_take_tokens_too() {
    let server = server("dev").await;
    let ann = jwt::of(ANN);
    let message = "<QueueMessage><MessageText>x</MessageText></QueueMessage>";
    let policies = "<SignedIdentifiers><SignedIdentifier><Id>p</Id></SignedIdentifier></SignedIdentifiers>";
    let entity = "/people(PartitionKey='p',RowKey='r')";
    let batch = format!(
        "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: application/http\n\n\
         PUT /devstoreaccount1{entity} HTTP/1.1\n\n{{}}\n--c--\n--b--"
    );
    let operations: [(ServiceKind, &str, &str, &str, u16); 18] = [
        (ServiceKind::Queue, "PUT", "/work", "", 201),
        (ServiceKind::Queue, "GET", "/?comp=list", "", 200),
        (ServiceKind::Queue, "GET", "/?restype=service&comp=properties", "", 200),
        (ServiceKind::Queue, "PUT", "/work?comp=acl", policies, 204),
        (ServiceKind::Queue, "GET", "/work?comp=acl", "", 200),
        (ServiceKind::Queue, "POST", "/work/messages", message, 201),
        (ServiceKind::Queue, "GET", "/work/messages", "", 200),
        (ServiceKind::Queue, "DELETE", "/work/messages", "", 204),
        (ServiceKind::Queue, "DELETE", "/work", "", 204),
        (ServiceKind::Table, "POST", "/Tables", r#"{"TableName":"people"}"#, 201),
        (ServiceKind::Table, "GET", "/Tables", "", 200),
        (ServiceKind::Table, "PUT", "/people?comp=acl", policies, 204),
        (ServiceKind::Table, "GET", "/people?comp=acl", "", 200),
        (ServiceKind::Table, "PUT", entity, "{}", 204),
        (ServiceKind::Table, "GET", entity, "", 200),
        (ServiceKind::Table, "POST", "/$batch", &batch, 202),
        (ServiceKind::Table, "GET", "/people()", "", 200),
        (ServiceKind::Table, "DELETE", "/Tables('people')", "", 204),
    ];
    let nobody = server_without_tokens().await;
    for (kind, method, target, body, status) in operations {
        let request = |server, token: &str, body: &str| {
            let request = TestServer::request(server, method, target).of(kind).anonymous().header("authorization", token);
            let mixed = target == "/$batch";
            let request = if mixed { request.header("content-type", "multipart/mixed; boundary=b") } else { request };
            request.body(body.to_owned())
        };
        let answer = request(&server, &ann, body).send().await;
        assert_eq!(answer.status, status, "{kind:?} {method} {target}: {}", answer.text());
        assert!(target != "/$batch" || answer.text().contains("204 No Content"), "{}", answer.text());
        for (server, token) in [(&server, "Bearer x.y.z"), (&nobody, ann.as_str())] {
            let refused = request(server, token, body).send().await;
            assert_eq!((refused.status, refused.header("x-ms-error-code")), (401, "InvalidAuthenticationInfo"), "{target}");
            assert!(refused.header("www-authenticate").starts_with("Bearer authorization_uri="), "{target}");
            let data = kind == ServiceKind::Table && !target.contains("comp=");
            let form = if data { "application/json" } else { "application/xml" };
            assert_eq!(refused.header("content-type"), form, "{target}: {}", refused.text());
        }
    }
}

/// A server without `--oauth`.
async fn server_without_tokens() -> TestServer {
    TestServer::new().await
}

/// Each part of a batch has a token of its own, as any request.
#[tokio::test]
async fn the_parts_of_a_batch_show_tokens() {
    let server = server("dev").await;
    let ann = jwt::of(ANN);
    let part = |id: usize, authorization: &str| {
        let head = format!("--b\r\nContent-Type: application/http\r\nContent-ID: {id}\r\n\r\n");
        let request = "DELETE /devstoreaccount1/box/blob HTTP/1.1\r\nContent-Length: 0\r\n";
        let line = if authorization.is_empty() { String::new() } else { format!("Authorization: {authorization}\r\n") };
        format!("{head}{request}{line}\r\n")
    };
    let body = format!("{}{}{}--b--\r\n", part(0, ""), part(1, "Bearer x"), part(2, &ann));
    let headers = [("content-type", "multipart/mixed; boundary=b")];
    let answer = send(&server, "POST", "/?comp=batch", &ann, &headers, &body).await;
    assert_eq!(answer.verdict(), "202", "{}", answer.text());
    let statuses: Vec<&str> = answer.text().split("HTTP/1.1 ").skip(1).map(|part| &part[..3]).collect();
    assert_eq!(statuses, ["401", "401", "202"], "{}", answer.text());
}

/// A copy may have a token for its source; then that one authorizes the read.
#[tokio::test]
async fn a_source_may_have_a_token_of_its_own() {
    let server = TestServer::with(&["--oauth", "dev", "--account=devstoreaccount1", "--account=other"]).await;
    for account in ["devstoreaccount1", "other"] {
        let key = lazuli::WELL_KNOWN_KEY;
        server.request("PUT", "/box?restype=container").account(account, key).send().await;
        let put = server.request("PUT", "/box/blob").account(account, key).header("x-ms-blob-type", "BlockBlob");
        assert_eq!(put.body(account).send().await.verdict(), "201");
    }
    let ann = jwt::of(ANN);
    let late = jwt::bearer(&jwt::claims("a", "b", ANN, -1));
    let sas = super::token::service("box", "sv=2021-12-02&sr=c&sp=w&se=2099-01-01");
    let refused = "401 CannotVerifyCopySource";
    for (copier, account, token, verdict) in [
        ("", "other", "", refused),
        ("", "other", ann.as_str(), "202"),
        ("", "other", &late, refused),
        ("", "devstoreaccount1", &ann, "202"),
        ("", "devstoreaccount1", &late, refused),
        ("", "devstoreaccount1", "SharedKey a:b", "400 InvalidHeaderValue"),
        (&sas, "devstoreaccount1", "", refused),
        (&sas, "devstoreaccount1", &ann, "202"),
        (&sas, "other", &ann, "202"),
    ] {
        let source = format!("http://{}/{account}/box/blob", server.host(ServiceKind::Blob));
        let mut headers = vec![("x-ms-copy-source", source.as_str())];
        headers.extend((!token.is_empty()).then_some(("x-ms-copy-source-authorization", token)));
        let request = match copier {
            "" => server.request("PUT", "/box/copy"),
            sas => server.request("PUT", &format!("/box/copy?{sas}")).anonymous(),
        };
        let answer = request.headers(&headers).send().await;
        assert_eq!(answer.verdict(), verdict, "{copier:?} {account} {token}: {}", answer.text());
        let copy = server.request("DELETE", "/box/copy").send().await;
        assert_eq!(copy.status == 202, verdict == "202", "a refused copy leaves nothing");
    }
}

/// A user's own token opens a private source in the same account, for the operations that take bytes from a URL too; it opens none in
/// another account.
#[tokio::test]
async fn a_users_token_opens_a_source_in_the_same_account() {
    let server = TestServer::with(&["--oauth", "dev", "--account=devstoreaccount1", "--account=other"]).await;
    for account in ["devstoreaccount1", "other"] {
        let key = lazuli::WELL_KNOWN_KEY;
        server.request("PUT", "/box?restype=container").account(account, key).send().await;
        let put = server.request("PUT", "/box/page").account(account, key).header("x-ms-blob-type", "BlockBlob");
        assert_eq!(put.body("p".repeat(512)).send().await.verdict(), "201");
    }
    for (name, kind) in [("/box/p", "PageBlob"), ("/box/a", "AppendBlob")] {
        let make = server.request("PUT", name).header("x-ms-blob-type", kind).header("x-ms-blob-content-length", "512");
        assert_eq!(make.send().await.verdict(), "201");
    }
    let ann = jwt::of(ANN);
    for (target, own, success) in [
        ("/box/b", &[("x-ms-blob-type", "BlockBlob")][..], "201"),
        ("/box/b?comp=block&blockid=QQ==", &[], "201"),
        ("/box/a?comp=appendblock", &[], "201"),
        ("/box/p?comp=page", &[("x-ms-page-write", "update"), ("x-ms-range", "bytes=0-511")], "201"),
        ("/box/c", &[("x-ms-requires-sync", "true")], "202"),
        ("/box/c", &[], "202"),
    ] {
        for (account, verdict) in [("devstoreaccount1", success), ("other", "401 CannotVerifyCopySource")] {
            let source = format!("http://{}/{account}/box/page", server.host(ServiceKind::Blob));
            let headers: Vec<_> = own.iter().copied().chain([("x-ms-copy-source", source.as_str())]).collect();
            let answer = send(&server, "PUT", target, &ann, &headers, "").await;
            assert_eq!(answer.verdict(), verdict, "{target} of {source}: {}", answer.text());
        }
    }
}
