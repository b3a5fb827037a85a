//! Which API a request is for: a test for each line of the rule, with the requests of each client.

use super::lake;
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

/// Returns `dfs` or `blob`: the API that answered, by its `Server` header.
fn api(answer: &Answer) -> &'static str {
    match answer.header("server") {
        "Windows-Azure-HDFS/1.0 Microsoft-HTTPAPI/2.0" => "dfs",
        "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0" => "blob",
        other => panic!("{other:?}"),
    }
}

async fn answer(server: &TestServer, kind: ServiceKind, request: &str, headers: &[(&str, &str)], host: Option<&str>) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let request = server.request(method, target).of(kind).headers(headers);
    let answer = match host {
        Some(label) => {
            let host = server.host(kind).replace("127.0.0.1", &format!("devstoreaccount1.{label}.localhost"));
            request.host_style().header("host", host).send().await
        }
        None => request.send().await,
    };
    assert_ne!(answer.verdict(), "403 AuthenticationFailed", "{method} {target}: {}", answer.text());
    answer
}

const JSON: (&str, &str) = ("accept", "application/json");
const XML: (&str, &str) = ("accept", "application/xml");

/// The line of the rule, a client, its request and headers, and the API.
type RoutedRequest<'a> = (u8, &'a str, &'a str, &'a [(&'a str, &'a str)], &'a str);

/// The clients and their requests, as their SDKs and drivers send them.
#[tokio::test]
async fn each_line_of_the_rule_decides() {
    let server = lake(&[]).await;
    let abfs = ("accept", "application/json, application/octet-stream");
    #[rustfmt::skip]
    let table: &[RoutedRequest<'_>] = &[
        (1, "Python", "PATCH /box/f?action=append&position=0", &[JSON], "dfs"),
        (1, "ABFS", "PUT /box/f?action=append&position=0", &[("x-http-method-override", "PATCH"), abfs], "dfs"),
        (1, "ABFS", "PUT /box/f?action=flush&position=0", &[("X-HTTP-Method-Override", "patch"), abfs], "dfs"),
        (1, "C++", "PATCH /box/f?action=setAccessControl", &[], "dfs"),
        (2, "Python", "PUT /box/f?resource=file", &[JSON], "dfs"),
        (2, "Java", "PUT /box/d%2Fe?resource=directory", &[JSON, ("if-none-match", "*")], "dfs"),
        (2, "JavaScript", "GET /box?resource=filesystem&recursive=true", &[JSON], "dfs"),
        (2, "OpenDAL", "GET /box?resource=filesystem&recursive=false&directory=d", &[("accept", "*/*")], "dfs"),
        (2, "pyarrow", "HEAD /box/?action=getAccessControl", &[], "dfs"),
        (2, "ABFS", "GET /?resource=account", &[abfs], "dfs"),
        (2, "ABFS", "HEAD /box/?upn=false&action=getAccessControl", &[abfs], "dfs"),
        (3, "ABFS", "PUT /box/g", &[("x-ms-rename-source", "/box/f"), abfs], "dfs"),
        (3, "OpenDAL", "PUT /box/f", &[("x-ms-rename-source", "/box/g"), ("accept", "*/*")], "dfs"),
        (3, "Go", "PUT /box/g?mode=legacy", &[("x-ms-rename-source", "/devstoreaccount1/box/f"), JSON], "dfs"),
        (4, "ABFS", "POST /box/g", &[("x-ms-lease-action", "break"), abfs], "dfs"),
        (5, "Python", "PUT /box?restype=container", &[XML], "blob"),
        (5, "Java", "PUT /box/g?comp=lease", &[("x-ms-lease-action", "break"), XML], "blob"),
        (5, ".NET", "PUT /box/g?comp=undelete", &[JSON], "blob"),
        (5, "adlfs", "PUT /box/g", &[("x-ms-blob-type", "BlockBlob"), XML], "blob"),
        (5, "azcopy", "PUT /box/h", &[("x-ms-copy-source", "http://127.0.0.1:1/x"), XML], "blob"),
        (5, "azcopy", "DELETE /box/none", &[("x-ms-delete-snapshots", "include"), JSON], "blob"),
        (5, "Python", "GET /box?restype=container&comp=list", &[JSON], "blob"),
        (5, "Python", "GET /box/g?snapshot=2020-01-01T00:00:00.0000000Z", &[JSON], "blob"),
        (6, "C++", "DELETE /box/none?recursive=true", &[], "dfs"),
        (6, "pyarrow", "DELETE /box/none?paginated=false&recursive=true", &[], "dfs"),
        (6, "ABFS", "HEAD /box/g?upn=false", &[abfs], "dfs"),
        (9, "Python", "HEAD /box/g", &[JSON], "dfs"),
        (9, "ABFS", "GET /box/g", &[abfs], "dfs"),
        (9, "Java", "DELETE /box/none", &[JSON], "dfs"),
        (10, "delta-rs", "GET /box/g", &[], "blob"),
        (10, "rclone", "HEAD /box/g", &[XML], "blob"),
        (10, "C++", "DELETE /box/none", &[], "blob"),
    ];
    for (line, client, request, headers, expected) in table {
        let answer = answer(&server, ServiceKind::Blob, request, headers, None).await;
        assert_eq!(api(&answer), *expected, "line {line}: {client}: {request} {headers:?}: {}", answer.verdict());
    }
    // Line 7: a host decides what the lines before it leave open.
    for (host, request, headers, expected) in [
        ("dfs", "GET /box/g", &[XML][..], "dfs"),
        ("dfs", "DELETE /box/none", &[], "dfs"),
        ("dfs", "HEAD /box/g", &[], "dfs"),
        ("dfs", "GET /box?restype=container&comp=list", &[JSON], "blob"),
        ("blob", "GET /box/g", &[JSON], "blob"),
        ("blob", "DELETE /box/none", &[JSON], "blob"),
        ("blob", "GET /box?resource=filesystem&recursive=true", &[], "dfs"),
    ] {
        let answer = answer(&server, ServiceKind::Blob, request, headers, Some(host)).await;
        assert_eq!(api(&answer), expected, "{host}: {request} {headers:?}: {}", answer.verdict());
    }
    // Line 8: at the port for Data Lake.
    for (request, headers, expected) in [
        ("GET /box/g", &[][..], "dfs"),
        ("DELETE /box/none", &[("accept", "*/*")], "dfs"),
        ("GET /box?restype=container&comp=list", &[], "blob"),
        ("PUT /box/g", &[("x-ms-blob-type", "BlockBlob")], "blob"),
    ] {
        let answer = answer(&server, ServiceKind::DataLake, request, headers, None).await;
        assert_eq!(api(&answer), expected, "{request} {headers:?}: {}", answer.verdict());
    }
}

