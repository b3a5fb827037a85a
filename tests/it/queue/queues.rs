//! Queues: names, metadata, policies, creation, listing and deletion.

use super::{check, put, request, with_queue};
use crate::server::TestServer;

#[tokio::test]
async fn queues_are_created_and_deleted() {
    check(
        "# creating one again does nothing, if it would be the same
         PUT /new | x-ms-meta-a: 1; x-ms-meta-b: two → 201 | content-length: 0; x-ms-version: 2021-12-02
         PUT /new | x-ms-meta-b: two; x-ms-meta-A: 1 → 204
         PUT /new → 409 QueueAlreadyExists | content-type: application/xml | ~The specified queue already exists.
         PUT /new | x-ms-meta-a: 1 → 409 QueueAlreadyExists
         PUT /new | x-ms-meta-a: 1; x-ms-meta-b: 2 → 409 QueueAlreadyExists
         PUT /work → 204
         # metadata
         GET /new?comp=metadata → 200 | x-ms-meta-a: 1; x-ms-meta-b: two; x-ms-approximate-messages-count: 0; cache-control: no-cache | {}
         HEAD /new?comp=metadata → 200 | x-ms-meta-a: 1; x-ms-approximate-messages-count: 0
         PUT /new?comp=metadata | x-ms-meta-c: 3 → 204 | etag: -; last-modified: -
         GET /new?comp=metadata → 200 | x-ms-meta-a: -; x-ms-meta-c: 3
         PUT /new | x-ms-meta-c: 3 → 204
         PUT /new?comp=metadata → 204
         GET /new?comp=metadata → 200 | x-ms-meta-c: -
         PUT /new?comp=metadata | x-ms-meta-1c: 3 → 400 InvalidMetadata
         PUT /new?comp=metadata | x-ms-meta-: 3 → 400 EmptyMetadataKey
         PUT /new?comp=metadata | x-ms-meta-a: {8192*x} → 400 MetadataTooLarge
         # it goes with its messages, and its name is free at once
         POST /new/messages | | <QueueMessage><MessageText>x</MessageText></QueueMessage> → 201
         DELETE /new → 204 | x-ms-error-code: - | {}
         DELETE /new → 404 QueueNotFound | | ~The specified queue does not exist.
         GET /new?comp=metadata → 404 QueueNotFound
         HEAD /new?comp=metadata → 404 QueueNotFound
         PUT /new?comp=metadata → 404 QueueNotFound
         GET /new?comp=acl → 404 QueueNotFound
         PUT /new?comp=acl → 404 QueueNotFound
         GET /new/messages → 404 QueueNotFound
         GET /new/messages?peekonly=true → 404 QueueNotFound
         DELETE /new/messages → 404 QueueNotFound
         POST /new/messages | | <QueueMessage><MessageText>x</MessageText></QueueMessage> → 404 QueueNotFound
         PUT /new → 201
         GET /new?comp=metadata → 200 | x-ms-approximate-messages-count: 0
         GET /new/messages → 200 | | <?xml version=\"1.0\" encoding=\"utf-8\"?><QueueMessagesList />",
    )
    .await;
}

#[tokio::test]
async fn invalid_names_are_refused() {
    check(
        "PUT /createUPPERCASE → 400 InvalidResourceName | | ~The specifed resource name contains invalid characters.
         PUT /%E5%95%8A%E9%BD%84%E4%B8%82%E7%8B%9B%E7%8B%9C → 400 InvalidResourceName
         # a bar is no letter, and what stands after `messages` is not overlooked
         PUT /q%7Ca → 400 InvalidResourceName
         GET /work/messagesXYZ → 400 InvalidUri
         POST /work/messagesXYZ | | <QueueMessage><MessageText>x</MessageText></QueueMessage> → 400 InvalidUri
         DELETE /work/messagesXYZ → 400 InvalidUri
         GET /work/other → 400 InvalidUri
         DELETE /work/messages/a/b?popreceipt=x → 400 InvalidUri
         GET /work?comp=metadata → 200 | x-ms-approximate-messages-count: 0
         PUT /a--b → 400 InvalidResourceName
         PUT /-ab → 400 InvalidResourceName
         PUT /ab- → 400 InvalidResourceName
         PUT /$root → 400 InvalidResourceName
         PUT /ab → 400 OutOfRangeInput
         PUT /{64*a} → 400 OutOfRangeInput
         PUT /{63*a} → 201
         PUT /0-9/ → 201
         GET /0-9?comp=metadata → 200",
    )
    .await;
}

