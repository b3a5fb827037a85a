//! Valid and invalid queries, and that a parsed query is printed unchanged.

use super::*;
use proptest::prelude::*;

#[test]
fn reads_the_reference() {
    for (text, printed) in [
        ("SELECT * from BlobStorage", "SELECT * FROM BlobStorage"),
        ("select * FROM blobstorage limit 5;", "SELECT * FROM BlobStorage LIMIT 5"),
        ("SELECT Title, \"The Author\", _3 FROM BlobStorage", "SELECT Title, \"The Author\", _3 FROM BlobStorage"),
        ("SELECT COUNT(*) FROM BlobStorage WHERE a='x'", "SELECT COUNT(*) FROM BlobStorage WHERE (a = 'x')"),
        ("SELECT avg(_1) FROM BlobStorage", "SELECT AVERAGE(_1) FROM BlobStorage"),
        ("SELECT sys.split(10485760)FROM BlobStorage", "SELECT sys.split(10485760) FROM BlobStorage"),
        (
            "SELECT weight,warehouses[0].longitude,id,tags[1] FROM BlobStorage[*]",
            "SELECT weight, warehouses[0].longitude, id, tags[1] FROM BlobStorage[*]",
        ),
        ("SELECT latitude FROM BlobStorage[*].warehouses[*]", "SELECT latitude FROM BlobStorage[*].warehouses[*]"),
        ("SELECT TRIM(BOTH '123' FROM '11x') FROM BlobStorage", "SELECT TRIM(BOTH '123' FROM '11x') FROM BlobStorage"),
        ("SELECT TRIM(LEADING FROM a) FROM BlobStorage", "SELECT TRIM(LEADING FROM a) FROM BlobStorage"),
        ("SELECT CHARACTER_LENGTH('a''b') FROM BlobStorage", "SELECT CHAR_LENGTH('a''b') FROM BlobStorage"),
        (
            "SELECT a AS b FROM BlobStorage WHERE NOT a>1+2*3 AND b IS NOT NULL OR c NOT IN (1,2) AND d IS MISSING",
            "SELECT a AS \"b\" FROM BlobStorage WHERE (((NOT (a > (1 + (2 * 3)))) AND (NOT (b IS NULL))) OR ((NOT (c IN (1, 2))) AND (d IS MISSING)))",
        ),
        (
            "SELECT * FROM BlobStorage WHERE CAST(_1 AS int) BETWEEN -1 AND 2.5e1 AND _2 NOT LIKE 'a!%' ESCAPE '!'",
            "SELECT * FROM BlobStorage WHERE ((CAST(_1 AS INT) BETWEEN (- 1) AND 25.0) AND (NOT (_2 LIKE 'a!%' ESCAPE '!')))",
        ),
    ] {
        let query = parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(query.to_string(), printed);
        assert_eq!(parse(printed), Ok(query));
    }
}

