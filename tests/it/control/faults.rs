//! Faults over sockets: what a client sees, and what the request did.

use super::{control, done, json, post, refusal};
use crate::raw::Raw;
use crate::scratch::Scratch;
use crate::server::TestServer;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A server with a container and a blob.
async fn server() -> TestServer {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    server.blob("/cats/tom", "0123456789").await;
    server
}

/// Adds a rule, and returns its id.
async fn fault(server: &TestServer, rule: Value) -> u64 {
    json(&post(server, "/faults", &rule).await)["faults"][0]["id"].as_u64().unwrap()
}

#[tokio::test]
async fn errors_are_those_of_the_service_and_the_api() {
    let server = server().await;
    fault(&server, json!({ "times": 1, "do": { "error": { "code": "ServerBusy" } } })).await;
    let answer = server.request("GET", "/cats/tom").send().await;
    assert_eq!(answer.verdict(), "503 ServerBusy");
    assert_eq!((answer.element("Code"), answer.header("x-lazuli-fault")), ("ServerBusy", "1"));
    assert!(answer.element("Message").starts_with("The server is busy."), "{}", answer.text());
    assert!(!answer.header("x-ms-request-id").is_empty());
    let answer = server.request("GET", "/cats/tom").send().await;
    assert_eq!((answer.verdict().as_str(), answer.header("x-lazuli-fault")), ("200", ""), "only once");

    fault(&server, json!({ "service": "table", "do": { "error": { "code": "OperationTimedOut" } } })).await;
    let answer = server.request("GET", "/Tables").of(ServiceKind::Table).send().await;
    assert_eq!(answer.verdict(), "500 OperationTimedOut", "{}", answer.text());

    fault(&server, json!({ "operation": "Get Messages", "do": { "throttle": { "retry_after": 7 } } })).await;
    let answer = server.request("GET", "/queue/messages").of(ServiceKind::Queue).send().await;
    assert_eq!((answer.verdict().as_str(), answer.header("retry-after")), ("503 ServerBusy", "7"));

    let listed = done(&server, "GET", "/requests?fault=1").await;
    assert_eq!(listed["requests"].as_array().unwrap().len(), 1);
    let rules = done(&server, "GET", "/faults").await;
    assert_eq!((&rules["faults"][0]["fired"], &rules["faults"][2]["matched"]), (&json!(1), &json!(1)));
    assert_eq!(control(&server, "DELETE", "/faults/2").await.status, 200);
    assert_eq!(server.request("GET", "/Tables").of(ServiceKind::Table).send().await.status, 200);
    done(&server, "DELETE", "/faults").await;
    assert_eq!(done(&server, "GET", "/faults").await, json!({ "faults": [] }));
}

/// The number of blocks of an append blob.
async fn blocks(server: &TestServer) -> String {
    let properties = server.request("HEAD", "/cats/log").send().await;
    assert_eq!(properties.status, 200);
    properties.header("x-ms-blob-committed-block-count").to_owned()
}

#[tokio::test]
async fn a_cut_is_before_or_after_the_effect() {
    let folder = Scratch::new("fault-cut");
    let location = format!("--location={}", folder.path());
    let mut server = TestServer::with(&["--control", &location]).await;
    server.container("cats").await;
    let create = server.request("PUT", "/cats/log").header("x-ms-blob-type", "AppendBlob").send().await;
    assert_eq!(create.status, 201);
    for (cut, expected) in [("before", "0"), ("after", "1")] {
        fault(&server, json!({ "operation": "Append Block", "times": 1, "do": { "cut": cut } })).await;
        let append = server.request("PUT", "/cats/log?comp=appendblock").body("line").attempt().await;
        assert!(append.is_none(), "{cut}: {append:?}");
        assert_eq!(blocks(&server).await, expected, "{cut}");
    }
    // The connection did not take others with it, and the effect is as durable as any.
    assert_eq!(server.request("PUT", "/cats/log?comp=appendblock").body("line").send().await.status, 201);
    let cut = done(&server, "GET", "/requests?operation=Append%20Block").await;
    let outcomes: Vec<(&Value, &Value)> =
        cut["requests"].as_array().unwrap().iter().map(|request| (&request["status"], &request["fault"])).collect();
    assert_eq!(outcomes, [(&json!(500), &json!("1")), (&json!(201), &json!("2")), (&json!(201), &json!(null))]);
    server.restart().await;
    assert_eq!(blocks(&server).await, "2");
}

#[tokio::test]
async fn answers_break_off_and_drip() {
    let server = server().await;
    let id = fault(&server, json!({ "operation": "Get Blob", "do": { "truncate": { "bytes": 4 } } })).await;
    assert!(server.request("GET", "/cats/tom").attempt().await.is_none(), "the body is shorter than its length");
    let mut connection = Raw::get(&server, "/cats/tom").await;
    assert!(connection.head().await.starts_with("HTTP/1.1 200 "));
    assert_eq!(connection.bytes(4).await, b"0123", "what comes before the break is sent");
    done(&server, "DELETE", &format!("/faults/{id}")).await;

    fault(&server, json!({ "operation": "Get Blob", "do": { "drip": { "bytes": 3, "milliseconds": 20 } } })).await;
    let began = Instant::now();
    let answer = server.request("GET", "/cats/tom").send().await;
    assert_eq!((answer.text(), answer.header("content-length")), ("0123456789", "10"));
    assert!(began.elapsed() >= Duration::from_millis(80), "four pieces");
}

