//! The list of the latest requests.

use super::{control, done, refusal};
use crate::server::TestServer;
use crate::support::raw::Raw;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT};
use serde_json::{Value, json};

fn ids(answer: &Value) -> Vec<u64> {
    answer["requests"].as_array().unwrap().iter().map(|request| request["id"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn requests_are_listed_with_their_outcome() {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    server.blob("/cats/tom", "meow").await;
    let answer = server.request("GET", "/cats/tom?sv=2021-12-02&sp=w&sr=b&sig=c2VjcmV0").anonymous();
    let answer = answer.header("user-agent", "test?sig=c2VjcmV0").header("x-ms-client-request-id", "mine").send().await;
    assert_eq!(answer.status, 403);
    let answer = server.request("GET", "/queue/messages").of(ServiceKind::Queue).send().await;
    assert_eq!(answer.verdict(), "404 QueueNotFound");

    let found = done(&server, "GET", "/requests").await;
    assert_eq!((ids(&found), &found["next"]), (vec![1, 2, 3, 4], &json!(4)));
    let requests = found["requests"].as_array().unwrap();
    for (request, expected) in [
        (0, json!({ "operation": "Create Container", "method": "PUT", "status": 201, "code": null, "reason": null })),
        (
            1,
            json!({ "operation": "Put Blob", "path": "/devstoreaccount1/cats/tom", "bytes_in": 4, "bytes_out": 0, "fault": null }),
        ),
        (2, json!({ "account": WELL_KNOWN_ACCOUNT, "status": 403, "code": "AuthenticationFailed", "client_request_id": "mine" })),
        (3, json!({ "service": "queue", "operation": "Get Messages", "status": 404, "code": "QueueNotFound", "part": false })),
    ] {
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&requests[request][name], value, "{name} of {}", requests[request]);
        }
    }
    assert!(requests[2]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{}", requests[2]);
    let text = found.to_string();
    assert!(!text.contains("c2VjcmV0") && text.contains("sig=…"), "{text}");

    for (query, expected) in [
        ("operation=put%20blob", &[2][..]),
        ("operation=Put+Blob&status=404", &[]),
        ("status=4xx", &[3, 4]),
        ("service=queue", &[4]),
        ("code=QueueNotFound", &[4]),
        ("path=/devstoreaccount1/cats/*", &[2, 3]),
        ("since=2", &[3, 4]),
        ("since=1&limit=2", &[2, 3]),
        ("limit=1", &[4]),
        ("account=nobody", &[]),
        ("method=PUT", &[1, 2]),
    ] {
        assert_eq!(ids(&done(&server, "GET", &format!("/requests?{query}")).await), expected, "{query}");
    }
    done(&server, "DELETE", "/requests").await;
    assert_eq!(done(&server, "GET", "/requests").await, json!({ "requests": [], "next": 4 }));
}

#[tokio::test]
async fn a_filter_that_no_request_can_match_is_refused() {
    let server = TestServer::with(&["--control"]).await;
    for (query, reason) in [
        ("operation=PutBlob", "did you mean \\\"Put Blob\\\"?"),
        ("operation=Post+Blob", "is not an operation"),
        ("status=40", "has to be a status such as 404"),
        ("service=blobs", "has to be one of blob, queue, table, file, dfs"),
        ("since=first", "has to be a whole number\""),
    ] {
        let answer = control(&server, "GET", &format!("/requests?{query}")).await;
        assert_eq!(refusal(&answer), "400 InvalidInput", "{query}");
        assert!(answer.text().contains(reason), "{query}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_test_waits_for_a_request() {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    let wait = done(&server, "GET", "/requests?operation=Put%20Blob&wait=60");
    let put = async {
        // A request that does not match does not end the wait.
        assert_eq!(server.request("GET", "/cats/tom").send().await.status, 404);
        server.blob("/cats/tom", "meow").await;
    };
    let (found, ()) = tokio::join!(wait, put);
    assert_eq!(found["requests"][0]["path"], "/devstoreaccount1/cats/tom");
    assert_eq!(ids(&done(&server, "GET", "/requests?operation=Put%20Blob&wait=60").await).len(), 1, "it is there already");
    let next = found["next"].as_u64().unwrap();
    assert_eq!(ids(&done(&server, "GET", &format!("/requests?operation=Put%20Blob&since={next}&wait=0")).await), [0_u64; 0]);
}

#[tokio::test]
async fn events_are_streamed() {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    let accept = |more: Option<&str>| {
        let last = more.map(|id| ("last-event-id".to_owned(), id.to_owned()));
        [("accept".to_owned(), "text/event-stream".to_owned())].into_iter().chain(last).collect::<Vec<_>>()
    };
    let mut stream = Raw::send(&server, "GET", "/_lazuli/requests", &accept(None), 0).await;
    let head = stream.head().await;
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains("content-type: text/event-stream"), "{head}");
    let first = stream.until("\n\n").await;
    assert!(first.contains("id: 1\ndata: {\"id\":1,") && first.contains("Create Container"), "{first}");
    server.blob("/cats/tom", "meow").await;
    let second = stream.until("\n\n").await;
    assert!(second.contains("id: 2\ndata: ") && second.contains("Put Blob"), "{second}");

    let mut stream = Raw::send(&server, "GET", "/_lazuli/requests?operation=Put%20Blob", &accept(Some("1")), 0).await;
    stream.head().await;
    assert!(stream.until("\n\n").await.contains("id: 2\n"), "what was missed comes first");
}

#[tokio::test]
async fn the_oldest_requests_make_room() {
    let server = TestServer::with(&["--control", "--request-log=2"]).await;
    for name in ["one", "two", "three"] {
        server.container(name).await;
    }
    assert_eq!(ids(&done(&server, "GET", "/requests").await), [2, 3]);
    let none = TestServer::with(&["--control", "--request-log=0"]).await;
    none.container("one").await;
    assert_eq!(done(&none, "GET", "/requests").await, json!({ "requests": [], "next": 1 }));
    assert_eq!(control(&none, "GET", "/requests?limit=0").await.status, 200);
}
