//! Shared access signatures of directories and paths.

use super::{check_in, lake, retain_deleted_paths};
use crate::server::{Answer, TestServer, hmac};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};

const VERSION: &str = "2020-12-06";

/// A service SAS of a directory or a path, made without the server's code.
fn sas(resource: &str, path: &str, letters: &str) -> String {
    let name = if path.is_empty() { String::new() } else { format!("/{path}") };
    let lines = [
        letters,
        "",
        "2090-01-01T00:00:00Z",
        &format!("/blob/{WELL_KNOWN_ACCOUNT}/box{name}"),
        "",
        "",
        "",
        VERSION,
        resource,
        "",
        "",
        "",
        "",
        "",
        "",
        "",
    ];
    let signature = hmac(&lines.join("\n"), WELL_KNOWN_KEY).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let depth =
        if resource == "d" { format!("&sdd={}", path.split('/').filter(|name| !name.is_empty()).count()) } else { String::new() };
    format!("sv={VERSION}&sr={resource}{depth}&sp={letters}&se=2090-01-01T00:00:00Z&sig={signature}")
}

async fn send(server: &TestServer, request: &str, sas: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let separator = if target.contains('?') { '&' } else { '?' };
    let request = server.request(method, &format!("{target}{separator}{sas}")).of(ServiceKind::DataLake).anonymous();
    request.headers(headers).body(body.to_owned()).send().await
}

#[tokio::test]
async fn a_directory_signature_covers_what_is_below() {
    let server = lake(&[]).await;
    check_in(&server, "PUT /box/a/b/f?resource=file → 201\nPUT /box/c/f?resource=file → 201").await;
    let below = sas("d", "a/b", "rwdl");
    for (request, verdict) in [
        ("HEAD /box/a/b", "200"),
        ("GET /box/a/b/f", "200"),
        ("GET /box?resource=filesystem&recursive=true&directory=a/b", "200"),
        ("GET /box?resource=filesystem&recursive=true&directory=a", "403 AuthenticationFailed"),
        ("GET /box?resource=filesystem&recursive=true", "403 AuthenticationFailed"),
        ("HEAD /box/a", "403 AuthenticationFailed"),
        ("GET /box/c/f", "403 AuthenticationFailed"),
        ("HEAD /box?resource=filesystem", "403 AuthenticationFailed"),
        ("DELETE /box/a/b/f", "200"),
    ] {
        assert_eq!(send(&server, request, &below, &[], "").await.verdict(), verdict, "{request}");
    }
    // One of the path itself serves a directory, and nothing below it.
    let itself = sas("b", "a/b", "r");
    assert_eq!(send(&server, "HEAD /box/a/b", &itself, &[], "").await.verdict(), "200");
    assert_eq!(send(&server, "HEAD /box/a/b/f", &itself, &[], "").await.verdict(), "403 AuthenticationFailed");
    // The root directory.
    let root = sas("d", "", "rl");
    assert_eq!(send(&server, "GET /box?resource=filesystem&recursive=true", &root, &[], "").await.verdict(), "200");
    assert_eq!(send(&server, "HEAD /box/c/f", &root, &[], "").await.verdict(), "200");
}

#[tokio::test]
async fn letters_decide_and_lists_do_not() {
    const REFUSED: &str = "403 AuthorizationPermissionMismatch";
    let server = lake(&[]).await;
    check_in(&server, "PUT /box/f?resource=file | x-ms-permissions: 0000; x-ms-umask: 0000 → 201").await;
    for (request, headers, body, letters, refused) in [
        ("GET /box/f", &[][..], "", "r", "wdlmeop"),
        ("HEAD /box/f?action=getAccessControl", &[], "", "e", "wdlmop"),
        ("HEAD /box/f?action=getStatus", &[], "", "e", "wdlmop"),
        ("PATCH /box/f?action=setAccessControl", &[("x-ms-permissions", "0000")], "", "p", "rdlmeo"),
        ("PATCH /box/f?action=setAccessControl", &[("x-ms-owner", "ann")], "", "o", "rdlmep"),
        ("PATCH /box/f?action=append&position=0", &[], "x", "a", "rdlmeop"),
        ("PATCH /box/f?action=setProperties", &[], "", "w", "racdlmeop"),
        ("PUT /box/new?resource=file", &[], "", "c", "rdlmeop"),
        ("PUT /box/f?resource=file", &[], "", "w", "rdlmeop"),
        ("DELETE /box/new", &[], "", "d", "rcwlmeop"),
    ] {
        let answer = send(&server, request, &sas("c", "", refused), headers, body).await;
        assert_eq!(answer.verdict(), REFUSED, "{request} {refused}");
        let answer = send(&server, request, &sas("c", "", letters), headers, body).await;
        assert!(answer.status < 300, "{request} {letters}: {} {}", answer.verdict(), answer.text());
    }
}

