//! Streams of values, and the rows in them.

use super::*;

fn values(text: &'static [u8], separator: &[u8]) -> Result<String, RowError> {
    let mut input = Input::new(text.chunks(3).map(Bytes::from_static));
    let mut seen = Vec::new();
    while let Some(value) = read(&mut input, separator)? {
        seen.push(value.to_string());
    }
    Ok(seen.join(" "))
}

#[test]
fn reads_values_however_they_are_separated() {
    for (text, separator, wanted) in [
        (&b""[..], &b"\n"[..], ""),
        (b"{\"b\": 1, \"a\": \"}\\\"{\"}\n{}", b"\n", "{\"b\":1,\"a\":\"}\\\"{\"} {}"),
        (b"{\"a\":[1,{\"b\":2}]}{\"a\":2}", b"\n", "{\"a\":[1,{\"b\":2}]} {\"a\":2}"),
        (b"1;2.5;null;\"x;y\";[3]", b";", "1 2.5 null \"x;y\" [3]"),
        (b"\xef\xbb\xbf{} \r\n", b"\n", "{}"),
    ] {
        assert_eq!(values(text, separator).unwrap(), wanted);
    }
    for text in [&b"{\"a\":1"[..], b"[1", b"\"a", b"{\"a\":nope}", b"{\"a\":\"\xff\"}"] {
        assert_eq!(values(text, b"\n"), Err(RowError::INPUT), "{:?}", String::from_utf8_lossy(text));
    }
}

/// The first two texts are recorded; the others follow them.
#[test]
fn invalid_json_is_described() {
    for (text, wanted) in [
        (&b"{name: owner}\n{}"[..], "Unexpected token 'n' at [byte: 1]. Expecting token '\"'. "),
        (b"100,200,300,400\n", "Unexpected token ',' at [byte: 3]. Expecting tokens '{', or '['. "),
        (b"nope", "Unexpected token 'n' at [byte: 0]. Expecting tokens '{', or '['. "),
        (b"}", "Unexpected token '}' at [byte: 0]. Expecting tokens '{', or '['. "),
        (b"{\"a\" 1}", "Unexpected token '1' at [byte: 5]. Expecting token ':'. "),
        (b"{\"a\": [1, \"\\\"\"] x}", "Unexpected token 'x' at [byte: 16]. Expecting tokens ',', or '}'. "),
        (b"[1 2]", "Unexpected token '2' at [byte: 3]. Expecting tokens ',', or ']'. "),
        (b"{\"a\":1]}", "Unexpected token ']' at [byte: 6]. Expecting tokens ',', or '}'. "),
    ] {
        let error = values(text, b"\n").unwrap_err();
        assert_eq!(
            (error.fatal, error.name, &*error.message),
            (true, "ParseError", wanted),
            "{:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn finds_the_rows_of_a_document() {
    let document =
        serde_json::json!({ "id": 1, "dimensions": { "length": 3 }, "warehouses": [{ "latitude": 41.8 }, { "latitude": 1 }] });
    let name = |name: &str| Step::Name(name.to_owned(), crate::rules::blob::query::sql::Quoted::No);
    for (path, wanted) in [
        (vec![Step::Each, name("dimensions")], "{\"length\":3}"),
        (vec![Step::Each, name("warehouses"), Step::Each], "{\"latitude\":41.8} {\"latitude\":1}"),
        (vec![Step::Each, name("warehouses"), Step::Index(1)], "{\"latitude\":1}"),
        (vec![name("none"), Step::Each], ""),
        (vec![name("id")], "1"),
    ] {
        let rows: Vec<String> = rows(document.clone(), &path).iter().map(ToString::to_string).collect();
        assert_eq!(rows.join(" "), wanted, "{path:?}");
    }
    assert_eq!(rows(document.clone(), &[Step::Each]), [document]);
}
