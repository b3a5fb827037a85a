//! Tables: creation, listing, names in any case, policies, deletion.

use super::{check, create, get, json, request};
use crate::server::TestServer;
use lazuli::ServiceKind;

#[tokio::test]
async fn tables_are_created_once_and_deleted_once() {
    check(
        r#"
        # made
        POST /Tables | | {"TableName":"Abc"} → 201 | content-type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8; location: +; cache-control: no-cache; x-content-type-options: nosniff; preference-applied: -; etag: - | ~/$metadata#Tables/@Element","TableName":"Abc"}
        POST /Tables | | {"TableName":"abc"} → 409 TableAlreadyExists | x-ms-error-code: - | ~The table specified already exists.
        POST /Tables | prefer: return-no-content | {"TableName":"abc"} → 409 TableAlreadyExists | preference-applied: return-no-content; x-content-type-options: nosniff; cache-control: no-cache
        POST /Tables | prefer: return-no-content | {"TableName":"def"} → 204 | preference-applied: return-no-content; location: +; dataserviceid: +; content-type: - | {}
        POST /Tables | prefer: return-content; accept: application/json;odata=nometadata | {"TableName":"ghi"} → 201 | preference-applied: return-content | {"TableName":"ghi"}
        POST /Tables()?$format=application%2Fjson%3Bodata%3Dnometadata | accept: | {"TableName":"jkl"} → 201 | | {"TableName":"jkl"}
        # names
        POST /Tables | | {"TableName":"ab"} → 400 OutOfRangeInput | | ~The specified resource name length is not within the permissible limits.
        POST /Tables | | {"TableName":"{64*a}"} → 400 OutOfRangeInput
        POST /Tables | | {"TableName":"{63*a}"} → 201
        POST /Tables | | {"TableName":"1abc"} → 400 InvalidResourceName | | ~The specifed resource name contains invalid characters.
        POST /Tables | | {"TableName":"a-bc"} → 400 InvalidResourceName
        POST /Tables | | {"TableName":"\u554a\u9f44\u4e02\u72db\u72dc"} → 400 InvalidResourceName
        POST /Tables | | {"TableName":"Tables"} → 400 InvalidResourceName
        POST /Tables | | {"TableName":null} → 400 PropertiesNeedValue
        POST /Tables | | {} → 400 PropertiesNeedValue
        POST /Tables | | {"TableName":1} → 400 InvalidInput
        POST /Tables | | TableName=x → 400 InvalidInput
        # found
        GET /Tables('ABC') | accept: application/json;odata=nometadata → 200 | etag: - | {"TableName":"Abc"}
        GET /Tables('nope') → 404 ResourceNotFound | | ~The specified resource does not exist.
        GET /Tables?$filter=TableName%20eq%20'def' | accept: application/json;odata=nometadata → 200 | | {"value":[{"TableName":"def"}]}
        GET /Tables?$filter=TableName%20ge%20'g'%20and%20TableName%20lt%20'j' | accept: application/json;odata=nometadata → 200 | | {"value":[{"TableName":"ghi"}]}
        # names are compared without regard to case
        GET /Tables?$filter=TableName%20ge%20'aa'%20and%20TableName%20lt%20'B' | accept: application/json;odata=nometadata → 200 | | ~{"TableName":"Abc"} | !def
        GET /Tables?$filter=TableName%20eq%20'ABC' | accept: application/json;odata=nometadata → 200 | | {"value":[{"TableName":"Abc"}]}
        GET /Tables?$top=0 | accept: application/json;odata=nometadata → 200 | x-ms-continuation-nexttablename: - | {"value":[]}
        GET /Tables?$filter=false | accept: application/json;odata=nometadata → 200 | | {"value":[]}
        GET /Tables?$orderby=TableName → 501 NotImplemented
        # gone
        DELETE /Tables('aBC') → 204 | content-type: -; cache-control: no-cache | {}
        DELETE /Tables('abc') → 404 ResourceNotFound
        POST /abc | | {"PartitionKey":"p","RowKey":"r"} → 404 TableNotFound | | ~The table specified does not exist.
        GET /abc() → 404 TableNotFound
        GET /abc(PartitionKey='p',RowKey='r') → 404 TableNotFound
        POST /Tables | | {"TableName":"ABC"} → 201
        GET /abc() | accept: application/json;odata=nometadata → 200 | | {"value":[]}
        "#,
    )
    .await;
}

