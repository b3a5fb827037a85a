//! Access control: what principals may do, by their roles and by access control lists.

use super::{check_in, lake, retain_deleted_paths};
use crate::auth::jwt::{self, ANN, BOB};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

/// A token with more claims.
fn token(user: (&str, &str), more: &str) -> String {
    let claims = jwt::claims("https://storage.azure.com/", "https://login.microsoftonline.com/t/v2.0", user, 3600);
    jwt::bearer(&format!("{}{more}}}", claims.trim_end_matches('}')))
}

/// The claim of this role; "" for a principal without one.
fn role(name: &str) -> String {
    let named = if name.is_empty() { String::new() } else { format!("\"Storage Blob Data {name}\"") };
    format!(",\"roles\":[{named}]")
}

async fn send(server: &TestServer, authorization: &str, request: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let kind = if target.contains("comp=") { ServiceKind::Blob } else { ServiceKind::DataLake };
    let request = server.request(method, target).of(kind).anonymous().header("authorization", authorization);
    request.headers(headers).body(body.to_owned()).send().await
}

/// A server with a directory of the super user: `box/d/f`.
async fn server() -> TestServer {
    let server = lake(&["--oauth=dev"]).await;
    check_in(
        &server,
        "PUT /box/d/f?resource=file → 201
         PATCH /box/d/f?action=append&position=0&flush=true | | text → 202
         PATCH /box/?action=setAccessControl | x-ms-permissions: 0751 → 200",
    )
    .await;
    server
}

const REFUSED: &str = "403 AuthorizationPermissionMismatch";

#[tokio::test]
async fn a_principal_owns_what_it_creates() {
    let server = server().await;
    let owner = token(ANN, "");
    assert_eq!(send(&server, &owner, "PUT /box/own/f?resource=file", &[], "").await.verdict(), "201");
    check_in(
        &server,
        &format!("HEAD /box/own/f → 200 | x-ms-owner: {0}; x-ms-group: $superuser\nHEAD /box/own → 200 | x-ms-owner: {0}", ANN.0),
    )
    .await;
    // Its file system has it as owner and group.
    assert_eq!(send(&server, &owner, "PUT /mine?resource=filesystem", &[], "").await.verdict(), "201");
    check_in(&server, &format!("HEAD /mine/?action=getAccessControl → 200 | x-ms-owner: {0}; x-ms-group: {0}", ANN.0)).await;
    assert_eq!(send(&server, &owner, "PUT /mine/f?resource=file", &[], "").await.verdict(), "201");
    check_in(&server, &format!("HEAD /mine/f → 200 | x-ms-owner: {0}; x-ms-group: {0}", ANN.0)).await;
}

#[tokio::test]
async fn roles_permit_what_lists_do_not() {
    let server = server().await;
    #[rustfmt::skip]
    let table = [
        // The request, and who may: owner, contributor, reader, nobody special.
        ("GET /box/d/f", "", true, true, true, false),
        ("HEAD /box/d/f", "", true, true, true, false),
        ("HEAD /box/d/f?action=getAccessControl", "", true, true, true, false),
        ("GET /box?resource=filesystem&recursive=true", "", true, true, true, false),
        ("GET /box?restype=container&comp=list", "", true, true, true, false),
        ("PATCH /box/d/f?action=append&position=4&flush=true", "x", true, true, false, false),
        ("PUT /box/d/f?comp=metadata", "", true, true, false, false),
        ("PATCH /box/d/f?action=setProperties", "", true, true, false, false),
        ("PUT /box/d/g?resource=file", "", true, true, false, false),
        ("PATCH /box/d/f?action=setAccessControl", "", true, false, false, false),
        ("DELETE /box/d?recursive=true", "", true, true, false, false),
        ("PUT /new?resource=filesystem", "", true, true, false, false),
        ("GET /?resource=account", "", true, true, true, false),
        ("DELETE /new?resource=filesystem", "", true, true, false, false),
    ];
    for (request, body, owner, contributor, reader, none) in table {
        for (name, permitted) in [("Owner", owner), ("Contributor", contributor), ("Reader", reader), ("", none)] {
            check_in(&server, "PUT /box/d?resource=directory → 201").await;
            if !request.contains("/new") {
                check_in(
                    &server,
                    "PUT /box/d/f?resource=file → 201\nPATCH /box/d/f?action=append&position=0&flush=true | | text → 202",
                )
                .await;
            }
            let headers: &[_] = if request.contains("setAccess") { &[("x-ms-permissions", "0640")] } else { &[] };
            let answer = send(&server, &token(BOB, &role(name)), request, headers, body).await;
            assert_eq!(answer.verdict() != REFUSED, permitted, "{name}: {request}: {}", answer.verdict());
            if permitted && request.starts_with("PUT /new") {
                check_in(&server, "DELETE /new?resource=filesystem → 202").await;
            }
        }
    }
}

