//! The secondary endpoint: it answers reads, and is the only one that reports the state of the replication.

use super::{path, send, send_signed, server_with_blob, token};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

#[tokio::test]
async fn the_secondary_reads_and_never_writes() {
    let server = server_with_blob().await;
    let refused = "403 InsufficientAccountPermissions";
    let lease = [("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "15")];
    let block = [("x-ms-blob-type", "BlockBlob")];
    for (method, target, headers, verdict) in [
        ("GET", "/box/blob", &[][..], "200"),
        ("HEAD", "/box/blob", &[], "200"),
        ("GET", "/box/blob?comp=metadata", &[], "200"),
        ("GET", "/box/blob?comp=blocklist", &[], "200"),
        ("GET", "/box?restype=container", &[], "200"),
        ("GET", "/box?restype=container&comp=acl", &[], "200"),
        ("GET", "/box?restype=container&comp=list", &[], "200"),
        ("GET", "?comp=list", &[], "200"),
        ("GET", "?restype=service&comp=properties", &[], "200"),
        ("GET", "?restype=service&comp=stats", &[], "200"),
        ("GET", "?restype=account&comp=properties", &[], "200"),
        ("GET", "/box/none", &[], "404 BlobNotFound"),
        ("PUT", "/box/new", &block, refused),
        ("PUT", "/box/blob?comp=metadata", &[], refused),
        ("PUT", "/box/blob?comp=properties", &[], refused),
        ("PUT", "/box/blob?comp=lease", &lease, refused),
        ("PUT", "/box/blob?comp=block&blockid=MQ%3D%3D", &[], refused),
        ("PUT", "/box/blob?comp=blocklist", &[], refused),
        ("DELETE", "/box/blob", &[], refused),
        ("PUT", "/new?restype=container", &[], refused),
        ("PUT", "/box?restype=container&comp=acl", &[], refused),
        ("DELETE", "/box?restype=container", &[], refused),
        ("PUT", "?restype=service&comp=properties", &[], refused),
    ] {
        let request = server.request(method, target).account("devstoreaccount1-secondary", WELL_KNOWN_KEY).headers(headers);
        assert_eq!(request.send().await.verdict(), verdict, "{method} {target}");
    }
    assert_eq!(server.request("GET", "/box/blob").send().await.text(), "content", "nothing was written");
}

#[tokio::test]
async fn only_the_secondary_reports_the_replication() {
    let server = server_with_blob().await;
    let target = "/?restype=service&comp=stats";
    let primary = server.request("GET", target).send().await;
    assert_eq!(primary.verdict(), "400 InvalidQueryParameterValue");
    assert_eq!((primary.element("QueryParameterName"), primary.element("QueryParameterValue")), ("comp", "stats"));
    let host = server.host(ServiceKind::Blob).replace("127.0.0.1", "devstoreaccount1-secondary.blob.localhost");
    let by_host = send_signed(&server, "GET", target, &[("Host", &host)], "").await;
    let sas = token::account("sv=2021-12-02&ss=b&srt=s&sp=r&se=2099-01-01");
    let by_sas = send(&server, "GET", &format!("/devstoreaccount1-secondary{target}&{sas}"), &[], "").await;
    for answer in [by_host, by_sas] {
        assert_eq!((answer.status, answer.element("Status")), (200, "live"), "{}", answer.text());
        assert_eq!(answer.element("LastSyncTime"), server.now().rfc1123());
    }
}

/// A SAS signs the account's name, at both endpoints.
#[tokio::test]
async fn a_sas_is_good_at_both_endpoints() {
    let server = server_with_blob().await;
    let sas = token::service("box/blob", "sv=2021-12-02&sr=b&sp=rd&se=2099-01-01");
    let secondary = format!("/devstoreaccount1-secondary/box/blob?{sas}");
    assert_eq!(send(&server, "GET", &secondary, &[], "").await.verdict(), "200");
    assert_eq!(send(&server, "DELETE", &secondary, &[], "").await.verdict(), "403 InsufficientAccountPermissions");
    assert_eq!(send(&server, "DELETE", &format!("{}?{sas}", path("/box/blob")), &[], "").await.verdict(), "202");
}
