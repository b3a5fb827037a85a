//! What the server says of itself, signatures, the clock, resets, counts.

use super::{control, done, json, post, refusal};
use crate::server::TestServer;
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use serde_json::json;

const ACCOUNTS: [&str; 3] = ["--control", "--account=devstoreaccount1", "--account=other,hns"];

#[tokio::test]
async fn the_server_describes_itself() {
    let server = TestServer::with(&ACCOUNTS).await;
    server.wait(5);
    let described = done(&server, "GET", "/server").await;
    assert_eq!(described["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&described["control"], &described["tls"], &described["location"]), (&json!(true), &json!(false), &json!(null)));
    assert_eq!(described["clock_offset_seconds"], 5);
    let names: Vec<&str> = described["services"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["blob", "queue", "table", "file"]);
    assert_eq!(described["accounts"][1]["options"], json!(["hns"]));
    let first = &described["accounts"][0];
    assert_eq!(first["connection_string"], server.emulator.connection_string());
    assert_eq!(first["endpoints"]["blob"], server.blob_url());
    assert_eq!(first["endpoints"]["dfs"], server.blob_url());
}

#[tokio::test]
async fn a_sas_opens_what_it_names() {
    let server = TestServer::with(&ACCOUNTS).await;
    let list = async |sas: String| {
        let target = format!("/{WELL_KNOWN_ACCOUNT}?comp=list&{sas}");
        server.visit("GET", "127.0.0.1", &target).send().await.verdict()
    };
    let sas = async |form: serde_json::Value| json(&post(&server, "/sas", &form).await)["sas"].as_str().unwrap().to_owned();
    assert_eq!(list(sas(json!({ "account": WELL_KNOWN_ACCOUNT })).await).await, "200");
    let narrow = sas(json!({ "account": WELL_KNOWN_ACCOUNT, "services": "q", "minutes": 1 })).await;
    assert_eq!(list(narrow).await, "403 AuthorizationServiceMismatch");
    let short = sas(json!({ "account": WELL_KNOWN_ACCOUNT, "minutes": 1 })).await;
    server.wait(61);
    assert_eq!(list(short).await, "403 AuthenticationFailed");
    for (form, expected) in [
        (json!({ "account": "nobody" }), "404 NotFound"),
        (json!({}), "400 InvalidInput"),
        (json!({ "account": WELL_KNOWN_ACCOUNT, "services": "x" }), "400 InvalidInput"),
        (json!({ "account": WELL_KNOWN_ACCOUNT, "permissions": "r\nw" }), "400 InvalidInput"),
    ] {
        assert_eq!(refusal(&post(&server, "/sas", &form).await), expected, "{form}");
    }
}

#[tokio::test]
async fn a_sas_is_valid_whatever_is_checked_of_others() {
    for flags in [&["--auth=none"][..], &["--oauth=local", "--identity=ann,role=Storage Queue Data Reader"]] {
        let server = TestServer::with(flags).await;
        let sas =
            json(&post(&server, "/sas", &json!({ "account": WELL_KNOWN_ACCOUNT })).await)["sas"].as_str().unwrap().to_owned();
        let target = format!("/{WELL_KNOWN_ACCOUNT}/cats?restype=container&{sas}");
        assert_eq!(server.visit("PUT", "127.0.0.1", &target).send().await.verdict(), "201", "{flags:?}");
        let described = done(&server, "GET", "/server").await;
        assert_eq!(described["accounts"][0]["connection_string"], server.emulator.connection_string());
    }
}

#[tokio::test]
async fn accounts_that_are_made_on_their_first_use_are_known_from_then_on() {
    let server = TestServer::with(&["--control", "--account=*"]).await;
    let request = |method: &'static str, account: &'static str| {
        server.request(method, "/cats?restype=container").account(account, WELL_KNOWN_KEY).send()
    };
    let names = async || {
        let described = done(&server, "GET", "/server").await;
        let accounts = described["accounts"].as_array().unwrap().iter();
        accounts.map(|account| account["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, [WELL_KNOWN_ACCOUNT]);
    assert_eq!(request("PUT", "zoe").await.verdict(), "201");
    done(&server, "POST", "/checkpoints/zoe").await;
    assert_eq!(request("PUT", "ann").await.verdict(), "201");
    assert_eq!(names().await, [WELL_KNOWN_ACCOUNT, "ann", "zoe"]);
    // Those that were made after a checkpoint were empty at it.
    done(&server, "POST", "/checkpoints/zoe/restore").await;
    assert_eq!((request("GET", "zoe").await.status, request("GET", "ann").await.status), (200, 404));
    done(&server, "POST", "/reset?account=zoe").await;
    assert_eq!(request("GET", "zoe").await.status, 404);

    let seed = json!({ "containers": { "cats": {} } });
    assert_eq!(post(&server, "/seed?account=mia", &seed).await.status, 200);
    assert_eq!(request("GET", "mia").await.status, 200);
    let sas = json(&post(&server, "/sas", &json!({ "account": "mia" })).await)["sas"].as_str().unwrap().to_owned();
    assert_eq!(server.visit("GET", "127.0.0.1", &format!("/mia?comp=list&{sas}")).send().await.verdict(), "200");
    assert_eq!(refusal(&post(&server, "/sas", &json!({ "account": "Not A Name" })).await), "404 NotFound");
    assert_eq!(refusal(&control(&server, "POST", "/reset?account=*").await), "404 NotFound");
}

#[tokio::test]
async fn one_account_is_reset_alone() {
    let server = TestServer::with(&ACCOUNTS).await;
    let put = |account: &'static str| server.request("PUT", "/cats?restype=container").account(account, WELL_KNOWN_KEY).send();
    let get = |account: &'static str| server.request("GET", "/cats?restype=container").account(account, WELL_KNOWN_KEY).send();
    for account in [WELL_KNOWN_ACCOUNT, "other"] {
        assert_eq!(put(account).await.verdict(), "201");
    }
    server.wait(60);
    done(&server, "POST", "/reset?account=other").await;
    assert_eq!((get(WELL_KNOWN_ACCOUNT).await.verdict(), get("other").await.status), ("200".to_owned(), 404));
    assert_eq!(done(&server, "GET", "/clock").await["offset_seconds"], 60, "the clock is that of all accounts");
    done(&server, "POST", "/reset").await;
    assert_eq!(get(WELL_KNOWN_ACCOUNT).await.status, 404);
    assert_eq!(done(&server, "GET", "/clock").await["offset_seconds"], 0);
}

#[tokio::test]
async fn requests_are_counted() {
    let server = TestServer::new().await;
    server.container("cats").await;
    server.blob("/cats/tom", "meow").await;
    assert_eq!(server.request("GET", "/cats/jerry").send().await.status, 404);
    let answer = control(&server, "GET", "/metrics").await;
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "lazuli_requests_total{service=\"blob\",operation=\"Put Blob\",status=\"201\"} 1",
        "lazuli_requests_total{service=\"blob\",operation=\"Get Blob\",status=\"404\"} 1",
        "lazuli_request_bytes_total{service=\"blob\",operation=\"Put Blob\",status=\"201\"} 4",
        "lazuli_request_duration_seconds_count{service=\"blob\",operation=\"Put Blob\",status=\"201\"} 1",
        "lazuli_resources{service=\"blob\"} 1",
        "lazuli_resources{service=\"table\"} 0",
    ] {
        assert!(answer.text().lines().any(|found| found == line), "{line}\n{}", answer.text());
    }
    // Every line is a comment or a value.
    for line in answer.text().lines().filter(|line| !line.starts_with("# ")) {
        assert!(line.rsplit_once(' ').is_some_and(|(_, value)| value.parse::<f64>().is_ok()), "{line}");
    }
}

#[tokio::test]
async fn the_description_is_that_of_the_page() {
    let server = TestServer::new().await;
    let described = done(&server, "GET", "/openapi.json").await;
    let page: serde_json::Value =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/openapi.json"))).unwrap();
    assert_eq!(described, page);
}
