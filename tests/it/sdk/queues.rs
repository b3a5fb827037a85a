//! `azure_storage_queue`, the official crate. It does not support account keys, so it uses a SAS.

use super::{EVERYTHING, account_sas};
use crate::server::TestServer;
use azure_core::http::Url;
use azure_storage_queue::models::{
    QueueClientCreateOptions, QueueClientGetPropertiesResultHeaders, QueueClientPeekMessagesOptions,
    QueueClientReceiveMessagesOptions, QueueClientSendMessageOptions, QueueClientUpdateMessageOptions, QueueMessage,
    QueueServiceClientListQueuesOptions, ReceivedMessage,
};
use azure_storage_queue::{QueueClient, QueueServiceClient};
use futures::TryStreamExt;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT};
use std::collections::HashMap;

fn service(server: &TestServer) -> QueueServiceClient {
    let url =
        format!("{}?{}", server.emulator.endpoint(ServiceKind::Queue, WELL_KNOWN_ACCOUNT).unwrap(), account_sas(EVERYTHING));
    QueueServiceClient::new(Url::parse(&url).unwrap(), None, None).unwrap()
}

async fn a_queue(name: &str) -> (TestServer, QueueClient) {
    let server = TestServer::new().await;
    let queue = service(&server).queue_client(name).unwrap();
    queue.create(None).await.unwrap();
    (server, queue)
}

fn message(text: &str) -> QueueMessage {
    QueueMessage { message_text: Some(text.to_owned()) }
}

async fn send(queue: &QueueClient, text: &str) {
    queue.send_message(message(text).try_into().unwrap(), None).await.unwrap();
}

async fn receive(queue: &QueueClient, count: i32) -> Vec<ReceivedMessage> {
    let options = QueueClientReceiveMessagesOptions { number_of_messages: Some(count), ..Default::default() };
    queue.receive_messages(Some(options)).await.unwrap().into_model().unwrap().items.unwrap_or_default()
}

/// The status that a call is refused with.
fn refusal<T>(result: azure_core::Result<T>) -> u16 {
    u16::from(result.err().unwrap().http_status().unwrap())
}

#[tokio::test]
async fn queues_come_and_go() {
    let (server, queue) = a_queue("first").await;
    assert!(queue.exists().await.unwrap());
    assert_eq!(u16::from(queue.create(None).await.unwrap().status()), 204);
    let other =
        || Some(QueueClientCreateOptions { metadata: Some(HashMap::from([("a".into(), "1".into())])), ..Default::default() });
    assert_eq!(refusal(queue.create(other()).await), 409);
    queue.set_metadata(&HashMap::from([("a".to_owned(), "1".to_owned())]), None).await.unwrap();
    assert_eq!(u16::from(queue.create(other()).await.unwrap().status()), 204);
    let about = queue.get_properties(None).await.unwrap();
    assert_eq!(about.metadata().unwrap(), HashMap::from([("a".to_owned(), "1".to_owned())]));
    assert_eq!(about.approximate_messages_count().unwrap(), Some(0));
    queue.delete(None).await.unwrap();
    assert!(!queue.exists().await.unwrap());
    assert_eq!(refusal(queue.delete(None).await), 404);
    drop(server);
}

#[tokio::test]
async fn queues_are_listed_page_by_page() {
    let server = TestServer::new().await;
    let service = service(&server);
    for name in ["page-c", "page-a", "page-b", "other"] {
        service.queue_client(name).unwrap().create(None).await.unwrap();
    }
    let options = QueueServiceClientListQueuesOptions { prefix: Some("page-".into()), maxresults: Some(2), ..Default::default() };
    let mut listed = service.list_queues(Some(options)).unwrap();
    let mut names = Vec::new();
    while let Some(item) = listed.try_next().await.unwrap() {
        names.push(item.name.unwrap());
    }
    assert_eq!(names, ["page-a", "page-b", "page-c"]);
}

#[tokio::test]
async fn messages_are_sent_received_and_deleted() {
    let (server, queue) = a_queue("work").await;
    for text in [" mess\t age1\n", "啊齄丂狛狜", "<a>&amp;</a>"] {
        send(&queue, text).await;
        let got = receive(&queue, 1).await.pop().unwrap();
        assert_eq!((got.message_text.as_deref(), got.dequeue_count), (Some(text), Some(1)));
        queue.delete_message(&got.message_id.unwrap(), &got.pop_receipt.unwrap(), None).await.unwrap();
    }
    assert_eq!(refusal(queue.send_message(message("\u{1}").try_into().unwrap(), None).await), 400);
    let hidden =
        QueueClientSendMessageOptions { visibility_timeout: Some(30), message_time_to_live: Some(300), ..Default::default() };
    queue.send_message(message("later").try_into().unwrap(), Some(hidden)).await.unwrap();
    assert!(receive(&queue, 32).await.is_empty());
    server.wait(30);
    let peek = QueueClientPeekMessagesOptions { number_of_messages: Some(32), ..Default::default() };
    let seen = queue.peek_messages(Some(peek)).await.unwrap().into_model().unwrap().items.unwrap();
    assert_eq!(seen.iter().map(|message| message.message_text.as_deref()).collect::<Vec<_>>(), [Some("later")]);
    queue.clear(None).await.unwrap();
    assert!(receive(&queue, 32).await.is_empty());
}

#[tokio::test]
async fn a_message_is_updated_by_who_holds_it() {
    let (_server, queue) = a_queue("work").await;
    send(&queue, "before").await;
    let got = receive(&queue, 1).await.pop().unwrap();
    let (id, receipt) = (got.message_id.unwrap(), got.pop_receipt.unwrap());
    let text = |text: &str| {
        Some(QueueClientUpdateMessageOptions { queue_message: Some(message(text).try_into().unwrap()), ..Default::default() })
    };
    queue.update_message(&id, &receipt, 0, text("after")).await.unwrap();
    assert_eq!(refusal(queue.update_message(&id, &receipt, 0, text("again")).await), 404);
    assert_eq!(refusal(queue.delete_message(&id, &receipt, None).await), 404);
    let again = receive(&queue, 1).await.pop().unwrap();
    assert_eq!((again.message_text.as_deref(), again.dequeue_count), (Some("after"), Some(2)));
    assert_ne!(again.pop_receipt, Some(receipt));
}
