//! Complete queries, from the text of a blob to the records of the answer.

use super::*;

const SYNC: [u8; 16] = *b"0123456789abcdef";

/// The records of an answer: `data`, `!name at position` (`!!` when fatal), `progress/total`, `end total`.
fn run(query: &str, input: &Format, output: &Format, text: &str) -> String {
    let task = Task::new(parse(query).unwrap(), input.clone(), Output::Text(output.clone())).unwrap();
    let chunks = text.as_bytes().chunks(7).map(Bytes::copy_from_slice).collect::<Vec<_>>();
    let answer: Vec<u8> = Run::new(task, chunks.into_iter(), text.len() as u64, Timestamp::default(), SYNC).flatten().collect();
    records(&answer).join(" ")
}

fn long(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return number >> 1;
        }
    }
}

fn part<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = long(bytes) as usize;
    let (part, rest) = bytes.split_at(length);
    *bytes = rest;
    part
}

fn records(answer: &[u8]) -> Vec<String> {
    let head = include_str!("schema.json").len() + 20;
    assert_eq!(&answer[head - 1..head + 16], [&b"\0"[..], &SYNC].concat());
    let (mut rest, mut records) = (&answer[head + 16..], Vec::new());
    while !rest.is_empty() {
        assert_eq!(long(&mut rest), 1, "a record a block");
        let mut block = part(&mut rest);
        assert_eq!(rest[..16], SYNC);
        rest = &rest[16..];
        records.push(match long(&mut block) {
            0 => String::from_utf8(part(&mut block).to_vec()).unwrap(),
            1 => {
                let fatal = if block[0] == 1 { "!!" } else { "!" };
                block = &block[1..];
                let name = String::from_utf8(part(&mut block).to_vec()).unwrap();
                part(&mut block);
                format!("{fatal}{name} at {}", long(&mut block))
            }
            2 => format!("{}/{}", long(&mut block), long(&mut block)),
            _ => format!("end {}", long(&mut block)),
        });
        assert!(block.is_empty());
    }
    records
}

fn csv() -> Format {
    Format::Delimited(Dialect::default())
}

fn headed() -> Format {
    Format::Delimited(Dialect { headers: true, ..Dialect::default() })
}

fn json() -> Format {
    Format::Json(b"\n".into())
}

#[test]
fn begins_as_recorded() {
    let task = Task::new(parse("SELECT * FROM BlobStorage").unwrap(), csv(), Output::Text(csv())).unwrap();
    let answer: Vec<u8> = Run::new(task, std::iter::empty(), 0, Timestamp::default(), SYNC).flatten().collect();
    assert!(answer.starts_with(b"Obj\x01\x02\x16avro.schema\xbe\x1e[\n  {\n    \"type\": \"record\","));
    // A block with one record of two bytes: no rows.
    assert!(answer[1971..].starts_with(&[&SYNC[..], b"\x02\x04\0\0", &SYNC].concat()));
}