#[tokio::test]
async fn policies_are_stored() {
    let both = "<SignedIdentifiers><SignedIdentifier><Id>a b</Id><AccessPolicy><Start>2021-01-01</Start><Expiry>2031-01-01T00:00:00Z</Expiry>\
                <Permission>raup</Permission></AccessPolicy></SignedIdentifier><SignedIdentifier><Id>empty</Id><AccessPolicy /></SignedIdentifier></SignedIdentifiers>";
    let kept = "<?xml version=\"1.0\" encoding=\"utf-8\"?><SignedIdentifiers><SignedIdentifier><Id>a b</Id><AccessPolicy>\
                <Start>2021-01-01T00:00:00.0000000Z</Start><Expiry>2031-01-01T00:00:00.0000000Z</Expiry><Permission>raup</Permission></AccessPolicy>\
                </SignedIdentifier><SignedIdentifier><Id>empty</Id></SignedIdentifier></SignedIdentifiers>";
    let none = "<?xml version=\"1.0\" encoding=\"utf-8\"?><SignedIdentifiers />";
    let six = format!(
        "<SignedIdentifiers>{}</SignedIdentifiers>",
        (0..6).map(|n| format!("<SignedIdentifier><Id>{n}</Id></SignedIdentifier>")).collect::<String>()
    );
    check(&format!(
        "GET /work?comp=acl → 200 | cache-control: no-cache | {none}
         PUT /work?comp=acl | | {both} → 204
         GET /work?comp=acl → 200 | content-type: application/xml | {kept}
         HEAD /work?comp=acl → 200
         # what is refused changes nothing
         PUT /work?comp=acl | | {six} → 400 InvalidXmlDocument
         PUT /work?comp=acl | | <SignedIdentifiers><SignedIdentifier><Id></Id></SignedIdentifier></SignedIdentifiers> → 400 InvalidXmlDocument
         PUT /work?comp=acl | | <SignedIdentifiers><SignedIdentifier><Id>x</Id><AccessPolicy><Permission>rd</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers> → 400 InvalidXmlNodeValue
         PUT /work?comp=acl | | <Signed → 400 InvalidXmlDocument
         GET /work?comp=acl → 200 | | {kept}
         PUT /work?comp=acl | | <SignedIdentifiers /> → 204
         GET /work?comp=acl → 200 | | {none}
         PUT /work?comp=acl | | {both} → 204
         PUT /work?comp=acl → 204
         GET /work?comp=acl → 200 | | {none}"
    ))
    .await;
}

