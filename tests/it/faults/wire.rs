//! A client that sends arbitrary bytes, which no client library would send.

use crate::server::{Answer, TestServer, VERSION, hmac, sign, sign_table, start_of_time};
use hyper::body::Bytes;
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a test waits for the server before it fails.
const HANGS: Duration = Duration::from_secs(20);

/// A connection.
pub struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

/// An answer with its status line.
#[derive(Debug)]
pub struct Spoken {
    /// `HTTP/1.1 400 The reason.`
    pub line: String,
    pub answer: Answer,
}

impl Wire {
    pub async fn to(server: &TestServer, kind: ServiceKind) -> Wire {
        Wire { stream: TcpStream::connect(server.host(kind)).await.unwrap(), read: Vec::new() }
    }

    /// Sends bytes. Errors are ignored: if the server has closed the connection, its answer shows why.
    pub async fn say(&mut self, bytes: impl AsRef<[u8]>) -> &mut Wire {
        let sent = tokio::time::timeout(HANGS, self.stream.write_all(bytes.as_ref())).await;
        _ = sent.expect("the server does not read");
        self
    }

    /// Whether the server has sent bytes that are not read yet, or has closed the connection.
    pub fn is_spoken_to(&mut self) -> bool {
        !matches!(self.stream.try_read_buf(&mut self.read), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
            || !self.read.is_empty()
    }

    /// Closes the sending half; answers can still be read.
    pub async fn stop(&mut self) -> &mut Wire {
        self.stream.shutdown().await.unwrap();
        self
    }

    /// Reads one answer to a request of this method.
    pub async fn hear(&mut self, method: &str) -> Spoken {
        let head = loop {
            if let Some(end) = find(&self.read, b"\r\n\r\n") {
                break self.read.drain(..end + 4).collect::<Vec<u8>>();
            }
            assert!(self.more().await, "closed before an answer: {:?}", String::from_utf8_lossy(&self.read));
        };
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.strip_suffix("\r\n\r\n").unwrap().split("\r\n");
        let line = lines.next().unwrap().to_owned();
        let mut headers = http::HeaderMap::new();
        for (name, value) in lines.map(|line| line.split_once(": ").unwrap()) {
            let known = headers.append(http::HeaderName::try_from(name).unwrap(), value.parse().unwrap());
            assert!(!known, "{name} comes twice");
        }
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let bodiless = method == "HEAD" || matches!(status, 100 | 204 | 304);
        let length = headers.get("content-length").map_or(0, |text| text.to_str().unwrap().parse().unwrap());
        let length = if bodiless { 0 } else { length };
        while self.read.len() < length {
            assert!(self.more().await, "closed within an answer: {line}");
        }
        let body = Bytes::from(self.read.drain(..length).collect::<Vec<u8>>());
        Spoken { line, answer: Answer { status, headers, body } }
    }

    /// Reads to the end of the connection, and returns the rest.
    pub async fn end(&mut self) -> String {
        while self.more().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.read)).into_owned()
    }

    /// Whether no further bytes have arrived.
    pub fn is_silent(&self) -> bool {
        let mut probe = [0; 1];
        self.read.is_empty()
            && matches!(self.stream.try_read(&mut probe), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }

    async fn more(&mut self) -> bool {
        let read = tokio::time::timeout(HANGS, self.stream.read_buf(&mut self.read)).await;
        read.expect("the server says nothing").unwrap_or(0) > 0
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// The head of a signed request to the default account, complete but for the headers that are not signed.
pub fn head(method: &str, target: &str, headers: &[(&str, &str)], length: usize) -> String {
    head_of(ServiceKind::Blob, method, target, headers, length)
}

/// [`head`] of any service. A version among the headers replaces the usual one.
pub fn head_of(kind: ServiceKind, method: &str, target: &str, headers: &[(&str, &str)], length: usize) -> String {
    let path = format!("/{WELL_KNOWN_ACCOUNT}{target}");
    let usual = [("x-ms-version".to_owned(), VERSION.to_owned()), ("x-ms-date".to_owned(), start_of_time().rfc1123())];
    let mut all: Vec<(String, String)> =
        usual.into_iter().filter(|(name, _)| !headers.iter().any(|(known, _)| known == name)).collect();
    all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let sign = if kind == ServiceKind::Table { sign_table } else { sign };
    let signed = sign(method, WELL_KNOWN_ACCOUNT, &path, &all, length, WELL_KNOWN_KEY);
    all.push(("authorization".to_owned(), signed));
    let lines: Vec<String> = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{}", lines.concat())
}

/// A request with a body.
pub fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> String {
    format!("{}content-length: {}\r\n\r\n{body}", head(method, target, headers, body.len()), body.len())
}

/// The query of an account SAS that permits everything, for requests with any headers.
pub fn sas() -> String {
    let (start, expiry) = ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
    let fields = [WELL_KNOWN_ACCOUNT, "rwdxylacuptfi", "bqtf", "sco", start, expiry, "", "", "2020-04-08", ""];
    let signature = hmac(&fields.join("\n"), WELL_KNOWN_KEY).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("sv=2020-04-08&ss=bqtf&srt=sco&sp=rwdxylacuptfi&st={start}&se={expiry}&sig={signature}")
}
