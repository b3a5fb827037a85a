//! Find Blobs by Tags, in an account and in a container.

use crate::scenario::check_in;
use crate::server::{Answer, TestServer};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

async fn put(server: &TestServer, path: &str, tags: &str) {
    let put = server.request("PUT", path).header("x-ms-blob-type", "BlockBlob").header("x-ms-tags", tags).send().await;
    assert_eq!(put.verdict(), "201", "{path}: {}", put.text());
}

/// Finds the blobs that match, `scope` being `/?` or `/container?restype=container&`.
async fn find(server: &TestServer, scope: &str, search: &str, more: &str) -> Answer {
    let search = utf8_percent_encode(search, NON_ALPHANUMERIC);
    server.request("GET", &format!("{scope}comp=blobs&where={search}{more}")).send().await
}

/// `container/name` of each blob found.
fn found(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.verdict(), "200", "{}", answer.text());
    let pairs = answer.elements("ContainerName").into_iter().zip(answer.elements("Name"));
    pairs.map(|(container, name)| format!("{container}/{name}")).collect()
}

async fn server() -> TestServer {
    let server = TestServer::new().await;
    for container in ["one", "one-more", "two"] {
        server.container(container).await;
        put(&server, &format!("/{container}/a"), "kind=x&size=1").await;
        put(&server, &format!("/{container}/b"), "kind=y&size=2").await;
        put(&server, &format!("/{container}/c/d"), "kind=x&size=3").await;
        server.blob(&format!("/{container}/plain"), "x").await;
    }
    server
}

/// Elements, their order, and the tags in the answer (recorded).
#[tokio::test]
async fn find_blobs_answers_as_recorded() {
    let server = server().await;
    let endpoint = format!("{}/", server.blob_url());
    let blob =
        |container: &str, tags: &str| format!("<Blob><Name>b</Name><ContainerName>{container}</ContainerName>{tags}</Blob>");
    let tag = |key: &str, value: &str| format!("<Tag><Key>{key}</Key><Value>{value}</Value></Tag>");
    let both = format!("<Tags><TagSet>{}{}</TagSet></Tags>", tag("kind", "y"), tag("size", "2"));
    let head = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"{endpoint}\">");
    let tail = "</Blobs><NextMarker /></EnumerationResults>";
    let answer = find(&server, "/two?restype=container&", "kind = 'y' AND size >= '2'", "").await;
    let expression = "<Where>kind = 'y' AND size &gt;= '2'</Where>";
    assert_eq!(answer.text(), format!("{head}{expression}<Blobs>{}{tail}", blob("two", &both)));
    assert_eq!(answer.header("content-type"), "application/xml");

    let answer = find(&server, "/?", "kind = 'y'", "&maxresults=9").await;
    let one = format!("<Tags><TagSet>{}</TagSet></Tags>", tag("kind", "y"));
    let blobs: String = ["one", "one-more", "two"].iter().map(|container| blob(container, &one)).collect();
    assert_eq!(answer.text(), format!("{head}<Where>kind = 'y'</Where><MaxResults>9</MaxResults><Blobs>{blobs}{tail}"));

    let answer = find(&server, "/?", "kind = 'z'", "").await;
    assert_eq!(answer.text(), format!("{head}<Where>kind = 'z'</Where><Blobs /><NextMarker /></EnumerationResults>"));
    let search = utf8_percent_encode("\"kind\"='y'", NON_ALPHANUMERIC);
    let old = server.request("GET", &format!("/?comp=blobs&where={search}")).header("x-ms-version", "2019-12-12").send().await;
    assert_eq!((old.elements("TagValue"), old.elements("Tags")), (vec!["y", "y", "y"], vec![]));
}

