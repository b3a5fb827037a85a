//! Index tags of blobs.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/b", "content").await;
    server
}

fn set(tags: &[(&str, &str)]) -> String {
    let tags: String = tags.iter().map(|(key, value)| format!("<Tag><Key>{key}</Key><Value>{value}</Value></Tag>")).collect();
    format!("<Tags><TagSet>{tags}</TagSet></Tags>")
}

#[tokio::test]
async fn setting_tags_replaces_them_and_does_not_change_the_blob() {
    check_in(
        &server().await,
        "HEAD /box/b → 200 | etag: $e; last-modified: $l; x-ms-tag-count: -
         GET /box/b?comp=tags → 200 | content-type: application/xml | ~<Tags><TagSet /></Tags>
         wait 10
         PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>b</Key><Value>2</Value></Tag><Tag><Key>a</Key><Value></Value></Tag></TagSet></Tags> → 204 | etag: - | {}
         GET /box/b → 200 | etag: {e}; last-modified: {l}; x-ms-tag-count: 2 | content
         GET /box/b?comp=tags → 200 | etag: - | ~<TagSet><Tag><Key>a</Key><Value /></Tag><Tag><Key>b</Key><Value>2</Value></Tag></TagSet>
         GET /box?restype=container&comp=list&include=tags → 200 | | ~<TagCount>2</TagCount> | ~<Tags><TagSet><Tag><Key>a</Key>
         GET /box?restype=container&comp=list → 200 | | ~<TagCount>2</TagCount> | !<Tags>
         # all at once
         PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>c</Key><Value>3</Value></Tag></TagSet></Tags> → 204
         GET /box/b?comp=tags → 200 | | ~<TagSet><Tag><Key>c</Key><Value>3</Value></Tag></TagSet>
         PUT /box/b?comp=tags | x-ms-if-tags: \"c\" = '4' | <Tags><TagSet/></Tags> → 412 ConditionNotMet
         GET /box/b?comp=tags | x-ms-if-tags: \"c\" = '4' → 412 ConditionNotMet
         PUT /box/b?comp=tags | x-ms-if-tags: \"c\" = '3' | <Tags><TagSet/></Tags> → 204
         HEAD /box/b → 200 | x-ms-tag-count: -
         PUT /box/none?comp=tags | | <Tags><TagSet/></Tags> → 404 BlobNotFound
         GET /box/none?comp=tags → 404 BlobNotFound
         # a lease protects them too (recorded)
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/b?comp=tags | | <Tags><TagSet/></Tags> → 412 LeaseIdMissing
         PUT /box/b?comp=tags | x-ms-lease-id: {B} | <Tags><TagSet/></Tags> → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/b?comp=tags | x-ms-lease-id: {A} | <Tags><TagSet/></Tags> → 204
         GET /box/b?comp=tags | x-ms-lease-id: 'nonsense' → 400 InvalidHeaderValue
         GET /box/b?comp=tags → 200",
    )
    .await;
}

/// Get and Set Blob Tags have conditional headers of their own (the SDKs' own tests).
#[tokio::test]
async fn tags_have_conditions_of_their_own() {
    check_in(
        &server().await,
        "HEAD /box/b → 200 | etag: $e
         wait 10
         # a failed condition of a write is 412, and nothing is set
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-match: \"0x1\" | <Tags><TagSet><Tag><Key>k</Key><Value>1</Value></Tag></TagSet></Tags> → 412 ConditionNotMet
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-none-match: {e} | <Tags><TagSet/></Tags> → 412 ConditionNotMet
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-modified-since: {at} | <Tags><TagSet/></Tags> → 412 ConditionNotMet
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-unmodified-since: {at-60} | <Tags><TagSet/></Tags> → 412 ConditionNotMet
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-unmodified-since: soon | <Tags><TagSet/></Tags> → 400 InvalidHeaderValue
         GET /box/b?comp=tags → 200 | | ~<TagSet />
         PUT /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-match: {e}; if-match: \"0x1\" | <Tags><TagSet><Tag><Key>k</Key><Value>2</Value></Tag></TagSet></Tags> → 204
         # a reader that has it already gets 304
         GET /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-none-match: {e} → 304 ConditionNotMet
         GET /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-match: \"0x1\" → 412 ConditionNotMet
         GET /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-unmodified-since: {at-60} → 412 ConditionNotMet
         GET /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-modified-since: {at} → 304 ConditionNotMet
         GET /box/b?comp=tags | x-ms-version: 2026-02-06; x-ms-blob-if-match: {e} → 200 | | ~<Value>2</Value>
         # earlier versions do not support them
         GET /box/b?comp=tags | x-ms-version: 2025-11-05; x-ms-blob-if-match: \"0x1\" → 200
         PUT /box/b?comp=tags | x-ms-version: 2025-11-05; x-ms-blob-if-match: \"0x1\" | <Tags><TagSet/></Tags> → 204",
    )
    .await;
}

