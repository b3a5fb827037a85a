//! A web server that a test operates: it receives a request, and sends the answer piece by piece.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The server.
pub struct Web(TcpListener);

/// A received request. Dropping it closes the connection.
pub struct Exchange {
    /// The request's line and headers, as they came.
    pub head: String,
    stream: TcpStream,
}

impl Web {
    /// Opens it on a free port.
    pub async fn open() -> Web {
        Web(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0.local_addr().unwrap())
    }

    /// The next request.
    pub async fn exchange(&self) -> Exchange {
        let (mut stream, _) = self.0.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        Exchange { head: String::from_utf8(head).unwrap(), stream }
    }

    /// Answers the next request with this text and closes the connection; the request.
    pub async fn answer(&self, text: &str) -> String {
        let mut exchange = self.exchange().await;
        exchange.say(text).await;
        exchange.stream.shutdown().await.unwrap();
        exchange.head
    }
}

impl Exchange {
    /// Sends the next part of the answer, with CRLF for each `\n`.
    pub async fn say(&mut self, text: &str) {
        // The client may have closed the connection.
        _ = self.stream.write_all(text.replace('\n', "\r\n").as_bytes()).await;
    }

    /// Waits until the other side closes the connection.
    pub async fn closed(mut self) {
        let mut rest = [0; 64];
        while self.stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
    }
}

/// A success with these headers (`name: value`, a line each) and this content.
pub fn ok(headers: &str, content: &str) -> String {
    let headers: String = headers.split('\n').filter(|line| !line.is_empty()).map(|line| format!("{}\n", line.trim())).collect();
    format!("HTTP/1.1 200 OK\nContent-Length: {}\n{headers}\n{content}", content.len())
}
