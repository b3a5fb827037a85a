//! Query Blob Contents: a query of a blob's text, and its answer as Avro records.

use crate::scenario::check_in;
use crate::server::{Answer, TestServer};

const PEOPLE: &str = "name,age\r\nAda,36\r\nBob\r\nEve,41\r\n";
const HEADED: &str = "<Type>delimited</Type><DelimitedTextConfiguration><ColumnSeparator>,</ColumnSeparator><FieldQuote>\"</FieldQuote><RecordSeparator>\n</RecordSeparator><EscapeChar /><HasHeaders>true</HasHeaders></DelimitedTextConfiguration>";
const JSON: &str = "<Type>json</Type><JsonTextConfiguration><RecordSeparator>;</RecordSeparator></JsonTextConfiguration>";

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/people", PEOPLE).await;
    server
}

fn query_body(expression: &str, input: &str, output: &str) -> String {
    let expression = expression.replace('<', "&lt;");
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<QueryRequest><QueryType>SQL</QueryType><Expression>{expression}</Expression><InputSerialization><Format>{input}</Format></InputSerialization><OutputSerialization><Format>{output}</Format></OutputSerialization></QueryRequest>"
    )
}

/// The records after the header: between sync marks, without count and length.
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
    let server = server().await;
    let answer = server
        .request("POST", "/box/people?comp=query")
        .body(query_body("SELECT age FROM BlobStorage", HEADED, JSON))
        .send()
        .await;
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
    // The default format of both is delimited text.
    let plain = "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT * FROM BlobStorage WHERE _2 = '36'</Expression></QueryRequest>";
    server.blob("/box/plain", "Ada,36\nEve,41\n").await;
    let answer = server.request("POST", "/box/plain?comp=query").body(plain).send().await;
    assert_eq!(records(&answer)[0], "\0\u{e}Ada,36\n");
    // Invalid JSON ends the query, not the answer. Since the second version its error says where (recorded).
    let query = || server.request("POST", "/box/people?comp=query").body(query_body("SELECT * FROM BlobStorage", JSON, JSON));
    let answer = query().send().await;
    let error = "\u{2}\u{1}\u{14}ParseError\u{fffd}\u{1}Unexpected token 'n' at [byte: 0]. Expecting tokens '{', or '['. \0";
    assert_eq!(records(&answer), ["\0\0", error, "\u{4}>>", "\u{6}>"]);
    let answer = query().header("x-ms-version", "2019-12-12").send().await;
    assert_eq!(records(&answer), ["\0\0", "\u{2}\u{1}\u{1a}InternalError2Internal parse exception.\0", "\u{4}>>", "\u{6}>"]);
}

#[tokio::test]
async fn queries_compute_with_dates() {
    let server = server().await;
    server.blob("/box/log", "at,what\n2018-11-09T00:00+05:30,one\n2018-11-09T01:00:23-08:00,two\nnever,three\n").await;
    let request =
        |expression: &str| server.request("POST", "/box/log?comp=query").body(query_body(expression, HEADED, HEADED)).send();
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
        let answer = request(expression).await;
        let records = records(&answer);
        assert!(records[0].ends_with(wanted), "{expression}: {records:?}");
        assert!(records[1].starts_with(conversion), "{expression}: {records:?}");
    }
    assert_eq!(request("SELECT DATE_ADD('fortnight', 1, at) FROM BlobStorage").await.verdict(), "400 InvalidXmlNodeValue");
}

#[tokio::test]
async fn a_long_answer_is_streamed() {
    let server = server().await;
    let line = format!("{}\n", "x".repeat(99));
    server.blob("/box/long", line.repeat(30_000)).await;
    let answer =
        server.request("POST", "/box/long?comp=query").body(query_body("SELECT * FROM BlobStorage", HEADED, HEADED)).send().await;
    assert_eq!(answer.body.iter().filter(|byte| **byte == b'x').count() / 99, 30_000);
    let count = server
        .request("POST", "/box/long?comp=query")
        .body(query_body("SELECT COUNT(*) FROM BlobStorage", HEADED, HEADED))
        .send()
        .await;
    assert!(String::from_utf8_lossy(&count.body).contains("29999\n"));
}

