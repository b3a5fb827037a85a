//! Query Blob Contents: a query over a blob's text, and its answer as Avro records.

use crate::house::{Answer, House};
use crate::scenario::check_in;

const PEOPLE: &str = "name,age\r\nAda,36\r\nBob\r\nEve,41\r\n";
const HEADED: &str = "<Type>delimited</Type><DelimitedTextConfiguration><ColumnSeparator>,</ColumnSeparator><FieldQuote>\"</FieldQuote><RecordSeparator>\n</RecordSeparator><EscapeChar /><HasHeaders>true</HasHeaders></DelimitedTextConfiguration>";
const JSON: &str = "<Type>json</Type><JsonTextConfiguration><RecordSeparator>;</RecordSeparator></JsonTextConfiguration>";

async fn house() -> House {
    let house = House::new().await;
    house.container("box").await;
    house.blob("/box/people", PEOPLE).await;
    house
}

fn request(expression: &str, input: &str, output: &str) -> String {
    let expression = expression.replace('<', "&lt;");
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<QueryRequest><QueryType>SQL</QueryType><Expression>{expression}</Expression><InputSerialization><Format>{input}</Format></InputSerialization><OutputSerialization><Format>{output}</Format></OutputSerialization></QueryRequest>"
    )
}

/// The records behind the head: between sync marks, each with its count and length taken off.
fn records(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.verdict(), "200", "{}", String::from_utf8_lossy(&answer.body));
    let (head, sync) = (&answer.body[..1971], &answer.body[1971..1987]);
    assert!(head.starts_with(b"Obj\x01\x02\x16avro.schema\xbe\x1e[\n"));
    let mut rest = &answer.body[1987..];
    let mut records = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(16).position(|window| window == sync).unwrap();
        let record = &rest[..end];
        // Every record here is shorter than 64 bytes, or than 8192.
        let lengths = if record[1] < 0x80 { 2 } else { 3 };
        records.push(String::from_utf8_lossy(&record[lengths..]).into_owned());
        rest = &rest[end + 16..];
    }
    records
}

