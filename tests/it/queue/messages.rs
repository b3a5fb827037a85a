//! Messages: put, visibility, expiry, clearing.

use super::{check, count, document, put, request, texts, with_queue};
use lazuli::ServiceKind;

const NONE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?><QueueMessagesList />";

#[tokio::test]
async fn a_message_is_written_like_the_service_writes_it() {
    let server = with_queue().await;
    let at = |seconds: u64| server.now().after_seconds(seconds).rfc1123();
    let open = "<?xml version=\"1.0\" encoding=\"utf-8\"?><QueueMessagesList><QueueMessage>";
    let close = "</QueueMessage></QueueMessagesList>";

    let put = put(&server, "", "hello").await;
    let (id, receipt) = (put.element("MessageId"), put.element("PopReceipt"));
    assert_eq!(id.len(), 36);
    let times = format!(
        "<MessageId>{id}</MessageId><InsertionTime>{}</InsertionTime><ExpirationTime>{}</ExpirationTime>",
        at(0),
        at(604_800)
    );
    let next = format!("<PopReceipt>{receipt}</PopReceipt><TimeNextVisible>{}</TimeNextVisible>", at(0));
    assert_eq!(put.text(), format!("{open}{times}{next}{close}"));
    assert_eq!((put.header("content-type"), put.header("cache-control")), ("application/xml", ""));

    let peeked = request(&server, "GET", "/work/messages?peekonly=true").send().await;
    let text = "<MessageText>hello</MessageText>";
    assert_eq!(peeked.text(), format!("{open}{times}<DequeueCount>0</DequeueCount>{text}{close}"));
    assert_eq!(peeked.header("cache-control"), "no-cache");

    let taken = request(&server, "GET", "/work/messages").send().await;
    let receipt = taken.element("PopReceipt");
    let next = format!("<PopReceipt>{receipt}</PopReceipt><TimeNextVisible>{}</TimeNextVisible>", at(30));
    assert_eq!(taken.text(), format!("{open}{times}{next}<DequeueCount>1</DequeueCount>{text}{close}"));
    assert_eq!(taken.header("cache-control"), "no-cache");

    // Before 2016-05-31, Put Message answers without a body.
    let old = request(&server, "POST", "/work/messages").header("x-ms-version", "2015-12-11").body(document("old")).send().await;
    assert_eq!((old.verdict().as_str(), old.body.len()), ("201", 0));
}

#[tokio::test]
async fn a_returned_message_is_invisible_for_a_while() {
    check(&format!(
        "GET /work/messages → 200 | | {NONE}
         POST /work/messages | | <QueueMessage><MessageText>one</MessageText></QueueMessage> → 201
         POST /work/messages | | <QueueMessage><MessageText>two</MessageText></QueueMessage> → 201
         # a look changes nothing
         GET /work/messages?peekonly=true → 200 | | ~<MessageText>one</MessageText> | !two | ~<DequeueCount>0</DequeueCount>
         GET /work/messages?peekonly=True&numofmessages=32 → 200 | | ~<MessageText>one</MessageText> | ~two | !PopReceipt | !TimeNextVisible
         GET /work/messages → 200 | | ~<MessageText>one</MessageText> | !two | ~<DequeueCount>1</DequeueCount>
         GET /work/messages?visibilitytimeout=10 → 200 | | ~<MessageText>two</MessageText> | !one
         GET /work/messages → 200 | | {NONE}
         GET /work/messages?peekonly=true → 200 | | {NONE}
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 2
         wait 10
         GET /work/messages?peekonly=true&numofmessages=32 → 200 | | ~two | !one
         wait 20
         # they come back in the order in which they became visible
         GET /work/messages?numofmessages=32 → 200 | | ~<DequeueCount>2</DequeueCount><MessageText>two</MessageText></QueueMessage><QueueMessage>
         wait 604800
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0"
    ))
    .await;
}

