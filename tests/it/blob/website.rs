//! Static websites: `$web` as visitors see it.

use crate::scenario::check_in;
use crate::server::{Answer, TestServer};

const HOST: &str = "devstoreaccount1.z6.web.core.windows.net";
const BROWSER: &str = "Mozilla/5.0";

async fn switch(server: &TestServer, account: &str, settings: &str) {
    let body = format!("<StorageServiceProperties><StaticWebsite>{settings}</StaticWebsite></StorageServiceProperties>");
    let request = server.request("PUT", "/?restype=service&comp=properties").account(account, lazuli::WELL_KNOWN_KEY);
    assert_eq!(request.body(body).send().await.verdict(), "202");
}

/// A server with a website: an index, a folder, an error document.
async fn site() -> TestServer {
    let server = TestServer::new().await;
    let settings = "<Enabled>true</Enabled><IndexDocument>index.html</IndexDocument><ErrorDocument404Path>errors/404.html</ErrorDocument404Path>";
    switch(&server, "devstoreaccount1", settings).await;
    for (name, content) in [
        ("index.html", "home"),
        ("errors/404.html", "lost"),
        ("docs/index.html", "docs"),
        ("docs/Page%20one.html", "one"),
        ("plain", "plain"),
    ] {
        let put = server.request("PUT", &format!("/$web/{name}")).header("x-ms-blob-type", "BlockBlob");
        let put = put.header("content-type", "text/html; charset=utf-8").header("x-ms-meta-secret", "1").body(content);
        assert_eq!(put.send().await.verdict(), "201");
    }
    server
}

async fn get(server: &TestServer, path: &str) -> Answer {
    server.visit("GET", HOST, path).header("user-agent", BROWSER).send().await
}

#[tokio::test]
async fn enabling_the_website_creates_its_container() {
    let server = TestServer::new().await;
    check_in(&server, "GET /$web?restype=container → 404 ContainerNotFound").await;
    switch(&server, "devstoreaccount1", "<Enabled>false</Enabled>").await;
    check_in(&server, "GET /$web?restype=container → 404 ContainerNotFound").await;
    switch(&server, "devstoreaccount1", "<Enabled>true</Enabled>").await;
    check_in(
        &server,
        "GET /$web?restype=container → 200 | etag: $made; x-ms-blob-public-access: -
         GET /?comp=list → 200 | | ~<Name>$web</Name>
         PUT /$web/a/b | x-ms-blob-type: BlockBlob | x → 201
         GET /$web?restype=container&comp=list → 200 | | ~<Name>a/b</Name>
         GET /%24web/a/b → 200 | | x
         wait 5",
    )
    .await;
    // Once more changes nothing.
    switch(&server, "devstoreaccount1", "<Enabled>true</Enabled><IndexDocument>i.html</IndexDocument>").await;
    check_in(&server, "GET /$web/a/b → 200 | | x\nPUT /$web?restype=container → 409 ContainerAlreadyExists").await;
    // It is not public.
    assert_eq!(server.request("GET", "/$web/a/b").anonymous().send().await.status, 401);
}

#[tokio::test]
async fn a_path_is_a_document_or_a_folder() {
    let server = site().await;
    for (path, status, text) in [
        ("/", 200, "home"),
        ("/index.html", 200, "home"),
        ("/?a=b&comp=list&restype=container&%zz", 200, "home"),
        ("/docs", 200, "docs"),
        ("/docs/", 200, "docs"),
        ("/docs/Page%20one.html", 200, "one"),
        ("/docs%2FPage%20one.html", 200, "one"),
        ("/plain", 200, "plain"),
        ("/plain/", 404, "lost"),
        ("/docs/page%20one.html", 404, "lost"),
        ("/Docs/", 404, "lost"),
        ("//", 404, "lost"),
        ("/none", 404, "lost"),
        ("/$web/index.html", 404, "lost"),
    ] {
        let answer = get(&server, path).await;
        assert_eq!((answer.status, answer.text()), (status, text), "{path}");
        let code = if status == 404 { "WebContentNotFound" } else { "" };
        assert_eq!(answer.header("x-ms-error-code"), code, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
        let head = server.visit("HEAD", HOST, path).send().await;
        assert_eq!((head.status, head.header("content-length")), (status, text.len().to_string().as_str()), "{path}");
        assert!(head.body.is_empty());
    }
    assert_eq!(get(&server, "/%zz").await.verdict(), "400 InvalidUri");
}

#[tokio::test]
async fn error_pages_are_those_of_the_service() {
    let server = site().await;
    let blob = server.request("HEAD", "/$web/index.html").send().await;
    let answer = server.visit("GET", HOST, "/").header("x-ms-client-request-id", "me").send().await;
    let mut names: Vec<&str> = answer.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "accept-ranges",
            "content-length",
            "content-md5",
            "content-type",
            "date",
            "etag",
            "last-modified",
            "server",
            "x-ms-client-request-id",
            "x-ms-request-id",
            "x-ms-version"
        ]
    );
    assert_eq!(answer.header("server"), "Windows-Azure-Web/1.0 Microsoft-HTTPAPI/2.0");
    for name in ["etag", "last-modified", "content-md5", "content-type"] {
        assert_eq!(answer.header(name), blob.header(name));
    }
    // It follows one version, whatever version the visitor requests.
    for version in ["", "2021-12-02", "never"] {
        let answer = server.visit("GET", HOST, "/").header("x-ms-version", version).send().await;
        assert_eq!((answer.status, answer.header("x-ms-version")), (200, "2018-03-28"), "{version:?}");
    }
    // A signed request is a visit like any other.
    let signed = server.visit("GET", HOST, "/").header("authorization", "SharedKey devstoreaccount1:x").send().await;
    assert_eq!(signed.status, 200);
}