#[tokio::test]
async fn rows_are_answered_as_records() {
    let house = house().await;
    let answer =
        house.ask("POST", "/box/people?comp=query").body(request("SELECT age FROM BlobStorage", HEADED, JSON)).send().await;
    assert_eq!(
        records(&answer),
        [
            "\u{0}4{\"age\":\"36\"};{\"age\":\"41\"};",
            "\u{2}\0(InvalidColumnOrdinalJColumn ordinal does not exist in row.$",
            "\u{4}>>",
            "\u{6}>",
        ]
    );
    for (name, value) in [
        ("content-type", "avro/binary"),
        ("accept-ranges", "bytes"),
        ("x-ms-blob-type", "BlockBlob"),
        ("content-length", ""),
        ("content-md5", ""),
        ("x-ms-server-encrypted", ""),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    assert!(!answer.header("etag").is_empty() && !answer.header("last-modified").is_empty());
    // Without a word about formats, both are delimited text.
    let plain = "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT * FROM BlobStorage WHERE _2 = '36'</Expression></QueryRequest>";
    house.blob("/box/plain", "Ada,36\nEve,41\n").await;
    let answer = house.ask("POST", "/box/plain?comp=query").body(plain).send().await;
    assert_eq!(records(&answer)[0], "\0\u{e}Ada,36\n");
    // What is no JSON ends the query, not the answer.
    let answer = house.ask("POST", "/box/people?comp=query").body(request("SELECT * FROM BlobStorage", JSON, JSON)).send().await;
    assert_eq!(records(&answer), ["\0\0", "\u{2}\u{1}\u{1a}InternalError2Internal parse exception.\0", "\u{4}>>", "\u{6}>"]);
}

#[tokio::test]
async fn dates_are_computed_with() {
    let house = house().await;
    house.blob("/box/log", "at,what\n2018-11-09T00:00+05:30,one\n2018-11-09T01:00:23-08:00,two\nnever,three\n").await;
    let ask = |expression: &str| house.ask("POST", "/box/log?comp=query").body(request(expression, HEADED, HEADED)).send();
    let conversion = "\u{2}\0*InvalidTypeConversion0Invalid type conversion.";
    for (expression, wanted) in [
        (
            "SELECT EXTRACT(hour FROM at), TO_STRING(DATE_ADD('month', 1, at), 'd MMM yyyy XXX') FROM BlobStorage",
            "0,9 DEC 2018 +05:30\n1,9 DEC 2018 -08:00\n",
        ),
        ("SELECT DATE_DIFF('hour', at, '2018-11-09T09:30Z') FROM BlobStorage", "15\n0\n"),
        ("SELECT what FROM BlobStorage WHERE TO_TIMESTAMP(at) > '2018-11-09T00:00Z'", "two\n"),
        ("SELECT what FROM BlobStorage WHERE DATE_DIFF('year', UTCNOW(), at) < 0 AND what <> 'three'", "one\ntwo\n"),
    ] {
        let answer = ask(expression).await;
        let records = records(&answer);
        assert!(records[0].ends_with(wanted), "{expression}: {records:?}");
        assert!(records[1].starts_with(conversion), "{expression}: {records:?}");
    }
    assert_eq!(ask("SELECT DATE_ADD('fortnight', 1, at) FROM BlobStorage").await.verdict(), "400 InvalidXmlNodeValue");
}

#[tokio::test]
async fn a_long_answer_is_streamed() {
    let house = house().await;
    let line = format!("{}\n", "x".repeat(99));
    house.blob("/box/long", line.repeat(30_000)).await;
    let answer =
        house.ask("POST", "/box/long?comp=query").body(request("SELECT * FROM BlobStorage", HEADED, HEADED)).send().await;
    assert_eq!(answer.body.iter().filter(|byte| **byte == b'x').count() / 99, 30_000);
    let count =
        house.ask("POST", "/box/long?comp=query").body(request("SELECT COUNT(*) FROM BlobStorage", HEADED, HEADED)).send().await;
    assert!(String::from_utf8_lossy(&count.body).contains("29999\n"));
}

/// With HasHeaders of input and output the answer begins with the names, but not in the first version, as recorded.
#[tokio::test]
async fn an_answer_has_a_header_if_both_sides_say_so() {
    let house = house().await;
    let bare = HEADED.replace("true", "false");
    for (version, output, wanted) in [
        ("2019-12-12", HEADED, "\0\u{1c}Ada,36\nEve,41\n"),
        ("2020-02-10", HEADED, "\0.name,age\nAda,36\nEve,41\n"),
        ("2020-02-10", bare.as_str(), "\0\u{1c}Ada,36\nEve,41\n"),
    ] {
        let ask = house.ask("POST", "/box/people?comp=query").header("x-ms-version", version);
        let answer = ask.body(request("SELECT * FROM BlobStorage WHERE _1 <> 'Bob'", HEADED, output)).send().await;
        assert_eq!(records(&answer)[0], wanted, "{version} {output}");
    }
}

#[tokio::test]
async fn it_is_a_reading_operation() {
    let house = house().await;
    let ask = "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT COUNT(*) FROM BlobStorage</Expression></QueryRequest>";
    let rows = "# conditions and leases as those of a reader
         HEAD /box/people → 200 | etag: $e
         POST /box/people?comp=query | if-match: {e} | ASK → 200 | etag: {e}
         POST /box/people?comp=query | if-none-match: {e} | ASK → 304 ConditionNotMet
         POST /box/people?comp=query | if-match: \"0x1\" | ASK → 412 ConditionNotMet
         PUT /box/people?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         POST /box/people?comp=query | | ASK → 200 | x-ms-lease-state: leased
         POST /box/people?comp=query | x-ms-lease-id: {A} | ASK → 200
         POST /box/people?comp=query | x-ms-lease-id: {B} | ASK → 412 LeaseIdMismatchWithBlobOperation
         # snapshots, and what is not there
         PUT /box/people?comp=snapshot | x-ms-lease-id: {A} → 201 | x-ms-snapshot: $s
         POST /box/people?comp=query&snapshot={s} | | ASK → 200
         POST /box/none?comp=query | | ASK → 404 BlobNotFound
         POST /none/none?comp=query | | ASK → 404 ContainerNotFound
         # what cannot be read
         PUT /box/old | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive | x → 201
         POST /box/old?comp=query | | ASK → 409 BlobArchived";
    check_in(&house, &rows.replace("ASK", ask)).await;
}

#[tokio::test]
async fn what_is_refused() {
    let house = house().await;
    let all = "SELECT * FROM BlobStorage";
    let plain = "<Type>delimited</Type>";
    for (body, verdict) in [
        (String::new(), "400 InvalidXmlDocument"),
        ("<Query />".into(), "400 InvalidXmlDocument"),
        (request(all, plain, plain).replace("SQL", "KQL"), "400 InvalidXmlNodeValue"),
        (request("SELECT", plain, plain), "400 InvalidXmlNodeValue"),
        (request("SELECT * FROM BlobStorage.path", plain, plain), "400 InvalidXmlNodeValue"),
        (request(all, "<Type>parquet</Type>", plain), "400 UnsupportedXmlNode"),
        (request(all, plain, "<Type>arrow</Type>"), "400 UnsupportedXmlNode"),
        (request(all, plain, "<Type>xml</Type>"), "400 InvalidXmlNodeValue"),
        (request(all, plain, ""), "400 InvalidXmlDocument"),
        (request(all, &HEADED.replace("\"", "''"), plain), "400 InvalidXmlNodeValue"),
        (request(all, &HEADED.replace("true", "maybe"), plain), "400 InvalidXmlNodeValue"),
        ("x".repeat(300_000), "413 RequestBodyTooLarge"),
    ] {
        let answer = house.ask("POST", "/box/people?comp=query").body(body.clone()).send().await;
        assert_eq!(answer.verdict(), verdict, "{body:.400}");
    }
}
