//! Pages of entities, also while entities are inserted and deleted.

use super::{encoded, get, put, request, rows, with_table};
use crate::server::{Answer, TestServer};

/// The query of the next page; `None` after the last.
fn next(answer: &Answer) -> Option<String> {
    let token = |name| answer.header(name);
    let (partition, row) = (token("x-ms-continuation-nextpartitionkey"), token("x-ms-continuation-nextrowkey"));
    assert_eq!(partition.is_empty(), row.is_empty());
    (!partition.is_empty()).then(|| format!("NextPartitionKey={}&NextRowKey={}", encoded(partition), encoded(row)))
}

async fn insert(server: &TestServer, partition: &str, from: usize, count: usize) {
    for first in (from..from + count).step_by(100) {
        let parts = (first..(first + 100).min(from + count)).map(|n| {
            let entity = format!(r#"{{"PartitionKey":"{partition}","RowKey":"{n:05}","even":{}}}"#, n % 2 == 0);
            format!("--c\nContent-Type: application/http\n\nPOST /people HTTP/1.1\nPrefer: return-no-content\n\n{entity}\n")
        });
        let changes: String = parts.collect();
        let body = format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n{changes}--c--\n--b--");
        let request = server.request("POST", "/$batch").of(lazuli::ServiceKind::Table);
        let answer = request.header("content-type", "multipart/mixed; boundary=b").body(body).send().await;
        assert_eq!(answer.status, 202);
        assert!(!answer.text().contains("odata.error"), "{}", answer.text());
    }
}

#[tokio::test]
async fn a_page_has_a_thousand_entities_and_a_continuation() {
    let server = with_table().await;
    insert(&server, "a", 0, 1500).await;
    insert(&server, "b", 0, 600).await;
    let mut seen = Vec::new();
    let (mut query, mut pages) = (String::new(), 0);
    loop {
        let page = get(&server, &format!("/people()?{query}")).await;
        seen.extend(rows(&page));
        pages += 1;
        match next(&page) {
            Some(more) => query = more,
            None => break,
        }
    }
    let expected: Vec<String> = (0..1500).chain(0..600).map(|n| format!("{n:05}")).collect();
    assert_eq!((seen, pages), (expected, 3));

    let filter = encoded("PartitionKey eq 'a' and even eq true");
    let first = get(&server, &format!("/people()?$filter={filter}&$top=3")).await;
    assert_eq!(rows(&first), ["00000", "00002", "00004"]);
    let second = get(&server, &format!("/people()?$filter={filter}&$top=3&{}", next(&first).unwrap())).await;
    assert_eq!(rows(&second), ["00006", "00008", "00010"]);
    let none = get(&server, "/people()?$top=0").await;
    assert_eq!((rows(&none).len(), next(&none)), (0, None), "who wants nothing is not sent on");
    let exact = get(&server, "/people(PartitionKey='a',RowKey='00000')").await;
    assert_eq!(next(&exact), None);
    let last = get(&server, "/people()?$filter=PartitionKey%20eq%20'b'&$top=600").await;
    assert_eq!((rows(&last).len(), next(&last)), (600, None), "nothing follows a page that holds the rest");
}

#[tokio::test]
async fn pages_are_correct_while_entities_are_inserted_and_deleted() {
    let server = with_table().await;
    for row in ["b", "d", "f", "h"] {
        put(&server, "p", row, "").await;
    }
    let first = get(&server, "/people()?$top=2").await;
    assert_eq!(rows(&first), ["b", "d"]);
    // The first entity of the next page is deleted; others are inserted before it and after it.
    assert_eq!(
        server
            .request("DELETE", "/people(PartitionKey='p',RowKey='f')")
            .of(lazuli::ServiceKind::Table)
            .header("if-match", "*")
            .send()
            .await
            .status,
        204
    );
    for row in ["a", "e", "g", "i"] {
        put(&server, "p", row, "").await;
    }
    let rest = get(&server, &format!("/people()?{}", next(&first).unwrap())).await;
    assert_eq!(rows(&rest), ["g", "h", "i"], "neither again nor left out");
    // All entities of the next page are deleted: it is empty, and the last.
    let first = get(&server, "/people()?$top=5").await;
    for row in ["h", "i"] {
        let target = format!("/people(PartitionKey='p',RowKey='{row}')");
        let gone = server.request("DELETE", &target).of(lazuli::ServiceKind::Table).header("if-match", "*").send().await;
        assert_eq!(gone.status, 204, "{row}");
    }
    let second = get(&server, &format!("/people()?$top=5&{}", next(&first).unwrap())).await;
    assert_eq!((rows(&second), next(&second)), (Vec::new(), None));
}

#[tokio::test]
async fn a_page_ends_at_four_mebibytes() {
    let server = with_table().await;
    let text = "x".repeat(30 << 10);
    let entity = (0..15).map(|n| format!(r#""t{n}":"{text}""#)).collect::<Vec<_>>().join(",");
    for row in 10..22 {
        let target = format!("/people(PartitionKey='p',RowKey='{row}')");
        assert_eq!(request(&server, "PUT", &target, &format!("{{{entity}}}")).await.verdict(), "204");
    }
    let first = get(&server, "/people()").await;
    assert_eq!(rows(&first).len(), 9);
    assert!(first.body.len() < 5 << 20, "{}", first.body.len());
    let second = get(&server, &format!("/people()?{}", next(&first).unwrap())).await;
    assert_eq!((rows(&second), next(&second)), (["19", "20", "21"].map(str::to_owned).to_vec(), None));
}

/// Nulls for properties that do not exist count towards the size of a page.
#[tokio::test]
async fn nulls_count_towards_the_size_of_a_page() {
    let server = with_table().await;
    insert(&server, "a", 0, 80).await;
    let select: Vec<String> = (0..8_000).map(|n| format!("n{n}")).collect();
    let query = format!("/people()?$select=RowKey,{}", select.join(","));
    let (mut seen, mut from) = (0, String::new());
    loop {
        let page = get(&server, &format!("{query}&{from}")).await;
        assert!(page.body.len() <= (4 << 20) + query.len() + 1000, "{}", page.body.len());
        seen += rows(&page).len();
        match next(&page) {
            Some(more) => from = more,
            None => break,
        }
    }
    assert_eq!(seen, 80);
}

/// A long filter makes pages short or empty; the following pages have the rest.
#[tokio::test]
async fn an_empty_page_may_have_a_continuation() {
    let server = with_table().await;
    insert(&server, "a", 0, 2500).await;
    let nowhere: Vec<String> = (0..200).map(|n| format!("even eq '{n}'")).collect();
    let filter = encoded(&format!("{} or RowKey eq '02400'", nowhere.join(" or ")));
    let (mut found, mut pages, mut from) = (Vec::new(), 0, String::new());
    loop {
        let page = get(&server, &format!("/people()?$filter={filter}&{from}")).await;
        found.extend(rows(&page));
        pages += 1;
        match next(&page) {
            Some(more) => from = more,
            None => break,
        }
    }
    assert_eq!((found, pages), (vec!["02400".to_owned()], 3));
}
