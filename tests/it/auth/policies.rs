//! Stored access policies: the container has the fields that the signature omits.

use super::{path, send, server_with_blob, token};
use crate::server::TestServer;

/// Sets the policies of `box`: rows of id, start, expiry, permission; `-` leaves an element out.
async fn set(server: &TestServer, policies: &[(&str, &str, &str, &str)]) {
    let mut xml = String::from("<SignedIdentifiers>");
    for (id, start, expiry, permission) in policies {
        xml.push_str(&format!("<SignedIdentifier><Id>{id}</Id><AccessPolicy>"));
        for (element, value) in [("Start", start), ("Expiry", expiry), ("Permission", permission)] {
            if *value != "-" {
                xml.push_str(&format!("<{element}>{value}</{element}>"));
            }
        }
        xml.push_str("</AccessPolicy></SignedIdentifier>");
    }
    xml.push_str("</SignedIdentifiers>");
    let answer = server.request("PUT", "/box?restype=container&comp=acl").body(xml).send().await;
    assert_eq!(answer.verdict(), "200", "{}", answer.text());
}

async fn get(server: &TestServer, fields: &str) -> crate::server::Answer {
    let sas = token::service("box", &format!("sv=2021-12-02&sr=c&{fields}"));
    send(server, "GET", &format!("{}?{sas}", path("/box/blob")), &[("x-ms-version", "2021-12-02")], "").await
}

#[tokio::test]
async fn the_policy_fills_what_the_signature_leaves_open() {
    let server = server_with_blob().await;
    set(
        &server,
        &[
            ("whole", "2020-01-01T00:00:00.0000000Z", "2099-01-01T00:00:00.0000000Z", "r"),
            ("letters", "-", "-", "r"),
            ("times", "2020-01-01", "2099-01-01", "-"),
            ("over", "-", "2020-01-01", "r"),
            ("write", "-", "2099-01-01", "w"),
        ],
    )
    .await;
    let no = "403 AuthenticationFailed";
    let twice = "Access policy fields can be associated with signature or SAS identifier but not both";
    for (fields, verdict, detail) in [
        ("si=whole", "200", ""),
        ("si=whole&sp=r", no, twice),
        ("si=whole&se=2099-01-01", no, twice),
        ("si=whole&st=2020-01-01", no, twice),
        ("si=letters&se=2099-01-01", "200", ""),
        ("si=letters&st=2020-01-01&se=2099-01-01", "200", ""),
        ("si=letters", no, "Signed expiry must be specified in signature or SAS identifier"),
        ("si=times&sp=r", "200", ""),
        ("si=times", no, "Signed permission must be specified in signature or SAS identifier"),
        ("si=over", no, "Signed expiry time [Wed, 01 Jan 2020 00:00:00 GMT] has to be after signed start time ["),
        ("si=write", "403 AuthorizationPermissionMismatch", ""),
        ("si=nobody", no, "SAS identifier cannot be found for specified signed identifier"),
        ("si=WHOLE", no, "SAS identifier cannot be found for specified signed identifier"),
        ("sp=r&se=2099-01-01", "200", ""),
    ] {
        let answer = get(&server, fields).await;
        assert_eq!(answer.verdict(), verdict, "{fields}");
        assert!(answer.element("AuthenticationErrorDetail").contains(detail), "{fields}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_changed_policy_changes_what_was_signed_before() {
    let server = server_with_blob().await;
    let in_an_hour = token::moment(&server, 3600);
    for (policies, verdict) in [
        (&[("p", "-", "2099-01-01", "r")][..], "200"),
        (&[("p", "-", "2099-01-01", "w")], "403 AuthorizationPermissionMismatch"),
        (&[("q", "-", "2099-01-01", "r")], "403 AuthenticationFailed"),
        (&[], "403 AuthenticationFailed"),
        (&[("q", "-", "2099-01-01", "r"), ("p", "-", in_an_hour.as_str(), "rw")], "200"),
    ] {
        set(&server, policies).await;
        assert_eq!(get(&server, "si=p").await.verdict(), verdict, "{policies:?}");
    }
    server.wait(3599);
    assert_eq!(get(&server, "si=p").await.verdict(), "200");
    server.wait(1);
    assert_eq!(get(&server, "si=p").await.verdict(), "403 AuthenticationFailed");
}

/// A policy belongs to its container, and is deleted with it.
#[tokio::test]
async fn a_policy_is_its_containers_own() {
    let server = server_with_blob().await;
    set(&server, &[("p", "-", "2099-01-01", "rl")]).await;
    server.container("other").await;
    server.blob("/other/blob", "").await;
    let sas = token::service("other", "sv=2021-12-02&sr=c&si=p");
    let answer = send(&server, "GET", &format!("{}?{sas}", path("/other/blob")), &[], "").await;
    assert_eq!(answer.verdict(), "403 AuthenticationFailed");
    assert_eq!(get(&server, "si=p").await.verdict(), "200");
    assert_eq!(server.request("DELETE", "/box?restype=container").send().await.verdict(), "202");
    assert_eq!(get(&server, "si=p").await.verdict(), "403 AuthenticationFailed");
}
