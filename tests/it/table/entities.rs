//! Operations on entities: insert, read, replace, merge, delete, and their conditions.

use super::{check, get, json, request, with_table};
use lazuli::ServiceKind;

#[tokio::test]
async fn an_entity_is_inserted_once() {
    check(
        r#"
        POST /people | | {"PartitionKey":"p","RowKey":"r","age":39} → 201 | content-type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8; etag: $tag; location: +; dataserviceid: -; preference-applied: -; x-content-type-options: nosniff; cache-control: no-cache
        POST /people | | {"PartitionKey":"p","RowKey":"r"} → 409 EntityAlreadyExists | | ~The specified entity already exists.
        POST /PEOPLE() | prefer: return-no-content | {"PartitionKey":"p","RowKey":"s"} → 204 | etag: +; location: +; dataserviceid: +; preference-applied: return-no-content; content-type: - | {}
        POST /people | prefer: return-content | {"PartitionKey":"p","RowKey":"t"} → 201 | preference-applied: return-content
        GET /people(PartitionKey='p',RowKey='r') → 200 | etag: {tag} | ~"age":39}
        # what must be there
        POST /people | | {"PartitionKey":"p"} → 400 PropertiesNeedValue | | ~The values are not specified for all properties in the entity.
        POST /people | | {"RowKey":"r"} → 400 PropertiesNeedValue
        POST /people | | {"PartitionKey":null,"RowKey":"r"} → 400 PropertiesNeedValue
        POST /people | | {"PartitionKey":1,"RowKey":"r"} → 400 PrimaryKeyPropertyIsInvalidType
        POST /people | | {"PartitionKey":"a/b","RowKey":"r"} → 400 OutOfRangeInput | | ~The 'PartitionKey' parameter of value 'a/b' is out of range.
        POST /people | | {"PartitionKey":"{513*k}","RowKey":"r"} → 400 KeyValueTooLarge
        POST /people | | {"PartitionKey":"{512*k}","RowKey":"r"} → 201
        POST /people | | {"PartitionKey":"","RowKey":""} → 201 | | ~"PartitionKey":"","RowKey":"",
        GET /people(PartitionKey='',RowKey='') → 200
        POST /people | | → 400 InvalidInput
        POST /people | | [] → 400 InvalidInput
        POST /people | | {"PartitionKey":"p","RowKey":"flags","a":"TRUE","a@odata.type":"Edm.Boolean","b":"False","b@odata.type":"Edm.Boolean"} → 201 | | ~"a":true,"b":false
        # the whole is too large before a part of it is
        POST /people | | {"PartitionKey":"p","RowKey":"big","a":"{33000*x}"} → 400 PropertyValueTooLarge
        POST /people | | {"PartitionKey":"p","RowKey":"big","a":"{600000*x}"} → 400 EntityTooLarge
        # a missing table comes before a missing key
        POST /nobody | | {"RowKey":"r"} → 404 TableNotFound
        # the client's timestamp is not the service's
        POST /people | | {"PartitionKey":"p","RowKey":"u","Timestamp":"1990-01-01T00:00:00Z"} → 201 | | !1990
        "#,
    )
    .await;
}