/// With HasHeaders of input and output the answer has a header row, but not in the first two versions (recorded).
#[tokio::test]
async fn an_answer_has_a_header_if_input_and_output_have_one() {
    let server = server().await;
    let bare = HEADED.replace("true", "false");
    for (version, output, wanted) in [
        ("2019-12-12", HEADED, "\0\u{1c}Ada,36\nEve,41\n"),
        ("2020-02-10", HEADED, "\0\u{1c}Ada,36\nEve,41\n"),
        ("2020-04-08", HEADED, "\0.name,age\nAda,36\nEve,41\n"),
        ("2020-04-08", bare.as_str(), "\0\u{1c}Ada,36\nEve,41\n"),
    ] {
        let request = server.request("POST", "/box/people?comp=query").header("x-ms-version", version);
        let answer = request.body(query_body("SELECT * FROM BlobStorage WHERE _1 <> 'Bob'", HEADED, output)).send().await;
        assert_eq!(records(&answer)[0], wanted, "{version} {output}");
    }
}

#[tokio::test]
async fn it_is_a_reading_operation() {
    let server = server().await;
    let request =
        "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT COUNT(*) FROM BlobStorage</Expression></QueryRequest>";
    let rows = "# conditions and leases as those of a reader
         HEAD /box/people → 200 | etag: $e
         POST /box/people?comp=query | if-match: {e} | ASK → 200 | etag: {e}
         POST /box/people?comp=query | if-none-match: {e} | ASK → 304 ConditionNotMet
         POST /box/people?comp=query | if-match: \"0x1\" | ASK → 412 ConditionNotMet
         PUT /box/people?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         POST /box/people?comp=query | | ASK → 200 | x-ms-lease-state: leased
         POST /box/people?comp=query | x-ms-lease-id: {A} | ASK → 200
         POST /box/people?comp=query | x-ms-lease-id: {B} | ASK → 412 LeaseIdMismatchWithBlobOperation
         # snapshots, and missing blobs
         PUT /box/people?comp=snapshot | x-ms-lease-id: {A} → 201 | x-ms-snapshot: $s
         POST /box/people?comp=query&snapshot={s} | | ASK → 200
         POST /box/none?comp=query | | ASK → 404 BlobNotFound
         POST /none/none?comp=query | | ASK → 404 ContainerNotFound
         # blobs that cannot be read
         PUT /box/old | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive | x → 201
         POST /box/old?comp=query | | ASK → 409 BlobArchived";
    check_in(&server, &rows.replace("ASK", request)).await;
}

#[tokio::test]
async fn invalid_or_forbidden_copies_are_refused() {
    let server = server().await;
    let all = "SELECT * FROM BlobStorage";
    let plain = "<Type>delimited</Type>";
    for (body, verdict) in [
        (String::new(), "400 InvalidXmlDocument"),
        ("<Query />".into(), "400 InvalidXmlDocument"),
        (query_body(all, plain, plain).replace("SQL", "KQL"), "400 InvalidXmlNodeValue"),
        (query_body("SELECT", plain, plain), "400 InvalidXmlNodeValue"),
        (query_body("SELECT * FROM BlobStorage.path", plain, plain), "400 InvalidXmlNodeValue"),
        (query_body(all, plain, "<Type>xml</Type>"), "400 InvalidXmlNodeValue"),
        (query_body(all, plain, ""), "400 InvalidXmlDocument"),
        (query_body(all, &HEADED.replace("\"", "''"), plain), "400 InvalidXmlNodeValue"),
        (query_body(all, &HEADED.replace("true", "maybe"), plain), "400 InvalidXmlNodeValue"),
        ("x".repeat(300_000), "413 RequestBodyTooLarge"),
    ] {
        let answer = server.request("POST", "/box/people?comp=query").body(body.clone()).send().await;
        assert_eq!(answer.verdict(), verdict, "{body:.400}");
    }
}

