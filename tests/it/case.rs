//! Metadata names are returned in the letter case that they were written in. No common client library can show that, so these tests
//! use a socket.

use crate::auth::token;
use crate::file::sas::sas;
use crate::server::{TestServer, VERSION, sign, start_of_time};
use crate::web::{Web, ok};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request: method, target, headers.
type Sent<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// Sends signed requests over one connection, one after the other, and returns the heads of the answers. Header names go out as given.
async fn heads(server: &TestServer, requests: &[Sent<'_>]) -> Vec<String> {
    heads_of(server, ServiceKind::Blob, requests).await
}

/// [`heads`] of another service.
async fn heads_of(server: &TestServer, kind: ServiceKind, requests: &[Sent<'_>]) -> Vec<String> {
    let mut stream = TcpStream::connect(server.host(kind)).await.unwrap();
    let mut heads = Vec::new();
    for request in requests {
        stream.write_all(signed(request).as_bytes()).await.unwrap();
        heads.push(next_head(&mut stream).await);
    }
    heads
}

/// The bytes of a signed request.
fn signed((method, target, headers): &Sent<'_>) -> String {
    let path = format!("/{WELL_KNOWN_ACCOUNT}{target}");
    let mut all: Vec<(String, String)> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    all.push(("x-ms-version".into(), VERSION.into()));
    all.push(("x-ms-date".into(), start_of_time().rfc1123()));
    let lower: Vec<_> = all.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    all.push(("Authorization".into(), sign(method, WELL_KNOWN_ACCOUNT, &path, &lower, 0, WELL_KNOWN_KEY)));
    let lines: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n{lines}\r\n")
}

/// The head of the next response.
async fn next_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn metadata_keeps_the_case_of_its_names() {
    let server = TestServer::new().await;
    let names = &[("x-ms-blob-type", "BlockBlob"), ("X-MS-Meta-CamelCase", "One"), ("x-ms-meta-lower", "two")][..];
    let seen = heads(
        &server,
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
    server.blob("/case/other", "x").await;
    let list = server.request("GET", "/case?restype=container&comp=list&include=metadata").send().await;
    assert_eq!(list.elements("camelcase"), ["One"]);
}

/// A copy keeps the letter case of its source: from another service of this server, and from another server.
#[tokio::test]
async fn a_copy_keeps_the_case_of_its_sources_names() {
    let (server, there, web) = (TestServer::new().await, TestServer::new().await, Web::open().await);
    let file = &[("x-ms-type", "file"), ("x-ms-content-length", "0"), ("x-ms-meta-OfTheFile", "One")][..];
    let made = heads_of(&server, ServiceKind::File, &[("PUT", "/case?restype=share", &[]), ("PUT", "/case/f", file)]).await;
    assert!(made[1].starts_with("HTTP/1.1 201 "), "{}", made[1]);
    let blob = &[("x-ms-blob-type", "BlockBlob"), ("x-ms-meta-OfTheBlob", "Two")][..];
    heads(&there, &[("PUT", "/case?restype=container", &[]), ("PUT", "/case/b", blob)]).await;
    server.container("case").await;

    let own = format!("https://{WELL_KNOWN_ACCOUNT}.file.core.windows.net/case/f?{}", sas("s", "case", "r", ""));
    let other = format!("{}/case/b?{}", there.blob_url(), token::reader("case"));
    let page = ok("X-MS-META-OfThePage: Three\nx-ms-meta-plain: four", "x");
    for (source, said, names) in [
        (own, None, &["OfTheFile: One"][..]),
        (other, None, &["OfTheBlob: Two"]),
        (web.url("/page"), Some(&page), &["OfThePage: Three", "plain: four"]),
    ] {
        let copy = server.request("PUT", "/case/copy").header("x-ms-requires-sync", "true").header("x-ms-copy-source", &source);
        let answered = async {
            if let Some(page) = said {
                web.answer(page).await;
            }
        };
        let (copied, ()) = tokio::join!(copy.send(), answered);
        assert_eq!(copied.verdict(), "202", "{source}: {}", copied.text());
        let seen = heads(&server, &[("HEAD", "/case/copy", &[])]).await;
        for name in names {
            assert!(seen[0].contains(&format!("\r\nx-ms-meta-{name}\r\n")), "{name} of {source}: {}", seen[0]);
        }
    }
}

#[tokio::test]
async fn metadata_keeps_its_case_after_many_other_names_on_the_connection() {
    let server = TestServer::new().await;
    let names: Vec<String> = (0..1060).map(|n| format!("x-ms-meta-A{n}")).collect();
    let headers: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "x")).collect();
    let (many, few) = headers.split_at(1000);
    let seen = heads(
        &server,
        &[
            ("PUT", "/many?restype=container", many),
            ("PUT", "/few?restype=container", few),
            ("HEAD", "/few?restype=container", &[]),
        ],
    )
    .await;
    for (name, _) in few {
        assert!(seen[2].contains(&format!("\r\n{name}: x\r\n")), "{name}: {}", seen[2]);
    }
}

#[tokio::test]
async fn each_pipelined_request_keeps_the_case_of_its_own_names() {
    let server = TestServer::new().await;
    let upper: Sent<'_> = ("PUT", "/upper?restype=container", &[("x-ms-meta-NAME", "x"), ("x-ms-meta-One", "x")]);
    let lower: Sent<'_> = ("PUT", "/lower?restype=container", &[("x-ms-meta-name", "x"), ("x-ms-meta-ONE", "x")]);
    let mut stream = TcpStream::connect(server.host(ServiceKind::Blob)).await.unwrap();
    // Line breaks before a request are no request.
    let both = format!("{}\r\n{}", signed(&upper), signed(&lower));
    stream.write_all(both.as_bytes()).await.unwrap();
    for _ in 0..2 {
        let head = next_head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 201 "), "{head}");
    }
    let seen = heads(&server, &[("HEAD", "/upper?restype=container", &[]), ("HEAD", "/lower?restype=container", &[])]).await;
    for (head, names) in seen.iter().zip([["NAME", "One"], ["name", "ONE"]]) {
        for name in names {
            assert!(head.contains(&format!("\r\nx-ms-meta-{name}: x\r\n")), "{name}: {head}");
        }
    }
}
