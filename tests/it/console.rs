//! The console over a socket: its files, the services below its origin, and the page at the root of a port. `conformance/console` uses it
//! in a browser.

use crate::server::TestServer;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT};
use serde_json::{Value, json};

/// Requests a SAS, as the page does.
async fn sas(server: &TestServer) -> String {
    let form = json!({ "account": WELL_KNOWN_ACCOUNT }).to_string();
    let answer = server.visit("POST", "127.0.0.1", "/_lazuli/sas").body(form).send().await;
    let answer: Value = serde_json::from_slice(&answer.body).unwrap();
    answer["sas"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_page_is_at_every_port_without_the_flag() {
    let server = TestServer::new().await;
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        let page = server.visit("GET", "127.0.0.1", "/_lazuli/").of(kind).send().await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{kind:?}");
        assert!(page.header("content-security-policy").starts_with("default-src 'self';"), "{kind:?}");
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"), "{kind:?}");
    }
    // At hosts of accounts, a stored script can be the service worker of the root.
    for host in ["devstoreaccount1.blob.localhost", "devstoreaccount1.web.localhost", "devstoreaccount1.dfs.core.windows.net"] {
        assert_eq!(server.visit("GET", host, "/_lazuli/").send().await.status, 404, "{host}");
    }
    let moved = server.visit("GET", "127.0.0.1", "/_lazuli").send().await;
    assert_eq!((moved.status, moved.header("location")), (308, "/_lazuli/"));
}

#[tokio::test]
async fn the_page_has_its_key_in_a_tab_only() {
    let server = TestServer::new().await;
    let page =
        async |dest: &'static str| server.visit("GET", "127.0.0.1", "/_lazuli/").header("sec-fetch-dest", dest).send().await;
    let tab = page("document").await;
    assert_eq!((tab.header("cache-control"), tab.header("cross-origin-opener-policy")), ("no-store", "same-origin"));
    for dest in ["empty", "iframe", "object"] {
        assert!(page(dest).await.text().contains("name=\"page-key\" content=\"\""), "{dest}");
        assert!(!tab.text().contains("name=\"page-key\" content=\"\""));
    }
}

#[tokio::test]
async fn a_name_that_may_belong_to_another_site_gets_no_key() {
    let server = TestServer::with(&["--control-host", "ci.example.com"]).await;
    for (host, has_key) in [("ci.example.com", true), ("lazuli", true), ("[::1]", true), ("example.com", false)] {
        let page = server.visit("GET", host, "/_lazuli/").send().await;
        assert_eq!(!page.text().contains("name=\"page-key\" content=\"\""), has_key, "{host}");
    }
}

#[tokio::test]
async fn no_service_worker_has_the_origin_of_the_console() {
    let server = TestServer::new().await;
    server.container("cats").await;
    server.blob("/cats/worker.js", "").await;
    let target = format!("/{WELL_KNOWN_ACCOUNT}/cats/worker.js?{}", sas(&server).await);
    let below = format!("/_lazuli/api/blob{target}");
    let in_account = target.replacen(&format!("/{WELL_KNOWN_ACCOUNT}"), "", 1);
    for (host, target, is_refused) in [
        ("127.0.0.1", &target, true),
        ("localhost", &target, true),
        ("127.0.0.1", &below, true),
        ("devstoreaccount1.blob.localhost", &in_account, false),
    ] {
        let script = || server.visit("GET", host, target);
        let (worker, other) = (script().header("service-worker", "script").send().await, script().send().await);
        assert_eq!((worker.status, other.status), (if is_refused { 403 } else { 200 }, 200), "{host} {target}");
    }
}

#[tokio::test]
async fn a_file_is_sent_once() {
    let server = TestServer::new().await;
    let file = |name: &'static str| server.visit("GET", "127.0.0.1", name);
    let script = file("/_lazuli/console/main.js").send().await;
    assert_eq!((script.status, script.header("content-type")), (200, "text/javascript; charset=utf-8"));
    let again = file("/_lazuli/console/main.js").header("if-none-match", script.header("etag")).send().await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = file("/_lazuli/console/style.css").header("if-none-match", script.header("etag")).send().await;
    assert_eq!(other.status, 200);
    for name in
        ["/_lazuli/console/none.js", "/_lazuli/console/../mod.rs", "/_lazuli/console/landing.html", "/_lazuli/console/index.html"]
    {
        assert_eq!(file(name).send().await.status, 404, "{name}");
    }
}

#[tokio::test]
async fn the_services_answer_below_the_page_as_at_their_ports() {
    let server = TestServer::new().await;
    let sas = sas(&server).await;
    let api = |method: &'static str, target: String| {
        let separator = if target.contains('?') { '&' } else { '?' };
        server.visit(method, "localhost", &format!("/_lazuli/api/{target}{separator}{sas}")).header("x-ms-version", "2025-11-05")
    };
    let account = WELL_KNOWN_ACCOUNT;
    assert_eq!(api("PUT", format!("blob/{account}/cats?restype=container")).send().await.verdict(), "201");
    // A browser adds Cache-Control to a conditional request. That is no property of the blob.
    let put = api("PUT", format!("blob/{account}/cats/a%2Fb%20c")).header("x-ms-blob-type", "BlockBlob");
    assert_eq!(put.header("if-none-match", "*").header("cache-control", "no-cache").body("meow").send().await.verdict(), "201");
    assert_eq!(server.request("HEAD", "/cats/a/b%20c").send().await.header("cache-control"), "");
    assert_eq!(api("PUT", format!("queue/{account}/orders")).send().await.verdict(), "201");
    assert_eq!(api("PUT", format!("file/{account}/share?restype=share")).send().await.verdict(), "201");
    let table = api("POST", format!("table/{account}/Tables"))
        .header("accept", "application/json")
        .header("content-type", "application/json")
        .body(r#"{"TableName":"cats"}"#);
    assert_eq!(table.send().await.verdict(), "201");
    let paths = api("GET", format!("dfs/{account}/cats?resource=filesystem&recursive=true")).send().await;
    assert!(paths.status == 200 && paths.text().contains("a/b c"), "{}", paths.text());
    // The same blob, at the port of the service.
    assert_eq!(server.request("GET", "/cats/a/b%20c").send().await.text(), "meow");
    for service in ["blobs", "web", "", "_lazuli"] {
        assert_eq!(api("GET", format!("{service}/{account}?comp=list")).send().await.status, 404, "{service:?}");
    }
}

#[tokio::test]
async fn a_request_below_the_page_needs_a_signature() {
    let server = TestServer::new().await;
    server.container("cats").await;
    server.blob("/cats/tom", "meow").await;
    let at_port = server.request("GET", "/cats/tom").anonymous().header("x-ms-version", "2025-11-05").send().await;
    let below = server.visit("GET", "127.0.0.1", &format!("/_lazuli/api/blob/{WELL_KNOWN_ACCOUNT}/cats/tom"));
    let below = below.header("x-ms-version", "2025-11-05").send().await;
    assert_eq!((at_port.verdict(), below.verdict()), ("401 NoAuthenticationInformation".to_owned(), at_port.verdict()));
    let signed =
        server.visit("GET", "127.0.0.1", &format!("/_lazuli/api/blob/{WELL_KNOWN_ACCOUNT}/cats/tom?{}", sas(&server).await));
    assert_eq!(signed.send().await.text(), "meow");
    // A page of another site gets no SAS.
    let form = json!({ "account": WELL_KNOWN_ACCOUNT }).to_string();
    let foreign =
        server.visit("POST", "127.0.0.1", "/_lazuli/sas").header("origin", "http://example.test").body(form).send().await;
    assert_eq!(foreign.status, 403);
}

#[tokio::test]
async fn stored_content_is_not_a_page_of_the_console() {
    let server = TestServer::new().await;
    server.container("cats").await;
    let script = "<script>alert(1)</script>";
    let put = server.request("PUT", "/cats/page.html").header("x-ms-blob-type", "BlockBlob");
    assert_eq!(put.header("x-ms-blob-content-type", "text/html").body(script).send().await.verdict(), "201");
    let target = format!("/_lazuli/api/blob/{WELL_KNOWN_ACCOUNT}/cats/page.html?{}", sas(&server).await);
    let page = server.visit("GET", "127.0.0.1", &target).send().await;
    assert_eq!((page.status, page.text()), (200, script));
    assert_eq!(page.header("content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn the_root_of_a_port_is_refused_with_a_page_for_browsers() {
    let server = TestServer::new().await;
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        let probe = server.visit("GET", "127.0.0.1", "/").of(kind).send().await;
        let browser = server.visit("GET", "127.0.0.1", "/").of(kind).header("accept", "text/html,*/*;q=0.8").send().await;
        assert_eq!((probe.status, browser.status), (400, 400), "{kind:?}");
        assert_eq!(browser.header("x-ms-error-code"), probe.header("x-ms-error-code"), "{kind:?}");
        assert!(browser.text().contains("href=\"/_lazuli/\"") && !probe.text().contains("_lazuli"), "{kind:?}");
        assert_eq!(browser.header("content-type"), "text/html; charset=utf-8");
    }
}