#[tokio::test]
async fn lists_decide_for_principals_without_a_role() {
    let server = server().await;
    let (ann, staff) = (token(ANN, &role("")), token(BOB, &format!("{},\"groups\":[\"staff\"]", role(""))));
    let set = |path: &str, acl: &str| format!("PATCH /box/{path}?action=setAccessControl | x-ms-acl: {acl} → 200");
    let grants = |entry: &str, rwx: &str| format!("user::rwx,group::r-x,other::---,{entry}:{rwx}");
    for (principal, entry) in [(&ann, format!("user:{}", ANN.0)), (&staff, "group:staff".to_owned())] {
        // The access that the root, the directory and the file give, and what it permits.
        for (root, directory, file, request, body, permitted) in [
            ("--x", "--x", "r--", "GET /box/d/f", "", true),
            ("--x", "--x", "---", "GET /box/d/f", "", false),
            ("--x", "---", "r--", "GET /box/d/f", "", false),
            ("r--", "--x", "r--", "GET /box/d/f", "", false),
            ("--x", "--x", "---", "HEAD /box/d/f?action=getStatus", "", true),
            ("--x", "--x", "---", "HEAD /box/d/f", "", false),
            ("--x", "--x", "rw-", "PATCH /box/d/f?action=append&position=4", "x", true),
            ("--x", "--x", "-w-", "PATCH /box/d/f?action=append&position=4", "x", false),
            ("--x", "-wx", "---", "PUT /box/d/g?resource=file", "", true),
            ("--x", "--x", "---", "PUT /box/d/g?resource=file", "", false),
            ("--x", "--x", "-w-", "PUT /box/d/f?comp=metadata", "", true),
            ("--x", "--x", "r--", "PUT /box/d/f?comp=metadata", "", false),
            ("--x", "r-x", "---", "GET /box?resource=filesystem&recursive=false&directory=d", "", true),
            ("--x", "--x", "---", "GET /box?resource=filesystem&recursive=false&directory=d", "", false),
            ("r-x", "--x", "---", "GET /box?resource=filesystem&recursive=false", "", true),
            ("r-x", "--x", "---", "GET /box?resource=filesystem&recursive=true", "", false),
            ("r-x", "--x", "---", "GET /box?restype=container&comp=list", "", false),
            ("r-x", "r-x", "---", "GET /box?restype=container&comp=list", "", true),
            ("--x", "--x", "r-x", "HEAD /box/d/f?action=checkAccess&fsAction=r-x", "", true),
            ("--x", "--x", "r--", "HEAD /box/d/f?action=checkAccess&fsAction=r-x", "", false),
            ("--x", "-wx", "---", "DELETE /box/d/f", "", true),
            ("--x", "--x", "rwx", "DELETE /box/d/f", "", false),
            ("-wx", "--x", "rwx", "DELETE /box/d?recursive=true", "", false),
            ("-wx", "rwx", "---", "DELETE /box/d?recursive=true", "", true),
        ] {
            server.request("DELETE", "/box/d?recursive=true").of(ServiceKind::DataLake).send().await;
            check_in(&server, "PUT /box/d?resource=directory → 201\nPUT /box/d/f?resource=file → 201").await;
            check_in(&server, "PATCH /box/d/f?action=append&position=0&flush=true | | text → 202").await;
            let lists = [("", root), ("d", directory), ("d/f", file)].map(|(path, rwx)| set(path, &grants(&entry, rwx)));
            check_in(&server, &lists.join("\n")).await;
            let answer = send(&server, principal, request, &[], body).await;
            let verdict = answer.verdict();
            assert_eq!(
                verdict != REFUSED && answer.status != 403,
                permitted,
                "{entry} {root} {directory} {file}: {request}: {verdict}"
            );
        }
    }
}

