//! Pop receipts: which is valid, and for how long.

use super::{check, document, put, request, texts, with_queue};
use crate::server::Answer;

const UNKNOWN: &str = "33333333-3333-3333-3333-333333333333";
/// A receipt of the real service.
const FOREIGN: &str = "AgAAAAMAAAAAAAAAOS1PJpEC2AE=";

#[tokio::test]
async fn each_change_creates_a_new_receipt() {
    check(
        "POST /work/messages | | <QueueMessage><MessageText>a</MessageText></QueueMessage> → 201 | | $id=MessageId | $put=PopReceipt
         GET /work/messages?visibilitytimeout=30 → 200 | | $got=PopReceipt | ~{id}
         # of the one who put it no more
         DELETE /work/messages/{id}?popreceipt={put} → 404 MessageNotFound | | ~The specified message does not exist.
         PUT /work/messages/{id}?popreceipt={put}&visibilitytimeout=0 → 404 MessageNotFound
         # but of the one who has it, and who may set it aside for longer, or give it back
         PUT /work/messages/{id}?popreceipt={got}&visibilitytimeout=60 → 204 | x-ms-popreceipt: $more; x-ms-time-next-visible: {at+60}; content-type: - | {}
         DELETE /work/messages/{id}?popreceipt={got} → 404 MessageNotFound
         PUT /work/messages/{id}?popreceipt={got}&visibilitytimeout=60 → 404 MessageNotFound
         # with another text or the same; the count of takings stays
         PUT /work/messages/{id}?popreceipt={more}&visibilitytimeout=0 | | <QueueMessage><MessageText>b</MessageText></QueueMessage> → 204 | x-ms-popreceipt: $back; x-ms-time-next-visible: {at}
         GET /work/messages?peekonly=true → 200 | | ~<DequeueCount>1</DequeueCount><MessageText>b</MessageText>
         # good until somebody takes it again, though it can be seen by now
         PUT /work/messages/{id}?popreceipt={back}&visibilitytimeout=1 → 204 | x-ms-popreceipt: $last
         wait 5
         GET /work/messages?peekonly=true → 200 | | ~<MessageText>b</MessageText>
         DELETE /work/messages/{id}?popreceipt={last} → 204 | | {}
         DELETE /work/messages/{id}?popreceipt={last} → 404 MessageNotFound
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0",
    )
    .await;
}

#[tokio::test]
async fn a_receipt_is_stale_after_another_client_gets_the_message() {
    check(
        "POST /work/messages | | <QueueMessage><MessageText>a</MessageText></QueueMessage> → 201 | | $id=MessageId
         GET /work/messages?visibilitytimeout=1 → 200 | | $first=PopReceipt
         wait 1
         GET /work/messages?visibilitytimeout=1 → 200 | | $second=PopReceipt | ~<DequeueCount>2</DequeueCount>
         DELETE /work/messages/{id}?popreceipt={first} → 404 MessageNotFound
         wait 100
         DELETE /work/messages/{id}?popreceipt={second} → 204",
    )
    .await;
}

#[tokio::test]
async fn the_receipt_of_put_message_is_valid() {
    check(
        "POST /work/messages?visibilitytimeout=100 | | <QueueMessage><MessageText>a</MessageText></QueueMessage> → 201 | | $id=MessageId | $put=PopReceipt
         PUT /work/messages/{id}?popreceipt={put}&visibilitytimeout=0 → 204 | x-ms-popreceipt: $now
         GET /work/messages?peekonly=true → 200 | | ~<MessageText>a</MessageText>
         DELETE /work/messages/{id}?popreceipt={now} → 204",
    )
    .await;
}