#[tokio::test]
async fn a_table_has_the_accepted_level_of_metadata() {
    let server = TestServer::new().await;
    create(&server, "abc").await;
    let url = server.emulator.endpoint(ServiceKind::Table, "devstoreaccount1").unwrap();
    let shown = |level: &'static str| {
        let request =
            server.request("GET", "/Tables").of(ServiceKind::Table).header("accept", format!("application/json;odata={level}"));
        async { request.send().await.text().to_owned() }
    };
    assert_eq!(shown("nometadata").await, r#"{"value":[{"TableName":"abc"}]}"#);
    assert_eq!(
        shown("minimalmetadata").await,
        format!(r#"{{"odata.metadata":"{url}/$metadata#Tables","value":[{{"TableName":"abc"}}]}}"#)
    );
    assert_eq!(
        shown("fullmetadata").await,
        format!(
            r#"{{"odata.metadata":"{url}/$metadata#Tables","value":[{{"odata.type":"devstoreaccount1.Tables","odata.id":"{url}/Tables('abc')","odata.editLink":"Tables('abc')","TableName":"abc"}}]}}"#
        )
    );
}

#[tokio::test]
async fn pages_of_tables_are_correct_while_tables_are_created_and_deleted() {
    let server = TestServer::new().await;
    for name in ["bbb", "Aaa", "ddd", "ccc", "eee"] {
        create(&server, name).await;
    }
    let mut seen = Vec::new();
    let mut next = String::new();
    loop {
        let page = get(&server, &format!("/Tables?$top=2{next}")).await;
        seen.extend(json(&page)["value"].as_array().unwrap().iter().map(|table| table["TableName"].as_str().unwrap().to_owned()));
        let token = page.header("x-ms-continuation-nexttablename");
        if token.is_empty() {
            break;
        }
        assert!(token.starts_with("1!"), "{token}");
        next = format!("&NextTableName={}", super::encoded(token));
        if seen.len() == 2 {
            // The continuation is at ccc, which is deleted; earlier names are not returned again.
            assert_eq!(request(&server, "DELETE", "/Tables('ccc')", "").await.verdict(), "204");
            create(&server, "bcd").await;
            create(&server, "cde").await;
        }
    }
    assert_eq!(seen, ["Aaa", "bbb", "cde", "ddd", "eee"]);
    for bad in ["NextTableName=ccc", "NextTableName=", "$top=1001", "$top=x", "$top=-1"] {
        assert_eq!(get(&server, &format!("/Tables?{bad}")).await.verdict(), "400 InvalidInput", "{bad}");
    }
}

#[tokio::test]
async fn policies_and_properties_are_xml() {
    check(
        r#"
        PUT /people?comp=acl | accept: application/xml | <SignedIdentifiers><SignedIdentifier><Id>p</Id><AccessPolicy><Start>2021-06-08T02:05:09Z</Start><Expiry>2021-06-09</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier><SignedIdentifier><Id>empty</Id></SignedIdentifier></SignedIdentifiers> → 204 | x-content-type-options: -; cache-control: -
        GET /PEOPLE?comp=acl | accept: application/xml → 200 | content-type: application/xml | <?xml version="1.0" encoding="utf-8"?><SignedIdentifiers><SignedIdentifier><Id>p</Id><AccessPolicy><Start>2021-06-08T02:05:09.0000000Z</Start><Expiry>2021-06-09T00:00:00.0000000Z</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier><SignedIdentifier><Id>empty</Id></SignedIdentifier></SignedIdentifiers>
        PUT /people?comp=acl | | <SignedIdentifiers><SignedIdentifier><Id>p</Id><AccessPolicy><Permission>w</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers> → 400 InvalidXmlNodeValue | content-type: application/xml
        PUT /people?comp=acl | accept: */* | → 415 MediaTypeNotSupported | content-type: application/xml | ~None of the provided media types are supported
        GET /people?comp=acl | accept: */* → 200 | | ~<Id>empty</Id>
        PUT /people?comp=acl | | → 204
        GET /people?comp=acl → 200 | | ~<SignedIdentifiers />
        GET /nobody?comp=acl → 404 ResourceNotFound | content-type: application/xml; x-ms-error-code: ResourceNotFound | ~<m:code>ResourceNotFound</m:code><m:message xml:lang="en-US">The specified resource does not exist.
        GET /?restype=service&comp=properties → 200 | content-type: application/xml | ~<Cors />
        PUT /?restype=service&comp=properties | | <StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging></StorageServiceProperties> → 202
        GET /?restype=service&comp=properties → 200 | | ~<Write>true</Write><Delete>true</Delete> | !StaticWebsite | !DefaultServiceVersion
        PUT /?restype=service&comp=properties | | <StorageServiceProperties><StaticWebsite><Enabled>false</Enabled></StaticWebsite></StorageServiceProperties> → 400 InvalidXmlDocument
        GET /?restype=service&comp=stats → 400 InvalidQueryParameterValue
        "#,
    )
    .await;
    let server = TestServer::new().await;
    let stats = server.request("GET", "/?restype=service&comp=stats").of(ServiceKind::Table);
    let stats = stats.account("devstoreaccount1-secondary", lazuli::WELL_KNOWN_KEY).send().await;
    assert_eq!((stats.status, stats.element("Status")), (200, "live"), "{}", stats.text());
}