#[tokio::test]
async fn conditions_and_ranges_of_a_visit_are_checked() {
    let server = site().await;
    let etag = get(&server, "/").await.header("etag").to_owned();
    let modified = get(&server, "/").await.header("last-modified").to_owned();
    for (name, value, status, text) in [
        ("if-none-match", etag.as_str(), 304, ""),
        ("if-none-match", "\"0x1\"", 200, "home"),
        ("if-modified-since", &modified, 304, ""),
        ("if-match", "\"0x1\"", 412, "<title>ConditionNotMet</title>"),
        ("range", "bytes=1-2", 206, "om"),
        ("range", "bytes=2-", 206, "me"),
        ("range", "bytes=4-", 416, "<title>InvalidRange</title>"),
        ("range", "bytes=0-1,3-3", 200, "home"),
    ] {
        let answer = server.visit("GET", HOST, "/").header(name, value).send().await;
        assert_eq!(answer.status, status, "{name}: {value}");
        assert!(answer.text().contains(text) && text.is_empty() == answer.body.is_empty(), "{name}: {}", answer.text());
    }
    let part = server.visit("GET", HOST, "/").header("range", "bytes=1-2").send().await;
    assert_eq!((part.header("content-range"), part.header("content-length")), ("bytes 1-2/4", "2"));
    assert_eq!(part.header("content-md5"), "");
    // Conditions and ranges for a document do not apply to the error document.
    let lost = server.visit("GET", HOST, "/none").header("if-match", "\"0x1\"").header("range", "bytes=0-1").send().await;
    assert_eq!((lost.status, lost.text()), (404, "lost"));
}

#[tokio::test]
async fn refusals_are_pages() {
    let server = site().await;
    for method in ["PUT", "POST", "DELETE", "OPTIONS", "PATCH"] {
        let answer = server.visit(method, HOST, "/index.html").header("x-ms-blob-type", "BlockBlob").body("x").send().await;
        assert_eq!(answer.verdict(), "405 UnsupportedHttpVerb", "{method}");
        assert_eq!(answer.header("content-type"), "text/html");
        let (id, time) = (answer.header("x-ms-request-id"), answer.text().split("TimeStamp : ").nth(1).unwrap());
        let wanted = format!(
            "<!DOCTYPE html><html><head><title>UnsupportedHttpVerb</title></head><body>\
             <h1>The resource doesn't support specified Http Verb.</h1><p><ul><li>HttpStatusCode: 405</li>\
             <li>ErrorCode: UnsupportedHttpVerb</li><li>RequestId : {id}</li><li>TimeStamp : {time}"
        );
        assert_eq!(answer.text(), wanted);
    }
    assert_eq!(get(&server, "/").await.text(), "home");
    let nobody = server.visit("GET", "nobody.web.core.windows.net", "/").send().await;
    assert_eq!((nobody.status, nobody.header("content-type")), (404, "text/html"));
    // The error document is deleted, too.
    check_in(&server, "DELETE /$web/errors/404.html → 202").await;
    let lost = get(&server, "/none").await;
    assert_eq!((lost.verdict().as_str(), lost.header("etag")), ("404 WebContentNotFound", ""));
    assert!(lost.text().contains("<h1>The requested content does not exist.</h1>"));
    assert_eq!(server.visit("HEAD", HOST, "/none").send().await.body.len(), 0);
    // A blob that cannot be read cannot be visited.
    check_in(&server, "PUT /$web/plain?comp=tier | x-ms-access-tier: Archive → 200").await;
    assert_eq!(get(&server, "/plain").await.verdict(), "409 BlobArchived");
    // Without its container, and switched off.
    check_in(&server, "DELETE /$web?restype=container → 202").await;
    assert_eq!(get(&server, "/").await.verdict(), "404 WebContentNotFound");
    switch(&server, "devstoreaccount1", "<Enabled>true</Enabled><IndexDocument>index.html</IndexDocument>").await;
    server.blob("/$web/index.html", "back").await;
    assert_eq!(get(&server, "/").await.text(), "back");
    switch(&server, "devstoreaccount1", "<Enabled>false</Enabled>").await;
    assert_eq!(get(&server, "/").await.verdict(), "404 WebContentNotFound");
}