#[tokio::test]
async fn malformed_and_stale_receipts_are_refused_differently() {
    check(&format!(
        "POST /work/messages | | <QueueMessage><MessageText>a</MessageText></QueueMessage> → 201 | | $id=MessageId | $put=PopReceipt
         DELETE /work/messages/{{id}}?popreceipt={FOREIGN} → 404 MessageNotFound
         DELETE /work/messages/{{id}}?popreceipt=nonsense → 400 InvalidQueryParameterValue | | ~<QueryParameterName>popreceipt</QueryParameterName><QueryParameterValue>nonsense</QueryParameterValue><Reason>Invalid pop receipt format</Reason>
         PUT /work/messages/{{id}}?popreceipt=nonsense&visibilitytimeout=0 → 400 InvalidQueryParameterValue
         PUT /work/messages/{{id}}?popreceipt={FOREIGN}&visibilitytimeout=0 → 404 MessageNotFound
         DELETE /work/messages/{UNKNOWN}?popreceipt={{put}} → 404 MessageNotFound
         DELETE /work/messages/none?popreceipt={{put}} → 404 MessageNotFound
         PUT /work/messages/{UNKNOWN}?popreceipt={{put}}&visibilitytimeout=0 → 404 MessageNotFound
         DELETE /none/messages/{{id}}?popreceipt={{put}} → 404 QueueNotFound
         PUT /none/messages/{{id}}?popreceipt={{put}}&visibilitytimeout=0 → 404 QueueNotFound
         GET /work/messages → 200 | | ~<MessageText>a</MessageText>"
    ))
    .await;
}

/// Messages that are returned together have different receipts.
#[tokio::test]
async fn no_two_receipts_are_equal() {
    let server = with_queue().await;
    let mut receipts = std::collections::HashSet::new();
    let mut keep = |answer: &Answer| answer.elements("PopReceipt").into_iter().all(|receipt| receipts.insert(receipt.to_owned()));
    for n in 0..32 {
        assert!(keep(&put(&server, "", &n.to_string()).await));
    }
    let taken = request(&server, "GET", "/work/messages?numofmessages=32").send().await;
    assert_eq!(taken.elements("PopReceipt").len(), 32);
    assert!(keep(&taken));
    let held: Vec<_> = taken.elements("MessageId").into_iter().zip(taken.elements("PopReceipt")).collect();
    for (at, (id, _)) in held.iter().enumerate() {
        let other = held[(at + 1) % held.len()].1;
        let stolen = request(&server, "DELETE", &format!("/work/messages/{id}?popreceipt={other}")).send().await;
        assert_eq!(stolen.verdict(), "404 MessageNotFound");
    }
    for (id, receipt) in held {
        let delete =
            request(&server, "DELETE", &format!("/work/messages/{}?popreceipt={receipt}", id.to_uppercase())).send().await;
        assert_eq!(delete.verdict(), "204");
    }
}

/// A message cannot become visible after it expires, and an expired message has no valid receipt.
#[tokio::test]
async fn an_expired_message_has_no_valid_receipt() {
    check(
        "POST /work/messages?messagettl=60 | | <QueueMessage><MessageText>a</MessageText></QueueMessage> → 201 | | $id=MessageId | $put=PopReceipt
         PUT /work/messages/{id}?popreceipt={put}&visibilitytimeout=61 → 400 InvalidQueryParameterValue | | ~<QueryParameterName>visibilitytimeout</QueryParameterName>
         GET /work/messages?peekonly=true → 200 | | ~<MessageText>a</MessageText>
         PUT /work/messages/{id}?popreceipt={put}&visibilitytimeout=60 → 204 | x-ms-popreceipt: $held
         wait 60
         PUT /work/messages/{id}?popreceipt={held}&visibilitytimeout=0 → 404 MessageNotFound
         DELETE /work/messages/{id}?popreceipt={held} → 404 MessageNotFound
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0",
    )
    .await;
}

/// A receipt is accepted if its `+` is not encoded.
#[tokio::test]
async fn a_plus_need_not_be_encoded() {
    let server = with_queue().await;
    let (id, receipt) = loop {
        let put = put(&server, "", "x").await;
        if put.element("PopReceipt").contains('+') {
            break (put.element("MessageId").to_owned(), put.element("PopReceipt").to_owned());
        }
        assert_eq!(request(&server, "DELETE", "/work/messages").send().await.verdict(), "204");
        server.wait(1);
    };
    let update = request(&server, "PUT", &format!("/work/messages/{id}?popreceipt={receipt}&visibilitytimeout=0"));
    let updated = update.body(document("y")).send().await;
    assert_eq!(updated.verdict(), "204", "{}", updated.text());
    assert_eq!(texts(&server, "").await, ["y"]);
}
