//! Entity group transactions as clients write them.

use super::server::{Answer, TestServer};
use lazuli::ServiceKind;

/// The head of a part.
pub const HTTP: &str = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

/// A batch with a changeset of these requests.
pub fn changeset(requests: &[String]) -> String {
    let parts: String = requests.iter().map(|request| format!("--changeset_1\r\n{HTTP}{request}\r\n")).collect();
    let head = "Content-Type: multipart/mixed; boundary=changeset_1";
    format!("--batch_1\r\n{head}\r\n\r\n{parts}--changeset_1--\r\n--batch_1--\r\n")
}

/// Sends a batch.
pub async fn send(server: &TestServer, body: &str) -> Answer {
    let request = server.request("POST", "/$batch").of(ServiceKind::Table);
    request.header("content-type", "multipart/mixed; boundary=batch_1").body(body.to_owned()).send().await
}

/// A request that inserts an entity.
pub fn insert(partition: &str, row: &str) -> String {
    let entity = format!(r#"{{"PartitionKey":"{partition}","RowKey":"{row}"}}"#);
    let head = "Content-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\nPrefer: return-no-content";
    format!("POST http://127.0.0.1/devstoreaccount1/people HTTP/1.1\r\n{head}\r\n\r\n{entity}")
}

/// A request that changes an entity of partition `p`.
pub fn change(method: &str, row: &str, headers: &str, body: &str) -> String {
    format!("{method} /devstoreaccount1/people(PartitionKey='p',RowKey='{row}') HTTP/1.1\r\n{headers}\r\n{body}")
}
