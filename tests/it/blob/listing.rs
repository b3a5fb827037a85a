//! List Blobs: in order, level by level, page by page.

use crate::scenario::{check, check_in};
use crate::server::{Answer, TestServer};

/// Names that are difficult to list: prefixes of others, delimiters at both ends, several in a row, not ASCII.
const NAMES: [&str; 16] =
    ["/", "//", "/a", "a", "a-", "a--b", "a--c", "a/", "a/b", "a/b/c", "a/c", "a0", "b", "ä", "ä/1", "😀/1"];

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    for name in NAMES.iter().rev() {
        server.blob(&format!("/box/{}", encoded(name)), "x").await;
    }
    server
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

async fn list(server: &TestServer, query: &str) -> Answer {
    let page = server.request("GET", &format!("/box?restype=container&comp=list{query}")).send().await;
    assert_eq!(page.verdict(), "200", "{query}: {}", page.text());
    page
}

/// Every entry of a listing in pages of a size; prefixes too, which the service writes as names.
async fn listed(server: &TestServer, query: &str, size: usize) -> Vec<String> {
    let (mut seen, mut marker) = (Vec::new(), String::new());
    loop {
        let page = list(server, &format!("{query}&maxresults={size}&marker={}", encoded(&marker))).await;
        let names = page.elements("Name");
        assert!(names.len() <= size, "a page of {size} has {}", names.len());
        seen.extend(names.into_iter().map(str::to_owned));
        marker = page.element("NextMarker").to_owned();
        if marker.is_empty() {
            return seen;
        }
        assert!(seen.len() < 100, "{query}: pages without end");
    }
}

/// The expected entries of a listing, in a simple implementation.
fn model(prefix: &str, delimiter: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for name in NAMES.iter().filter(|name| name.starts_with(prefix)) {
        let cut = (!delimiter.is_empty()).then(|| name[prefix.len()..].find(delimiter)).flatten();
        let entry = cut.map_or(*name, |at| &name[..prefix.len() + at + delimiter.len()]);
        if entries.last().is_none_or(|last| last != entry) {
            entries.push(entry.to_owned());
        }
    }
    entries
}

#[tokio::test]
async fn every_name_is_seen_once_and_in_order_whatever_the_page() {
    let server = server().await;
    assert!(NAMES.is_sorted(), "the model lists in the order of bytes");
    for delimiter in ["", "/", "-", "--", "//", "b/", "x", "ä"] {
        for prefix in ["", "a", "a/", "a-", "a--", "/", "//", "b", "zz", "ä", "😀"] {
            let wanted = model(prefix, delimiter);
            let query = format!("&prefix={}&delimiter={}", encoded(prefix), encoded(delimiter));
            for size in [1, 2, 3, 5000] {
                assert_eq!(
                    listed(&server, &query, size).await,
                    wanted,
                    "prefix {prefix:?}, delimiter {delimiter:?}, pages of {size}"
                );
            }
        }
    }
}

#[tokio::test]
async fn prefixes_are_listed_apart_from_blobs() {
    let server = server().await;
    let page = list(&server, "&delimiter=/&prefix=a").await;
    assert_eq!(page.elements("Prefix"), ["a"]);
    assert_eq!(page.element("Delimiter"), "/");
    let prefixes: Vec<&str> = page.elements("BlobPrefix");
    assert_eq!(prefixes, ["<Name>a/</Name>"]);
    assert_eq!(page.elements("BlobType").len(), 5, "a, a-, a--b, a--c, a0");
    assert!(page.text().contains("<NextMarker />"));
}

