//! Authentication and authorization: signatures of every kind, tokens, anonymous access, and how a URL names its target.
//!
//! Requests here are written to the socket byte by byte, and their string to sign is either written in the test or made by
//! [`token`], which shares no code with the server.

mod anonymous;
mod bearer;
mod copy_source;
mod cors;
mod credentials;
mod delegation;
pub mod jwt;
mod permissions;
mod policies;
pub mod queue_table_delegation;
mod sas;
mod scope;
mod secondary;
mod shared_key;
mod signed;
mod targets;
pub mod token;

use crate::server::{Answer, TestServer, sign};
use hyper::body::Bytes;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Names and values of headers.
type Headers<'a> = &'a [(&'a str, &'a str)];

/// Writes a request to the blob service's socket just as given, and reads the answer. `Host` and, with a body or a method that
/// needs one, `Content-Length` are added where the headers do not have them.
async fn send(server: &TestServer, method: &str, target: &str, headers: Headers<'_>, body: &str) -> Answer {
    let host = server.host(ServiceKind::Blob);
    let has = |wanted: &str| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let mut text = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
    if !has("host") {
        text.push_str(&format!("Host: {host}\r\n"));
    }
    if !has("content-length") && (!body.is_empty() || matches!(method, "PUT" | "POST")) {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    let mut socket = TcpStream::connect(&host).await.unwrap();
    socket.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    read(&bytes)
}

/// Reads an answer whose body ends with the connection.
fn read(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer has a head");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.map(|line| line.split_once(':').unwrap());
    let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.trim().parse().unwrap())).collect();
    Answer { status, headers, body: Bytes::copy_from_slice(&bytes[end + 4..]) }
}

/// [`send`], signed with the default account's key. The target begins with the account, unless the host is the account's own.
async fn send_signed(server: &TestServer, method: &str, target: &str, headers: Headers<'_>, body: &str) -> Answer {
    let date = server.machine_time().rfc1123();
    let mut all = vec![("x-ms-version", crate::server::VERSION), ("x-ms-date", date.as_str())];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers);
    let owned: Vec<_> = all.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let signed = sign(method, WELL_KNOWN_ACCOUNT, target, &owned, body.len(), WELL_KNOWN_KEY);
    all.push(("authorization", &signed));
    send(server, method, target, &all, body).await
}

/// A path in the default account: `/devstoreaccount1/box/blob`.
fn path(target: &str) -> String {
    format!("/{WELL_KNOWN_ACCOUNT}{target}")
}

/// A server with the container `box` and in it the blob `blob`, whose content is `content`.
async fn server_with_blob() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/blob", "content").await;
    server
}
