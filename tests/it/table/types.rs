//! Types of properties over the wire. The tests of their rules are in `rules::table::entity`.

use super::{check, get, json, put, request, with_table};

#[tokio::test]
async fn values_are_returned_with_their_types() {
    let server = with_table().await;
    let typed = r#""s":"é\u0001\"\\\u554a","i":-5,"l":"9223372036854775807","l@odata.type":"Edm.Int64","d":1.5e300,"n":"-Infinity","n@odata.type":"Edm.Double","t":true,"at":"2020-01-01T00:00:00.1234567Z","at@odata.type":"Edm.DateTime","g":"C9DA6455-213D-42C9-9A79-3E9149A57833","g@odata.type":"Edm.Guid","b":"AP8=","b@odata.type":"Edm.Binary","big":3000000000"#;
    put(&server, "p", "r", typed).await;
    let first = get(&server, "/people(PartitionKey='p',RowKey='r')").await;
    let text = first.text();
    let shown = text.split(r#"Z","s""#).nth(1).unwrap();
    assert_eq!(
        shown,
        r#":"é\u0001\"\\啊","i":-5,"l@odata.type":"Edm.Int64","l":"9223372036854775807","d":1.5E+300,"n@odata.type":"Edm.Double","n":"-Infinity","t":true,"at@odata.type":"Edm.DateTime","at":"2020-01-01T00:00:00.1234567Z","g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833","b@odata.type":"Edm.Binary","b":"AP8=","big":3000000000.0}"#
    );
    // An answer can be sent back, with all its metadata.
    let again = request(&server, "PUT", "/people(PartitionKey='p',RowKey='r')", text).await;
    assert_eq!(again.verdict(), "204", "{}", again.text());
    let second = get(&server, "/people(PartitionKey='p',RowKey='r')").await;
    let bare = |answer| {
        let mut entity = json(answer);
        entity.as_object_mut().unwrap().retain(|name, _| name != "Timestamp" && name != "odata.etag");
        entity
    };
    assert_eq!(bare(&first), bare(&second));
}

#[tokio::test]
async fn a_value_of_another_type_than_its_annotation_is_refused() {
    check(
        r#"
        PUT /people(PartitionKey='p',RowKey='r') | | {"a":"x","a@odata.type":"Edm.Int32"} → 400 InvalidInput | | ~One of the request inputs is not valid.
        PUT /people(PartitionKey='p',RowKey='r') | | {"a":"x","a@odata.type":"Edm.Guid"} → 400 InvalidInput
        PUT /people(PartitionKey='p',RowKey='r') | | {"a":"0001-01-01T00:00:00Z","a@odata.type":"Edm.DateTime"} → 400 OutOfRangeInput
        PUT /people(PartitionKey='p',RowKey='r') | | {"a":1,"a@odata.type":"Edm.Decimal"} → 400 InvalidInput
        PUT /people(PartitionKey='p',RowKey='r') | | {"a":{"b":1}} → 400 InvalidInput
        GET /people(PartitionKey='p',RowKey='r') → 404 ResourceNotFound
        "#,
    )
    .await;
}