/// A build without the feature names the missing format of input or output.
#[cfg(not(feature = "arrow"))]
#[tokio::test]
async fn without_the_feature_parquet_and_arrow_are_refused() {
    let server = server().await;
    let plain = "<Type>delimited</Type>";
    for kind in ["parquet", "arrow"] {
        let named = format!("<Type>{kind}</Type>");
        for (input, output) in [(named.as_str(), plain), (plain, named.as_str())] {
            let request =
                server.request("POST", "/box/people?comp=query").body(query_body("SELECT * FROM BlobStorage", input, output));
            let answer = request.send().await;
            assert_eq!(answer.verdict(), "400 UnsupportedXmlNode", "{input} {output}");
            assert_eq!((answer.element("XmlNodeName"), answer.element("XmlNodeValue")), ("Type", kind));
        }
    }
}

#[cfg(feature = "arrow")]
mod arrow {
    use super::*;
    use arrow_array::{
        Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
        TimestampMillisecondArray,
    };
    use arrow_ipc::reader::StreamReader;
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    const ALL: &str = "SELECT * FROM BlobStorage";
    const PARQUET: &str = "<Type>parquet</Type><ParquetTextConfiguration> </ParquetTextConfiguration>";
    const LINES: &str = "<Type>json</Type>";

    fn fields(fields: &[&str]) -> String {
        let fields: String = fields.iter().map(|field| format!("<Field>{field}</Field>")).collect();
        format!("<Type>arrow</Type><ArrowConfiguration><Schema>{fields}</Schema></ArrowConfiguration>")
    }

