//! Cross-origin requests: preflight requests, and the headers of an answer that let a page read it.

use super::{Headers, path, send, send_signed, server_with_blob};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

const KINDS: [ServiceKind; 4] = [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File];

/// Rules as rows: origins, methods, allowed headers, exposed headers; each may be kept for 200 seconds.
async fn set(server: &TestServer, rules: &[(&str, &str, &str, &str)]) {
    assert_eq!(try_to_set(server, ServiceKind::Blob, rules).await, "202");
}

/// The same for any service; what it says.
async fn try_to_set(server: &TestServer, kind: ServiceKind, rules: &[(&str, &str, &str, &str)]) -> String {
    let mut xml = String::from("<StorageServiceProperties><Cors>");
    for (origins, methods, allowed, exposed) in rules {
        xml.push_str(&format!(
            "<CorsRule><AllowedOrigins>{origins}</AllowedOrigins><AllowedMethods>{methods}</AllowedMethods>\
             <AllowedHeaders>{allowed}</AllowedHeaders><ExposedHeaders>{exposed}</ExposedHeaders>\
             <MaxAgeInSeconds>200</MaxAgeInSeconds></CorsRule>"
        ));
    }
    xml.push_str("</Cors></StorageServiceProperties>");
    server.request("PUT", "/?restype=service&comp=properties").of(kind).body(xml).send().await.verdict()
}

/// The reference's own example, nearly.
const RULES: &[(&str, &str, &str, &str)] = &[
    ("http://a.example,http://b.example", "PUT,GET", "x-ms-meta-data*,x-ms-meta-abc", "x-ms-meta-*,ETag"),
    ("*", "GET,HEAD", "", "x-ms-version"),
    ("http://a.example", "DELETE", "*", ""),
];

/// Origin, Allow-Methods, Allow-Headers, Max-Age and Allow-Credentials of an answer.
fn allowed(answer: &Answer) -> [&str; 5] {
    const NAMES: [&str; 5] = [
        "access-control-allow-origin",
        "access-control-allow-methods",
        "access-control-allow-headers",
        "access-control-max-age",
        "access-control-allow-credentials",
    ];
    NAMES.map(|name| answer.header(name))
}