#[tokio::test]
async fn a_list_is_written_like_the_service_writes_it() {
    let server = TestServer::new().await;
    let account = "devstoreaccount1";
    for name in ["list-b", "list-a", "list-c", "other"] {
        assert_eq!(request(&server, "PUT", &format!("/{name}")).header("x-ms-meta-Of", name).send().await.verdict(), "201");
    }
    assert_eq!(request(&server, "PUT", "/list-c?comp=metadata").send().await.verdict(), "204");
    let end = server.emulator.endpoint(lazuli::ServiceKind::Queue, account).unwrap();
    let open = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"{end}/\">");
    let queue = |name: &str| format!("<Queue><Name>{name}</Name></Queue>");
    for (query, within) in [
        (
            "",
            format!("<Queues>{}{}{}{}</Queues><NextMarker />", queue("list-a"), queue("list-b"), queue("list-c"), queue("other")),
        ),
        (
            "&prefix=list&maxresults=2",
            format!(
                "<Prefix>list</Prefix><MaxResults>2</MaxResults><Queues>{}{}</Queues><NextMarker>/{account}/list-c</NextMarker>",
                queue("list-a"),
                queue("list-b")
            ),
        ),
        (
            "&prefix=list&marker=%2Fdevstoreaccount1%2Flist-c&include=metadata",
            format!(
                "<Prefix>list</Prefix><Marker>/{account}/list-c</Marker><Queues><Queue><Name>list-c</Name><Metadata /></Queue></Queues><NextMarker />"
            ),
        ),
        (
            "&prefix=o&include=metadata",
            "<Prefix>o</Prefix><Queues><Queue><Name>other</Name><Metadata><of>other</of></Metadata></Queue></Queues><NextMarker />".into(),
        ),
        ("&prefix=none", "<Prefix>none</Prefix><Queues /><NextMarker />".into()),
        ("&prefix=%3C%26%3E", "<Prefix>&lt;&amp;&gt;</Prefix><Queues /><NextMarker />".into()),
    ] {
        let listed = request(&server, "GET", &format!("/?comp=list{query}")).send().await;
        assert_eq!((listed.verdict().as_str(), listed.header("cache-control")), ("200", "no-cache"), "{query}");
        assert_eq!(listed.text(), format!("{open}{within}</EnumerationResults>"), "{query}");
    }
    for (query, code, name) in [
        ("&maxresults=0", "OutOfRangeQueryParameterValue", "maxresults"),
        ("&maxresults=-1", "OutOfRangeQueryParameterValue", "maxresults"),
        ("&maxresults=x", "InvalidQueryParameterValue", "maxresults"),
        ("&marker=none", "InvalidQueryParameterValue", "marker"),
        ("&include=messages", "InvalidQueryParameterValue", "include"),
    ] {
        let refused = request(&server, "GET", &format!("/?comp=list{query}")).send().await;
        assert_eq!(refused.verdict(), format!("400 {code}"), "{query}");
        assert_eq!(refused.element("QueryParameterName"), name);
    }
}

/// Pages neither omit nor repeat a queue, even if queues are created and deleted meanwhile.
#[tokio::test]
async fn pages_omit_nothing_and_repeat_nothing() {
    let server = TestServer::new().await;
    // Not in the order of the names.
    for n in (0..60).map(|n| (n * 37) % 60) {
        assert_eq!(request(&server, "PUT", &format!("/queue-{n:02}")).send().await.verdict(), "201");
    }
    for size in [1, 7, 59, 60, 61] {
        let (mut seen, mut marker) = (Vec::new(), String::new());
        loop {
            let page = request(&server, "GET", &format!("/?comp=list&maxresults={size}&marker={}", marker.replace('/', "%2F")))
                .send()
                .await;
            assert_eq!(page.verdict(), "200", "{}", page.text());
            seen.extend(page.elements("Name").into_iter().map(str::to_owned));
            // A queue before the end of the page is deleted and created again.
            let first = page.element("Name").to_owned();
            assert_eq!(request(&server, "DELETE", &format!("/{first}")).send().await.verdict(), "204");
            assert_eq!(request(&server, "PUT", &format!("/{first}")).send().await.verdict(), "201");
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(seen, (0..60).map(|n| format!("queue-{n:02}")).collect::<Vec<_>>(), "pages of {size}");
    }
}

#[tokio::test]
async fn metadata_and_messages_are_independent() {
    let server = with_queue().await;
    put(&server, "", "kept").await;
    for target in ["/work?comp=metadata", "/work?comp=acl", "/work"] {
        assert_eq!(request(&server, "PUT", target).send().await.verdict(), "204", "{target}");
    }
    assert_eq!(super::texts(&server, "").await, ["kept"]);
}
