//! The encryption scope that a signature demands of writes (`ses`).

use super::token;
use crate::server::TestServer;

#[tokio::test]
async fn a_signature_may_demand_an_encryption_scope() {
    let server = TestServer::new().await;
    server.container("box").await;
    for (container, deny) in [("same", "true"), ("soft", "false"), ("hard", "true")] {
        let scope = if container == "same" { "signed" } else { "its-own" };
        let request =
            server.request("PUT", &format!("/{container}?restype=container")).header("x-ms-default-encryption-scope", scope);
        assert_eq!(request.header("x-ms-deny-encryption-scope-override", deny).send().await.verdict(), "201");
    }
    let fields = "sv=2021-12-02&sp=racwd&se=2099-01-01&ses=signed";
    let account = token::account(&format!("{fields}&ss=b&srt=sco"));
    let header = "400 InvalidHeaderValue";
    let forbidden = "403 RequestForbiddenByContainerEncryptionPolicy";
    for (container, scope, verdict, used) in [
        ("box", "", "201", "signed"),
        ("box", "signed", "201", "signed"),
        ("box", "other", header, ""),
        ("same", "", "201", "signed"),
        ("soft", "", "201", "signed"),
        ("soft", "its-own", header, ""),
        ("hard", "", forbidden, ""),
    ] {
        for sas in [account.clone(), token::service(container, &format!("{fields}&sr=c"))] {
            let put = server.request("PUT", &format!("/{container}/b?{sas}")).anonymous().header("x-ms-blob-type", "BlockBlob");
            let put = if scope.is_empty() { put } else { put.header("x-ms-encryption-scope", scope) };
            let answer = put.body("x").send().await;
            assert_eq!(
                (answer.verdict().as_str(), answer.header("x-ms-encryption-scope")),
                (verdict, used),
                "{container} {scope}"
            );
            if verdict == "201" {
                // Reading and deleting need no scope.
                let read = server.request("GET", &format!("/{container}/b?{sas}")).anonymous().send().await;
                assert_eq!((read.verdict().as_str(), read.header("x-ms-encryption-scope")), ("200", used), "{container} {scope}");
                let gone = server.request("DELETE", &format!("/{container}/b?{sas}")).anonymous().send().await;
                assert_eq!(gone.verdict(), "202");
            }
        }
    }
    // A blob in another scope can be read, but not written.
    server.blob("/box/plain", "x").await;
    let put = server.request("PUT", &format!("/box/plain?comp=metadata&{account}")).anonymous().header("x-ms-meta-a", "1");
    assert_eq!(put.send().await.verdict(), "409 BlobDoesNotUseCustomerSpecifiedEncryption");
    let read = server.request("GET", &format!("/box/plain?{account}")).anonymous().send().await;
    assert_eq!(read.verdict(), "200");
}

#[tokio::test]
async fn a_signature_demands_a_scope_that_the_account_declares() {
    let server = TestServer::with(&["--account", "devstoreaccount1,scope=one,scope=two"]).await;
    server.container("box").await;
    let query = "400 InvalidQueryParameterValue";
    for (signed, named, verdict) in [
        ("one", "", "201"),
        ("one", "one", "201"),
        ("one", "two", "400 InvalidHeaderValue"),
        ("other", "", query),
        ("other", "other", query),
        ("other", "one", query),
    ] {
        let fields = format!("sv=2021-12-02&sp=racwd&se=2099-01-01&ses={signed}");
        for sas in [token::account(&format!("{fields}&ss=b&srt=sco")), token::service("box", &format!("{fields}&sr=c"))] {
            let put = server.request("PUT", &format!("/box/b?{sas}")).anonymous().header("x-ms-blob-type", "BlockBlob");
            let put = if named.is_empty() { put } else { put.header("x-ms-encryption-scope", named) };
            let answer = put.body("x").send().await;
            assert_eq!(answer.verdict(), verdict, "{signed} {named}");
            if verdict == query {
                assert_eq!((answer.element("QueryParameterName"), answer.element("QueryParameterValue")), ("ses", signed));
            }
            // Reading needs no scope.
            let read = server.request("GET", &format!("/box/b?{sas}")).anonymous().send().await;
            assert_eq!(read.verdict(), "200", "{signed} {named}");
        }
    }
}