#[tokio::test]
async fn a_marker_is_valid_after_its_blob_was_deleted() {
    let server = server().await;
    let first = list(&server, "&maxresults=3").await;
    assert_eq!(first.elements("Name"), &NAMES[..3]);
    let marker = encoded(first.element("NextMarker"));
    // The first entry of the next page is deleted, and others are created before and after it.
    check_in(
        &server,
        "DELETE /box/a → 202
         PUT /box/%2Fz | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/Z | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/a%2D%2Da | x-ms-blob-type: BlockBlob | x → 201",
    )
    .await;
    let second = list(&server, &format!("&maxresults=3&marker={marker}")).await;
    assert_eq!(second.elements("Name"), ["a-", "a--a", "a--b"]);
    assert_eq!(second.element("Marker"), first.element("NextMarker"));
    assert_eq!(second.element("MaxResults"), "3");
    // The marker of one listing is valid in another of the same container.
    assert_eq!(list(&server, &format!("&prefix=a--&marker={marker}")).await.elements("Name"), ["a--a", "a--b", "a--c"]);
    assert_eq!(list(&server, &format!("&prefix=%2F&marker={marker}")).await.elements("Name"), [""; 0]);
}

#[tokio::test]
async fn invalid_parameters_are_refused() {
    let server = server().await;
    let cases = [
        ("maxresults=0", "400 OutOfRangeInput"),
        ("maxresults=-1", "400 OutOfRangeInput"),
        ("maxresults=abc", "400 InvalidQueryParameterValue"),
        ("maxresults=1", "200"),
        ("maxresults=5000", "200"),
        ("maxresults=5001", "200"),
        ("maxresults=", "200"),
        ("marker=garbage", "400 InvalidQueryParameterValue"),
        ("marker=2!8!AAAAAAAA", "400 InvalidQueryParameterValue"),
        ("marker=", "200"),
        ("include=bogus", "400 InvalidQueryParameterValue"),
        ("include=metadata,bogus", "400 InvalidQueryParameterValue"),
        ("include=", "200"),
        (
            "include=metadata,copy,tags,snapshots,uncommittedblobs,deleted,versions,deletedwithversions,immutabilitypolicy,legalhold",
            "200",
        ),
        ("prefix=", "200"),
        ("delimiter=", "200"),
    ];
    for (query, verdict) in cases {
        let got = server.request("GET", &format!("/box?restype=container&comp=list&{query}")).send().await;
        assert_eq!(got.verdict(), verdict, "{query}");
        let name = query.split('=').next().unwrap();
        if got.status == 400 && verdict.ends_with("ParameterValue") {
            assert_eq!(got.element("QueryParameterName"), name);
        }
    }
}

#[tokio::test]
async fn a_page_has_five_thousand_entries_at_most() {
    let server = TestServer::new().await;
    server.container("box").await;
    for n in 0..5001 {
        server.blob(&format!("/box/{n:04}"), "").await;
    }
    for query in ["", "&maxresults=5001", "&maxresults=99999999"] {
        let page = list(&server, query).await;
        assert_eq!(page.elements("Name").len(), 5000, "{query}");
        let rest = list(&server, &format!("&marker={}", encoded(page.element("NextMarker")))).await;
        assert_eq!((rest.elements("Name"), rest.element("NextMarker")), (vec!["5000"], ""), "{query}");
    }
}

#[tokio::test]
async fn entries_have_the_properties_of_their_blobs() {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/plain; content-encoding: gzip; content-language: fr; x-ms-blob-cache-control: no-cache; x-ms-blob-content-disposition: inline; x-ms-meta-a: 1<2; x-ms-tags: k=v | hello → 201 | etag: $e
         GET /box?restype=container&comp=list → 200 | content-type: application/xml | ~ContainerName=\"box\" | ~<Name>b</Name><Properties><Creation-Time>{at}</Creation-Time><Last-Modified>{at}</Last-Modified><Etag> | ~<Content-Length>5</Content-Length><Content-Type>text/plain</Content-Type><Content-Encoding>gzip</Content-Encoding><Content-Language>fr</Content-Language> | ~<Content-MD5>XUFAKrxLKna5cZ2REBfFkg==</Content-MD5><Cache-Control>no-cache</Cache-Control><Content-Disposition>inline</Content-Disposition><BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred><LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState> | ~<ServerEncrypted>true</ServerEncrypted><TagCount>1</TagCount> | !<Metadata | !<Tags> | !<Snapshot
         # what is included
         GET /box?restype=container&comp=list&include=metadata → 200 | | ~<Metadata><a>1&lt;2</a></Metadata> | !<Tags>
         GET /box?restype=container&comp=list&include=tags → 200 | | ~<Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags> | !<Metadata
         GET /box?restype=container&comp=list&include=metadata,tags,copy → 200 | | ~<Metadata> | ~<Tags> | !<CopyId>
         PUT /box/bare | x-ms-blob-type: BlockBlob → 201
         GET /box?restype=container&comp=list&include=metadata,tags&prefix=bare → 200 | | ~<Metadata /> | !<Tags | !<TagCount>
         # names with only uncommitted blocks are included on request, in their order
         PUT /box/a?comp=block&blockid=QQ== | | x → 201
         PUT /box/b?comp=block&blockid=QQ== | | x → 201
         GET /box?restype=container&comp=list → 200 | | !<Name>a</Name>
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<Blobs><Blob><Name>a</Name><Properties><Content-Length>0</Content-Length>
         GET /box?restype=container&comp=list&include=uncommittedblobs&maxresults=1 → 200 | | ~<Name>a</Name> | !<Name>b</Name>
         # an old version
         GET /box?restype=container&comp=list | x-ms-version: 2012-02-12 → 200 | | ~/devstoreaccount1/box\" | !<Creation-Time> | !ContainerName=\"box\"",
    )
    .await;
    let names = list(&server, "&include=uncommittedblobs").await;
    assert_eq!(names.elements("Name"), ["a", "b", "bare"], "a blob with uncommitted blocks is listed once");
}

