//! A connection for requests that an ordinary client would not send, such as one that stops in the middle of an answer.

use super::server::{TestServer, VERSION, sign, start_of_time};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to the blob service.
pub struct Raw(TcpStream);

impl Raw {
    /// Connects, and sends the head of a request: `target` is the path from the root, headers as they are.
    pub async fn send(server: &TestServer, method: &str, target: &str, headers: &[(String, String)], length: usize) -> Raw {
        let host = server.host(ServiceKind::Blob);
        let mut stream = TcpStream::connect(&host).await.unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        Raw(stream)
    }

    /// Gets `/container/blob?query` of the default account, signed with its key.
    pub async fn get(server: &TestServer, target: &str) -> Raw {
        Raw::signed(server, "GET", target, &[], 0).await
    }

    /// Begins a Put Blob, and returns when the server has accepted the head and waits for the body.
    pub async fn put(server: &TestServer, target: &str, length: usize) -> Raw {
        let headers = [("x-ms-blob-type", "BlockBlob"), ("expect", "100-continue")];
        let mut raw = Raw::signed(server, "PUT", target, &headers, length).await;
        let head = raw.head().await;
        assert!(head.starts_with("HTTP/1.1 100 "), "{head}");
        raw
    }

    async fn signed(server: &TestServer, method: &str, target: &str, headers: &[(&str, &str)], length: usize) -> Raw {
        let target = format!("/{WELL_KNOWN_ACCOUNT}{target}");
        let mut headers: Vec<(String, String)> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        headers.extend([("x-ms-version".into(), VERSION.into()), ("x-ms-date".into(), start_of_time().rfc1123())]);
        let signed = sign(method, WELL_KNOWN_ACCOUNT, &target, &headers, length, WELL_KNOWN_KEY);
        headers.push(("authorization".into(), signed));
        Raw::send(server, method, &target, &headers, length).await
    }

    /// Sends bytes of the body.
    pub async fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// The head of the answer: its first line and its headers.
    pub async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        String::from_utf8(head).unwrap()
    }

    /// The text up to the end of this one.
    #[allow(dead_code, reason = "the tests inside of the crate do not use it")]
    pub async fn until(&mut self, end: &str) -> String {
        let mut text = Vec::new();
        while !text.ends_with(end.as_bytes()) {
            text.push(self.0.read_u8().await.unwrap());
        }
        String::from_utf8(text).unwrap()
    }

    /// The next `count` bytes.
    pub async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).await.unwrap();
        bytes
    }
}

/// Empties every account through `--control`, and does not reset the clock.
pub async fn reset(server: &TestServer) {
    let mut raw = Raw::send(server, "POST", "/_lazuli/reset?clock=keep", &[], 0).await;
    let head = raw.head().await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}