#[tokio::test]
async fn a_message_may_be_invisible_at_first_and_expires() {
    let body = document("x");
    check(&format!(
        "POST /work/messages?messagettl=2&visibilitytimeout=1 | | {body} → 201 | | ~<ExpirationTime>{{at+2}}</ExpirationTime> | ~<TimeNextVisible>{{at+1}}</TimeNextVisible>
         GET /work/messages?peekonly=true → 200 | | {NONE}
         GET /work/messages → 200 | | {NONE}
         wait 1
         GET /work/messages?peekonly=true → 200 | | ~<MessageText>x</MessageText>
         wait 1
         GET /work/messages?peekonly=true → 200 | | {NONE}
         GET /work/messages → 200 | | {NONE}
         # what is over is not counted, be it cleared away or not
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0
         POST /work/messages?messagettl=-1 | | {body} → 201 | | ~<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime>
         POST /work/messages?messagettl=1073741824 | | {body} → 201
         POST /work/messages | | {body} → 201
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 3
         wait 604800
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 2
         wait 1073137024
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 1
         GET /work/messages → 200 | | ~<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime>"
    ))
    .await;
}

/// From 2017-07-29 on the time to live has no limit; an expiry after the last year is moved there.
#[tokio::test]
async fn a_message_may_have_a_very_long_time_to_live() {
    let body = document("x");
    check(&format!(
        "POST /work/messages?messagettl=2147483648 | | {body} → 201 | | !9999
         POST /work/messages?messagettl=922337203685 | | {body} → 201 | | ~<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime>
         wait 604801
         GET /work/messages?numofmessages=32 → 200 | | ~<DequeueCount>1</DequeueCount>
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 2"
    ))
    .await;
}

#[tokio::test]
async fn parameters_have_ranges() {
    let body = document("x");
    let receipt = "popreceipt=AgAAAAMAAAAAAAAAOS1PJpEC2AE=";
    let id = "33333333-3333-3333-3333-333333333333";
    let range = |least: u64, most: u64| {
        format!(
            "400 OutOfRangeQueryParameterValue | | ~<MinimumAllowed>{least}</MinimumAllowed><MaximumAllowed>{most}</MaximumAllowed>"
        )
    };
    let value = "400 InvalidQueryParameterValue";
    check(&format!(
        "POST /work/messages?visibilitytimeout=-1 | | {body} → {week}
         POST /work/messages?visibilitytimeout=604801 | | {body} → {week}
         POST /work/messages?visibilitytimeout=soon | | {body} → {value} | | ~<QueryParameterName>visibilitytimeout</QueryParameterName>
         POST /work/messages?messagettl=0 | | {body} → {ttl}
         POST /work/messages?messagettl=-2 | | {body} → {ttl}
         POST /work/messages?messagettl=604801 | x-ms-version: 2016-05-31 | {body} → 400 | x-ms-error-code: - | ~<MinimumAllowed>1</MinimumAllowed><MaximumAllowed>604800</MaximumAllowed>
         POST /work/messages?messagettl=-1 | x-ms-version: 2016-05-31 | {body} → 400 | | ~<Code>OutOfRangeQueryParameterValue</Code>
         POST /work/messages?messagettl=922337203685 | x-ms-version: 2016-05-31 | {body} → 400 | | ~<MaximumAllowed>604800</MaximumAllowed>
         POST /work/messages?messagettl=1.5 | | {body} → {value} | | ~<QueryParameterName>messagettl</QueryParameterName>
         POST /work/messages?messagettl=10&visibilitytimeout=10 | | {body} → {value} | | ~<Reason>messagettl must be greater than visibilitytimeout</Reason>
         GET /work/messages?numofmessages=0 → {many}
         GET /work/messages?numofmessages=33 → {many}
         GET /work/messages?numofmessages=-1 → {many}
         GET /work/messages?numofmessages=x → {value} | | ~<QueryParameterName>numofmessages</QueryParameterName>
         GET /work/messages?numofmessages=33&peekonly=true → {many}
         GET /work/messages?visibilitytimeout=0 → {taken}
         GET /work/messages?visibilitytimeout=604801 → {taken}
         GET /work/messages?visibilitytimeout=7201 | x-ms-version: 2009-09-19 → 400
         GET /work/messages?peekonly=perhaps → {value} | | ~<QueryParameterName>peekonly</QueryParameterName>
         PUT /work/messages/{id}?{receipt}&visibilitytimeout=604801 → {week}
         PUT /work/messages/{id}?{receipt}&visibilitytimeout=-1 → {week}
         PUT /work/messages/{id}?{receipt} → 400 MissingRequiredQueryParameter | | ~<QueryParameterName>visibilitytimeout</QueryParameterName>
         PUT /work/messages/{id}?visibilitytimeout=1 → 400 MissingRequiredQueryParameter | | ~<QueryParameterName>popreceipt</QueryParameterName>
         DELETE /work/messages/{id} → 400 MissingRequiredQueryParameter | | ~<QueryParameterName>popreceipt</QueryParameterName>
         # and nothing was put
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0",
        week = range(0, 604_800),
        ttl = range(1, 2_147_483_647),
        many = range(1, 32),
        taken = range(1, 604_800),
    ))
    .await;
}