#[tokio::test]
async fn owners_change_access_and_the_rest_is_reported() {
    let server = server().await;
    let ann = token(ANN, &role("Contributor"));
    // Ann makes a directory with a file, in which the super user makes another file.
    assert_eq!(send(&server, &ann, "PUT /box/own/a?resource=file", &[], "").await.verdict(), "201");
    check_in(&server, "PUT /box/own/b?resource=file → 201").await;
    assert_eq!(send(&server, &ann, "PUT /box/own/c?resource=file", &[], "").await.verdict(), "201");
    let mode = [("x-ms-permissions", "0600")];
    assert_eq!(send(&server, &ann, "PATCH /box/own/a?action=setAccessControl", &mode, "").await.verdict(), "200");
    assert_eq!(send(&server, &ann, "PATCH /box/own/b?action=setAccessControl", &mode, "").await.verdict(), REFUSED);
    let owner = [("x-ms-owner", BOB.0)];
    assert_eq!(send(&server, &ann, "PATCH /box/own/a?action=setAccessControl", &owner, "").await.verdict(), REFUSED);
    let group = [("x-ms-group", "staff")];
    assert_eq!(send(&server, &ann, "PATCH /box/own/a?action=setAccessControl", &group, "").await.verdict(), REFUSED);
    let member = token(ANN, &format!("{},\"groups\":[\"staff\"]", role("Contributor")));
    assert_eq!(send(&server, &member, "PATCH /box/own/a?action=setAccessControl", &group, "").await.verdict(), "200");

    let acl = [("x-ms-acl", "user::rwx,group::r-x,other::---")];
    let change = |query: &'static str| {
        let (server, ann) = (&server, &ann);
        async move {
            let request = format!("PATCH /box/own?action=setAccessControlRecursive&mode=set{query}");
            send(server, ann, &request, &acl, "").await
        }
    };
    let failed = r#""failedEntries":[{"errorMessage":"This request is not authorized to perform this operation using this permission.","name":"own/b","type":"FILE"}],"failureCount":1"#;
    let stopped = change("").await;
    assert_eq!(stopped.text(), format!("{{\"directoriesSuccessful\":1,{failed},\"filesSuccessful\":1}}\n"));
    assert_eq!((stopped.status, stopped.header("x-ms-continuation"), stopped.header("content-type")), (200, "", ""));
    let forced = change("&forceFlag=true").await;
    assert_eq!(forced.text(), format!("{{\"directoriesSuccessful\":1,{failed},\"filesSuccessful\":2}}\n"));
    // Pages have their share of the failures.
    let page = change("&forceFlag=true&maxRecords=3").await;
    assert_eq!(page.text(), format!("{{\"directoriesSuccessful\":1,{failed},\"filesSuccessful\":1}}\n"));
    let next = page.header("x-ms-continuation").replace('=', "%3D").replace('+', "%2B");
    let request = format!("PATCH /box/own?action=setAccessControlRecursive&mode=set&forceFlag=true&continuation={next}");
    let last = send(&server, &ann, &request, &acl, "").await;
    assert_eq!(last.text(), "{\"directoriesSuccessful\":0,\"failedEntries\":[],\"failureCount\":0,\"filesSuccessful\":1}\n");
    assert_eq!(last.header("x-ms-continuation"), "");
}

#[tokio::test]
async fn a_sticky_directory_is_for_owners() {
    let server = server().await;
    let (ann, bob) = (token(ANN, &role("")), token(BOB, &role("")));
    check_in(
        &server,
        "PUT /box/tmp?resource=directory → 201
         PATCH /box/tmp?action=setAccessControl | x-ms-permissions: 1777 → 200
         HEAD /box/tmp → 200 | x-ms-permissions: rwxrwxrwt",
    )
    .await;
    assert_eq!(send(&server, &ann, "PUT /box/tmp/a?resource=file", &[], "").await.verdict(), "201");
    assert_eq!(send(&server, &bob, "DELETE /box/tmp/a", &[], "").await.verdict(), REFUSED);
    let source = [("x-ms-rename-source", "/box/tmp/a")];
    assert_eq!(send(&server, &bob, "PUT /box/tmp/b?mode=legacy", &source, "").await.verdict(), REFUSED);
    assert_eq!(send(&server, &ann, "PUT /box/tmp/b?mode=legacy", &source, "").await.verdict(), "201");
    assert_eq!(send(&server, &ann, "DELETE /box/tmp/b", &[], "").await.verdict(), "200");
}

