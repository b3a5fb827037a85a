//! A container and a blob are created and read.

use crate::server::TestServer;

#[tokio::test]
async fn a_blob_comes_back_as_it_was_put() {
    let server = TestServer::new().await;
    server.container("first").await;
    let etag = server.blob("/first/hello.txt", "hello, world").await;
    let got = server.request("GET", "/first/hello.txt").send().await;
    assert_eq!((got.status, got.text(), got.header("etag")), (200, "hello, world", etag.as_str()));
    assert_eq!(server.request("DELETE", "/first/hello.txt").send().await.status, 202);
    assert_eq!(server.request("GET", "/first/hello.txt").send().await.verdict(), "404 BlobNotFound");
}

/// rclone and `object_store` write a space in a query as `+`, and sign a space; who signs by hand may leave a `+` bare and sign that.
#[tokio::test]
async fn a_bare_plus_in_a_query_is_a_space_however_it_is_signed() {
    let server = TestServer::new().await;
    server.container("plus").await;
    server.blob("/plus/a%20b/c", "spaced").await;
    server.blob("/plus/a+b/c", "added").await;
    for (written, signed, name) in
        [("a%20b", "a%20b", "a b/c"), ("a+b", "a%20b", "a b/c"), ("a+b", "a+b", "a b/c"), ("a%2Bb", "a%2Bb", "a+b/c")]
    {
        let target = |prefix| format!("/plus?restype=container&comp=list&prefix={prefix}");
        let listed = server.request("GET", &target(written)).signed_as(&target(signed)).send().await;
        assert_eq!(
            (listed.verdict().as_str(), listed.elements("Name").as_slice()),
            ("200", [name].as_slice()),
            "{written} {signed}"
        );
    }
}