#[tokio::test]
async fn blobs_are_found_by_their_tags() {
    let server = server().await;
    for (scope, search, expected) in [
        ("/?", "size >= '2' AND size <= '2'", &["one/b", "one-more/b", "two/b"][..]),
        ("/?", "@container = 'one' AND kind = 'x'", &["one/a", "one/c/d"]),
        ("/?", "kind > 'x' and @container='two'", &["two/b"]),
        ("/?", "@container = 'none' AND kind = 'x'", &[]),
        ("/one-more?restype=container&", "kind = 'x'", &["one-more/a", "one-more/c/d"]),
        ("/?", "kind > 'x'AND@container='two'", &["two/b"]),
        ("/?", "Kind = 'x'", &[]),
        ("/?", "kind = 'X'", &[]),
    ] {
        assert_eq!(found(&find(&server, scope, search, "").await), expected, "{scope} {search}");
    }
    // A blob is found by its current tags, and a snapshot is not found.
    assert_eq!(server.request("PUT", "/one/a?comp=snapshot").send().await.verdict(), "201");
    let tags = "<Tags><TagSet><Tag><Key>kind</Key><Value>new</Value></Tag></TagSet></Tags>";
    assert_eq!(server.request("PUT", "/one/b?comp=tags").body(tags).send().await.verdict(), "204");
    assert_eq!(server.request("DELETE", "/two/a").send().await.verdict(), "202");
    assert_eq!(found(&find(&server, "/?", "kind = 'new'", "").await), ["one/b"]);
    assert_eq!(found(&find(&server, "/?", "kind = 'x' AND size = '1'", "").await), ["one/a", "one-more/a"]);
}

/// Equal names in several containers, and pages of any size: everything once, in order, and no page but the last without a marker.
#[tokio::test]
async fn pages_have_every_blob_once() {
    let server = server().await;
    let all = found(&find(&server, "/?", "kind = 'x'", "").await);
    assert_eq!(all, ["one/a", "one/c/d", "one-more/a", "one-more/c/d", "two/a", "two/c/d"]);
    for size in 1..=7 {
        let (mut seen, mut marker, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let more = format!("&maxresults={size}{marker}");
            let answer = find(&server, "/?", "kind = 'x'", &more).await;
            seen.extend(found(&answer));
            pages += 1;
            let next = answer.element("NextMarker");
            if next.is_empty() {
                break;
            }
            marker = format!("&marker={}", utf8_percent_encode(next, NON_ALPHANUMERIC));
        }
        assert_eq!((&seen, pages), (&all, 6_usize.div_ceil(size)), "maxresults={size}");
    }
    // A marker stays valid after its blob and its container were deleted.
    let answer = find(&server, "/?", "kind = 'x'", "&maxresults=2").await;
    let marker = format!("&marker={}", utf8_percent_encode(answer.element("NextMarker"), NON_ALPHANUMERIC));
    assert_eq!(server.request("DELETE", "/one-more?restype=container").send().await.verdict(), "202");
    assert_eq!(found(&find(&server, "/?", "kind = 'x'", &marker).await), ["two/a", "two/c/d"]);
}

#[tokio::test]
async fn invalid_expressions_are_refused() {
    let server = TestServer::new().await;
    check_in(
        &server,
        "
        PUT /box?restype=container → 201
        # the expression
        GET /?comp=blobs → 400 MissingRequiredQueryParameter | | ~where
        GET /?comp=blobs&where= → 400 MissingRequiredQueryParameter | | ~<QueryParameterName>where
        GET /?comp=blobs&where=a → 400 InvalidQueryParameterValue | | ~<QueryParameterName>where
        GET /?comp=blobs&where=a%3D'1'%20OR%20b%3D'1' → 400 InvalidQueryParameterValue | | ~<QueryParameterName>where
        GET /?comp=blobs&where=a%3D'1'%20OR%20b%3D'1' → 400 InvalidQueryParameterValue | | ~<Message>Error parsing query at or near character position 7: unexpected 'OR'
        GET /box?restype=container&comp=blobs&where=a%3D'1'AND@container%3D'box' → 400 InvalidQueryParameterValue | | ~<Message>Error parsing query: Cannot have container in both uri and query
        GET /box?restype=container&comp=blobs&where=(a%3D'1') → 200
        # the rest
        GET /?comp=blobs&where=a%3D'1'&maxresults=0 → 400 OutOfRangeInput
        GET /?comp=blobs&where=a%3D'1'&maxresults=x → 400 InvalidQueryParameterValue | | ~<QueryParameterName>maxresults
        GET /?comp=blobs&where=a%3D'1'&marker=x → 400 InvalidQueryParameterValue | | ~<QueryParameterName>marker
        GET /?comp=blobs&where=a%3D'1'&include=all → 400 InvalidQueryParameterValue | | ~<QueryParameterName>include
        GET /?comp=blobs&where=a%3D'1'&include=none → 200
        GET /none?restype=container&comp=blobs&where=a%3D'1' → 404 ContainerNotFound
        PUT /?comp=blobs&where=a%3D'1' → 400 InvalidQueryParameterValue
        ",
    )
    .await;
}