#[tokio::test]
async fn changes_depend_on_their_conditions() {
    let old = r#"W/"datetime'2012-06-15T22%3A51%3A44.9662825Z'""#;
    check(&format!(
        r#"
        # where none need stand
        PUT /people(PartitionKey='p',RowKey='r') | | {{"a":1,"b":2}} → 204 | etag: $first; cache-control: no-cache; x-content-type-options: nosniff | {{}}
        MERGE /people(PartitionKey='p',RowKey='r') | | {{"b":3,"c":4}} → 204 | etag: $second
        GET /people(PartitionKey='p',RowKey='r') | accept: application/json;odata=nometadata → 200 | etag: {{second}} | ~"a":1,"b":3,"c":4
        PATCH /people(PartitionKey='p',RowKey='new') | | {{"PartitionKey":"p","RowKey":"new","a":1}} → 204
        # where one must
        PUT /people(PartitionKey='p',RowKey='r') | if-match: {{first}} | {{"d":5}} → 412 UpdateConditionNotSatisfied | | ~The update condition specified in the request was not satisfied.
        MERGE /people(PartitionKey='p',RowKey='r') | if-match: {old} | {{"d":5}} → 412 UpdateConditionNotSatisfied
        DELETE /people(PartitionKey='p',RowKey='r') | if-match: {old} → 412 UpdateConditionNotSatisfied
        PUT /people(PartitionKey='p',RowKey='r') | if-match: {{second}} | {{"d":5}} → 204 | etag: $third
        GET /people(RowKey='r',PartitionKey='p') | accept: application/json;odata=nometadata → 200 | | ~"d":5 | !"a"
        PATCH /people(PartitionKey='p',RowKey='r') | if-match: * | {{"d":null,"e":6}} → 204
        GET /people(PartitionKey='p',RowKey='r') → 200 | | ~"d":5,"e":6
        PUT /people(PartitionKey='p',RowKey='none') | if-match: * | {{"a":1}} → 404 ResourceNotFound
        PATCH /people(PartitionKey='p',RowKey='none') | if-match: {old} | {{"a":1}} → 404 ResourceNotFound
        DELETE /people(PartitionKey='p',RowKey='none') | if-match: * → 404 ResourceNotFound
        DELETE /people(PartitionKey='p',RowKey='r') → 400 MissingRequiredHeader
        DELETE /people(PartitionKey='p',RowKey='r') | if-match: "0x8D" → 400 InvalidInput | | ~The etag value
        # any weak tag is one, if not that of this entity
        PUT /people(PartitionKey='p',RowKey='r') | if-match: W/"wrong" | {{"d":5}} → 412 UpdateConditionNotSatisfied | | ~The update condition specified in the request was not satisfied.
        MERGE /people(PartitionKey='p',RowKey='r') | if-match: W/"" | {{"d":5}} → 412 UpdateConditionNotSatisfied
        DELETE /people(PartitionKey='p',RowKey='r') | if-match: W/"datetime'soon'" → 412 UpdateConditionNotSatisfied
        DELETE /people(PartitionKey='p',RowKey='none') | if-match: W/"wrong" → 404 ResourceNotFound
        DELETE /people(PartitionKey='p',RowKey='r') | if-match: W/"a"; if-match: W/"b" → 400 InvalidInput | | ~Please make sure only one etag value is specified
        DELETE /people(PartitionKey='p',RowKey='r') | if-match: * → 204 | etag: - | {{}}
        GET /people(PartitionKey='p',RowKey='r') → 404 ResourceNotFound
        # the keys of the URL count, whatever the body says
        PUT /people(PartitionKey='p',RowKey='new') | | {{"PartitionKey":"q","RowKey":"s","a":1}} → 204
        MERGE /people(PartitionKey='p',RowKey='new') | if-match: * | {{"RowKey":"q"}} → 204
        PATCH /people(PartitionKey='p',RowKey='new') | | {{"PartitionKey":"a/b"}} → 204
        PUT /people(PartitionKey='p',RowKey='new') | | {{"PartitionKey":1}} → 400 PrimaryKeyPropertyIsInvalidType
        GET /people(PartitionKey='p',RowKey='new') → 200 | | ~"PartitionKey":"p","RowKey":"new",
        GET /people(PartitionKey='q',RowKey='s') → 404 ResourceNotFound
        GET /people(PartitionKey='p',RowKey='q') → 404 ResourceNotFound
        # by way of POST
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: MERGE; if-match: * | {{"b":2}} → 204
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: patch | {{"c":3}} → 204
        GET /people(PartitionKey='p',RowKey='new') → 200 | | ~"a":1,"b":2,"c":3
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: PUT | {{"d":4}} → 204
        GET /people(PartitionKey='p',RowKey='new') → 200 | | ~"d":4 | !"a"
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: FETCH | {{}} → 400 XMethodIncorrectValue
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: PUT; x-http-method: PUT | {{}} → 400 XMethodIncorrectCount
        PUT /people(PartitionKey='p',RowKey='new') | x-http-method: MERGE | {{}} → 400 XMethodNotUsingPost
        POST /people(PartitionKey='p',RowKey='new') | x-http-method: DELETE; if-match: * → 204
        GET /people(PartitionKey='p',RowKey='new') → 404 ResourceNotFound
        POST /people(PartitionKey='p',RowKey='new') | | {{}} → 400 InvalidUri
        "#
    ))
    .await;
}