#[tokio::test]
async fn many_messages_are_returned_in_order() {
    let server = with_queue().await;
    for n in 0..40 {
        put(&server, "", &n.to_string()).await;
    }
    let numbers = |range: std::ops::Range<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(&server, "peekonly=true&numofmessages=32").await, numbers(0..32));
    assert_eq!(texts(&server, "numofmessages=32&visibilitytimeout=5").await, numbers(0..32));
    server.wait(1);
    put(&server, "?visibilitytimeout=2", "hidden").await;
    put(&server, "", "late").await;
    assert_eq!(texts(&server, "numofmessages=9&visibilitytimeout=60").await, [numbers(32..40), vec!["late".to_owned()]].concat());
    server.wait(4);
    let back = texts(&server, "peekonly=true&numofmessages=32").await;
    assert_eq!(back, [vec!["hidden".to_owned()], numbers(0..31)].concat());
    assert_eq!(count(&server).await, "42");
}

#[tokio::test]
async fn clearing_deletes_all_messages_and_invalidates_receipts() {
    let server = with_queue().await;
    for n in 0..5 {
        put(&server, "", &n.to_string()).await;
    }
    let held = request(&server, "GET", "/work/messages").send().await;
    assert_eq!(request(&server, "DELETE", "/work/messages").send().await.verdict(), "204");
    assert_eq!(request(&server, "DELETE", "/work/messages").send().await.verdict(), "204");
    assert_eq!((count(&server).await.as_str(), texts(&server, "").await.len()), ("0", 0));
    let target = format!("/work/messages/{}?popreceipt={}", held.element("MessageId"), held.element("PopReceipt"));
    assert_eq!(request(&server, "DELETE", &target).send().await.verdict(), "404 MessageNotFound");
    put(&server, "", "new").await;
    assert_eq!(texts(&server, "").await, ["new"]);
}

/// Expired messages are neither returned, nor do they hide others.
#[tokio::test]
async fn expired_messages_do_not_hide_others() {
    let server = with_queue().await;
    for n in 0..200 {
        put(&server, "?messagettl=5", &n.to_string()).await;
    }
    put(&server, "", "alive").await;
    server.wait(5);
    assert_eq!(count(&server).await, "1");
    assert_eq!(texts(&server, "peekonly=true&numofmessages=32").await, ["alive"]);
    assert_eq!(texts(&server, "numofmessages=32").await, ["alive"]);
    assert_eq!(count(&server).await, "1");
}

/// A reset deletes queues like containers.
#[tokio::test]
async fn a_reset_deletes_queues() {
    let server = crate::server::TestServer::with(&["--control"]).await;
    assert_eq!(request(&server, "PUT", "/work").send().await.verdict(), "201");
    let status = post(&server, "/_lazuli/reset").await;
    assert_eq!(status, 200);
    assert_eq!(request(&server, "GET", "/work?comp=metadata").send().await.verdict(), "404 QueueNotFound");
}

/// A reset moves the clock back, unless the request keeps it.
#[tokio::test]
async fn a_reset_moves_the_clock_back() {
    let server = crate::server::TestServer::with(&["--control"]).await;
    let start = server.now();
    server.wait(86_400);
    for (query, status, moved) in [("?clock=keep", 200, 86_400), ("?clock=forward", 400, 86_400), ("", 200, 0)] {
        assert_eq!(post(&server, &format!("/_lazuli/reset{query}")).await, status, "{query}");
        assert_eq!(server.now(), start.after_seconds(moved), "{query}");
        let made = request(&server, "PUT", "/work").send().await;
        assert_eq!((made.status, made.header("date")), (201, start.after_seconds(moved).rfc1123().as_str()), "{query}");
        assert_eq!(request(&server, "DELETE", "/work").send().await.status, 204, "{query}");
    }
}

async fn post(server: &crate::server::TestServer, path: &str) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut socket = tokio::net::TcpStream::connect(server.host(ServiceKind::Queue)).await.unwrap();
    let request = format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}