#[test]
fn refuses_everything_else() {
    for text in [
        "",
        "SELECT",
        "SELECT * FROM",
        "SELECT * FROM Other",
        "SELECT FROM BlobStorage",
        "SELECT a, FROM BlobStorage",
        "SELECT *, a FROM BlobStorage",
        "SELECT * FROM BlobStorage WHERE",
        "SELECT * FROM BlobStorage WHERE a =",
        "SELECT * FROM BlobStorage WHERE a = 'x",
        "SELECT * FROM BlobStorage WHERE a = b = c",
        "SELECT * FROM BlobStorage WHERE a NOT b",
        "SELECT * FROM BlobStorage WHERE (a = b",
        "SELECT * FROM BlobStorage WHERE a IN 1",
        "SELECT * FROM BlobStorage LIMIT -1",
        "SELECT * FROM BlobStorage LIMIT x",
        "SELECT * FROM BlobStorage GROUP BY a",
        "SELECT * FROM BlobStorage[x]",
        "SELECT * FROM BlobStorage; SELECT * FROM BlobStorage",
        "SELECT COUNT(*), a FROM BlobStorage",
        "SELECT SUM(*) FROM BlobStorage",
        "SELECT CAST(a AS xml) FROM BlobStorage",
        "SELECT UPPER(a, b) FROM BlobStorage",
        "SELECT DATE_ADD('week', 1, a) FROM BlobStorage",
        "SELECT DATE_ADD('timezone_hour', 1, a) FROM BlobStorage",
        "SELECT DATE_ADD('day', 1) FROM BlobStorage",
        "SELECT DATE_DIFF('day', a, b, c) FROM BlobStorage",
        "SELECT EXTRACT('day', a) FROM BlobStorage",
        "SELECT EXTRACT(a FROM b) FROM BlobStorage",
        "SELECT TO_STRING(a) FROM BlobStorage",
        "SELECT DATE_PART('day', a) FROM BlobStorage",
        "SELECT LEADING(a) FROM BlobStorage",
        "SELECT sys.split(10) FROM BlobStorage",
        "SELECT a ? b FROM BlobStorage",
        "DELETE FROM BlobStorage",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    let columns = |count| format!("SELECT {} FROM BlobStorage", vec!["a"; count].join(","));
    assert!(parse(&columns(49)).is_ok());
    assert!(parse(&columns(50)).is_err());
}

#[test]
fn no_input_can_take_the_stack() {
    let filtered = |filter: String| parse(&format!("SELECT * FROM BlobStorage WHERE {filter}"));
    for (open, close) in [("(", ")"), ("NOT ", ""), ("- ", ""), ("UPPER(", ")"), ("CAST(", " AS INT)"), ("a IN (", ")")] {
        let nested = |depth: usize| filtered(format!("{}a{}", open.repeat(depth), close.repeat(depth)));
        assert!(nested(20).is_ok(), "{open}");
        assert!(nested(33).is_err(), "{open}");
        assert!(nested(100_000).is_err(), "{open}");
    }
    for chain in ["a = 1 AND ", "a = 1 OR ", "a + ", "a * "] {
        let query = filtered(format!("{}a", chain.repeat(50_000))).unwrap();
        assert_eq!(parse(&query.to_string()), Ok(query), "{chain}");
    }
}

fn names() -> impl Strategy<Value = Step> {
    prop_oneof![
        "x[a-z0-9_]{0,5}".prop_map(|name| Step::Name(name, Quoted::No)),
        "[ -~é]{0,6}".prop_map(|name| Step::Name(name, Quoted::Yes))
    ]
}

fn expressions() -> impl Strategy<Value = Expr> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..i64::MAX).prop_map(Value::Int),
        (0.0..1e300).prop_map(Value::Float),
        "[ -~é]{0,6}".prop_map(Value::Text),
    ];
    let field = (names(), prop::collection::vec(prop_oneof![names(), (0..9usize).prop_map(Step::At)], 0..3))
        .prop_map(|(first, rest)| Expr::Field(std::iter::once(first).chain(rest).collect()));
    prop_oneof![value.prop_map(Expr::Value), field].prop_recursive(4, 24, 3, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let many = || prop::collection::vec(inner.clone(), 2..4);
        let signs = |signs: &'static [Sign]| {
            let rest = prop::collection::vec((prop::sample::select(signs), inner.clone()), 1..3);
            (one(), rest).prop_map(|(first, rest)| Expr::Chain(first, rest))
        };
        prop_oneof![
            one().prop_map(Expr::Not),
            one().prop_map(Expr::Negate),
            many().prop_map(Expr::All),
            many().prop_map(Expr::Any),
            signs(&[Sign::Plus, Sign::Minus]),
            signs(&[Sign::Times, Sign::Over, Sign::Modulo]),
            (one(), prop::sample::select(Comparison::ALL), one()).prop_map(|(a, how, b)| Expr::Compare(a, how, b)),
            (one(), one(), one()).prop_map(|(a, b, c)| Expr::Between(a, b, c)),
            (one(), many()).prop_map(|(a, values)| Expr::In(a, values)),
            (one(), one(), prop::option::of(one())).prop_map(|(a, pattern, escape)| Expr::Like(a, pattern, escape)),
            one().prop_map(Expr::IsNull),
            one().prop_map(Expr::IsMissing),
            (one(), prop::sample::select(Kind::ALL)).prop_map(|(a, kind)| Expr::Cast(a, kind)),
            (prop::sample::select(Part::ALL), one(), one()).prop_map(|(part, a, b)| match part.is_measure() {
                true => Expr::DateAdd(part, a, b),
                false => Expr::Extract(part, a),
            }),
            (prop::sample::select(&Part::ALL[..6]), one(), one()).prop_map(|(part, a, b)| Expr::DateDiff(part, a, b)),
            (prop::sample::select(Function::ALL), prop::collection::vec(inner.clone(), 3)).prop_map(|(function, mut given)| {
                given.truncate(function.arity().1);
                Expr::Call(function, given)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(value in expressions(), filter in prop::option::of(expressions()), limit in prop::option::of(any::<u64>()), total in any::<bool>()) {
        let select = if total { Select::Total(Aggregate::Sum, Some(value)) } else { Select::Columns(vec![Column { value, name: Some("a\"b".into()) }]) };
        let query = Query { select, from: vec![Step::Each], filter, limit };
        prop_assert_eq!(parse(&query.to_string()), Ok(query));
    }

    #[test]
    fn any_text_is_read_or_refused(text in r#"SELECT ([ "'()<>=!.,;*\[\]aE19é-]|AND|IS|NOT|TRIM\(|CAST\(|FROM BlobStorage|WHERE|LIMIT){0,24}"#) {
        let _ = parse(&text);
    }
}