/// A browser has no credentials yet, and the CORS rules are those of the Blob service.
#[tokio::test]
async fn preflight_requests_are_for_the_blob_service() {
    let server = lake(&[]).await;
    let headers = [("origin", "http://a.example"), ("access-control-request-method", "PATCH")];
    for kind in [ServiceKind::Blob, ServiceKind::DataLake] {
        let answer = answer(&server, kind, "OPTIONS /box/f?action=append", &headers, None).await;
        assert_eq!((api(&answer), answer.status), ("blob", 403), "{}", answer.text());
    }
}

#[tokio::test]
async fn the_apis_differ_in_errors_and_in_the_status_of_a_deletion() {
    let server = lake(&[]).await;
    for (headers, verdict, content_type, deleted) in [
        (&[JSON], "404 PathNotFound", "application/json;charset=utf-8", 200),
        (&[XML], "404 BlobNotFound", "application/xml", 202),
    ] {
        let missing = answer(&server, ServiceKind::Blob, "GET /box/none", headers, None).await;
        assert_eq!((missing.verdict().as_str(), missing.header("content-type")), (verdict, content_type));
        answer(&server, ServiceKind::Blob, "PUT /box/f?resource=file", &[], None).await;
        let found = answer(&server, ServiceKind::Blob, "HEAD /box/f", headers, None).await;
        for name in ["x-ms-resource-type", "x-ms-owner", "x-ms-permissions", "x-ms-blob-type", "x-ms-creation-time"] {
            assert!(!found.header(name).is_empty(), "{name}: {headers:?}");
        }
        assert_eq!(answer(&server, ServiceKind::Blob, "DELETE /box/f", headers, None).await.status, deleted);
    }
}