#[tokio::test]
async fn a_default_index_stands_for_folders_without_one() {
    let server = site().await;
    let default = "<DefaultIndexDocumentPath>/docs/index.html</DefaultIndexDocumentPath>";
    switch(&server, "devstoreaccount1", &format!("<Enabled>true</Enabled>{default}")).await;
    // One of the two, not both.
    let both =
        format!("<StaticWebsite><Enabled>true</Enabled><IndexDocument>index.html</IndexDocument>{default}</StaticWebsite>");
    let body = format!("<StorageServiceProperties>{both}</StorageServiceProperties>");
    let answer = server.request("PUT", "/?restype=service&comp=properties").body(body).send().await;
    assert_eq!(answer.verdict(), "400 InvalidXmlDocument");
    for (path, status, text) in [("/", 200, "docs"), ("/errors/", 200, "docs"), ("/errors/none", 404, "WebContentNotFound")] {
        let answer = get(&server, path).await;
        assert!(answer.status == status && answer.text().contains(text), "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn web_pages_of_other_origins_get_no_cors_headers() {
    let server = site().await;
    let rule = "<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule>";
    let body = format!("<StorageServiceProperties><Cors>{rule}</Cors></StorageServiceProperties>");
    assert_eq!(server.request("PUT", "/?restype=service&comp=properties").body(body).send().await.verdict(), "202");
    for path in ["/", "/none"] {
        let answer = server.visit("GET", HOST, path).header("origin", "http://a.example").send().await;
        assert_eq!((answer.header("access-control-allow-origin"), answer.header("vary")), ("", ""), "{path}");
    }
    let preflight = server.visit("OPTIONS", HOST, "/").header("origin", "http://a.example");
    assert_eq!(preflight.header("access-control-request-method", "GET").send().await.status, 405);
}

#[tokio::test]
async fn every_host_of_an_account() {
    let server = TestServer::with(&["--account=one", "--account=two", "--web-port=0"]).await;
    let settings = "<Enabled>true</Enabled><IndexDocument>index.html</IndexDocument>";
    for account in ["one", "two"] {
        switch(&server, account, settings).await;
        let put = server.request("PUT", "/$web/index.html").account(account, lazuli::WELL_KNOWN_KEY);
        assert_eq!(put.header("x-ms-blob-type", "BlockBlob").body(account).send().await.verdict(), "201");
    }
    let web = server.emulator.websites().unwrap().port;
    for (host, at_blob_port, at_web_port) in [
        ("two.z1.web.core.windows.net", "two", "two"),
        ("two.z6.web.core.windows.net", "two", "two"),
        ("two.web.core.windows.net", "two", "two"),
        ("two.z.web.localhost", "two", "two"),
        ("two-secondary.z6.web.core.windows.net", "two", "two"),
        ("two.localhost", "", "two"),
        ("www.example.test", "", "one"),
        ("127.0.0.1", "", "one"),
        ("three.z6.web.core.windows.net", "", "one"),
    ] {
        let blob_port = server.visit("GET", host, "/").send().await;
        assert_eq!(if blob_port.status == 200 { blob_port.text() } else { "" }, at_blob_port, "{host}");
        let web_port = server.visit("GET", host, "/").port(web).send().await;
        assert_eq!((web_port.status, web_port.text()), (200, at_web_port), "{host}");
    }
    // No other service is at its port, except for the health check and control requests. The script of a website could read the console.
    assert_eq!(server.visit("GET", "127.0.0.1", "/_lazuli/").port(web).send().await.status, 404);
    assert_eq!(server.visit("GET", "127.0.0.1", "/one/$web/index.html").port(web).send().await.status, 404);
    assert_eq!(server.visit("GET", "127.0.0.1", "/_lazuli/health").port(web).send().await.status, 200);
    assert!(TestServer::new().await.emulator.websites().is_none());
}

#[tokio::test]
async fn host_names_are_ignored_without_host_style_addresses() {
    let server = TestServer::with(&["--account=one", "--account=two", "--web-port=0", "--disable-product-style-url"]).await;
    switch(&server, "one", "<Enabled>true</Enabled><IndexDocument>index.html</IndexDocument>").await;
    let put = server.request("PUT", "/$web/index.html").account("one", lazuli::WELL_KNOWN_KEY);
    assert_eq!(put.header("x-ms-blob-type", "BlockBlob").body("one").send().await.verdict(), "201");
    let web = server.emulator.websites().unwrap().port;
    assert_eq!(server.visit("GET", "two.z6.web.core.windows.net", "/").port(web).send().await.text(), "one");
    assert_eq!(server.visit("GET", "one.z6.web.core.windows.net", "/").send().await.status, 400);
}