#[tokio::test]
async fn a_rename_needs_both_parents() {
    let server = server().await;
    let ann = token(ANN, &role(""));
    check_in(&server, "PUT /box/e?resource=directory → 201\nPUT /box/d/f?resource=file → 201").await;
    for (source, target, permitted) in [("rwx", "rwx", true), ("r-x", "rwx", false), ("rwx", "r-x", false)] {
        let set = |path: &str, rwx: &str| {
            format!(
                "PATCH /box/{path}?action=setAccessControl | x-ms-acl: user::rwx,group::---,other::---,user:{}:{rwx} → 200",
                ANN.0
            )
        };
        check_in(&server, &[set("d", source), set("e", target)].join("\n")).await;
        let answer = send(&server, &ann, "PUT /box/e/f?mode=legacy", &[("x-ms-rename-source", "/box/d/f")], "").await;
        assert_eq!(answer.verdict() == "201", permitted, "{source} {target}: {}", answer.verdict());
        if permitted {
            check_in(&server, "PUT /box/d/f?mode=legacy | x-ms-rename-source: /box/e/f → 201").await;
        }
    }
}

/// The list of the source decides for the principal that reads it: that of the request, or that of the authorization for the source.
#[tokio::test]
async fn a_copy_needs_read_access_to_its_source() {
    let server = server().await;
    let (ann, bob) = (token(ANN, &role("")), token(BOB, &role("")));
    check_in(
        &server,
        &format!(
            "PUT /box/open?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0000 → 201
             PATCH /box/d?action=setAccessControl | x-ms-permissions: 0711 → 200
             PATCH /box/d/f?action=setAccessControl | x-ms-acl: user::rw-,user:{}:r--,group::---,other::--- → 200",
            BOB.0
        ),
    )
    .await;
    let source = format!("http://{}/devstoreaccount1/box/d/f", server.host(ServiceKind::Blob));
    let authorization = "x-ms-copy-source-authorization";
    let sources: [&[(&str, &str)]; 3] =
        [&[("x-ms-requires-sync", "true")], &[("x-ms-blob-type", "BlockBlob"), ("content-length", "0")], &[]];
    for (number, kind) in sources.into_iter().enumerate() {
        let callers = [(&ann, None, false), (&bob, None, true), (&ann, Some(&bob), true), (&bob, Some(&ann), false)];
        for (row, (caller, shown, permitted)) in callers.into_iter().enumerate() {
            // Copy Blob without a token for the source is asynchronous, and takes none.
            if shown.is_some() && kind.is_empty() {
                continue;
            }
            let shown = shown.map(|token| (authorization, token.as_str()));
            let headers: Vec<_> = kind.iter().copied().chain([("x-ms-copy-source", source.as_str())]).chain(shown).collect();
            let request =
                server.request("PUT", &format!("/box/open/copy{number}{row}")).anonymous().header("authorization", caller);
            let answer = request.headers(&headers).send().await;
            let verdict = answer.verdict();
            assert_eq!(answer.status < 300, permitted, "{kind:?} {shown:?}: {verdict} {}", answer.text());
            assert!(permitted || answer.status == 403, "{kind:?}: {verdict}");
        }
    }
}

/// This server knows object ids, and no user principal names.
#[tokio::test]
async fn owners_are_object_ids_whatever_names_are_requested() {
    let server = server().await;
    assert_eq!(send(&server, &token(ANN, ""), "PUT /box/own?resource=file", &[], "").await.verdict(), "201");
    for upn in ["true", "false"] {
        check_in(
            &server,
            &format!(
                "HEAD /box/own?action=getAccessControl&upn={upn} → 200 | x-ms-owner: {0}; x-ms-group: $superuser
                 HEAD /box/d/f?action=getAccessControl&upn={upn} → 200 | x-ms-owner: $superuser
                 HEAD /box/own?upn={upn} → 200 | x-ms-owner: {0}
                 GET /box?resource=filesystem&recursive=false&upn={upn} → 200 | | ~\"owner\":\"{0}\"
                 HEAD /box/own?action=getAccessControl&upn=maybe → 400 InvalidQueryParameterValue",
                ANN.0
            ),
        )
        .await;
    }
}

