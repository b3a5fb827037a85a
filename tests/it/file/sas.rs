//! SAS for a share, for a file and for the account; and stored access policies.

use super::check_in;
use crate::server::{TestServer, hmac};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

const V: &str = "2021-12-02";

/// A service SAS according to the reference, independent of the server's own code.
pub fn sas(resource: &str, canonical: &str, letters: &str, policy: &str) -> String {
    let expiry = if letters.is_empty() { "" } else { "2099-01-01T00:00:00Z" };
    let text = [letters, "", expiry, &format!("/file/devstoreaccount1/{canonical}"), policy, "", "", V, "", "inline", "", "", ""]
        .join("\n");
    let encoded = |text: &str| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    let mut query = format!("sv={V}&sr={resource}&rscd=inline&sig={}", encoded(&hmac(&text, WELL_KNOWN_KEY)));
    for (name, value) in [("sp", letters), ("se", expiry), ("si", policy)] {
        if !value.is_empty() {
            query += &format!("&{name}={}", encoded(value));
        }
    }
    query
}

async fn server() -> TestServer {
    let server = TestServer::new().await;
    let acl = "<SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy><Expiry>2099-01-01</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    check_in(
        &server,
        &format!(
            "PUT /shr?restype=share → 201
             PUT /shr?restype=share&comp=acl | | {acl} → 200
             PUT /shr/d?restype=directory → 201
             PUT /shr/d/f | x-ms-type: file; x-ms-content-length: 3 → 201
             PUT /shr/g | x-ms-type: file; x-ms-content-length: 3 → 201"
        ),
    )
    .await;
    server
}

async fn request(server: &TestServer, method: &str, target: &str, sas: &str, headers: &[(&str, &str)]) -> String {
    let mark = if target.contains('?') { '&' } else { '?' };
    server
        .request(method, &format!("{target}{mark}{sas}"))
        .of(ServiceKind::File)
        .anonymous()
        .headers(headers)
        .send()
        .await
        .verdict()
}

const FILE: &[(&str, &str)] = &[("x-ms-type", "file"), ("x-ms-content-length", "1")];
const MISMATCH: &str = "403 AuthorizationPermissionMismatch";

#[tokio::test]
async fn a_sas_authorizes_only_its_resource_and_permissions() {
    let server = server().await;
    let share = |letters| sas("s", "shr", letters, "");
    let file = |letters| sas("f", "shr/d/f", letters, "");
    for (method, target, sas, headers, verdict) in [
        ("GET", "/shr/d/f", share("r"), &[][..], "200"),
        ("GET", "/shr/d/f", share("w"), &[], MISMATCH),
        ("GET", "/shr/d?restype=directory&comp=list", share("l"), &[], "200"),
        ("GET", "/shr/d?restype=directory&comp=list", share("r"), &[], MISMATCH),
        ("PUT", "/shr/new", share("c"), FILE, "201"),
        ("PUT", "/shr/new", share("c"), FILE, MISMATCH),
        ("PUT", "/shr/new", share("w"), FILE, "201"),
        ("PUT", "/shr/e?restype=directory", share("c"), &[], "201"),
        ("DELETE", "/shr/new", share("rcw"), &[], MISMATCH),
        ("DELETE", "/shr/new", share("d"), &[], "202"),
        ("GET", "/shr?restype=share", share("rcwdl"), &[], "403 AuthorizationFailure"),
        ("DELETE", "/shr?restype=share", share("rcwdl"), &[], "403 AuthorizationFailure"),
        ("GET", "/shr/d/f", file("r"), &[], "200"),
        ("GET", "/shr/g", file("r"), &[], "403 AuthenticationFailed"),
        ("GET", "/shr/d/f", sas("s", "shr", "", "reader"), &[], "200"),
        ("PUT", "/shr/d/f", sas("s", "shr", "", "reader"), FILE, MISMATCH),
        ("GET", "/shr/d/f", sas("s", "shr", "", "nobody"), &[], "403 AuthenticationFailed"),
        ("GET", "/shr/d/f", String::new(), &[], "403 AuthorizationFailure"),
    ] {
        let answer = request(&server, method, target, &sas, headers).await;
        let anonymous = sas.is_empty();
        assert!(
            answer == verdict || anonymous && (answer.starts_with("40") && answer != "400"),
            "{method} {target}?{sas}: {answer}"
        );
    }
    let read = server.request("GET", &format!("/shr/d/f?{}", share("r"))).of(ServiceKind::File).anonymous().send().await;
    assert_eq!(read.header("content-disposition"), "inline", "a signature sets headers of reads");
}

/// A rename deletes the file under its old name: the permission to read it is not enough.
#[tokio::test]
async fn a_rename_needs_the_permission_to_write_or_delete_its_source() {
    let server = server().await;
    let source = |letters| format!("/devstoreaccount1/shr/d/f?{}", sas("s", "shr", letters, ""));
    for (letters, verdict) in [("r", MISMATCH), ("rc", MISMATCH), ("d", "200")] {
        let answer = request(
            &server,
            "PUT",
            "/shr/h?comp=rename",
            &sas("s", "shr", "w", ""),
            &[("x-ms-file-rename-source", &source(letters))],
        )
        .await;
        assert_eq!(answer.split(' ').next(), verdict.split(' ').next(), "{letters}: {answer}");
    }
    let both = sas("s", "shr", "rw", "");
    let answer = request(
        &server,
        "PUT",
        "/shr/k?comp=rename",
        &both,
        &[("x-ms-file-rename-source", &format!("/devstoreaccount1/shr/h?{both}"))],
    )
    .await;
    assert_eq!(answer.split(' ').next(), Some("200"), "one signature for both, as SDKs use it: {answer}");
    let answer =
        request(&server, "PUT", "/shr/i", &sas("s", "shr", "c", ""), &[("x-ms-copy-source", "/devstoreaccount1/shr/k")]).await;
    assert!(answer.ends_with("CannotVerifyCopySource"), "{answer}");
}

#[tokio::test]
async fn an_account_sas_is_limited_to_its_resource_types() {
    let server = server().await;
    let account = |types: &str, letters: &str, services: &str| {
        let text = format!("devstoreaccount1\n{letters}\n{services}\n{types}\n\n2099-01-01\n\n\n{V}\n\n");
        let sig =
            percent_encoding::utf8_percent_encode(&hmac(&text, WELL_KNOWN_KEY), percent_encoding::NON_ALPHANUMERIC).to_string();
        format!("sv={V}&ss={services}&srt={types}&sp={letters}&se=2099-01-01&sig={sig}")
    };
    let level = "403 AuthorizationResourceTypeMismatch";
    for (method, target, sas, verdict) in [
        ("GET", "/?comp=list", account("s", "l", "f"), "200"),
        ("GET", "/?comp=list", account("co", "l", "f"), level),
        ("GET", "/shr?restype=share", account("c", "r", "bqtf"), "200"),
        ("GET", "/shr?restype=share", account("o", "r", "f"), level),
        ("GET", "/shr/d?restype=directory&comp=list", account("c", "l", "f"), "200"),
        ("GET", "/shr/d/f", account("o", "r", "f"), "200"),
        ("GET", "/shr/d/f", account("c", "r", "f"), level),
        ("GET", "/shr/d/f", account("o", "r", "b"), "403 AuthorizationServiceMismatch"),
        ("GET", "/shr?restype=share&comp=acl", account("sco", "rwdlc", "f"), "403 AuthorizationFailure"),
    ] {
        assert_eq!(request(&server, method, target, &sas, &[]).await, verdict, "{method} {target}?{sas}");
    }
}