    /// A number of zigzag form, as Avro writes it.
    fn number(rest: &mut &[u8]) -> usize {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = rest[0];
            *rest = &rest[1..];
            value |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value >> 1;
            }
        }
    }

    /// The bytes of an answer's rows, in all its batches, and the names of its errors.
    fn rows_and_errors(answer: &Answer) -> (Vec<u8>, Vec<String>) {
        assert_eq!(answer.verdict(), "200", "{}", String::from_utf8_lossy(&answer.body));
        let mut rest = &answer.body[1987..];
        let (mut rows, mut errors) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            assert_eq!(number(&mut rest), 1, "a record a block");
            let length = number(&mut rest);
            let mut record = &rest[..length];
            rest = &rest[length + 16..];
            match number(&mut record) {
                0 => {
                    let length = number(&mut record);
                    rows.extend_from_slice(&record[..length]);
                }
                1 => {
                    record = &record[1..];
                    let length = number(&mut record);
                    errors.push(String::from_utf8_lossy(&record[..length]).into_owned());
                }
                _ => {}
            }
        }
        (rows, errors)
    }

    fn batches(stream: &[u8]) -> Vec<RecordBatch> {
        assert!(stream.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), "the stream has no end");
        StreamReader::try_new(stream, None).unwrap().map(Result::unwrap).collect()
    }

    /// A file of so many rows in groups of 1000: `id`, `name` (null in every third row) and `price`.
    fn parquet_file(rows: i64) -> Vec<u8> {
        let schema = "message people { required int64 id; optional binary name (UTF8); required double price; }";
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut file = Vec::new();
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties)).unwrap();
        let ids: Vec<i64> = (0..rows).collect();
        for ids in ids.chunks(1000) {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(ids, None, None).unwrap();
            column.close().unwrap();
            let levels: Vec<i16> = ids.iter().map(|id| i16::from(id % 3 != 2)).collect();
            let names = ids.iter().filter(|id| **id % 3 != 2).map(|id| ByteArray::from(format!("n{id}").as_str()));
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&names.collect::<Vec<_>>(), Some(&levels), None).unwrap();
            column.close().unwrap();
            let prices: Vec<f64> = ids.iter().map(|id| *id as f64 + 0.5).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<DoubleType>().write_batch(&prices, None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();
        file
    }

    #[tokio::test]
    async fn parquet_files_are_queried() {
        let server = server().await;
        server.blob("/box/people.parquet", parquet_file(2500)).await;
        let request = |body: String| server.request("POST", "/box/people.parquet?comp=query").body(body).send();
        for (expression, output, wanted) in [
            ("select * from blobstorage where id < 3;", "<Type>delimited</Type>", "0,n0,0.5\n1,n1,1.5\n2,,2.5\n"),
            ("SELECT name, price FROM BlobStorage WHERE id = 2499", LINES, "{\"name\":\"n2499\",\"price\":2499.5}\n"),
            (
                "SELECT * FROM BlobStorage LIMIT 2",
                LINES,
                "{\"id\":0,\"name\":\"n0\",\"price\":0.5}\n{\"id\":1,\"name\":\"n1\",\"price\":1.5}\n",
            ),
            ("SELECT COUNT(*) FROM BlobStorage WHERE name IS NULL", "<Type>delimited</Type>", "833\n"),
        ] {
            let (rows, errors) = rows_and_errors(&request(query_body(expression, PARQUET, output)).await);
            assert_eq!((String::from_utf8(rows).unwrap().as_str(), &errors[..]), (wanted, &[][..]), "{expression}");
        }
        // The default format of the answer is delimited text.
        let body = query_body("SELECT id FROM BlobStorage LIMIT 1", PARQUET, "OUT")
            .replace("<OutputSerialization><Format>OUT</Format></OutputSerialization>", "");
        assert_eq!(rows_and_errors(&request(body).await), (b"0\n".to_vec(), Vec::new()));
        // Every row of every group, in Arrow.
        let output = fields(&["<Type>int64</Type><Name>id</Name>", "<Type>string</Type><Name>name</Name>"]);
        let (rows, errors) = rows_and_errors(&request(query_body("SELECT id, name FROM BlobStorage", PARQUET, &output)).await);
        assert!(errors.is_empty(), "{errors:?}");
        let batches = batches(&rows);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2500);
        let ids = batches.iter().flat_map(|batch| column::<Int64Array>(batch, 0).values().to_vec());
        assert!(ids.eq(0..2500));
        assert_eq!(batches.iter().map(|batch| batch.column(1).null_count()).sum::<usize>(), 833);
    }

    #[tokio::test]
    async fn an_invalid_parquet_file_ends_the_query() {
        let server = server().await;
        let whole = parquet_file(10);
        let mut torn = whole.clone();
        torn[20..40].fill(0xff);
        let cut = whole[whole.len() / 2..].to_vec();
        for (name, content) in [("empty", Vec::new()), ("text", PEOPLE.into()), ("torn", torn), ("cut", cut)] {
            server.blob(&format!("/box/{name}"), content).await;
            let answer =
                server.request("POST", &format!("/box/{name}?comp=query")).body(query_body(ALL, PARQUET, LINES)).send().await;
            assert_eq!(rows_and_errors(&answer).1, ["InternalError"], "{name}");
        }
    }

    fn column<T: Array + Clone + 'static>(batch: &RecordBatch, at: usize) -> T {
        let column: &ArrayRef = batch.column(at);
        column.as_any().downcast_ref::<T>().unwrap().clone()
    }

    #[tokio::test]
    async fn rows_are_answered_as_arrow() {
        let server = server().await;
        server.blob("/box/rows", "1,one,1.5,true,1970-01-01T00:00:01Z,400\nx,,,,,\n2,two\n,,,,,12.34\n").await;
        let output = fields(&[
            "<Type>int64</Type><Name>i</Name>",
            "<Type>string</Type>",
            "<Type>double</Type><Name>d</Name>",
            "<Type>bool</Type><Name>b</Name>",
            "<Type>timestamp[ms]</Type><Name>t</Name>",
            "<Type>decimal</Type><Name>n</Name><Precision>4</Precision><Scale>2</Scale>",
        ]);
        let request = |body: String| server.request("POST", "/box/rows?comp=query").body(body).send();
        let (rows, errors) = rows_and_errors(&request(query_body(ALL, "<Type>delimited</Type>", &output)).await);
        // A row with a value of the wrong type is omitted and reported.
        assert_eq!(errors, ["InvalidTypeConversion"]);
        let batch = &batches(&rows)[0];
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["i", "_2", "d", "b", "t", "n"]);
        assert_eq!(column::<Int64Array>(batch, 0), Int64Array::from(vec![Some(1), Some(2), None]));
        assert_eq!(column::<StringArray>(batch, 1), StringArray::from(vec!["one", "two", ""]));
        assert_eq!(column::<Float64Array>(batch, 2), Float64Array::from(vec![Some(1.5), None, None]));
        assert_eq!(column::<BooleanArray>(batch, 3), BooleanArray::from(vec![Some(true), None, None]));
        assert_eq!(column::<TimestampMillisecondArray>(batch, 4), TimestampMillisecondArray::from(vec![Some(1000), None, None]));
        // The digits as they are written, as in `test_quick_query_output_in_arrow_format` of azure-storage-blob for Python.
        let decimals = Decimal128Array::from(vec![Some(400), None, Some(1234)]).with_precision_and_scale(4, 2).unwrap();
        assert_eq!(column::<Decimal128Array>(batch, 5), decimals);
        // Without rows there are a schema and an end.
        let none = query_body("SELECT _1 FROM BlobStorage WHERE _2 = 'none'", "<Type>delimited</Type>", &output);
        let (rows, errors) = rows_and_errors(&request(none).await);
        assert_eq!((batches(&rows).len(), errors.len()), (0, 0));
        // An aggregate is a row of one value.
        let count = query_body("SELECT COUNT(*) FROM BlobStorage", "<Type>delimited</Type>", &fields(&["<Type>int64</Type>"]));
        let (rows, _) = rows_and_errors(&request(count).await);
        assert_eq!(column::<Int64Array>(&batches(&rows)[0], 0), Int64Array::from(vec![4]));
    }

    #[tokio::test]
    async fn a_long_arrow_answer_has_many_batches() {
        let server = server().await;
        server.blob("/box/long", (0..20_000).map(|at| format!("{at}\n")).collect::<String>()).await;
        let body = query_body(ALL, "<Type>delimited</Type>", &fields(&["<Type>int64</Type>"]));
        let (rows, errors) = rows_and_errors(&server.request("POST", "/box/long?comp=query").body(body).send().await);
        assert!(errors.is_empty(), "{errors:?}");
        let batches = batches(&rows);
        assert!(batches.len() > 1);
        assert!(batches.iter().flat_map(|batch| column::<Int64Array>(batch, 0).values().to_vec()).eq(0..20_000));
    }

    #[tokio::test]
    async fn schemas_and_sides_that_do_not_exist_are_refused() {
        let server = server().await;
        let plain = "<Type>delimited</Type>";
        let decimal = |precision: &str, scale: &str| {
            fields(&[&format!("<Type>decimal</Type><Precision>{precision}</Precision><Scale>{scale}</Scale>")])
        };
        let int = fields(&["<Type>int64</Type>"]);
        for (input, output, verdict) in [
            (plain, "<Type>arrow</Type>", "400 InvalidXmlDocument"),
            (plain, "<Type>arrow</Type><ArrowConfiguration />", "400 InvalidXmlDocument"),
            (plain, fields(&["<Name>a</Name>"]).as_str(), "400 InvalidXmlDocument"),
            (plain, fields(&["<Type>int32</Type>"]).as_str(), "400 InvalidXmlNodeValue"),
            (plain, decimal("39", "0").as_str(), "400 InvalidXmlNodeValue"),
            (plain, decimal("0", "0").as_str(), "400 InvalidXmlNodeValue"),
            (plain, decimal("4", "5").as_str(), "400 InvalidXmlNodeValue"),
            (plain, decimal("four", "2").as_str(), "400 InvalidXmlNodeValue"),
            (plain, PARQUET, "400 InvalidXmlNodeValue"),
            (int.as_str(), plain, "400 InvalidXmlNodeValue"),
        ] {
            let answer = server.request("POST", "/box/people?comp=query").body(query_body(ALL, input, output)).send().await;
            assert_eq!(answer.verdict(), verdict, "{input} {output}");
        }
    }
}
