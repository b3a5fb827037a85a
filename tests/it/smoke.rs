//! A container, a blob, and back: what everything else stands on.

use crate::house::House;

#[tokio::test]
async fn a_blob_comes_back_as_it_was_put() {
    let house = House::new().await;
    house.container("first").await;
    let etag = house.blob("/first/hello.txt", "hello, world").await;
    let got = house.ask("GET", "/first/hello.txt").send().await;
    assert_eq!((got.status, got.text(), got.header("etag")), (200, "hello, world", etag.as_str()));
    assert_eq!(house.ask("DELETE", "/first/hello.txt").send().await.status, 202);
    assert_eq!(house.ask("GET", "/first/hello.txt").send().await.verdict(), "404 BlobNotFound");
}
