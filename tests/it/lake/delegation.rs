//! User delegation signatures whose holder acts as a user: ACLs limit `suoid`, and do not limit `saoid`.

use super::{check_in, lake};
use crate::auth::jwt::{self, ANN, BOB};
use crate::auth::queue_table_delegation::key;
use crate::auth::token::{self, moment};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

const REFUSED: &str = "403 AuthorizationPermissionMismatch";

/// Signs with a user delegation key of Ann, for the file system `box`.
async fn sas(server: &TestServer, letters: &str, more: &str) -> String {
    let (start, expiry) = (moment(server, 0), moment(server, 3600));
    let body = format!("<KeyInfo><Start>{start}</Start><Expiry>{expiry}</Expiry></KeyInfo>");
    let request = server.request("POST", "/?restype=service&comp=userdelegationkey").anonymous();
    let answer = request.header("authorization", jwt::of(ANN)).header("x-ms-version", "2020-12-06").body(body).send().await;
    let (value, user_key) = key(&answer);
    let fields = format!("sv=2020-12-06&sr=c&sp={letters}&se={expiry}{user_key}{more}");
    token::delegated("box", &fields, &value, &[], "")
}

async fn send(server: &TestServer, request: &str, sas: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let separator = if target.contains('?') { '&' } else { '?' };
    let kind = if target.contains("comp=") { ServiceKind::Blob } else { ServiceKind::DataLake };
    let request = server.request(method, &format!("{target}{separator}{sas}")).of(kind).anonymous();
    request.headers(headers).body(body.to_owned()).send().await
}

/// A server with `box/open`, where everybody may do everything, and `box/closed`, where Bob may only read `f`.
async fn server() -> TestServer {
    let server = lake(&["--oauth=dev"]).await;
    check_in(
        &server,
        &format!(
            "PATCH /box/?action=setAccessControl | x-ms-permissions: 0751 → 200
             PUT /box/open?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0000 → 201
             PUT /box/open/f?resource=file | x-ms-permissions: 0666; x-ms-umask: 0000 → 201
             PUT /box/closed?resource=directory | x-ms-permissions: 0711; x-ms-umask: 0000 → 201
             PUT /box/closed/f?resource=file | x-ms-acl: user::rw-,user:{}:r--,group::---,other::--- → 201",
            BOB.0
        ),
    )
    .await;
    server
}

#[tokio::test]
async fn lists_decide_for_an_unauthorized_user() {
    let server = server().await;
    let (ann, bob) = (format!("&suoid={}", ANN.0), format!("&suoid={}", BOB.0));
    #[rustfmt::skip]
    let table = [
        // The request, and who may: Ann, and Bob, for whom there is an entry.
        ("GET /box/open/f", "", true, true),
        ("GET /box/closed/f", "", false, true),
        ("HEAD /box/closed/f", "", false, true),
        ("HEAD /box/closed/f?action=getAccessControl", "", true, true),
        ("GET /box?resource=filesystem&recursive=false&directory=open", "", true, true),
        ("GET /box?resource=filesystem&recursive=false&directory=closed", "", false, false),
        ("GET /box?resource=filesystem&recursive=true", "", false, false),
        ("GET /box?restype=container&comp=list&prefix=closed/", "", false, false),
        ("PATCH /box/open/f?action=append&position=0", "x", true, true),
        ("PATCH /box/closed/f?action=append&position=0", "x", false, false),
        ("PUT /box/open/new?resource=file", "", true, true),
        ("PUT /box/closed/new?resource=file", "", false, false),
        ("DELETE /box/open/new", "", true, true),
        ("DELETE /box/closed/f", "", false, false),
        ("PUT /box/closed/f?comp=metadata", "", false, false),
    ];
    for (request, body, ann_may, bob_may) in table {
        for (user, may) in [(&ann, ann_may), (&bob, bob_may)] {
            if request.contains("DELETE /box/open") {
                check_in(&server, "PUT /box/open/new?resource=file → 201").await;
            }
            if request.contains("PUT /box/open") {
                send(&server, "DELETE /box/open/new", &sas(&server, "d", "").await, &[], "").await;
            }
            let answer = send(&server, request, &sas(&server, "racwdle", user).await, &[], body).await;
            assert_eq!(answer.verdict() != REFUSED, may, "{request} {user}: {}", answer.verdict());
            assert!(!may || answer.status < 300, "{request} {user}: {}", answer.verdict());
        }
    }
    // The letters limit the user too.
    let reader = sas(&server, "r", &bob).await;
    assert_eq!(send(&server, "PUT /box/open/new?resource=file", &reader, &[], "").await.verdict(), REFUSED);
    // Both ends of a rename.
    let source = [("x-ms-rename-source", "/box/closed/f")];
    let mover = sas(&server, "racwdlm", &bob).await;
    assert_eq!(send(&server, "PUT /box/open/g?mode=legacy", &mover, &source, "").await.verdict(), REFUSED);
    let source = [("x-ms-rename-source", "/box/open/f")];
    assert_eq!(send(&server, "PUT /box/closed/g?mode=legacy", &mover, &source, "").await.verdict(), REFUSED);
    assert_eq!(send(&server, "PUT /box/open/g?mode=legacy", &mover, &source, "").await.verdict(), "201");
}

#[tokio::test]
async fn lists_do_not_limit_an_authorized_user_who_owns_what_it_creates() {
    let server = server().await;
    let agent = sas(&server, "racwdle", &format!("&saoid={}&scid={}", BOB.0, ANN.0)).await;
    assert_eq!(send(&server, "PUT /box/closed/new?resource=file", &agent, &[], "").await.verdict(), "201");
    assert_eq!(send(&server, "GET /box?resource=filesystem&recursive=true", &agent, &[], "").await.verdict(), "200");
    let unauthorized = sas(&server, "racwdle", &format!("&suoid={}", BOB.0)).await;
    assert_eq!(send(&server, "PUT /box/open/new?resource=file", &unauthorized, &[], "").await.verdict(), "201");
    let owned = format!("| x-ms-owner: {}; x-ms-group: $superuser", BOB.0);
    check_in(&server, &format!("HEAD /box/closed/new → 200 {owned}\nHEAD /box/open/new → 200 {owned}")).await;
    // The owner may change the list of its own path, and of no other.
    let set = [("x-ms-permissions", "0600")];
    let owner = sas(&server, "rwep", &format!("&suoid={}", BOB.0)).await;
    assert_eq!(send(&server, "PATCH /box/open/new?action=setAccessControl", &owner, &set, "").await.verdict(), "200");
    assert_eq!(send(&server, "PATCH /box/open/f?action=setAccessControl", &owner, &set, "").await.verdict(), REFUSED);
}

#[tokio::test]
async fn a_signature_has_one_user() {
    let server = server().await;
    let both = sas(&server, "r", &format!("&saoid={}&suoid={}", ANN.0, BOB.0)).await;
    assert_eq!(send(&server, "GET /box/open/f", &both, &[], "").await.verdict(), "400 InvalidQueryParameterValue");
    // What was signed cannot be changed.
    let signed = sas(&server, "r", &format!("&suoid={}", ANN.0)).await;
    let encoded = |oid: &str| format!("suoid={}", oid.replace('-', "%2D"));
    for changed in
        [signed.replace(&encoded(ANN.0), &encoded(BOB.0)), signed.replace("suoid", "saoid"), signed.replace("&suoid", "&x")]
    {
        assert_ne!(changed, signed);
        assert_eq!(
            send(&server, "GET /box/closed/f", &changed, &[], "").await.verdict(),
            "403 AuthenticationFailed",
            "{changed}"
        );
    }
}
