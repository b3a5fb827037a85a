//! Metadata names come back in the case that they were written in, which no common client library can show: read off the socket.

use crate::house::{House, VERSION, sign, start_of_time};
use lazuli::config::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use lazuli::op::Kind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request: method, target, headers.
type Sent<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// Sends signed requests over one connection, one after the other, and returns the heads of the answers. Header names go out as given.
async fn heads(house: &House, requests: &[Sent<'_>]) -> Vec<String> {
    let mut stream = TcpStream::connect(house.host(Kind::Blob)).await.unwrap();
    let mut heads = Vec::new();
    for (method, target, headers) in requests {
        let path = format!("/{WELL_KNOWN_ACCOUNT}{target}");
        let mut all: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all.push(("x-ms-version".into(), VERSION.into()));
        all.push(("x-ms-date".into(), start_of_time().rfc1123()));
        let lower: Vec<_> = all.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
        all.push(("Authorization".into(), sign(method, WELL_KNOWN_ACCOUNT, &path, &lower, 0, WELL_KNOWN_KEY)));
        let lines: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n{lines}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        heads.push(String::from_utf8(head).unwrap());
    }
    heads
}

#[tokio::test]
async fn metadata_keeps_the_case_of_its_names() {
    let house = House::new().await;
    let names = &[("x-ms-blob-type", "BlockBlob"), ("X-MS-Meta-CamelCase", "One"), ("x-ms-meta-lower", "two")][..];
    let seen = heads(
        &house,
        &[
            ("PUT", "/case?restype=container", &[("x-ms-meta-OfContainer", "x")]),
            ("PUT", "/case/blob", names),
            ("HEAD", "/case/blob", &[]),
            ("HEAD", "/case?restype=container", &[]),
            ("PUT", "/case/blob?comp=metadata", &[("x-ms-meta-camelcase", "One")]),
            ("HEAD", "/case/blob", &[]),
        ],
    )
    .await;
    assert!(
        seen[2].contains("\r\nx-ms-meta-CamelCase: One\r\n") && seen[2].contains("\r\nx-ms-meta-lower: two\r\n"),
        "{}",
        seen[2]
    );
    assert!(seen[3].contains("\r\nx-ms-meta-OfContainer: x\r\n"), "{}", seen[3]);
    assert!(seen[5].contains("\r\nx-ms-meta-camelcase: One\r\n"), "{}", seen[5]);
    house.blob("/case/other", "x").await;
    let list = house.ask("GET", "/case?restype=container&comp=list&include=metadata").send().await;
    assert_eq!(list.elements("camelcase"), ["One"]);
}
