//! What principals with roles may do, in each service. The matrix of all operations and roles is a test beside the tables of operations.

use super::{DENIED, bearer, send};
use crate::server::TestServer;
use lazuli::ServiceKind::{Blob, DataLake, File, Queue, Table};

const MESSAGE: &str = "<QueueMessage><MessageText>x</MessageText></QueueMessage>";

/// A server with these identities, and with a container, a queue, a table and a share.
async fn server(identities: &[&str]) -> TestServer {
    let mut arguments = vec!["--oauth=local", "--dfs-port=0"];
    identities.iter().for_each(|identity| arguments.extend(["--identity", identity]));
    let server = TestServer::with(&arguments).await;
    server.container("box").await;
    server.container("photos").await;
    server.blob("/box/blob", "content").await;
    assert_eq!(server.request("PUT", "/work").of(Queue).send().await.verdict(), "201");
    let table = server.request("POST", "/Tables").of(Table).body(r#"{"TableName":"people"}"#).send().await;
    assert_eq!(table.verdict(), "201");
    assert_eq!(server.request("PUT", "/share?restype=share").of(File).send().await.verdict(), "201");
    server
}

#[tokio::test]
async fn each_role_opens_its_operations() {
    let server = server(&[
        "owner,role=owner",
        "writer,role=contributor",
        "reader,role=reader",
        "delegator,role=Storage Blob Delegator",
        "sender,role=sender",
        "worker,role=queue-processor",
        "nobody,role=none",
    ])
    .await;
    let block = [("x-ms-blob-type", "BlockBlob")];
    let tagged = [("x-ms-blob-type", "BlockBlob"), ("x-ms-tags", "a=b")];
    let entity = "PUT /people(PartitionKey='p',RowKey='r')";
    let file = [("x-ms-type", "file"), ("x-ms-content-length", "3")];
    let key = "<KeyInfo><Expiry>2099-01-01</Expiry></KeyInfo>";
    for (kind, request, headers, body, may) in [
        (Blob, "GET /?comp=list", &[][..], "", "owner writer reader"),
        (Blob, "GET /box?restype=container&comp=list", &[], "", "owner writer reader"),
        (Blob, "GET /box/blob", &[], "", "owner writer reader"),
        (Blob, "PUT /box/new", &block, "x", "owner writer"),
        (Blob, "PUT /box/blob", &block, "x", "owner writer"),
        (Blob, "PUT /box/tagged", &tagged, "x", "owner"),
        (Blob, "GET /box/blob?comp=tags", &[], "", "owner"),
        (Blob, "GET /box?restype=container&comp=acl", &[], "", "owner"),
        (Blob, "GET /?restype=service&comp=properties", &[], "", "owner"),
        (Blob, "DELETE /box/absent", &[], "", "owner writer"),
        (Blob, "POST /?restype=service&comp=userdelegationkey", &[], key, "owner writer reader delegator"),
        (Queue, "GET /?comp=list", &[], "", "owner writer reader"),
        (Queue, "POST /work/messages", &[], MESSAGE, "owner writer sender"),
        (Queue, "GET /work/messages?peekonly=true", &[], "", "owner writer reader worker"),
        (Queue, "GET /work/messages", &[], "", "owner writer worker"),
        (Queue, "DELETE /work/messages", &[], "", "owner writer"),
        (Table, "GET /Tables", &[], "", "owner writer reader"),
        (Table, entity, &[], "{}", "owner writer"),
        (Table, "GET /people()", &[], "", "owner writer reader"),
        (File, "GET /?comp=list", &[], "", "owner"),
        (File, "GET /share?restype=directory&comp=list", &[], "", "owner writer reader"),
        (File, "PUT /share/f", &file, "", "owner writer"),
        (File, "HEAD /share/f", &[], "", "owner writer reader"),
        (DataLake, "GET /box?resource=filesystem&recursive=true", &[], "", "owner writer reader"),
        (DataLake, "PUT /box/lake?resource=file", &[], "", "owner writer"),
    ] {
        for who in ["owner", "writer", "reader", "delegator", "sender", "worker", "nobody"] {
            let answer = send(&server, kind, &bearer(&server, who).await, request, headers, body).await;
            let permitted = may.split(' ').any(|name| name == who);
            let is_denied = answer.status == 403 && answer.text().contains("AuthorizationPermissionMismatch")
                || request.starts_with("HEAD") && answer.verdict() == DENIED;
            assert_eq!(is_denied, !permitted, "{who} {kind:?} {request}: {} {}", answer.verdict(), answer.text());
            assert!(is_denied || answer.status < 300 || answer.status == 404 || request.contains("delegationkey"), "{request}");
        }
    }
}

#[tokio::test]
async fn a_scope_limits_a_role_to_a_container() {
    let server = server(&[
        "ann,role=reader,role=contributor,scope=photos",
        "bob,role=queue-sender,scope=work,role=table-reader,scope=people",
    ])
    .await;
    let (ann, bob) = (bearer(&server, "ann").await, bearer(&server, "bob").await);
    let copy = format!("{}/box/blob", server.blob_url());
    let secret = format!("{}/photos/blob", server.blob_url());
    for (token, kind, request, source, verdict) in [
        (&ann, Blob, "GET /box/blob", None, "200"),
        (&ann, Blob, "PUT /box/new", None, DENIED),
        (&ann, Blob, "PUT /photos/new", None, "201"),
        (&ann, Blob, "PUT /other?restype=container", None, DENIED),
        // The roles in the container of the source count for the source.
        (&ann, Blob, "PUT /photos/copy", Some(&copy), "202"),
        (&ann, Blob, "PUT /box/copy", Some(&secret), DENIED),
        (&bob, Queue, "POST /work/messages", None, "201"),
        (&bob, Queue, "GET /?comp=list", None, DENIED),
        (&bob, Table, "GET /people()", None, "200"),
        (&bob, Table, "GET /Tables", None, DENIED),
        (&bob, Blob, "GET /box/blob", None, DENIED),
    ] {
        let mut headers = vec![("x-ms-blob-type", "BlockBlob")];
        if let Some(source) = source {
            headers = vec![("x-ms-copy-source", source)];
        }
        let headers = if kind == Blob && request.starts_with("PUT") { headers } else { Vec::new() };
        let body = if kind == Queue { MESSAGE } else { "" };
        let answer = send(&server, kind, token, request, &headers, body).await;
        let verdict = if kind == Table { &verdict[..3] } else { verdict };
        let got = if kind == Table { answer.status.to_string() } else { answer.verdict() };
        assert_eq!(got, verdict, "{kind:?} {request}: {}", answer.text());
    }
}

/// A copy reads its source with the caller's roles in the source's container.
#[tokio::test]
async fn a_writer_cannot_copy_what_it_may_not_read() {
    let server = server(&["ann,role=contributor,scope=photos"]).await;
    let ann = bearer(&server, "ann").await;
    let source = format!("{}/box/blob", server.blob_url());
    for headers in [
        &[("x-ms-copy-source", source.as_str())][..],
        &[("x-ms-copy-source", source.as_str()), ("x-ms-requires-sync", "true")],
        &[("x-ms-copy-source", source.as_str()), ("x-ms-blob-type", "BlockBlob")],
    ] {
        let answer = send(&server, Blob, &ann, "PUT /photos/copy", headers, "").await;
        assert_eq!(answer.header("x-ms-error-code"), "CannotVerifyCopySource", "{headers:?}: {}", answer.text());
        assert_eq!(send(&server, Blob, &ann, "GET /photos/copy", &[], "").await.status, 404, "a refused copy leaves nothing");
    }
}

/// Each part of a transaction needs its own actions, in its own table.
#[tokio::test]
async fn the_parts_of_a_transaction_are_checked() {
    let server = server(&["ann,role=table-reader", "bob,role=table-contributor,scope=people"]).await;
    let part = "PUT /devstoreaccount1/people(PartitionKey='p',RowKey='r') HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}";
    let batch = format!(
        "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\
         Content-Transfer-Encoding: binary\r\n\r\n{part}\r\n--c--\r\n--b--\r\n"
    );
    for (who, expected) in [("ann", "403"), ("bob", "204")] {
        let token = bearer(&server, who).await;
        let headers = [("content-type", "multipart/mixed; boundary=b")];
        let answer = send(&server, Table, &token, "POST /$batch", &headers, &batch).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        assert!(answer.text().contains(&format!("HTTP/1.1 {expected}")), "{who}: {}", answer.text());
    }
}

/// In a hierarchical namespace the roles come first, and access control lists permit what they do not.
#[tokio::test]
async fn lists_permit_what_roles_do_not() {
    let ann = "0bef7f36-c9d2-4d24-8066-c7e915fe5143";
    let identity = format!("ann:{ann},role=none");
    let mut arguments = vec!["--oauth=local", "--identity", &identity];
    arguments.extend(["--identity", "root,role=blob-owner", "--identity", "bob,role=blob-contributor,scope=box"]);
    let server = crate::lake::lake(&arguments).await;
    server.container("other").await;
    server.blob("/box/d/f", "content").await;
    server.blob("/other/f", "content").await;
    let (ann_token, root, bob) = (bearer(&server, "ann").await, bearer(&server, "root").await, bearer(&server, "bob").await);
    let acl = format!("user::rwx,user:{ann}:r-x,group::r-x,other::---");
    let set = [("x-ms-acl", acl.as_str())];
    for path in ["/box/", "/box/d", "/box/d/f"] {
        let request = format!("PATCH {path}?action=setAccessControl");
        // The lists are the super user's: a contributor who does not own the path may not change them.
        assert_eq!(send(&server, DataLake, &bob, &request, &set, "").await.verdict(), DENIED, "{path}");
        assert_eq!(send(&server, DataLake, &root, &request, &set, "").await.verdict(), "200", "{path}");
    }
    for (token, kind, request, verdict) in [
        (&ann_token, Blob, "GET /box/d/f", "200"),
        (&ann_token, DataLake, "GET /box/d/f", "200"),
        (&ann_token, Blob, "PUT /box/d/f", DENIED),
        (&ann_token, Blob, "GET /other/f", DENIED),
        (&ann_token, Blob, "GET /?comp=list", DENIED),
        (&ann_token, Blob, "GET /box?restype=container", DENIED),
        (&ann_token, Blob, "DELETE /box?restype=container", DENIED),
        (&bob, Blob, "PUT /box/d/f", "201"),
        (&bob, Blob, "GET /other/f", DENIED),
        (&bob, DataLake, "DELETE /other/f", DENIED),
    ] {
        let headers = [("x-ms-blob-type", "BlockBlob")];
        let headers = if request.starts_with("PUT") { &headers[..] } else { &[] };
        let answer = send(&server, kind, token, request, headers, "").await;
        assert_eq!(answer.verdict(), verdict, "{kind:?} {request}: {}", answer.text());
    }
}

/// Unsigned tokens of other levels have the roles of the identity whose object id they name.
#[tokio::test]
async fn roles_hold_for_tokens_of_other_issuers_too() {
    let (oid, _) = crate::auth::jwt::ANN;
    let identity = format!("ann:{oid},role=reader");
    let server = TestServer::with(&["--oauth=dev", "--identity", &identity]).await;
    server.container("box").await;
    for (user, request, verdict) in [
        (crate::auth::jwt::ANN, "GET /?comp=list", "200"),
        (crate::auth::jwt::ANN, "PUT /new?restype=container", DENIED),
        (crate::auth::jwt::BOB, "GET /?comp=list", DENIED),
    ] {
        let answer = send(&server, Blob, &crate::auth::jwt::of(user), request, &[], "").await;
        assert_eq!(answer.verdict(), verdict, "{user:?} {request}");
    }
}

#[tokio::test]
async fn files_need_the_intent_of_a_backup() {
    let server = server(&["ann,role=file-contributor"]).await;
    let ann = bearer(&server, "ann").await;
    let request =
        || server.request("GET", "/share?restype=directory&comp=list").of(File).anonymous().header("authorization", &ann);
    assert_eq!(request().send().await.verdict(), "400 MissingRequiredHeader");
    assert_eq!(request().header("x-ms-file-request-intent", "backup").send().await.verdict(), "200");
}
