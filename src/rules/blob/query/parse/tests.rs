//! Valid and invalid queries, and that a parsed query is printed unchanged.

use super::*;
use proptest::prelude::*;
use std::fmt;

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

fn any_of<T: WireName + fmt::Debug>() -> impl Strategy<Value = T> {
    prop::sample::select(T::NAMES).prop_map(|(item, _)| item)
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
    let field = (names(), prop::collection::vec(prop_oneof![names(), (0..9usize).prop_map(Step::Index)], 0..3))
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
            (one(), any_of::<Comparison>(), one()).prop_map(|(a, how, b)| Expr::Compare(a, how, b)),
            (one(), one(), one()).prop_map(|(a, b, c)| Expr::Between(a, b, c)),
            (one(), many()).prop_map(|(a, values)| Expr::In(a, values)),
            (one(), one(), prop::option::of(one())).prop_map(|(a, pattern, escape)| Expr::Like(a, pattern, escape)),
            one().prop_map(Expr::IsNull),
            one().prop_map(Expr::IsMissing),
            (one(), any_of::<Kind>()).prop_map(|(a, kind)| Expr::Cast(a, kind)),
            (any_of::<Part>(), one(), one()).prop_map(|(part, a, b)| match part.is_measure() {
                true => Expr::DateAdd(part, a, b),
                false => Expr::Extract(part, a),
            }),
            (any_of::<Part>().prop_filter("a measure", |part| part.is_measure()), one(), one())
                .prop_map(|(part, a, b)| Expr::DateDiff(part, a, b)),
            (any_of::<Function>(), prop::collection::vec(inner.clone(), 3)).prop_map(|(function, mut given)| {
                given.truncate(function.arity().1);
                Expr::Function(function, given)
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

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SELECT ")?;
        match &self.select {
            Select::All => f.write_str("*")?,
            Select::Columns(columns) => list(f, columns)?,
            Select::Total(how, Some(of)) => write!(f, "{}({of})", how.name())?,
            Select::Total(how, None) => write!(f, "{}(*)", how.name())?,
            Select::Split(bytes) => write!(f, "sys.split({bytes})")?,
        }
        f.write_str(" FROM BlobStorage")?;
        steps(f, &self.from, false)?;
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if let Some(limit) = self.limit {
            write!(f, " LIMIT {limit}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        match &self.name {
            Some(name) => write!(f, " AS \"{}\"", name.replace('"', "\"\"")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Value(Value::Text(text)) => write!(f, "'{}'", text.replace('\'', "''")),
            Expr::Value(Value::Float(number)) => write!(f, "{number:?}"),
            Expr::Value(Value::Null | Value::Missing) => f.write_str("NULL"),
            Expr::Value(value) => f.write_str(&value.clone().into_text()),
            Expr::Field(path) => steps(f, path, true),
            Expr::Not(inner) => write!(f, "(NOT {inner})"),
            Expr::Negate(inner) => write!(f, "(- {inner})"),
            Expr::All(parts) => joined(f, parts, " AND "),
            Expr::Any(parts) => joined(f, parts, " OR "),
            Expr::Chain(first, rest) => {
                write!(f, "({first}")?;
                for (sign, next) in rest {
                    write!(f, " {} {next}", sign.name())?;
                }
                f.write_str(")")
            }
            Expr::Compare(left, how, right) => write!(f, "({left} {} {right})", how.name()),
            Expr::Between(inner, low, high) => write!(f, "({inner} BETWEEN {low} AND {high})"),
            Expr::In(inner, values) => {
                write!(f, "({inner} IN (")?;
                list(f, values)?;
                f.write_str("))")
            }
            Expr::Like(inner, pattern, None) => write!(f, "({inner} LIKE {pattern})"),
            Expr::Like(inner, pattern, Some(escape)) => write!(f, "({inner} LIKE {pattern} ESCAPE {escape})"),
            Expr::IsNull(inner) => write!(f, "({inner} IS NULL)"),
            Expr::IsMissing(inner) => write!(f, "({inner} IS MISSING)"),
            Expr::DateAdd(part, quantity, moment) => write!(f, "DATE_ADD('{}', {quantity}, {moment})", part.name()),
            Expr::DateDiff(part, from, to) => write!(f, "DATE_DIFF('{}', {from}, {to})", part.name()),
            Expr::Extract(part, moment) => write!(f, "EXTRACT({} FROM {moment})", part.name()),
            Expr::Cast(inner, kind) => write!(f, "CAST({inner} AS {})", kind.name()),
            Expr::Function(function @ (Function::TrimLeading | Function::TrimTrailing), inner) => match &inner[..] {
                [text, of] => write!(f, "TRIM({} {of} FROM {text})", function.name()),
                _ => {
                    write!(f, "TRIM({} FROM ", function.name())?;
                    list(f, inner)?;
                    f.write_str(")")
                }
            },
            Expr::Function(Function::Trim, inner) if inner.len() == 2 => write!(f, "TRIM(BOTH {} FROM {})", inner[1], inner[0]),
            Expr::Function(function, inner) => {
                write!(f, "{}(", function.name())?;
                list(f, inner)?;
                f.write_str(")")
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        write!(f, "{item}")?;
    }
    Ok(())
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Expr], word: &str) -> fmt::Result {
    f.write_str("(")?;
    for (at, part) in parts.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { word })?;
        write!(f, "{part}")?;
    }
    f.write_str(")")
}

/// Writes a path; with `begins`, the first name has no dot before it.
fn steps(f: &mut fmt::Formatter<'_>, path: &[Step], begins: bool) -> fmt::Result {
    for (at, step) in path.iter().enumerate() {
        match step {
            Step::Name(name, quoted) => {
                f.write_str(if begins && at == 0 { "" } else { "." })?;
                match quoted {
                    Quoted::Yes => write!(f, "\"{}\"", name.replace('"', "\"\""))?,
                    Quoted::No => f.write_str(name)?,
                }
            }
            Step::Index(index) => write!(f, "[{index}]")?,
            Step::Each => f.write_str("[*]")?,
        }
    }
    Ok(())
}
