//! The formats of the Table service: JSON with three levels of metadata, and XML for clients that do not accept JSON.

use super::{check, with_table};
use lazuli::ServiceKind;

#[tokio::test]
async fn data_is_json() {
    check(
        r#"
        GET /Tables | accept: application/atom+xml → 415 AtomFormatNotSupported | content-type: application/xml; x-ms-error-code: AtomFormatNotSupported | ~<m:code>AtomFormatNotSupported</m:code><m:message xml:lang="en-US">Atom format is not supported.
        GET /Tables | accept: → 415 AtomFormatNotSupported
        GET /Tables | accept: text/html → 415 MediaTypeNotSupported | | ~None of the provided media types are supported
        GET /Tables | accept: application/json;odata=verbose → 415 JsonVerboseFormatNotSupported
        GET /Tables | accept: */* → 200 | content-type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8
        GET /people()?$format=application%2Fjson%3Bodata%3Dfullmetadata | accept: → 200 | content-type: application/json;odata=fullmetadata;streaming=true;charset=utf-8
        GET /people()?$format=atom → 415 AtomFormatNotSupported
        POST /people | accept: | {"PartitionKey":"p","RowKey":"r"} → 415 AtomFormatNotSupported
        GET /people(PartitionKey='p',RowKey='r') → 404 ResourceNotFound
        POST /people | accept: ; prefer: return-no-content | {"PartitionKey":"p","RowKey":"r"} → 204
        DELETE /people(PartitionKey='p',RowKey='r') | accept: ; if-match: * → 204
        # refusals
        GET /people(PartitionKey='p',RowKey='r') | accept: application/json;odata=nometadata → 404 ResourceNotFound | content-type: application/json;odata=nometadata;streaming=true;charset=utf-8; x-ms-error-code: -; cache-control: no-cache; x-content-type-options: nosniff | ~"code":"ResourceNotFound" | ~"lang":"en-US","value":"The specified resource does not exist.\nRequestId:
        DELETE /Tables('nope') | accept: application/xml → 404 ResourceNotFound | content-type: application/xml; x-ms-error-code: ResourceNotFound | ~<m:code>ResourceNotFound</m:code>
        GET /?comp=foo → 400 InvalidQueryParameterValue | content-type: application/xml
        GET /people?comp=foo → 400 InvalidQueryParameterValue
        PUT /people | | {} → 400 InvalidUri
        TRACE /people → 405 UnsupportedHttpVerb
        "#,
    )
    .await;
}

#[tokio::test]
async fn authentication_errors_are_plain_json() {
    let server = with_table().await;
    let request = || server.request("GET", "/people()").of(ServiceKind::Table);
    let nobody = request().header("x-ms-version", "2019-12-12").anonymous().header("accept", "application/json").send().await;
    assert_eq!(nobody.verdict(), "401 NoAuthenticationInformation", "{}", nobody.text());
    let wrong =
        request().header("accept", "application/json").header("authorization", "SharedKey devstoreaccount1:AAAA").anonymous();
    let wrong = wrong.header("x-ms-date", server.machine_time().rfc1123()).send().await;
    assert_eq!(wrong.verdict(), "403 AuthenticationFailed", "{}", wrong.text());
    assert_eq!((wrong.header("content-type"), wrong.header("x-ms-error-code")), ("application/json", "AuthenticationFailed"));
    let in_xml =
        request().header("accept", "application/xml").header("authorization", "SharedKey devstoreaccount1:AAAA").anonymous();
    let in_xml = in_xml.header("x-ms-date", server.machine_time().rfc1123()).send().await;
    assert!(in_xml.text().contains("<m:code>AuthenticationFailed</m:code>"), "{}", in_xml.text());
}
