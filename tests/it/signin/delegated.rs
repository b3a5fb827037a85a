//! User delegation SAS of every service: they permit what their letters and the roles of their signer permit, at the time of use.

use super::{DENIED, bearer};
use crate::auth::queue_table_delegation::key;
use crate::auth::token::{self, moment};
use crate::scratch::Scratch;
use crate::server::TestServer;
use lazuli::ServiceKind;

const VERSION: &str = "2026-04-06";

/// The key of a principal in a service: its value, and the fields of a signature that name it.
async fn delegation_key(server: &TestServer, kind: ServiceKind, who: &str) -> (String, String) {
    let body = format!("<KeyInfo><Expiry>{}</Expiry></KeyInfo>", moment(server, 3600));
    let target = "/?restype=service&comp=userdelegationkey";
    let request = server.request("POST", target).of(kind).anonymous().header("authorization", bearer(server, who).await);
    key(&request.header("x-ms-version", VERSION).body(body).send().await)
}

/// Sends a request with a signature of every letter.
async fn send(server: &TestServer, kind: ServiceKind, signer: &(String, String), request: &str, body: &str) -> String {
    let (value, user_key) = signer;
    let fields = format!("sv={VERSION}&se={}{user_key}", moment(server, 600));
    let sas = match kind {
        ServiceKind::Blob => token::delegated("box", &format!("{fields}&sr=c&sp=racwdl"), value, &[], ""),
        ServiceKind::Queue => token::delegated_of("queue", "work", &format!("{fields}&sp=raup"), value),
        ServiceKind::Table => token::delegated_of("table", "people", &format!("{fields}&sp=raud&tn=people"), value),
        _ => token::delegated_of("file", "share", &format!("{fields}&sr=s&sp=rcwdl"), value),
    };
    let (method, target) = request.split_once(' ').unwrap();
    let joint = if target.contains('?') { '&' } else { '?' };
    let request = server.request(method, &format!("{target}{joint}{sas}")).of(kind).anonymous().header("x-ms-version", VERSION);
    let request = match kind {
        ServiceKind::Blob if method == "PUT" => request.header("x-ms-blob-type", "BlockBlob"),
        ServiceKind::File if method == "PUT" => request.header("x-ms-type", "file").header("x-ms-content-length", "3"),
        _ => request,
    };
    request.body(body.to_owned()).send().await.verdict()
}

#[tokio::test]
async fn a_signature_has_at_most_the_rights_of_its_signer() {
    let scratch = Scratch::new("delegated");
    let location = ["--oauth=local", "--location", scratch.path()];
    let with = |roles: &'static str| location.iter().copied().chain(["--identity", roles]).collect::<Vec<_>>();
    let mut server = TestServer::with(&with("ann,role=owner;bob,role=reader,role=delegator")).await;
    server.container("box").await;
    server.blob("/box/blob", "content").await;
    assert_eq!(server.request("PUT", "/work").of(ServiceKind::Queue).send().await.verdict(), "201");
    let table = server.request("POST", "/Tables").of(ServiceKind::Table).body(r#"{"TableName":"people"}"#).send().await;
    assert_eq!(table.verdict(), "201");
    assert_eq!(server.request("PUT", "/share?restype=share").of(ServiceKind::File).send().await.verdict(), "201");

    let services = [
        (ServiceKind::Blob, "GET /box/blob", "PUT /box/blob", "x"),
        (
            ServiceKind::Queue,
            "GET /work/messages?peekonly=true",
            "POST /work/messages",
            "<QueueMessage><MessageText>x</MessageText></QueueMessage>",
        ),
        (ServiceKind::Table, "GET /people()", "PUT /people(PartitionKey='p',RowKey='r')", "{}"),
        (ServiceKind::File, "GET /share?restype=directory&comp=list", "PUT /share/f", ""),
    ];
    let mut signers = Vec::new();
    for (kind, read, write, body) in services {
        for (who, writes) in [("ann", true), ("bob", false)] {
            let signer = delegation_key(&server, kind, who).await;
            assert_eq!(send(&server, kind, &signer, read, "").await, "200", "{who} {kind:?} {read}");
            let verdict = send(&server, kind, &signer, write, body).await;
            assert_eq!(verdict.starts_with("20"), writes, "{who} {kind:?} {write}: {verdict}");
            assert!(writes || verdict == DENIED, "{who} {kind:?} {write}: {verdict}");
            signers.push((kind, read, write, body, signer));
        }
    }
    // A role that is taken away is missing from the signatures too.
    server.restart_with(&with("ann,role=reader;bob,role=none")).await;
    for (at, (kind, read, write, body, signer)) in signers.iter().enumerate() {
        let reads = send(&server, *kind, signer, read, "").await;
        assert_eq!(reads, if at % 2 == 0 { "200" } else { DENIED }, "{kind:?} {read}");
        assert_eq!(send(&server, *kind, signer, write, body).await, DENIED, "{kind:?} {write}");
    }
}

#[tokio::test]
async fn a_principal_without_the_action_gets_no_delegation_key() {
    let server = TestServer::with(&["--oauth=local", "--identity", "ann,role=sender"]).await;
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        let target = "/?restype=service&comp=userdelegationkey";
        let token = bearer(&server, "ann").await;
        let request = server.request("POST", target).of(kind).anonymous().header("authorization", token);
        let answer = request.header("x-ms-version", VERSION).body("<KeyInfo/>").send().await;
        assert_eq!((answer.status, answer.header("x-ms-error-code")), (403, "AuthorizationPermissionMismatch"), "{kind:?}");
    }
}