#[tokio::test]
async fn tags_have_limits() {
    let server = server().await;
    let names: Vec<String> = (0..11).map(|n| format!("k{n}")).collect();
    let many = |count: usize| set(&names[..count].iter().map(|name| (name.as_str(), "v")).collect::<Vec<_>>());
    let (key, value) = ("k".repeat(129), "v".repeat(257));
    for (document, verdict) in [
        (many(10), "204"),
        (many(11), "400 TagsTooLarge"),
        (set(&[(&key[1..], &value[1..])]), "204"),
        (set(&[(&key, "v")]), "400 TagsTooLarge"),
        (set(&[("k", &value)]), "400 TagsTooLarge"),
        (set(&[("", "v")]), "400 EmptyTagName"),
        (set(&[("k", "")]), "204"),
        (set(&[("k", "1"), ("k", "2")]), "400 DuplicateTagNames"),
        (set(&[("k", "1"), ("K", "2")]), "204"),
        (set(&[("a b+c-d.e/f:g=h_i", "a b+c-d.e/f:g=h_i")]), "204"),
        (set(&[("k", "a!")]), "400 DuplicateTagNames"),
        (set(&[("k&amp;", "a")]), "400 DuplicateTagNames"),
        (set(&[("k", "ä")]), "400 DuplicateTagNames"),
        (String::new(), "400 InvalidXmlDocument"),
        ("nonsense".into(), "400 InvalidXmlDocument"),
        ("<Tags/>".into(), "400 InvalidXmlDocument"),
        ("<Tags><TagSet><Tag><Key>k</Key></Tag></TagSet></Tags>".into(), "400 InvalidXmlDocument"),
        ("<Tags><TagSet>".into(), "400 InvalidXmlDocument"),
        ("<TagSet/>".into(), "400 InvalidXmlDocument"),
    ] {
        check_in(
            &server,
            "PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>old</Key><Value>1</Value></Tag></TagSet></Tags> → 204",
        )
        .await;
        let put = server.request("PUT", "/box/b?comp=tags").body(document.clone()).send().await;
        assert_eq!(put.verdict(), verdict, "{document}");
        let left = server.request("GET", "/box/b?comp=tags").send().await;
        assert_eq!(left.text().contains("<Key>old</Key>"), verdict != "204", "{document}");
    }
    check_in(
        &server,
        "PUT /box/b?comp=tags | content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | <Tags><TagSet/></Tags> → 400 Md5Mismatch
         PUT /box/b?comp=tags | x-ms-content-crc64: AAAAAAAAAAA= | <Tags><TagSet/></Tags> → 400 Crc64Mismatch",
    )
    .await;
}

#[tokio::test]
async fn snapshots_have_the_tags_of_a_blob_and_copies_do_not() {
    let server = server().await;
    let url = format!("{}/box/b", server.blob_url());
    check_in(
        &server,
        &"PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>k</Key><Value>1</Value></Tag></TagSet></Tags> → 204
         PUT /box/b?comp=metadata | x-ms-meta-a: 1 → 200
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/b?comp=tags | | <Tags><TagSet><Tag><Key>k</Key><Value>2</Value></Tag></TagSet></Tags> → 204
         GET /box/b?comp=tags&snapshot={s} → 200 | | ~<Value>1</Value>
         GET /box/b?comp=tags → 200 | | ~<Value>2</Value>
         PUT /box/c | x-ms-copy-source: URL → 202
         HEAD /box/c → 200 | x-ms-tag-count: -
         PUT /box/c | x-ms-copy-source: URL; x-ms-tags: a=1&b=two+words → 202
         GET /box/c?comp=tags → 200 | | ~<Tag><Key>a</Key><Value>1</Value></Tag><Tag><Key>b</Key><Value>two words</Value></Tag>
         PUT /box/b | x-ms-blob-type: BlockBlob | new → 201
         HEAD /box/b → 200 | x-ms-tag-count: -
         GET /box/b?comp=tags&snapshot={s} → 200 | | ~<Value>1</Value>"
            .replace("URL", &url),
    )
    .await;
}

#[tokio::test]
async fn tags_need_a_permission_of_their_own() {
    let server = server().await;
    let document = set(&[("k", "v")]);
    for (sp, gets, sets, puts) in [
        (
            "rcwl",
            "403 AuthorizationPermissionMismatch",
            "403 AuthorizationPermissionMismatch",
            "403 AuthorizationPermissionMismatch",
        ),
        ("t", "200", "204", "403 AuthorizationPermissionMismatch"),
        ("wt", "200", "204", "201"),
    ] {
        let sas = token::service("box", &format!("sv=2021-12-02&sr=c&sp={sp}&se=2099-01-01"));
        let request = |method: &str, query: &str| server.request(method, &format!("/box/b?{query}{sas}")).anonymous();
        assert_eq!(request("GET", "comp=tags&").send().await.verdict(), gets, "{sp}");
        assert_eq!(request("PUT", "comp=tags&").body(document.clone()).send().await.verdict(), sets, "{sp}");
        let put = request("PUT", "").header("x-ms-blob-type", "BlockBlob").header("x-ms-tags", "k=v").body("new");
        assert_eq!(put.send().await.verdict(), puts, "{sp}");
    }
}
