//! Queries: filters, selections and options. The tests of the language are in `rules::table::odata`.

use super::{check, encoded, get, json, put, request, rows, with_table};

#[tokio::test]
async fn filters_select_entities_in_the_order_of_their_keys() {
    let server = with_table().await;
    let birthday = r#""birthday":"1970-10-04T00:00:00Z","birthday@odata.type":"Edm.DateTime""#;
    put(&server, "b", "2", r#""age":39,"name":"O'Hara","large":"9223372036854775807","large@odata.type":"Edm.Int64""#).await;
    put(&server, "a", "10", r#""age":5,"married":true,"ratio":3.1"#).await;
    put(&server, "a", "9", &format!(r#""age":7,"married":false,{birthday}"#)).await;
    put(&server, "a", "1", r#""age":"39""#).await;
    put(
        &server,
        "B",
        "1",
        r#""id":"c9da6455-213d-42c9-9a79-3e9149a57833","id@odata.type":"Edm.Guid","bin":"AP8=","bin@odata.type":"Edm.Binary""#,
    )
    .await;
    for (filter, expected) in [
        ("", "1 1 10 9 2"),
        ("PartitionKey eq 'a'", "1 10 9"),
        ("PartitionKey eq 'a' and RowKey gt '1' and RowKey lt '9'", "10"),
        ("PartitionKey eq 'a' and (RowKey eq '9' or RowKey eq '1')", "1 9"),
        ("PartitionKey gt 'a'", "2"),
        ("age eq 39", "2"),
        ("age eq '39'", "1"),
        ("age lt 39", "10 9"),
        ("age ne 39", "10 9"),
        ("not (age eq 39)", "1 1 10 9"),
        ("married eq true", "10"),
        ("not (married eq true)", "1 1 9 2"),
        ("ratio gt 3 and ratio lt 3.2", "10"),
        ("large eq 9223372036854775807L", "2"),
        ("name eq 'O''Hara'", "2"),
        ("birthday eq datetime'1970-10-04T00:00:00.000000Z'", "9"),
        ("id eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'", "1"),
        ("bin eq X'00ff'", "1"),
        ("Timestamp gt datetime'1601-01-01T00:00:00Z' and PartitionKey eq 'b'", "2"),
        ("false", ""),
    ] {
        let target = if filter.is_empty() { String::new() } else { format!("?$filter={}", encoded(filter)) };
        assert_eq!(rows(&get(&server, &format!("/people(){target}")).await).join(" "), expected, "{filter}");
    }
    assert_eq!(rows(&get(&server, "/people()?$filter=PartitionKey+eq+%27b%27").await), ["2"], "a plus is a space");
}

#[tokio::test]
async fn a_selected_property_that_does_not_exist_is_null() {
    let server = with_table().await;
    put(&server, "p", "r", r#""a":1,"l":"2","l@odata.type":"Edm.Int64""#).await;
    let shown = |select: &'static str| {
        let target = format!("/people()?$select={select}");
        let server = &server;
        async move {
            let request = server
                .request("GET", &target)
                .of(lazuli::operation::ServiceKind::Table)
                .header("accept", "application/json;odata=nometadata");
            request.send().await.text().to_owned()
        }
    };
    assert_eq!(shown("a").await, r#"{"value":[{"a":1}]}"#);
    assert_eq!(shown("RowKey,%20none,l").await, r#"{"value":[{"RowKey":"r","none":null,"l":"2"}]}"#);
    let all = shown("*").await;
    assert!(all.contains(r#""PartitionKey":"p""#) && all.contains(r#""a":1"#), "{all}");
    assert_eq!(shown("").await, all);

    let one = get(&server, "/people(PartitionKey='p',RowKey='r')?$select=l").await;
    let json = json(&one);
    assert!(json["odata.metadata"].as_str().unwrap().ends_with("/$metadata#people/@Element&$select=l"), "{json}");
    assert_eq!((&json["l@odata.type"], &json["l"], json.get("a")), (&"Edm.Int64".into(), &"2".into(), None));
    let list = get(&server, "/people()?$select=l").await;
    assert!(list.text().contains("/$metadata#people&$select=l\""), "{}", list.text());
}

#[tokio::test]
async fn malformed_and_unsupported_options_are_refused() {
    let server = with_table().await;
    put(&server, "p", "r", "").await;
    for (option, verdict, says) in [
        ("$filter=aaa%20bbb%20ccc", "400 InvalidInput", "Syntax error at position 7 in 'aaa bbb ccc'."),
        ("$filter=a%20eq%20'", "400 InvalidInput", "There is an unterminated string literal at position 6 in 'a eq ''."),
        ("$filter=a%20eq%205454161346626", "400 InvalidInput", "Unrecognized 'Edm.Int32' literal '5454161346626'"),
        (
            "$filter=startswith(a,'x')",
            "501 NotImplemented",
            "The requested operation is not implemented on the specified resource.",
        ),
        ("$filter=married", "400 InvalidInput", "One of the request inputs is not valid."),
        ("$filter=married%20eq%20True", "400 InvalidInput", "One of the request inputs is not valid."),
        ("$filter=married%20eq%20null", "400 InvalidInput", "One of the request inputs is not valid."),
        (
            "$filter=married%20and%20age%20eq%205",
            "400 InvalidInput",
            "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' for operator \
             kind 'And'.",
        ),
        ("$filter=not%20married", "400 InvalidInput", "for operator kind 'Not'."),
        ("$top=-1", "400 InvalidInput", "One of the request inputs is not valid."),
        ("$top=1001", "400 InvalidInput", "One of the request inputs is not valid."),
        ("$top=ten", "400 InvalidInput", ""),
        ("$orderby=a", "501 NotImplemented", ""),
        ("$skip=1", "501 NotImplemented", ""),
        ("$inlinecount=allpages", "501 NotImplemented", ""),
        (
            "$foo=1",
            "400 InvalidInput",
            "The query parameter '$foo' begins with a system-reserved '$' character but is not recognized.",
        ),
        ("NextPartitionKey=&NextRowKey=", "400 InvalidInput", "One of the request inputs is not valid."),
        ("NextPartitionKey=1!4!cGs-&NextRowKey=", "400 InvalidInput", ""),
    ] {
        let answer = get(&server, &format!("/people()?{option}")).await;
        assert_eq!(answer.verdict(), verdict, "{option}: {}", answer.text());
        assert!(answer.text().contains(says), "{option}: {}", answer.text());
    }
    let filter = get(&server, "/people()?$filter=a%20b").await;
    assert_eq!((filter.header("cache-control"), filter.header("x-content-type-options")), ("", "nosniff"), "as recorded");
    let insert = request(&server, "POST", "/people?$filter=true", "{}").await;
    assert_eq!(insert.verdict(), "501 NotImplemented", "what an operation does not read it refuses");
}

#[tokio::test]
async fn an_entity_can_be_addressed_in_every_written_form() {
    check(
        r#"
        PUT /people(PartitionKey='it''s',RowKey='a%20%2B%25''b') | | {"a":1} → 204
        GET /people(PartitionKey='it''s',RowKey='a%20%2B%25''b') → 200 | | ~"PartitionKey":"it's","RowKey":"a +%'b"
        GET /PEOPLE(RowKey='a%20+%25%27%27b',PartitionKey='it%27%27s') → 200 | | ~"a":1
        GET /people(PartitionKey='it''s',RowKey='a%20%2B%25''b')?$filter=a%20eq%202 → 404 ResourceNotFound
        GET /people(PartitionKey='it's',RowKey='x') → 400 InvalidInput
        GET /people(PartitionKey='p') → 400 InvalidInput
        GET /people('p') → 400 InvalidInput
        GET /people(PartitionKey='a%2Fb',RowKey='x') → 400 OutOfRangeInput
        GET /people(PartitionKey='p',RowKey='r' → 400 InvalidUri
        GET /people/1 → 400 InvalidResourceName
        GET /pe → 400 OutOfRangeInput
        "#,
    )
    .await;
}