#[tokio::test]
async fn a_listing_may_start_at_a_name() {
    let server = server().await;
    assert_eq!(list(&server, "&startFrom=a0").await.elements("Name"), &NAMES[11..]);
    assert_eq!(list(&server, "&startFrom=a1").await.elements("Name"), &NAMES[12..]);
    assert_eq!(list(&server, "&startFrom=a%2Fb&prefix=a%2F").await.elements("Name"), ["a/b", "a/b/c", "a/c"]);
    assert_eq!(list(&server, "&startFrom=zzzz&prefix=a").await.elements("Name"), [""; 0]);
}

/// The SDKs' own tests: `endBefore` is exclusive.
#[tokio::test]
async fn a_listing_may_end_before_a_name() {
    let server = TestServer::new().await;
    server.container("box").await;
    for name in ["a", "b/1", "b/2", "c", "d"] {
        server.blob(&format!("/box/{name}"), "x").await;
    }
    let list = "/box?restype=container&comp=list";
    for (version, query, names) in [
        ("2026-10-06", "&endBefore=c", vec!["a", "b/1", "b/2"]),
        ("2026-10-06", "&endbefore=b/2", vec!["a", "b/1"]),
        ("2026-10-06", "&startFrom=b&endBefore=c0", vec!["b/1", "b/2", "c"]),
        ("2026-10-06", "&startFrom=c&endBefore=b", vec![]),
        ("2026-10-06", "&prefix=b&endBefore=z", vec!["b/1", "b/2"]),
        ("2026-10-06", "&delimiter=/&endBefore=b/2", vec!["a", "b/"]),
        ("2026-10-06", "&maxresults=1&endBefore=b", vec!["a"]),
        ("2026-10-06", "&endBefore=", vec!["a", "b/1", "b/2", "c", "d"]),
        ("2026-06-06", "&endBefore=c", vec!["a", "b/1", "b/2", "c", "d"]),
    ] {
        let answer = server.request("GET", &format!("{list}{query}")).header("x-ms-version", version).send().await;
        assert_eq!((answer.verdict().as_str(), answer.elements("Name")), ("200", names), "{version} {query}");
        assert_eq!(answer.element("NextMarker"), "", "{version} {query}");
    }
}

