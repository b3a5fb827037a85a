//! A socket of one's own: for what an ordinary client would not do, such as stopping half way through an answer.

use crate::house::{House, VERSION, sign, start_of_time};
use lazuli::config::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use lazuli::op::Kind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to the blob service.
pub struct Raw(TcpStream);

impl Raw {
    /// Connects, and sends the head of a request without a body: `target` is the path from the root, headers as they are.
    pub async fn send(house: &House, method: &str, target: &str, headers: &[(String, String)]) -> Raw {
        let host = house.host(Kind::Blob);
        let mut stream = TcpStream::connect(&host).await.unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        Raw(stream)
    }

    /// Asks for `/container/blob?query` of the default account, signed with its key.
    pub async fn get(house: &House, target: &str) -> Raw {
        let target = format!("/{WELL_KNOWN_ACCOUNT}{target}");
        let mut headers = vec![("x-ms-version".into(), VERSION.into()), ("x-ms-date".into(), start_of_time().rfc1123())];
        let signed = sign("GET", WELL_KNOWN_ACCOUNT, &target, &headers, 0, WELL_KNOWN_KEY);
        headers.push(("authorization".into(), signed));
        Raw::send(house, "GET", &target, &headers).await
    }

    /// The head of the answer: its first line and its headers.
    pub async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        String::from_utf8(head).unwrap()
    }

    /// The next so many bytes.
    pub async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).await.unwrap();
        bytes
    }
}

/// Empties every account, by the control that `--control` opens.
pub async fn reset(house: &House) {
    let mut raw = Raw::send(house, "POST", "/_lazuli/reset", &[]).await;
    let head = raw.head().await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}
