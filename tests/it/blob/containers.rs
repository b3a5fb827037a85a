//! Containers: created, described, listed, opened to the public, and deleted.

use crate::scenario::{check, check_in};
use crate::server::TestServer;

#[tokio::test]
async fn a_container_is_created_and_described() {
    check(
        "# made once
         PUT /box?restype=container | x-ms-meta-Color: red; x-ms-meta-Size: 3 → 201 | etag: $e; last-modified: {at}; content-length: 0; x-ms-version: 2021-12-02; x-ms-request-id: + | {}
         PUT /box?restype=container → 409 ContainerAlreadyExists | | ~The specified container already exists.
         # described completely
         GET /box?restype=container → 200 | etag: {e}; last-modified: {at}; x-ms-meta-color: red; x-ms-meta-size: 3; x-ms-lease-status: unlocked; x-ms-lease-state: available; x-ms-lease-duration: -; x-ms-has-immutability-policy: false; x-ms-has-legal-hold: false; x-ms-default-encryption-scope: $account-encryption-key; x-ms-deny-encryption-scope-override: false; x-ms-blob-public-access: - | {}
         HEAD /box?restype=container → 200 | etag: {e}; x-ms-meta-color: red | {}
         GET /box?restype=container&comp=metadata → 200 | etag: {e}; x-ms-meta-size: 3; x-ms-lease-state: - | {}
         HEAD /box?restype=container&comp=metadata → 200 | x-ms-meta-size: 3
         # blobs do not change its state
         wait 5
         PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         DELETE /box/b → 202
         GET /box?restype=container → 200 | etag: {e}; last-modified: {at-5}
         # deleted
         DELETE /box?restype=container → 202 | content-length: 0; etag: - | {}
         # what was deleted a moment ago can be deleted again (recorded)
         DELETE /box?restype=container → 202
         HEAD /box?restype=container → 404 ContainerNotFound
         wait 31
         DELETE /box?restype=container → 404 ContainerNotFound
         GET /box?restype=container → 404 ContainerNotFound
         HEAD /box?restype=container → 404 ContainerNotFound | | {}
         GET /box?restype=container&comp=metadata → 404 ContainerNotFound
         PUT /box?restype=container&comp=metadata → 404 ContainerNotFound
         GET /box?restype=container&comp=acl → 404 ContainerNotFound
         PUT /box?restype=container&comp=acl → 404 ContainerNotFound
         GET /box?restype=container&comp=list → 404 ContainerNotFound
         GET /box/b → 404 ContainerNotFound
         PUT /box/b | x-ms-blob-type: BlockBlob | x → 404 ContainerNotFound
         DELETE /box/b → 404 ContainerNotFound
         PUT /box/b?comp=block&blockid=QQ== | | x → 404 ContainerNotFound
         # created again it is empty
         PUT /box?restype=container → 201
         GET /box?restype=container → 200 | x-ms-meta-color: -
         GET /box/b → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn the_headers_of_an_answer_follow_the_version() {
    check(
        "PUT /box?restype=container → 201
         GET /box?restype=container | x-ms-version: 2017-04-17 → 200 | x-ms-has-legal-hold: -; x-ms-default-encryption-scope: -; x-ms-version: 2017-04-17
         GET /box?restype=container | x-ms-version: 2017-11-09 → 200 | x-ms-has-legal-hold: false; x-ms-default-encryption-scope: -
         GET /box?restype=container | x-ms-version: 2019-12-12 → 200 | x-ms-default-encryption-scope: +; x-ms-immutable-storage-with-versioning-enabled: -
         GET /box?restype=container | x-ms-version: 2020-06-12 → 200 | x-ms-immutable-storage-with-versioning-enabled: -
         GET /box?restype=container | x-ms-version: 2020-10-02 → 200 | x-ms-immutable-storage-with-versioning-enabled: false
         # a request with a future version is served
         GET /box?restype=container | x-ms-version: 2027-03-07 → 200 | x-ms-version: 2027-03-07
         # the header of the error code exists since 2017-07-29
         GET /none?restype=container | x-ms-version: 2017-04-17 → 404 | x-ms-error-code: - | ~<Code>ContainerNotFound</Code>
         GET /none?restype=container | x-ms-version: 2017-07-29 → 404 ContainerNotFound
         # the client's request id is returned, also with errors
         GET /none?restype=container | x-ms-client-request-id: mine-1 → 404 ContainerNotFound | x-ms-client-request-id: mine-1
         GET /box?restype=container | x-ms-client-request-id: mine-2 → 200 | x-ms-client-request-id: mine-2",
    )
    .await;
}

#[tokio::test]
async fn names_are_checked() {
    let server = TestServer::new().await;
    let longest = "a".repeat(63);
    let cases = [
        ("abc", "201"),
        ("a1b", "201"),
        ("1-2-3", "201"),
        (longest.as_str(), "201"),
        ("$root", "201"),
        ("$web", "201"),
        ("ab", "400 OutOfRangeInput"),
        ("", "400 InvalidUri"),
        (&format!("{longest}a"), "400 OutOfRangeInput"),
        ("ABC", "400 InvalidResourceName"),
        ("a_c", "400 InvalidResourceName"),
        ("a--c", "400 InvalidResourceName"),
        ("-abc", "400 InvalidResourceName"),
        ("abc-", "400 InvalidResourceName"),
        ("a.bc", "400 InvalidResourceName"),
        ("%C3%A4bc", "400 InvalidResourceName"),
    ];
    for (name, verdict) in cases {
        let made = server.request("PUT", &format!("/{name}?restype=container")).send().await;
        if name.is_empty() {
            assert_eq!(made.status, 400, "the service itself is no container");
        } else {
            assert_eq!(made.verdict(), verdict, "{name}");
        }
    }
}

#[tokio::test]
async fn metadata_has_rules() {
    let server = TestServer::new().await;
    check_in(
        &server,
        "PUT /box?restype=container | x-ms-meta-a: 1; x-ms-meta-b: 2 → 201 | etag: $first
         wait 1
         # a write replaces all metadata
         PUT /box?restype=container&comp=metadata | x-ms-meta-c: 3 → 200 | etag: $second; last-modified: {at}
         GET /box?restype=container → 200 | etag: {second}; x-ms-meta-a: -; x-ms-meta-b: -; x-ms-meta-c: 3
         GET /box?restype=container | x-ms-version: 2020-02-10 → 200 | x-ms-meta-c: 3
         # names are identifiers
         PUT /box?restype=container&comp=metadata | x-ms-meta-a-b: 1 → 400 InvalidMetadata
         PUT /box?restype=container&comp=metadata | x-ms-meta-1a: 1 → 400 InvalidMetadata
         PUT /box?restype=container&comp=metadata | x-ms-meta-: 1 → 400 EmptyMetadataKey
         PUT /box?restype=container&comp=metadata | x-ms-meta-_1: 1 → 200
         # 8 KiB in all
         PUT /box?restype=container&comp=metadata | x-ms-meta-k: {8191*v} → 200
         PUT /box?restype=container&comp=metadata | x-ms-meta-k: {8192*v} → 400 MetadataTooLarge
         PUT /new?restype=container | x-ms-meta-k: {8192*v} → 400 MetadataTooLarge
         GET /new?restype=container → 404 ContainerNotFound
         # a write without metadata removes it
         PUT /box?restype=container&comp=metadata → 200
         GET /box?restype=container&comp=metadata → 200 | x-ms-meta-k: -",
    )
    .await;
}

#[tokio::test]
async fn only_dates_are_conditions() {
    check(
        "PUT /box?restype=container → 201 | etag: $e
         # dates
         PUT /box?restype=container&comp=metadata | if-modified-since: {at} → 412 ConditionNotMet
         PUT /box?restype=container&comp=metadata | if-modified-since: {at-1} → 200
         PUT /box?restype=container&comp=acl | if-modified-since: {at+5} → 412 ConditionNotMet
         PUT /box?restype=container&comp=acl | if-unmodified-since: {at-1} → 412 ConditionNotMet
         PUT /box?restype=container&comp=acl | if-unmodified-since: {at} → 200
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; if-modified-since: {at} → 412 ConditionNotMet
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; if-unmodified-since: {at-1} → 412 ConditionNotMet
         DELETE /box?restype=container | if-modified-since: {at} → 412 ConditionNotMet
         DELETE /box?restype=container | if-unmodified-since: {at-1} → 412 ConditionNotMet
         DELETE /box?restype=container | if-unmodified-since: yesterday → 400 InvalidHeaderValue | | ~<HeaderName>if-unmodified-since</HeaderName>
         # tags of entities are refused
         DELETE /box?restype=container | if-match: {e} → 400 ConditionHeadersNotSupported
         PUT /box?restype=container&comp=metadata | if-none-match: * → 400 ConditionHeadersNotSupported
         PUT /box?restype=container&comp=acl | if-match: * → 400 ConditionHeadersNotSupported
         # reads have no conditions
         GET /box?restype=container | if-modified-since: {at+5} → 200
         GET /box?restype=container&comp=list | if-match: none → 200
         # a missing container is reported before conditions
         DELETE /none?restype=container | if-modified-since: {at} → 404 ContainerNotFound
         # met
         DELETE /box?restype=container | if-modified-since: {at-1} → 202",
    )
    .await;
}

#[tokio::test]
async fn checks_come_in_order() {
    check(
        "# a malformed request is refused before anything is looked for
         PUT /none?restype=container&comp=metadata | x-ms-meta-a-b: 1 → 400 InvalidMetadata
         PUT /none?restype=container&comp=acl | | <Wrong/> → 400 InvalidXmlDocument
         PUT /none/b | x-ms-blob-type: Blob → 400 InvalidHeaderValue
         PUT /none/b | x-ms-blob-type: BlockBlob; content-md5: x → 400 InvalidMd5
         # conditions before the lease
         PUT /box?restype=container → 201
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 201
         DELETE /box?restype=container | if-modified-since: {at} → 412 ConditionNotMet
         DELETE /box?restype=container → 412 LeaseIdMissing
         # an unknown selector is refused
         PUT /box?restype=container&comp=foo → 400 InvalidQueryParameterValue
         PUT /box?restype=foo → 400 InvalidQueryParameterValue
         PUT /box/b?comp=foo | x-ms-blob-type: BlockBlob | x → 400 InvalidQueryParameterValue
         GET /box/b?comp=foo → 400 InvalidQueryParameterValue
         GET /box/b → 404 BlobNotFound",
    )
    .await;
}

/// A policy document.
fn policies(entries: &[(&str, &str)]) -> String {
    let one = |(id, rest): &(&str, &str)| {
        format!("<SignedIdentifier><Id>{id}</Id><AccessPolicy>{rest}</AccessPolicy></SignedIdentifier>")
    };
    format!("<SignedIdentifiers>{}</SignedIdentifiers>", entries.iter().map(one).collect::<String>())
}

#[tokio::test]
async fn policies_are_stored_and_limited() {
    let server = TestServer::new().await;
    server.container("box").await;
    let full = "<Start>2020-01-01T00:00:00Z</Start><Expiry>2030-01-01T00:00:00.1234567Z</Expiry><Permission>rl</Permission>";
    let six: Vec<(&str, &str)> = ["1", "2", "3", "4", "5", "6"].map(|id| (id, "")).to_vec();
    let long = "i".repeat(65);
    let cases = [
        (policies(&[]), "200"),
        (String::new(), "200"),
        (policies(&six[..5]), "200"),
        (policies(&six), "400 InvalidXmlDocument"),
        (policies(&[("", "")]), "400 InvalidXmlDocument"),
        (policies(&[(&long, "")]), "400 InvalidXmlDocument"),
        (policies(&[(&long[1..], "")]), "200"),
        (policies(&[("a", ""), ("a", "")]), "400 InvalidXmlDocument"),
        (policies(&[("a", "<Permission>zzz</Permission>")]), "400 InvalidXmlNodeValue"),
        (policies(&[("a", "<Expiry>soon</Expiry>")]), "400 InvalidXmlNodeValue"),
        ("<SignedIdentifiers>".to_owned(), "400 InvalidXmlDocument"),
        ("no xml".to_owned(), "400 InvalidXmlDocument"),
        (policies(&[("id", full)]), "200"),
    ];
    for (body, verdict) in cases {
        let set = server.request("PUT", "/box?restype=container&comp=acl").body(body.clone()).send().await;
        assert_eq!(set.verdict(), verdict, "{body}: {}", set.text());
    }
    // A policy without fields is listed without AccessPolicy.
    let empty = "<SignedIdentifiers><SignedIdentifier><Id>empty</Id></SignedIdentifier></SignedIdentifiers>";
    for body in [policies(&[("empty", "")]), empty.to_owned()] {
        assert_eq!(server.request("PUT", "/box?restype=container&comp=acl").body(body).send().await.status, 200);
        assert!(server.request("GET", "/box?restype=container&comp=acl").send().await.text().ends_with(empty));
    }
    server.request("PUT", "/box?restype=container&comp=acl").body(policies(&[("id", full)])).send().await;
    let got = server.request("GET", "/box?restype=container&comp=acl").send().await;
    assert_eq!(got.header("content-type"), "application/xml");
    assert_eq!((got.element("Id"), got.element("Permission")), ("id", "rl"));
    assert_eq!((got.element("Start"), got.element("Expiry")), ("2020-01-01T00:00:00.0000000Z", "2030-01-01T00:00:00.1234567Z"));
    check_in(
        &server,
        "# metadata stays, the state moves on
         PUT /box?restype=container&comp=metadata | x-ms-meta-a: 1 → 200 | etag: $before
         wait 1
         PUT /box?restype=container&comp=acl | x-ms-blob-public-access: blob → 200 | etag: $after; last-modified: {at}
         wait 9
         GET /box?restype=container&comp=acl → 200 | etag: {after}; x-ms-blob-public-access: blob; last-modified: {at-9}; date: {at} | ~<SignedIdentifiers />
         HEAD /box?restype=container&comp=acl → 200 | x-ms-blob-public-access: blob | {}
         GET /box?restype=container → 200 | etag: {after}; x-ms-meta-a: 1; x-ms-blob-public-access: blob",
    )
    .await;
}

#[tokio::test]
async fn public_access_has_levels() {
    let server = TestServer::new().await;
    for (name, level) in [("shut", ""), ("ajar", "blob"), ("open", "container")] {
        let made =
            server.request("PUT", &format!("/{name}?restype=container")).header("x-ms-blob-public-access", level).send().await;
        assert_eq!(made.verdict(), "201");
        server.blob(&format!("/{name}/b"), "text").await;
    }
    let refused = server.request("PUT", "/odd?restype=container").header("x-ms-blob-public-access", "all").send().await;
    assert_eq!(refused.verdict(), "400 InvalidHeaderValue");
    // Anonymous requests for a blob, its properties, the container, its list, a block list.
    let targets = [("GET", "/b"), ("HEAD", "/b"), ("GET", "?restype=container"), ("GET", "?restype=container&comp=list")];
    let wanted = [("shut", [false; 4]), ("ajar", [true, true, false, false]), ("open", [true; 4])];
    for (name, may) in wanted {
        for ((method, target), may) in targets.into_iter().zip(may) {
            let got = server.request(method, &format!("/{name}{target}")).anonymous().send().await;
            assert_eq!(got.status == 200, may, "{method} /{name}{target}: {}", got.verdict());
            assert!(may || [401, 404].contains(&got.status), "{method} /{name}{target}: {}", got.verdict());
        }
        let write = server.request("PUT", &format!("/{name}/b")).header("x-ms-blob-type", "BlockBlob").anonymous().send().await;
        assert!([401, 403, 404].contains(&write.status), "nobody writes without a name: {}", write.verdict());
        assert_eq!(server.request("GET", &format!("/{name}/b")).send().await.text(), "text");
    }
    let closed = server.request("PUT", "/open?restype=container&comp=acl").send().await;
    assert_eq!(closed.verdict(), "200");
    assert_ne!(server.request("GET", "/open/b").anonymous().send().await.status, 200, "an ACL without the header closes it");
}

#[tokio::test]
async fn containers_are_listed_in_pages() {
    let server = TestServer::new().await;
    let mut names = ["aaa", "abc", "abd", "b-1", "b-2", "zzz"];
    for name in names.iter().rev() {
        let made = server.request("PUT", &format!("/{name}?restype=container")).header("x-ms-meta-name", name).send().await;
        assert_eq!(made.verdict(), "201");
    }
    for size in [1, 2, 3, 5, 6, 7] {
        let (mut seen, mut marker) = (Vec::new(), String::new());
        loop {
            let page = server.request("GET", &format!("/?comp=list&maxresults={size}&marker={marker}")).send().await;
            assert_eq!(page.verdict(), "200");
            let found = page.elements("Name");
            assert!(!found.is_empty() && found.len() <= size);
            seen.extend(found.into_iter().map(str::to_owned));
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(seen, names, "pages of {size}");
    }
    names.sort_unstable();
    check_in(
        &server,
        "GET /?comp=list&prefix=ab → 200 | content-type: application/xml | ~<Prefix>ab</Prefix> | ~<Name>abc</Name> | ~<Name>abd</Name> | !<Name>aaa</Name> | !<Name>b-1</Name> | ~<NextMarker /> | !<Metadata>
         GET /?comp=list&prefix=none → 200 | | ~<Containers /><NextMarker />
         GET /?comp=list&include=metadata&prefix=zzz → 200 | | ~<Metadata><name>zzz</name></Metadata>
         GET /?comp=list&include=metadata,deleted,system → 200 | | ~<Name>zzz</Name>
         GET /?comp=list&prefix=b-&maxresults=1 → 200 | | ~<MaxResults>1</MaxResults> | ~<NextMarker>/devstoreaccount1/b-2</NextMarker>
         GET /?comp=list&include=bogus → 400 InvalidQueryParameterValue | | ~<QueryParameterName>include</QueryParameterName>
         GET /?comp=list&maxresults=0 → 400 OutOfRangeInput
         GET /?comp=list&maxresults=-1 → 400 OutOfRangeInput
         GET /?comp=list&maxresults=abc → 400 InvalidQueryParameterValue
         GET /?comp=list&maxresults=6000 → 200 | | ~<Name>zzz</Name>
         GET /?comp=list&marker=garbage → 400 InvalidQueryParameterValue | | ~<QueryParameterName>marker</QueryParameterName>
         # the name in a marker may be deleted
         DELETE /b-2?restype=container → 202
         GET /?comp=list&marker=/devstoreaccount1/b-2 → 200 | | ~<Name>zzz</Name> | !<Name>b-1</Name>
         # the description of each
         PUT /zzz?restype=container&comp=acl | x-ms-blob-public-access: blob → 200 | etag: $e
         GET /?comp=list&prefix=zzz → 200 | | ~<Etag>{e}</Etag> | ~<Last-Modified>{at}</Last-Modified> | ~<PublicAccess>blob</PublicAccess> | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>
         GET /?comp=list&prefix=zzz | x-ms-version: 2015-12-11 → 200 | | !<PublicAccess>",
    )
    .await;
}

#[tokio::test]
async fn a_page_has_five_thousand_containers_at_most() {
    let server = TestServer::new().await;
    for n in 0..5001 {
        server.container(&format!("box-{n:04}")).await;
    }
    for query in ["", "&maxresults=5001", "&maxresults=99999999"] {
        let page = server.request("GET", &format!("/?comp=list{query}")).send().await;
        assert_eq!(page.elements("Name").len(), 5000, "{query}");
        let rest = server.request("GET", &format!("/?comp=list&marker={}", page.element("NextMarker"))).send().await;
        assert_eq!((rest.elements("Name"), rest.element("NextMarker")), (vec!["box-5000"], ""), "{query}");
    }
}

#[tokio::test]
async fn a_container_is_renamed_with_all_that_it_holds() {
    check(
        "PUT /old?restype=container | x-ms-meta-a: 1; x-ms-blob-public-access: blob → 201 | etag: $e
         wait 5
         PUT /old/b | x-ms-blob-type: BlockBlob | x → 201 | etag: $b
         PUT /other?restype=container → 201
         # a name in use is refused before the source is looked up
         PUT /other?restype=container&comp=rename | x-ms-source-container-name: old → 409 ContainerAlreadyExists
         PUT /other?restype=container&comp=rename | x-ms-source-container-name: none → 409 ContainerAlreadyExists
         PUT /old?restype=container&comp=rename | x-ms-source-container-name: old → 409 ContainerAlreadyExists
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: none → 404 ContainerNotFound
         PUT /new?restype=container&comp=rename → 400 MissingRequiredHeader
         PUT /New?restype=container&comp=rename | x-ms-source-container-name: old → 400 InvalidResourceName
         # its lease protects it
         PUT /old?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: old → 412 LeaseIdMissing
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: old; x-ms-source-lease-id: soon → 400 InvalidHeaderValue
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: old; x-ms-source-lease-id: {B} → 412 LeaseIdMismatchWithContainerOperation
         GET /old/b → 200 | | x
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: old; x-ms-source-lease-id: {A} → 200 | etag: - | {}
         GET /new/b → 200 | etag: {b} | x
         # its lease ends, and its Last-Modified and ETag are new
         GET /new?restype=container → 200 | etag: $n; last-modified: {at}; x-ms-meta-a: 1; x-ms-lease-state: available; x-ms-blob-public-access: blob
         GET /?comp=list → 200 | | ~{n} | !{e}
         GET /old?restype=container → 404 ContainerNotFound
         # the old name is free
         PUT /old?restype=container → 201
         GET /old/b → 404 BlobNotFound",
    )
    .await;
}