#[tokio::test]
async fn names_that_xml_cannot_hold_are_encoded() {
    let server = TestServer::new().await;
    server.container("box").await;
    let path = "dir%EF%BF%BF%2Fa%20b";
    server.blob(&format!("/box/{path}"), "x").await;
    let page = list(&server, "").await;
    assert!(page.text().contains("<Name Encoded=\"true\">dir%EF%BF%BF%2Fa%20b</Name>"), "{}", page.text());
    let page = list(&server, "&delimiter=/").await;
    assert!(page.text().contains("<BlobPrefix><Name Encoded=\"true\">dir%EF%BF%BF%2F</Name></BlobPrefix>"), "{}", page.text());
    let page = list(&server, "&prefix=dir%EF%BF%BF").await;
    assert!(page.text().contains("<Prefix Encoded=\"true\">dir%EF%BF%BF</Prefix>"), "{}", page.text());
    let old = server.request("GET", "/box?restype=container&comp=list").header("x-ms-version", "2020-12-06").send().await;
    assert!(!old.text().contains("Encoded"), "the mark came with 2021-02-12");
    assert_eq!(server.request("GET", &format!("/box/{path}")).send().await.text(), "x");
}

/// Accounts with a hierarchical namespace list deleted paths in this way.
#[tokio::test]
async fn a_flat_namespace_has_no_deleted_paths_to_list() {
    check(
        "PUT /box?restype=container → 201
         GET /box?restype=container&comp=list&showonly=deleted → 400 UnsupportedQueryParameter
         GET /box?restype=container&comp=list&showonly= → 200",
    )
    .await;
}

const ARROW: &str = "application/vnd.apache.arrow.stream";

/// A client that accepts Arrow sees by the Content-Type that the list is XML.
#[cfg(not(feature = "arrow"))]
#[tokio::test]
async fn without_the_feature_lists_are_xml_whatever_is_accepted() {
    let server = server().await;
    let request = server.request("GET", "/box?restype=container&comp=list").header("x-ms-version", "2026-10-06");
    let page = request.header("accept", ARROW).send().await;
    assert_eq!((page.verdict().as_str(), page.header("content-type")), ("200", "application/xml"));
    assert_eq!(page.elements("Name"), NAMES);
}

#[cfg(feature = "arrow")]
mod arrow {
    use super::*;
    use arrow_array::{Array, BooleanArray, Int64Array, MapArray, RecordBatch, StringArray, TimestampMillisecondArray};
    use arrow_ipc::reader::StreamReader;

    struct Page {
        next: String,
        rows: Option<RecordBatch>,
    }

    impl Page {
        fn column<T: Array + Clone + 'static>(&self, name: &str) -> T {
            let column = self.rows.as_ref().unwrap().column_by_name(name);
            column.unwrap_or_else(|| panic!("no {name}")).as_any().downcast_ref::<T>().unwrap().clone()
        }

        fn texts(&self, name: &str) -> Vec<Option<String>> {
            self.column::<StringArray>(name).iter().map(|text| text.map(str::to_owned)).collect()
        }