#[tokio::test]
async fn requests_are_delayed() {
    let server = server().await;
    fault(&server, json!({ "path": "/cats/t*", "do": { "delay": { "milliseconds": 50 } } })).await;
    fault(&server, json!({ "path": "/cats/t*", "times": 1, "do": { "error": { "code": "InternalError" } } })).await;
    let began = Instant::now();
    let answer = server.request("GET", "/cats/tom").send().await;
    assert_eq!((answer.verdict().as_str(), answer.header("x-lazuli-fault")), ("500 InternalError", "1, 2"));
    assert!(began.elapsed() >= Duration::from_millis(50));
}

#[tokio::test]
async fn a_key_is_switched_off() {
    let second = "c2Vjb25k";
    let account = format!("--account=devstoreaccount1:{WELL_KNOWN_KEY}:{second}");
    let server = TestServer::with(&["--control", &account]).await;
    server.container("cats").await;
    let sas = json(&post(&server, "/sas", &json!({ "account": WELL_KNOWN_ACCOUNT })).await)["sas"].as_str().unwrap().to_owned();
    let with_sas = || server.request("GET", &format!("/cats?restype=container&{sas}")).anonymous().send();
    let with_key = |key: &'static str| server.request("GET", "/cats?restype=container").account(WELL_KNOWN_ACCOUNT, key).send();
    assert_eq!((with_sas().await.status, with_key(WELL_KNOWN_KEY).await.status, with_key(second).await.status), (200, 200, 200));
    fault(&server, json!({ "account": "dev*", "do": { "key_off": { "key": 1 } } })).await;
    assert_eq!(with_key(WELL_KNOWN_KEY).await.verdict(), "403 AuthenticationFailed");
    assert_eq!(with_sas().await.verdict(), "403 AuthenticationFailed");
    assert_eq!(with_key(second).await.status, 200);
    done(&server, "DELETE", "/faults").await;
    assert_eq!(with_key(WELL_KNOWN_KEY).await.status, 200);
}

#[tokio::test]
async fn rules_that_no_request_can_have_are_refused() {
    let server = server().await;
    for rule in [
        json!({ "operation": "Put Blub", "do": { "cut": "after" } }),
        json!({ "do": { "error": { "code": "ServerLazy" } } }),
        json!([{ "do": { "cut": "after" } }, { "do": { "cut": "now" } }]),
        json!("cut"),
    ] {
        assert_eq!(refusal(&post(&server, "/faults", &rule).await), "400 InvalidInput", "{rule}");
    }
    assert_eq!(done(&server, "GET", "/faults").await, json!({ "faults": [] }));
    let both = json!([{ "do": { "cut": "after" }, "times": 0 }, { "do": { "cut": "before" }, "times": 0 }]);
    assert_eq!(json(&post(&server, "/faults", &both).await)["faults"][1]["id"], 2);
}

#[tokio::test]
async fn a_secondary_lags() {
    let server = server().await;
    let secondary = format!("{WELL_KNOWN_ACCOUNT}-secondary");
    let get = |target: &'static str| server.request("GET", target).account(&secondary, WELL_KNOWN_KEY).send();
    let stats = async || get("/?restype=service&comp=stats").await.element("LastSyncTime").to_owned();
    assert_eq!(get("/cats/tom").await.text(), "0123456789");
    fault(&server, json!({ "do": { "lag": { "seconds": 30 } } })).await;
    server.wait(10);
    server.blob("/cats/tom", "newer").await;
    server.container("dogs").await;
    server.wait(10);
    server.blob("/cats/tom", "newest").await;

    assert_eq!(server.request("GET", "/cats/tom").send().await.text(), "newest", "the primary");
    let answer = get("/cats/tom").await;
    assert_eq!((answer.text(), answer.header("x-lazuli-fault")), ("0123456789", "1"));
    assert_eq!(get("/dogs?restype=container").await.status, 404);
    let at = |seconds_ago: i64| server.now().moved(-seconds_ago).rfc1123();
    assert_eq!(stats().await, at(30));
    server.wait(20);
    assert_eq!((get("/cats/tom").await.text(), get("/dogs?restype=container").await.status), ("newer", 200));
    server.wait(10);
    assert_eq!(get("/cats/tom").await.text(), "newest");
    server.blob("/cats/tom", "last").await;
    assert_eq!(get("/cats/tom").await.text(), "newest");
    done(&server, "DELETE", "/faults").await;
    assert_eq!((get("/cats/tom").await.text(), stats().await), ("last", at(0)));
}

/// What a reset or a restore discards is not at a secondary either.
#[tokio::test]
async fn a_secondary_that_lags_is_reset_and_restored_too() {
    let server = server().await;
    let secondary = format!("{WELL_KNOWN_ACCOUNT}-secondary");
    let get = || server.request("GET", "/cats/tom").account(&secondary, WELL_KNOWN_KEY).send();
    done(&server, "POST", "/checkpoints/clean").await;
    fault(&server, json!({ "do": { "lag": { "seconds": 3600 } } })).await;
    for (path, expected) in [("/checkpoints/clean/restore", "200"), ("/reset", "404 ContainerNotFound")] {
        server.blob("/cats/tom", "first").await;
        server.wait(7200);
        server.blob("/cats/tom", "second").await;
        done(&server, "POST", path).await;
        assert_eq!(get().await.verdict(), expected, "{path}");
        if expected == "200" {
            assert_eq!(get().await.text(), "0123456789");
        }
    }
}
