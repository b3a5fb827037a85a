//! Properties and metadata of blobs, of the service, and of the account; and absent states of a blob.

use crate::scenario::check_in;
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn setting_properties_clears_absent_headers() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/html; content-language: fr; x-ms-meta-a: 1; x-ms-tags: k=v; x-ms-access-tier: Cool | x → 201 | etag: $before
         wait 5
         PUT /box/b?comp=properties | x-ms-blob-content-type: text/plain; x-ms-blob-cache-control: no-cache; x-ms-blob-content-encoding: gzip; x-ms-blob-content-disposition: inline; x-ms-blob-content-md5: XUFAKrxLKna5cZ2REBfFkg== → 200 | etag: $after; last-modified: {at}; content-length: 0 | {}
         GET /box/b → 200 | etag: {after}; content-type: text/plain; content-language: -; cache-control: no-cache; content-encoding: gzip; content-disposition: inline; content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-meta-a: 1; x-ms-tag-count: 1; x-ms-creation-time: {at-5} | x
         GET /box/b | if-match: {before} → 412 ConditionNotMet
         HEAD /box/b → 200 | x-ms-access-tier: Cool
         # the headers of the body are ignored
         PUT /box/b?comp=properties | content-type: text/css; content-language: de → 200
         HEAD /box/b → 200 | content-type: -; content-language: -; cache-control: -; content-encoding: -; content-disposition: -; content-md5: -; content-length: 1
         GET /box/b → 200 | content-type: - | x
         GET /box?restype=container&comp=list → 200 | | ~<Content-Type />
         PUT /box/b?comp=properties | x-ms-blob-content-type: application/octet-stream → 200
         GET /box/b → 200 | content-type: application/octet-stream | x
         PUT /box/none?comp=properties → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn setting_metadata_replaces_it() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/html; x-ms-meta-a: 1; x-ms-meta-b: 2; x-ms-tags: k=v | x → 201 | etag: $before
         wait 5
         PUT /box/b?comp=metadata | x-ms-meta-C: 3 → 200 | etag: $after; last-modified: {at}; x-ms-request-server-encrypted: true
         GET /box/b?comp=metadata → 200 | etag: {after}; x-ms-meta-a: -; x-ms-meta-b: -; x-ms-meta-c: 3; content-length: 0; content-type: -; x-ms-blob-type: - | {}
         HEAD /box/b?comp=metadata → 200 | etag: {after}; x-ms-meta-c: 3 | {}
         GET /box/b → 200 | etag: {after}; content-type: text/html; x-ms-meta-c: 3; x-ms-tag-count: 1 | x
         # a malformed one changes nothing
         PUT /box/b?comp=metadata | x-ms-meta-a-b: 1 → 400 InvalidMetadata
         PUT /box/b?comp=metadata | x-ms-meta-: 1 → 400 EmptyMetadataKey
         PUT /box/b?comp=metadata | x-ms-meta-k: {8192*v} → 400 MetadataTooLarge
         GET /box/b?comp=metadata → 200 | etag: {after}; x-ms-meta-c: 3
         PUT /box/b?comp=metadata | x-ms-meta-k: {8191*v} → 200
         PUT /box/b?comp=metadata → 200
         GET /box/b?comp=metadata → 200 | x-ms-meta-k: -
         PUT /box/none?comp=metadata → 404 BlobNotFound
         GET /box/none?comp=metadata → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn an_absent_snapshot_or_version_is_not_found() {
    let server = server().await;
    server.blob("/box/b", "x").await;
    for request in ["GET /box/b?", "HEAD /box/b?", "GET /box/b?comp=metadata&", "GET /box/b?comp=blocklist&", "DELETE /box/b?"] {
        check_in(
            &server,
            &format!(
                "{request}snapshot=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
                 {request}snapshot=garbage → 400 InvalidQueryParameterValue
                 {request}versionid=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound"
            ),
        )
        .await;
    }
    check_in(
        &server,
        "# nothing was done to the blob
         GET /box/b → 200 | | x
         # a snapshot never changes
         PUT /box/b?snapshot=2020-01-01T00:00:00.0000000Z | x-ms-blob-type: BlockBlob | y → 400 InvalidQueryParameterValue
         PUT /box/b?comp=metadata&snapshot=2020-01-01T00:00:00.0000000Z → 400 InvalidQueryParameterValue
         PUT /box/b?comp=properties&snapshot=2020-01-01T00:00:00.0000000Z → 400 InvalidQueryParameterValue
         GET /box/b → 200 | | x",
    )
    .await;
}