/// No two states of an entity have the same tag, even if the clock does not move.
#[tokio::test]
async fn every_write_has_a_later_timestamp() {
    let server = with_table().await;
    let mut last = String::new();
    for _ in 0..5 {
        super::put(&server, "p", "r", "").await;
        let entity = json(&get(&server, "/people(PartitionKey='p',RowKey='r')").await);
        let timestamp = entity["Timestamp"].as_str().unwrap().to_owned();
        let ticks = |text: &str| crate::time::Timestamp::parse_iso(text).unwrap();
        assert!(last.is_empty() || ticks(&timestamp) > ticks(&last), "{last} {timestamp}");
        assert_eq!(entity["odata.etag"], format!("W/\"datetime'{}'\"", timestamp.replace(':', "%3A")));
        last = timestamp;
    }
}

#[tokio::test]
async fn entities_are_written_as_recorded() {
    let server = with_table().await;
    let body = r#"{"PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":":@ '","age":39,"married":true,"ratio":3.1,"evenratio":3.0,"double":5,"double@odata.type":"Edm.Double","large":"933311100","large@odata.type":"Edm.Int64","Birthday":"1973-10-04T00:00:00.000000Z","Birthday@odata.type":"Edm.DateTime","binary":"YmluYXJ5","binary@odata.type":"Edm.Binary","clsid":"c9da6455-213d-42c9-9a79-3e9149a57833","clsid@odata.type":"Edm.Guid","odd":"NaN","odd@odata.type":"Edm.Double","none":null}"#;
    let made = server.request("POST", "/people").of(ServiceKind::Table).header("accept", "application/json;odata=fullmetadata");
    let made = made.body(body).send().await;
    let url = server.emulator.endpoint(ServiceKind::Table, "devstoreaccount1").unwrap();
    let (tag, place) = (made.header("etag").to_owned(), "people(PartitionKey='p',RowKey='%3A%40%20%27%27')");
    assert_eq!(made.header("location"), format!("{url}/{place}"));
    let tag_in_json = tag.replace('"', "\\\"");
    let date = tag[12..tag.len() - 2].replace("%3A", ":");
    let full = format!(
        r#"{{"odata.metadata":"{url}/$metadata#people/@Element","odata.type":"devstoreaccount1.people","odata.id":"{url}/{place}","odata.etag":"{tag_in_json}","odata.editLink":"{place}","PartitionKey":"p","RowKey":":@ '","Timestamp@odata.type":"Edm.DateTime","Timestamp":"{date}","age":39,"married":true,"ratio":3.1,"evenratio":3.0,"double":5.0,"large@odata.type":"Edm.Int64","large":"933311100","Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04T00:00:00Z","binary@odata.type":"Edm.Binary","binary":"YmluYXJ5","clsid@odata.type":"Edm.Guid","clsid":"c9da6455-213d-42c9-9a79-3e9149a57833","odd@odata.type":"Edm.Double","odd":"NaN"}}"#
    );
    assert_eq!(made.text(), full);
    assert_eq!(made.header("content-type"), "application/json;odata=fullmetadata;streaming=true;charset=utf-8");

    let read = |level: &'static str| {
        let request = server.request("GET", "/people(PartitionKey='p',RowKey='%3A%40%20%27%27')").of(ServiceKind::Table);
        async move { request.header("accept", format!("application/json;odata={level}")).send().await.text().to_owned() }
    };
    assert_eq!(read("fullmetadata").await, full);
    let minimal = full
        .replace(&format!(r#""odata.type":"devstoreaccount1.people","odata.id":"{url}/{place}","#), "")
        .replace(&format!(r#""odata.editLink":"{place}","#), "")
        .replace(r#""Timestamp@odata.type":"Edm.DateTime","#, "");
    assert_eq!(read("minimalmetadata").await, minimal);
    let plain = format!(
        r#"{{"PartitionKey":"p","RowKey":":@ '","Timestamp":"{date}","age":39,"married":true,"ratio":3.1,"evenratio":3.0,"double":5.0,"large":"933311100","Birthday":"1973-10-04T00:00:00Z","binary":"YmluYXJ5","clsid":"c9da6455-213d-42c9-9a79-3e9149a57833","odd":"NaN"}}"#
    );
    assert_eq!(read("nometadata").await, plain);

    let listed = get(&server, "/people()").await;
    let inside = minimal.replace(&format!(r#""odata.metadata":"{url}/$metadata#people/@Element","#), "");
    assert_eq!(listed.text(), format!(r#"{{"odata.metadata":"{url}/$metadata#people","value":[{inside}]}}"#));
    assert_eq!(listed.header("etag"), "");
}

#[tokio::test]
async fn entities_have_limits() {
    let server = with_table().await;
    let insert = |row: &'static str, properties: String| {
        let body = format!(r#"{{"PartitionKey":"p","RowKey":"{row}"{properties}}}"#);
        let server = &server;
        async move { request(server, "POST", "/people", &body).await }
    };
    let many = |count: usize| (0..count).map(|n| format!(r#","p{n}":{n}"#)).collect::<String>();
    let texts =
        |count: usize, length: usize| (0..count).map(|n| format!(r#","t{n}":"{}""#, "x".repeat(length))).collect::<String>();
    for (row, properties, verdict, says) in [
        ("many", many(252), "201", ""),
        ("more", many(253), "400 TooManyProperties", "The entity contains more properties than allowed."),
        ("text", texts(1, 32 << 10), "201", ""),
        (
            "long",
            texts(1, (32 << 10) + 1),
            "400 PropertyValueTooLarge",
            "The property value exceeds the maximum allowed size (64KB).",
        ),
        ("large", texts(15, 32 << 10), "201", ""),
        ("huge", texts(16, 32 << 10), "400 EntityTooLarge", "The entity is larger than the maximum allowed size (1MB)."),
        ("body", texts(130, 32 << 10), "413 RequestBodyTooLarge", "The request body is too large"),
        ("name", format!(r#","{}":1"#, "n".repeat(255)), "201", ""),
        ("longname", format!(r#","{}":1"#, "n".repeat(256)), "400 PropertyNameTooLong", "The property name exceeds"),
        ("oddname", r#","a b":1"#.to_owned(), "400 PropertyNameInvalid", "The property name is invalid."),
        (
            "twice",
            r#","a":1,"a":2"#.to_owned(),
            "400 DuplicatePropertiesSpecified",
            "A property is specified more than one time.",
        ),
    ] {
        let answer = insert(row, properties).await;
        assert_eq!(answer.verdict(), verdict, "{row}: {}", answer.text());
        assert!(answer.text().contains(says), "{row}: {}", answer.text());
        let there = get(&server, &format!("/people(PartitionKey='p',RowKey='{row}')")).await;
        assert_eq!(there.status == 200, verdict == "201", "{row}: a refusal leaves nothing");
    }
}

/// The order of the keys in a URL does not matter, and a key may be empty.
#[tokio::test]
async fn keys_are_identified_by_their_names() {
    let server = with_table().await;
    for (target, body) in [("/people(RowKey='one',PartitionKey='b')", "{}"), ("/people(PartitionKey='a',RowKey='two')", "{}")] {
        assert_eq!(request(&server, "PUT", target, body).await.verdict(), "204", "{target}");
    }
    let page = get(&server, "/people()").await;
    let keys: Vec<_> =
        json(&page)["value"].as_array().unwrap().iter().map(|one| (one["PartitionKey"].clone(), one["RowKey"].clone())).collect();
    assert_eq!(keys, [("a".into(), "two".into()), ("b".into(), "one".into())]);
    for target in ["/people(PartitionKey='b',RowKey='one')", "/people(RowKey='one',PartitionKey='b')"] {
        assert_eq!(get(&server, target).await.verdict(), "200", "{target}");
    }
    assert_eq!(get(&server, "/people(PartitionKey='one',RowKey='b')").await.verdict(), "404 ResourceNotFound");

    // An entity with empty keys.
    assert_eq!(request(&server, "POST", "/people", r#"{"PartitionKey":"","RowKey":"","a":1}"#).await.verdict(), "201");
    let request = server.request("GET", "/people(RowKey='',PartitionKey='')").of(ServiceKind::Table);
    let empty = request.header("accept", "application/json;odata=fullmetadata").send().await;
    let (entity, url) = (json(&empty), server.emulator.endpoint(ServiceKind::Table, "devstoreaccount1").unwrap());
    let place = "people(PartitionKey='',RowKey='')";
    assert_eq!(entity["odata.metadata"], format!("{url}/$metadata#people/@Element"));
    assert_eq!((&entity["odata.type"], &entity["odata.editLink"]), (&"devstoreaccount1.people".into(), &place.into()));
    assert_eq!((&entity["odata.id"], &entity["a"]), (&format!("{url}/{place}").into(), &1.into()));
}