#[tokio::test]
async fn a_rename_needs_a_right_to_the_source_and_to_the_destination() {
    let server = lake(&[]).await;
    check_in(&server, "PUT /box/a/f?resource=file → 201\nPUT /box/b?resource=directory → 201").await;
    for (destination, source, verdict) in [
        (sas("c", "", "rwd"), None, "201"),
        (sas("c", "", "m"), None, "201"),
        (sas("c", "", "r"), None, "403 AuthorizationPermissionMismatch"),
        (sas("d", "b", "c"), Some(sas("d", "a", "m")), "201"),
        (sas("d", "b", "c"), Some(sas("d", "a", "r")), "403"),
        (sas("d", "b", "c"), None, "403"),
    ] {
        check_in(&server, "PUT /box/a/f?resource=file → 201").await;
        let named = source.map_or_else(|| "/box/a/f".to_owned(), |sas| format!("/box/a/f?{sas}"));
        let headers = [("x-ms-rename-source", named.as_str())];
        let answer = send(&server, "PUT /box/b/f?mode=legacy", &destination, &headers, "").await;
        let expected = answer.verdict() == verdict || (verdict == "403" && answer.status == 403);
        assert!(expected, "{destination} {named}: {} {}", answer.verdict(), answer.text());
        check_in(&server, "DELETE /box/b?recursive=true → 200\nPUT /box/b?resource=directory → 201").await;
    }
}

/// Each letter is needed for what it permits, also where a rename or a restore does it.
#[tokio::test]
async fn a_rename_is_not_a_way_around_letters() {
    let server = lake(&[]).await;
    for (destination, source, existing, verdict) in [
        // To delete is not to read: the new path could be read.
        ("rcw", "d", false, "403"),
        ("rcw", "r", false, "403"),
        ("rcw", "rd", false, "201"),
        ("rcw", "m", false, "201"),
        // To create is not to overwrite.
        ("c", "m", true, "403 UnauthorizedBlobOverwrite"),
        ("c", "m", false, "201"),
        ("w", "m", true, "201"),
        ("m", "m", true, "201"),
    ] {
        check_in(&server, "PUT /box/f?resource=file → 201").await;
        if existing {
            check_in(&server, "PUT /box/new?resource=file → 201").await;
        }
        let named = format!("/box/f?{}", sas("c", "", source));
        let headers = [("x-ms-rename-source", named.as_str())];
        let answer = send(&server, "PUT /box/new?mode=legacy", &sas("c", "", destination), &headers, "").await;
        assert!(answer.verdict().starts_with(verdict), "{destination} {source} {existing}: {}", answer.verdict());
        server.request("DELETE", "/box/new").of(ServiceKind::DataLake).send().await;
    }
}

#[tokio::test]
async fn a_recursive_change_needs_the_letter_of_permissions() {
    let server = lake(&[]).await;
    check_in(&server, "PUT /box/a/f?resource=file → 201").await;
    for (letters, verdict) in
        [("rwdlmo", "403 AuthorizationPermissionMismatch"), ("e", "403 AuthorizationPermissionMismatch"), ("p", "200")]
    {
        let headers = [("x-ms-acl", "user:ann:rwx")];
        let request = "PATCH /box/a?action=setAccessControlRecursive&mode=modify";
        assert_eq!(send(&server, request, &sas("c", "", letters), &headers, "").await.verdict(), verdict, "{letters}");
    }
}

/// The signature of a directory or of a path does not restore what was deleted elsewhere.
#[tokio::test]
async fn a_signature_restores_nothing_that_it_does_not_cover() {
    let server = lake(&[]).await;
    retain_deleted_paths(&server).await;
    check_in(
        &server,
        "PUT /box/a/f?resource=file → 201\nPUT /box/b/f?resource=file → 201\nDELETE /box/a/f → 200\nDELETE /box/b/f → 200",
    )
    .await;
    let listed = server.request("GET", "/box?restype=container&comp=list&showonly=deleted").send().await;
    let ids: Vec<String> = listed.elements("DeletionId").into_iter().map(str::to_owned).collect();
    for (path, id, verdict) in [("b/f", &ids[1], "403 AuthorizationPermissionMismatch"), ("a//f", &ids[0], "200")] {
        let source = format!("{path}?deletionid={id}");
        let target = format!("/box/a/f?comp=undelete&{}", sas("d", "a", "racwdl"));
        let request = server.request("PUT", &target).anonymous().header("x-ms-undelete-source", source);
        assert_eq!(request.send().await.verdict(), verdict, "{path}");
    }
}