        fn map(&self, name: &str, row: usize) -> Vec<(String, String)> {
            let entries = self.column::<MapArray>(name).value(row);
            let text = |at: usize| entries.column(at).as_any().downcast_ref::<StringArray>().unwrap().clone();
            let (keys, values) = (text(0), text(1));
            keys.iter().flatten().zip(values.iter().flatten()).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
        }
    }

    async fn page(server: &TestServer, query: &str) -> Page {
        let request =
            server.request("GET", &format!("/box?restype=container&comp=list{query}")).header("x-ms-version", "2026-10-06");
        let answer = request.header("accept", format!("{ARROW}, application/xml")).send().await;
        assert_eq!((answer.verdict().as_str(), answer.header("content-type")), ("200", ARROW), "{query}");
        let reader = StreamReader::try_new(&answer.body[..], None).unwrap();
        let next = reader.schema().metadata().get("NextMarker").cloned().unwrap();
        let mut batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        assert!(batches.len() <= 1);
        Page { next, rows: batches.pop() }
    }

    #[tokio::test]
    async fn a_list_has_the_same_values_in_arrow_and_xml() {
        let server = server().await;
        for (query, prefix, delimiter) in [("", "", ""), ("&delimiter=/", "", "/"), ("&prefix=a/&delimiter=/", "a/", "/")] {
            let page = page(&server, query).await;
            let names: Vec<String> = page.texts("Name").into_iter().flatten().collect();
            assert_eq!(names, model(prefix, delimiter), "{query}");
            assert_eq!(page.next, "");
            for (name, kind) in names.iter().zip(page.texts("ResourceType")) {
                let is_prefix = !delimiter.is_empty() && name[prefix.len()..].ends_with(delimiter);
                assert_eq!(kind.as_deref(), is_prefix.then_some("blobprefix"), "{name}");
            }
        }
        // An empty list has no rows, but a schema.
        assert!(page(&server, "&prefix=none").await.rows.is_none());
    }

    #[tokio::test]
    async fn pages_continue_at_the_marker_in_the_schema() {
        let server = server().await;
        let (mut seen, mut marker) = (Vec::new(), String::new());
        loop {
            let page = page(&server, &format!("&delimiter=/&maxresults=3&marker={}", encoded(&marker))).await;
            let names: Vec<String> = page.texts("Name").into_iter().flatten().collect();
            assert!(names.len() <= 3);
            seen.extend(names);
            if page.next.is_empty() {
                break;
            }
            marker = page.next;
            assert!(seen.len() < 100, "pages without end");
        }
        assert_eq!(seen, model("", "/"));
    }

    #[tokio::test]
    async fn blobs_have_their_properties_metadata_and_tags() {
        let server = TestServer::new().await;
        check_in(
            &server,
            "PUT /box?restype=container → 201
             PUT /box/a | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-one: 1; x-ms-meta-two: zwei; x-ms-tags: k=v; x-ms-access-tier: Cool | text → 201 | etag: $e
             PUT /box/b | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-blob-sequence-number: 7 → 201",
        )
        .await;
        let etag = server.request("HEAD", "/box/a").send().await.header("etag").trim_matches('"').to_owned();
        let page = page(&server, "&include=metadata,tags,legalhold").await;
        let text = |name: &str, row: usize| page.texts(name)[row].clone();
        for (name, a, b) in [
            ("Name", Some("a"), Some("b")),
            ("Etag", Some(etag.as_str()), page.texts("Etag")[1].as_deref()),
            ("Content-Type", Some("text/plain"), Some("application/octet-stream")),
            ("BlobType", Some("BlockBlob"), Some("PageBlob")),
            ("AccessTier", Some("Cool"), None),
            ("LeaseStatus", Some("unlocked"), Some("unlocked")),
            ("LeaseState", Some("available"), Some("available")),
            ("Snapshot", None, None),
            ("CopyId", None, None),
        ] {
            assert_eq!((text(name, 0).as_deref(), text(name, 1).as_deref()), (a, b), "{name}");
        }
        assert_eq!(page.column::<Int64Array>("Content-Length"), Int64Array::from(vec![4, 512]));
        assert_eq!(page.column::<Int64Array>("x-ms-blob-sequence-number"), Int64Array::from(vec![None, Some(7)]));
        assert_eq!(page.column::<Int64Array>("TagCount"), Int64Array::from(vec![Some(1), None]));
        assert_eq!(page.column::<BooleanArray>("ServerEncrypted"), BooleanArray::from(vec![true, true]));
        let start = crate::server::start_of_time().unix_milliseconds() / 1000 * 1000;
        let moment = page.column::<TimestampMillisecondArray>("Last-Modified").value(0);
        assert!((start..start + 86_400_000).contains(&moment), "{moment} is not about {start}");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(page.map("Metadata", 0), [pair("one", "1"), pair("two", "zwei")]);
        assert_eq!((page.map("Metadata", 1), page.map("Tags", 1)), (Vec::new(), Vec::new()));
        assert_eq!(page.map("Tags", 0), [pair("k", "v")]);
        // Without `include` there is no column.
        let plain = self::page(&server, "").await;
        for name in ["Metadata", "Tags", "LegalHold"] {
            assert!(plain.rows.as_ref().unwrap().column_by_name(name).is_none(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_list_is_xml_for_older_versions_and_other_types() {
        let server = server().await;
        for (version, accept) in [("2026-06-06", ARROW), ("2026-10-06", "application/xml"), ("2026-10-06", "*/*")] {
            let request = server.request("GET", "/box?restype=container&comp=list").header("x-ms-version", version);
            let answer = request.header("accept", accept).send().await;
            assert_eq!((answer.verdict().as_str(), answer.header("content-type")), ("200", "application/xml"), "{accept}");
        }
    }
}