/// The parts of a batch obey the namespace and its lists.
#[tokio::test]
async fn parts_of_a_batch_are_checked_as_requests() {
    let server = server().await;
    let ann = token(ANN, &role(""));
    check_in(
        &server,
        "PUT /box/open?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0000 → 201
         PUT /box/open/f?resource=file → 201
         PUT /box/open/e?resource=directory → 201
         PUT /box/open/full/g?resource=file → 201",
    )
    .await;
    let part = |path: &str| {
        format!(
            "--b\r\nContent-Type: application/http\r\n\r\nDELETE /devstoreaccount1/box/{path} HTTP/1.1\r\n\
             authorization: {ann}\r\nx-ms-date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n"
        )
    };
    let parts: String = ["open/f", "open/e", "open/full", "d/f", "open/none"].map(part).concat();
    let owner = token(ANN, "");
    let request = server.request("POST", "/?comp=batch").anonymous().header("authorization", &owner);
    let answer = request.header("content-type", "multipart/mixed; boundary=b").body(format!("{parts}--b--\r\n")).send().await;
    assert_eq!(answer.verdict(), "202", "{}", answer.text());
    let text = String::from_utf8_lossy(&answer.body);
    let lines = text.lines().filter(|line| line.starts_with("HTTP/1.1") || line.starts_with("x-ms-error-code"));
    let found: Vec<&str> =
        lines.map(|line| line.trim_start_matches("HTTP/1.1 ").trim_start_matches("x-ms-error-code: ")).collect();
    let [first, second, rest @ ..] = &found[..] else { panic!("{text}") };
    assert!(first.starts_with("202") && second.starts_with("202"), "{text}");
    let codes: Vec<&str> = rest.iter().copied().filter(|line| !line.contains(' ')).collect();
    assert_eq!(codes, ["DirectoryIsNotEmpty", "AuthorizationPermissionMismatch", "BlobNotFound"], "{text}");
}

/// A server on which the list of the root permits everybody to list it, with a directory of the super user that it does not permit to
/// anybody else, and with a deleted file in it. Returns the id of the deletion.
async fn server_with_secrets() -> (TestServer, String) {
    let server = server().await;
    retain_deleted_paths(&server).await;
    check_in(
        &server,
        "PATCH /box/?action=setAccessControl | x-ms-permissions: 0755 → 200
         PUT /box/open?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0000 → 201
         PUT /box/secret?resource=directory | x-ms-permissions: 0700; x-ms-umask: 0000 → 201
         PUT /box/secret/name?resource=file | x-ms-permissions: 0666; x-ms-umask: 0000 → 201
         PUT /box/secret/gone?resource=file | x-ms-permissions: 0666; x-ms-umask: 0000 → 201",
    )
    .await;
    let deleted = server.request("DELETE", "/box/secret/gone").of(ServiceKind::DataLake).send().await;
    let id = deleted.header("x-ms-deletion-id").to_owned();
    (server, id)
}