#[tokio::test]
async fn preflights() {
    let server = server_with_blob().await;
    let a = ("Origin", "http://a.example");
    let method = |method| ("Access-Control-Request-Method", method);
    let wants = |names| ("Access-Control-Request-Headers", names);
    let (no, bad) = ("403 CorsPreflightFailure", "400 InvalidHeaderValue");
    let none = ["", "", "", "", ""];
    let version = ("x-ms-version", "2021-12-02");
    assert_eq!(send(&server, "OPTIONS", &path("/box/blob"), &[a, method("GET"), version], "").await.verdict(), no, "no rules");
    set(&server, RULES).await;
    let rows: &[(Headers<'_>, &str, [&str; 5])] = &[
        (&[a, method("PUT")], "200", ["http://a.example", "PUT", "", "200", "true"]),
        (
            &[("Origin", "http://b.example"), method("GET"), wants("x-ms-meta-data1,X-MS-Meta-Abc")],
            "200",
            ["http://b.example", "GET", "x-ms-meta-data1,X-MS-Meta-Abc", "200", "true"],
        ),
        (&[("Origin", "http://c.example"), method("GET")], "200", ["*", "GET", "", "200", ""]),
        (&[("Origin", "http://c.example"), method("HEAD"), wants("x-ms-version")], no, none),
        (&[("Origin", "http://c.example"), method("PUT")], no, none),
        (&[("Origin", "http://A.example"), method("PUT")], no, none),
        (
            &[a, method("DELETE"), wants("anything, at-all")],
            "200",
            ["http://a.example", "DELETE", "anything,at-all", "200", "true"],
        ),
        (&[a, method("MERGE")], no, none),
        (&[a, method("GET"), wants("x-other")], no, none),
        (&[method("GET")], bad, none),
        (&[a], bad, none),
    ];
    for (headers, verdict, expected) in rows {
        let headers: Vec<_> = headers.iter().copied().chain([version]).collect();
        // For each path, whether it exists or not; a browser sends no credentials.
        for target in ["/box/blob", "/box?restype=container&comp=list", "/none/none", "", "/"] {
            let answer = send(&server, "OPTIONS", &path(target), &headers, "").await;
            assert_eq!(answer.verdict(), *verdict, "{headers:?} {target}");
            assert_eq!(allowed(&answer), *expected, "{headers:?} {target}");
        }
    }
}

#[tokio::test]
async fn actual_requests() {
    let server = server_with_blob().await;
    let put = server.request("PUT", "/box/blob?comp=metadata").header("x-ms-meta-one", "1").header("x-ms-meta-two", "2");
    assert_eq!(put.send().await.verdict(), "200");
    let said = |answer: &Answer| {
        ["access-control-allow-origin", "access-control-expose-headers", "access-control-allow-credentials", "vary"]
            .map(|name| answer.header(name).to_owned())
    };
    let a = ("Origin", "http://a.example");
    let c = ("Origin", "http://c.example");
    let before = send_signed(&server, "GET", &path("/box/blob"), &[a], "").await;
    assert_eq!((before.status, said(&before)), (200, ["", "", "", ""].map(str::to_owned)), "no rules");
    set(&server, RULES).await;
    let rows: &[(&str, &str, Headers<'_>, &str, [&str; 4])] = &[
        ("GET", "/box/blob", &[a], "200", ["http://a.example", "x-ms-meta-one,x-ms-meta-two,ETag", "true", "Origin"]),
        ("GET", "/box/blob", &[c], "200", ["*", "x-ms-version", "", ""]),
        ("GET", "/box/blob", &[], "200", ["*", "x-ms-version", "", ""]),
        ("HEAD", "/box/blob", &[a], "200", ["*", "x-ms-version", "", ""]),
        ("GET", "/box/none", &[a], "404 BlobNotFound", ["http://a.example", "ETag", "true", "Origin"]),
        ("PUT", "/box/blob?comp=metadata", &[c], "200", ["", "", "", ""]),
        ("DELETE", "/box/blob", &[a], "202", ["http://a.example", "", "true", ""]),
    ];
    for (method, target, headers, verdict, expected) in rows {
        let answer = send_signed(&server, method, &path(target), headers, "").await;
        assert_eq!(answer.verdict(), *verdict, "{method} {target}");
        let mut said = said(&answer);
        let mut exposed: Vec<&str> = said[1].split(',').collect();
        exposed.sort_by_key(|name| *name == "ETag");
        said[1] = exposed.join(",");
        assert_eq!(said, *expected, "{method} {target} {headers:?}");
    }
    // The page can read the refusal of a request without authorization, too.
    let stranger = send(&server, "GET", &path("/box/blob"), &[a, ("x-ms-version", "2021-12-02")], "").await;
    assert_eq!(stranger.verdict(), "401 NoAuthenticationInformation");
    assert_eq!(stranger.header("access-control-allow-origin"), "http://a.example");
    set(&server, &[]).await;
    let after = send_signed(&server, "GET", &path("/box/blob"), &[a], "").await;
    assert_eq!(said(&after), ["", "", "", ""].map(str::to_owned), "rules are gone");
}

/// A preflight is about the service: the path behind the account is not read.
#[tokio::test]
async fn preflights_go_by_the_rules_alone() {
    let server = TestServer::new().await;
    let long = format!("/{}", "a".repeat(1100));
    let targets = [
        "",
        "/",
        "/Bad_Name/b",
        "/%zz",
        "/a/%zz?x=%zz",
        "/%ff",
        "/q/other/path",
        "/a",
        "/a/b?comp=foo",
        "/a?restype=none&comp=none",
        "/t(PartitionKey='",
        "/$batch",
        "//",
        "/a/../b",
        &long,
    ];
    for kind in KINDS {
        for rule in [None, Some(("http://a.example", "PUT", "x-ms-*", ""))] {
            assert_eq!(try_to_set(&server, kind, &Vec::from_iter(rule)).await, "202");
            let verdict = if rule.is_some() { "200" } else { "403 CorsPreflightFailure" };
            for target in targets {
                let preflight = server.request("OPTIONS", target).of(kind).anonymous().header("origin", "http://a.example");
                let preflight = preflight
                    .header("access-control-request-method", "PUT")
                    .header("access-control-request-headers", "x-ms-date");
                let answer = preflight.header("x-http-method", "none").send().await;
                assert_eq!(answer.verdict(), verdict, "{kind:?} {target}");
                if rule.is_some() {
                    assert_eq!(allowed(&answer), ["http://a.example", "PUT", "x-ms-date", "200", "true"], "{kind:?} {target}");
                }
            }
        }
    }
    // An account that does not exist has no service.
    let preflight = server.request("OPTIONS", "/a").account("nobody", "").anonymous().header("origin", "http://a.example");
    assert_eq!(preflight.header("access-control-request-method", "PUT").send().await.verdict(), "404 ResourceNotFound");
}

/// The limits of a set of rules, in every service.
#[tokio::test]
async fn bounds_of_rules() {
    let server = TestServer::new().await;
    let origins = |count: usize| vec!["http://a"; count].join(",");
    for kind in KINDS {
        for (origins, methods, verdict) in [
            ("*", "TRACE,CONNECT", "202"),
            ("*", "FOO", "400 InvalidXmlNodeValue"),
            ("*", "trace", "400 InvalidXmlNodeValue"),
            (&origins(64), "GET", "202"),
            (&origins(65), "GET", "400 InvalidXmlNodeValue"),
            ("http://*.contoso.com", "GET", "202"),
        ] {
            assert_eq!(try_to_set(&server, kind, &[(origins, methods, "", "")]).await, verdict, "{kind:?} {origins} {methods}");
        }
        // The last valid set remains.
        for (origin, verdict) in [
            ("http://www.contoso.com", "200"),
            ("http://WWW.Contoso.Com", "200"),
            ("http://a.b.contoso.com", "200"),
            ("http://contoso.com", "403 CorsPreflightFailure"),
            ("https://www.contoso.com", "403 CorsPreflightFailure"),
        ] {
            let preflight = server.request("OPTIONS", "/a").of(kind).anonymous().header("origin", origin);
            let answer = preflight.header("access-control-request-method", "GET").send().await;
            assert_eq!(answer.verdict(), verdict, "{kind:?} {origin}");
            let echoed = if verdict == "200" { origin } else { "" };
            assert_eq!(answer.header("access-control-allow-origin"), echoed, "{kind:?}");
            let answer = server.request("GET", "/?comp=list").of(kind).header("origin", origin).send().await;
            assert_eq!(answer.header("access-control-allow-origin"), echoed, "{kind:?} {origin}");
        }
    }
}

/// A page can read an error that is found before routing, too.
#[tokio::test]
async fn refused_heads_are_readable() {
    let server = TestServer::new().await;
    for kind in KINDS {
        assert_eq!(try_to_set(&server, kind, &[("http://a.example", "GET", "*", "x-ms-error-code")]).await, "202");
        for (target, version) in [
            ("/?comp=list", "2021-13-02"),
            ("/?comp=list", "soon"),
            ("/a?comp=%zz", "2021-12-02"),
            ("/Bad_Name/%zz", "2021-12-02"),
        ] {
            let answer = server
                .request("GET", target)
                .of(kind)
                .header("x-ms-version", version)
                .header("origin", "http://a.example")
                .send()
                .await;
            assert_eq!(answer.status, 400, "{kind:?} {target}");
            let said = ["access-control-allow-origin", "access-control-expose-headers"].map(|name| answer.header(name));
            assert_eq!(said, ["http://a.example", "x-ms-error-code"], "{kind:?} {target} {version}");
        }
    }
}