#[test]
fn answers_rows() {
    let people = "name,age\nAda,36\nBob\nEve,x\n";
    for (query, input, output, text, wanted) in [
        ("SELECT * FROM BlobStorage", csv(), csv(), "a,b\r\n\"c,d\"", "a,b\n\"c,d\"\n 10/10 end 10"),
        ("SELECT * FROM BlobStorage", headed(), headed(), people, "name,age\nAda,36\nBob\nEve,x\n 26/26 end 26"),
        ("SELECT * FROM BlobStorage", headed(), csv(), people, "Ada,36\nBob\nEve,x\n 26/26 end 26"),
        ("SELECT age AS years, _1 FROM BlobStorage LIMIT 1", headed(), headed(), people, "years,_1\n36,Ada\n 26/26 end 26"),
        ("SELECT * FROM BlobStorage", headed(), headed(), "a\n", "a\n 2/2 end 2"),
        ("SELECT * FROM BlobStorage", csv(), headed(), "a\n", "a\n 2/2 end 2"),
        ("SELECT COUNT(*) FROM BlobStorage", headed(), headed(), people, "3\n 26/26 end 26"),
        ("SELECT age FROM BlobStorage", headed(), csv(), people, "36\nx\n !InvalidColumnOrdinal at 16 26/26 end 26"),
        ("SELECT none FROM BlobStorage", headed(), csv(), people, " !!InvalidColumnName at 9 26/26 end 26"),
        (
            "SELECT name FROM BlobStorage WHERE _2 > 30",
            headed(),
            json(),
            people,
            "{\"name\":\"Ada\"}\n !InvalidColumnOrdinal at 16 !InvalidTypeConversion at 20 26/26 end 26",
        ),
        ("SELECT * FROM BlobStorage LIMIT 1", headed(), json(), people, "{\"name\":\"Ada\",\"age\":\"36\"}\n 26/26 end 26"),
        ("SELECT * FROM BlobStorage LIMIT 0", headed(), csv(), people, " 26/26 end 26"),
        ("SELECT * FROM BlobStorage", csv(), json(), "1,2", "{\"_1\":\"1\",\"_2\":\"2\"}\n 3/3 end 3"),
        ("SELECT _1 + 1, _2 AS two FROM BlobStorage", csv(), json(), "1,2", "{\"_1\":2,\"two\":\"2\"}\n 3/3 end 3"),
        (
            "SELECT a FROM BlobStorage",
            json(),
            json(),
            "{\"a\":1}{\"b\":2}{\"a\":null}",
            "{\"a\":1}\n{}\n{\"a\":null}\n 24/24 end 24",
        ),
        ("SELECT * FROM BlobStorage", json(), csv(), "{\"b\":1.5,\"a\":[true,\"x\"]}", "1.5,\"[true,\"\"x\"\"]\"\n 24/24 end 24"),
        ("SELECT * FROM BlobStorage[*].l[*]", json(), json(), "{\"l\":[{\"b\":1},2]}", "{\"b\":1}\n{\"_1\":2}\n 17/17 end 17"),
        ("SELECT a FROM BlobStorage", json(), csv(), "{\"a\":1}\n{a}", "1\n !!ParseError at 7 11/11 end 11"),
    ] {
        assert_eq!(run(query, &input, &output, text), wanted, "{query}");
    }
}

#[test]
fn adds_up() {
    for (select, wanted) in [
        ("COUNT(*)", "4"),
        ("COUNT(n)", "3"),
        ("SUM(n)", "6"),
        ("SUM(f)", "1.5"),
        ("AVERAGE(n)", "2"),
        ("AVG(f)", "0.75"),
        ("MIN(n)", "1"),
        ("MAX(n)", "3"),
        ("MAX(t)", "b"),
        ("SUM(none)", ""),
        ("SUM(n * 2)", "12"),
    ] {
        let text = "{\"n\":1,\"f\":0.5,\"t\":\"a\"}{\"n\":3,\"t\":\"b\"}{\"n\":2,\"f\":1}{\"n\":null}";
        let answer = run(&format!("SELECT {select} FROM BlobStorage"), &json(), &csv(), text);
        assert_eq!(answer.lines().next(), Some(wanted), "{select}");
    }
    let sum = run("SELECT SUM(_1) FROM BlobStorage", &csv(), &json(), "1\nx\n2\n");
    assert_eq!(sum, "{\"_1\":3}\n !InvalidTypeConversion at 2 6/6 end 6", "what is wrong with a row is not counted");
}

#[test]
fn long_blobs_come_in_batches() {
    let line = format!("{}\n", "x".repeat(99));
    let text = line.repeat(10_000);
    let whole = run("SELECT * FROM BlobStorage", &csv(), &csv(), &text);
    assert_eq!(whole.matches(" end ").count(), 1);
    assert_eq!(whole.matches("/1000000").count(), 1_000_000_usize.div_ceil(65_600));
    assert_eq!(whole.matches('x').count(), 990_000);
    let split = run("SELECT sys.split(10485760) FROM BlobStorage", &csv(), &csv(), &line.repeat(250_000));
    let sizes: Vec<&str> = split.split_whitespace().filter(|word| !word.contains('/')).collect();
    assert_eq!(sizes, ["10485800", "10485800", "4028400", "end", "25000000"]);
}

#[test]
fn what_does_not_go_together() {
    let task = |query, input: Format| Task::new(parse(query).unwrap(), input, Output::Text(csv())).map(|_| ());
    assert!(task("SELECT * FROM BlobStorage.a", csv()).is_err());
    assert!(task("SELECT * FROM BlobStorage[*]", csv()).is_ok());
    assert!(task("SELECT sys.split(10485760) FROM BlobStorage", json()).is_err());
}
