//! `--control`, and the health of a server over HTTP.

use crate::process::{FREE, Folder, Running, send};
use crate::server::TestServer;
use lazuli::ServiceKind;

/// Every server answers health requests. The clock and the reset need `--control`, and a refusal without it says so.
#[test]
fn control_needs_its_flag() {
    let running = Running::start(&FREE);
    for port in running.ports() {
        let health = send(port, "GET /_lazuli/health");
        let body: serde_json::Value = serde_json::from_str(health.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!((&body["status"], &body["version"]), (&"ok".into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(body["services"], serde_json::json!(["blob", "queue", "table", "file"]));
        for request in ["POST /_lazuli/clock?seconds=5", "POST /_lazuli/reset", "GET /_lazuli/requests"] {
            let answer = send(port, request);
            assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("--control"), "{request}: {answer}");
        }
    }
    drop(running);
    let running = Running::start(&[&FREE[..], &["--control"]].concat());
    for port in running.ports() {
        for (request, status) in [
            ("GET /_lazuli/health", 200),
            ("POST /_lazuli/clock?seconds=5", 200),
            ("POST /_lazuli/clock", 400),
            ("POST /_lazuli/clock?seconds=-5", 400),
            ("POST /_lazuli/clock?seconds=99999999999999999999", 400),
            ("GET /_lazuli/clock?seconds=5", 400),
            ("POST /_lazuli/reset", 200),
            ("POST /_lazuli/reset?clock=keep", 200),
            ("POST /_lazuli/reset?clock=", 400),
            ("GET /_lazuli/reset", 405),
            ("GET /_lazuli/other", 404),
        ] {
            let answer = send(port, request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        }
    }
}

/// Any page can make a browser send a request. Only the answer is hidden from it.
#[tokio::test]
async fn web_pages_from_elsewhere_change_nothing() {
    let server = TestServer::with(&["--control", "--cors", "all"]).await;
    server.container("box").await;
    let host = server.host(ServiceKind::Blob);
    for (origin, status) in [
        ("https://example.com", 403),
        ("http://rebound.example.com:10000", 403),
        ("null", 403),
        ("http://localhost:3000", 403),
        ("", 200),
    ] {
        for path in ["/_lazuli/clock?seconds=1", "/_lazuli/reset"] {
            let answer = server.visit("POST", &host, path).header("origin", origin).send().await;
            assert_eq!(answer.status, status, "{origin} {path}: {}", answer.text());
        }
        let found = server.request("GET", "/box?restype=container").send().await;
        assert_eq!(found.status == 200, status == 403, "{origin}");
    }
}

/// Under Azurite's name a server starts without the File service if its port is in use.
#[test]
fn health_lists_only_services_that_have_a_port() {
    let (first, folder) = (Running::start(&FREE), Folder::new("health-without-file"));
    let taken = first.ports()[3].to_string();
    let arguments = ["--silent", "--blobPort", "0", "--queuePort", "0", "--tablePort", "0", "--file-port", &taken];
    let running = Running::start_as(&folder.link("azurite"), &arguments);
    // The warning about the port comes first.
    let ready =
        std::iter::repeat_with(|| running.line()).find(|line| line.contains("Blob service is successfully listening")).unwrap();
    let health = send(ready.rsplit(':').next().unwrap().parse().unwrap(), "GET /_lazuli/health");
    let body: serde_json::Value = serde_json::from_str(health.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["services"], serde_json::json!(["blob", "queue", "table"]));
}
