//! Examples of delimited text, and that written rows are parsed back.

use super::*;
use proptest::prelude::*;

fn rows(text: &[u8], dialect: &Dialect, cut: usize) -> Result<Vec<Vec<String>>, RowError> {
    let mut input = Input::new(text.chunks(cut).map(Bytes::copy_from_slice).collect::<Vec<_>>().into_iter());
    let (mut fields, mut rows) = (Fields::default(), Vec::new());
    while fields.read(&mut input, dialect)? {
        rows.push(fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect());
    }
    assert_eq!(input.position(), text.len() as u64);
    Ok(rows)
}

#[test]
fn reads_what_is_written_by_hand() {
    let plain = Dialect::default();
    let odd = Dialect { column: b"::".into(), quote: Some(b'\''), record: b"\r\n".into(), escape: Some(b'\\'), headers: false };
    let bare = Dialect { quote: None, ..Dialect::default() };
    for (text, dialect, wanted) in [
        ("", &plain, &[][..]),
        ("a", &plain, &[&["a"][..]]),
        ("a,b\nc,\n", &plain, &[&["a", "b"], &["c", ""]]),
        ("a,b\r\nc\r\n", &plain, &[&["a", "b"], &["c"]]),
        ("\n,\n", &plain, &[&[""], &["", ""]]),
        ("\"a,\nb\",\"c\"\"d\"\r\n\"\"\n", &plain, &[&["a,\nb", "c\"d"], &[""]]),
        ("a\"b,c\" d\n", &plain, &[&["a\"b", "c\" d"]]),
        ("\u{feff}a\n", &plain, &[&["a"]]),
        ("a:b::c\nd\r\n'e::f'::g\\::h", &odd, &[&["a:b", "c\nd"], &["e::f", "g::h"]]),
        ("'it\\'s'::\\'", &odd, &[&["it's", "'"]]),
        ("\"a,b\"\n", &bare, &[&["\"a", "b\""]]),
    ] {
        for cut in [1, 2, 100] {
            assert_eq!(rows(text.as_bytes(), dialect, cut).unwrap(), wanted, "{text:?}");
        }
    }
    assert_eq!(rows(b"a\n\"b", &plain, 9), Err(RowError::INPUT));
    assert_eq!(rows(&[b'a'; LONGEST + 1], &plain, 1 << 20), Err(RowError::INPUT));
}

#[test]
fn finds_columns_by_name_and_ordinal() {
    let read = |text: &'static str| {
        let mut fields = Fields::default();
        fields.read(&mut Input::new(std::iter::once(Bytes::from(text))), &Dialect::default()).unwrap();
        fields
    };
    let (names, fields) = (read("Id,The Name,_9"), read("1,x,y"));
    let field = |names, name: &str, quoted| NamedFields { names, fields: &fields }.field(&[Step::Name(name.into(), quoted)]);
    let value = |text: &str| Ok(Value::Text(text.into()));
    assert_eq!(field(Some(&names), "ID", Quoted::No), value("1"));
    assert_eq!(field(Some(&names), "ID", Quoted::Yes), Err(RowError::COLUMN));
    assert_eq!(field(Some(&names), "The Name", Quoted::Yes), value("x"));
    assert_eq!(field(Some(&names), "_9", Quoted::No), value("y"));
    assert_eq!(field(Some(&names), "_1", Quoted::No), value("1"));
    assert_eq!(field(Some(&names), "_4", Quoted::No), Err(RowError::ORDINAL));
    assert_eq!(field(None, "_0", Quoted::No), Err(RowError::COLUMN));
    assert_eq!(field(None, "Id", Quoted::No), Err(RowError::COLUMN));
}

proptest! {
    /// Written rows are parsed back, whatever the fields contain.
    #[test]
    fn reads_what_it_writes(table in prop::collection::vec(prop::collection::vec("[a,;.\"'\\\\\r\n]{0,5}", 1..4), 0..4), escape in any::<bool>()) {
        let dialect = Dialect { column: b";".into(), quote: Some(b'\''), record: b".".into(), escape: escape.then_some(b'\\'), headers: false };
        let mut out = Vec::new();
        for row in &table { write(&mut out, row.iter().map(String::as_bytes), &dialect); }
        prop_assert_eq!(rows(&out, &dialect, 3).unwrap(), table);
    }
}