#[tokio::test]
async fn deleting() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         DELETE /box/b | x-ms-delete-snapshots: some → 400 InvalidHeaderValue
         DELETE /box/b | x-ms-delete-snapshots: only → 404 BlobNotFound
         PUT /box/b?comp=snapshot → 201
         DELETE /box/b | x-ms-delete-snapshots: only → 202
         GET /box/b → 200 | | x
         DELETE /box/b | x-ms-delete-snapshots: include → 202 | x-ms-delete-type-permanent: true; content-length: 0 | {}
         GET /box/b → 404 BlobNotFound
         DELETE /box/b → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn service_properties_are_stored() {
    let server = server().await;
    let retention = "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>";
    let logging =
        format!("<Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write>{retention}</Logging>");
    let metrics = format!(
        "<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>{retention}</HourMetrics>"
    );
    let rule = "<CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds><ExposedHeaders>x-ms-*</ExposedHeaders><AllowedHeaders>x-ms-meta-a</AllowedHeaders></CorsRule>";
    let site = "<StaticWebsite><Enabled>true</Enabled><IndexDocument>index.html</IndexDocument></StaticWebsite>";
    let days = |days: &str| format!("<DeleteRetentionPolicy><Enabled>true</Enabled><Days>{days}</Days></DeleteRetentionPolicy>");
    let cases = [
        (String::new(), "202"),
        (logging.clone(), "202"),
        (metrics.clone(), "202"),
        (format!("<Cors>{rule}</Cors>"), "202"),
        (format!("<Cors>{}</Cors>", rule.repeat(6)), "400 InvalidXmlDocument"),
        (format!("<Cors>{}</Cors>", rule.replace("PUT", "FETCH")), "400 InvalidXmlNodeValue"),
        (days("7"), "202"),
        (days("0"), "400 InvalidXmlDocument"),
        (days("366"), "400 InvalidXmlDocument"),
        (site.to_owned(), "202"),
        ("<DefaultServiceVersion>2019-12-12</DefaultServiceVersion>".to_owned(), "202"),
        ("<Unknown/>".to_owned(), "400 InvalidXmlDocument"),
    ];
    for (parts, verdict) in cases {
        let body = format!("<StorageServiceProperties>{parts}</StorageServiceProperties>");
        let set = server.request("PUT", "/?restype=service&comp=properties").body(body).send().await;
        assert_eq!(set.verdict(), verdict, "{parts}: {}", set.text());
    }
    // Each request changed only its own elements, and refused requests changed nothing.
    let got = server.request("GET", "/?restype=service&comp=properties").send().await;
    assert_eq!((got.verdict().as_str(), got.header("content-type")), ("200", "application/xml"));
    let text = got.text();
    assert!(text.contains("<Logging><Version>1.0</Version><Read>false</Read><Write>true</Write><Delete>true</Delete>"), "{text}");
    assert!(text.contains("<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>"), "{text}");
    assert_eq!(got.elements("CorsRule").len(), 1);
    assert_eq!((got.element("AllowedMethods"), got.element("IndexDocument")), ("GET,PUT", "index.html"));
    assert_eq!((got.element("DefaultServiceVersion"), got.elements("Days").len()), ("2019-12-12", 3));
    let cleared = server
        .request("PUT", "/?restype=service&comp=properties")
        .body("<StorageServiceProperties><Cors /></StorageServiceProperties>");
    assert_eq!(cleared.send().await.verdict(), "202");
    let got = server.request("GET", "/?restype=service&comp=properties").send().await;
    assert!(got.text().contains("<Cors />") && got.text().contains("index.html"));
}

#[tokio::test]
async fn account_information_is_reported() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         GET /?restype=account&comp=properties → 200 | x-ms-sku-name: Standard_RAGRS; x-ms-account-kind: StorageV2; x-ms-is-hns-enabled: false; content-length: 0 | {}
         HEAD /?restype=account&comp=properties → 200 | x-ms-sku-name: +
         GET /box?restype=account&comp=properties → 200 | x-ms-sku-name: +
         GET /box/b?restype=account&comp=properties → 200 | x-ms-sku-name: +
         GET /?restype=account&comp=properties | x-ms-version: 2018-11-09 → 200 | x-ms-is-hns-enabled: -
         # only the secondary has stats
         GET /?restype=service&comp=stats → 400 InvalidQueryParameterValue | | ~<QueryParameterName>comp</QueryParameterName>",
    )
    .await;
}

#[tokio::test]
async fn the_secondary_reads_and_never_writes() {
    let server = server().await;
    server.blob("/box/b", "x").await;
    let request =
        |method: &str, target: &str| server.request(method, target).account("devstoreaccount1-secondary", WELL_KNOWN_KEY);
    let stats = request("GET", "/?restype=service&comp=stats").send().await;
    assert_eq!((stats.verdict().as_str(), stats.element("Status")), ("200", "live"));
    assert_eq!(stats.element("LastSyncTime"), stats.header("date"));
    assert_eq!(request("GET", "/box/b").send().await.text(), "x");
    assert_eq!(request("GET", "/box?restype=container&comp=list").send().await.elements("Name"), ["b"]);
    let writes = [
        request("PUT", "/box/b").header("x-ms-blob-type", "BlockBlob").body("y"),
        request("PUT", "/new?restype=container"),
        request("PUT", "/box/b?comp=metadata"),
        request("DELETE", "/box/b"),
        request("DELETE", "/box?restype=container"),
    ];
    for write in writes {
        assert_eq!(write.send().await.verdict(), "403 InsufficientAccountPermissions");
    }
    assert_eq!(server.request("GET", "/box/b").send().await.text(), "x");
}