#[tokio::test]
async fn no_position_of_a_list_leads_past_a_directory_that_may_not_be_listed() {
    let (server, _) = server_with_secrets().await;
    let ann = token(ANN, &role(""));
    for request in [
        // `secret/name`, and what a list with a page of one path begins with.
        "GET /box?resource=filesystem&recursive=true&maxResults=1&continuation=c2VjcmV0L25hbWU%3D",
        "GET /box?resource=filesystem&recursive=true&maxResults=1&beginFrom=secret/a",
        "GET /box?restype=container&comp=list&maxresults=1&startfrom=secret/a",
    ] {
        let answer = send(&server, &ann, request, &[("x-ms-version", "2026-02-06")], "").await;
        assert_eq!(answer.verdict(), REFUSED, "{request}: {}", answer.text());
    }
    for request in [
        "GET /box?restype=container&comp=list&showonly=deleted",
        "GET /box?restype=container&comp=list&include=deleted&delimiter=/",
        "PATCH /box/?action=setAccessControlRecursive&mode=modify&forceFlag=true",
        "PATCH /box/secret?action=setAccessControlRecursive&mode=modify&forceFlag=true",
        "PATCH /box/secret?action=setAccessControlRecursive&mode=modify&maxRecords=1&continuation=c2VjcmV0L25hbWU%3D",
    ] {
        let headers: &[_] = if request.contains("Recursive") { &[("x-ms-acl", "user:ann:rwx")] } else { &[] };
        let answer = send(&server, &ann, request, headers, "").await;
        let shows = |text: &str| answer.text().contains(text);
        assert!(
            answer.verdict() == "200" && !shows("secret/name") && !shows("secret/gone"),
            "{request}: {} {}",
            answer.verdict(),
            answer.text()
        );
    }
    // The super user sees them.
    let all = server.request("GET", "/box?restype=container&comp=list&showonly=deleted").send().await;
    assert_eq!(all.elements("Name"), ["secret/gone"]);
}

#[tokio::test]
async fn a_deleted_path_is_restored_only_where_it_was() {
    let (server, id) = server_with_secrets().await;
    let source = format!("secret/gone?deletionid={id}");
    let headers = [("x-ms-undelete-source", source.as_str())];
    for user in [ANN, BOB] {
        let undelete = send(&server, &token(user, &role("")), "PUT /box/open/got?comp=undelete", &headers, "").await;
        assert_eq!(undelete.verdict(), REFUSED);
    }
    let owner = send(&server, &token(ANN, ""), "PUT /box/open/got?comp=undelete", &headers, "").await;
    assert_eq!(owner.verdict(), "200");
}

/// Whoever may only write to a path does not become its owner by creating it again.
#[tokio::test]
async fn a_creation_over_a_path_does_not_take_it_over() {
    let server = server().await;
    let ann = token(ANN, &role(""));
    let mine = format!("x-ms-owner: {}", BOB.0);
    check_in(
        &server,
        &format!(
            "PATCH /box/?action=setAccessControl | x-ms-permissions: 0755 → 200
             PUT /box/theirs?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0000; {mine} → 201
             PUT /box/theirs/f?resource=file | x-ms-permissions: 0622; x-ms-umask: 0000; {mine} → 201
             PUT /box/kept?resource=directory | x-ms-permissions: 0755; x-ms-umask: 0000; {mine} → 201
             PUT /box/kept/f?resource=file | x-ms-permissions: 0622; x-ms-umask: 0000; {mine} → 201"
        ),
    )
    .await;
    let wanted = [("x-ms-permissions", "0777"), ("x-ms-umask", "0000")];
    for (request, owner, permissions) in [
        ("PUT /box/theirs?resource=directory", BOB.0, "rwxrwxrwx"),
        ("PUT /box/kept/f?resource=file", BOB.0, "rw--w--w-"),
        // Ann may delete the file, and create another one.
        ("PUT /box/theirs/f?resource=file", ANN.0, "rwxrwxrwx"),
    ] {
        let answer = send(&server, &ann, request, &wanted, "").await;
        assert_eq!(answer.verdict(), "201", "{request}");
        let path = request.trim_start_matches("PUT ").split('?').next().unwrap();
        check_in(&server, &format!("HEAD {path} → 200 | x-ms-owner: {owner}; x-ms-permissions: {permissions}")).await;
    }
}

#[tokio::test]
async fn what_a_principal_may_not_reach_does_not_show_that_it_exists() {
    let (server, _) = server_with_secrets().await;
    let ann = token(ANN, &role(""));
    for name in ["name", "none"] {
        for action in ["setAccessControl", "setAccessControlRecursive&mode=modify"] {
            let headers: &[_] = if action.contains("Recursive") { &[("x-ms-acl", "user:ann:rwx")] } else { &[] };
            let answer = send(&server, &ann, &format!("PATCH /box/secret/{name}?action={action}"), headers, "").await;
            assert_eq!(answer.verdict(), REFUSED, "{name} {action}");
        }
        let checked = format!("HEAD /box/secret/{name}?action=checkAccess&fsAction=---");
        assert_eq!(send(&server, &ann, &checked, &[], "").await.verdict(), REFUSED, "{name}");
    }
}
