//! Tables of filters, and properties of all filters: evaluation, printing and ranges agree with a naive evaluator.

use super::*;
use crate::rules::error::ErrorCode;
use crate::rules::table::entity::value::{date_text, double_text};
use crate::rules::table::entity::{Key, Value};
use crate::rules::time::Timestamp;
use proptest::prelude::*;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter, Write};

#[derive(Clone, Debug)]
struct Entity(Vec<(&'static str, Value)>);

impl Record for Entity {
    fn field(&self, name: &str) -> Option<ValueRef<'_>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
    }
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn row() -> Entity {
    Entity(vec![
        ("PartitionKey", text("p")),
        ("RowKey", text("r'1")),
        ("Text", text("abc")),
        ("Small", Value::Int32(5)),
        ("Large", Value::Int64(5)),
        ("Ratio", Value::Double(2.5)),
        ("Odd", Value::Double(f64::NAN)),
        ("Married", Value::Boolean(true)),
        ("Single", Value::Boolean(false)),
        ("Birthday", Value::DateTime(Timestamp::parse_iso("1970-10-04T00:00:00Z").unwrap())),
        ("Id", Value::Guid(uuid::Uuid::parse_str("c9da6455-213d-42c9-9a79-3e9149a57833").unwrap())),
        ("Bytes", Value::Binary([1, 0xab].into())),
    ])
}

#[test]
fn filters_are_evaluated() {
    for (filter, expected) in [
        // Every type with its literal.
        ("Text eq 'abc'", true),
        ("Text eq 'ABC'", false),
        ("Text gt 'ab' and Text lt 'abd'", true),
        ("RowKey eq 'r''1'", true),
        ("Small eq 5", true),
        ("Small ge 6", false),
        ("Large eq 5L", true),
        ("Large gt -5l", true),
        ("Ratio lt 4.1", true),
        ("Ratio eq 25e-1", true),
        ("Ratio eq 2.5d", true),
        ("Ratio lt INF and Ratio gt -INF", true),
        ("Odd eq NaN", false),
        ("Married eq true", true),
        ("Married ne false", true),
        ("Birthday eq datetime'1970-10-04T00:00:00.000000Z'", true),
        ("Birthday lt datetime'1970-10-04T00:00:00.0000001Z'", true),
        ("Id eq guid'C9DA6455-213d-42c9-9a79-3e9149a57833'", true),
        ("Bytes eq X'01ab'", true),
        ("Bytes eq binary'01AB'", true),
        ("Bytes gt X'01'", true),
        // Only an Int32 constant is compared with other types.
        ("Small eq '5'", false),
        ("Small ne '5'", false),
        ("Text eq 5", false),
        ("Married eq 'true'", false),
        ("Large eq 5", true),
        ("Ratio gt 2", true),
        ("Small eq 5L", false),
        ("Small eq 5.0", false),
        // A comparison with a property that does not exist is false, and its negation true.
        ("Lost eq 'x'", false),
        ("Lost ne 'x'", false),
        ("not (Lost eq 'x')", true),
        ("small eq 5", false),
        // Constants as conditions.
        ("true", true),
        ("false", false),
        ("not false", true),
        ("(true) and not (false)", true),
        ("(Small eq 5) eq true", true),
        ("(Small eq 5) eq false", false),
        ("false ne (Small eq 5)", true),
        // Constants on the left, and on both sides.
        ("5 eq Small", true),
        ("6 gt Small", true),
        ("4 gt Small", false),
        ("1 eq 1", true),
        ("1 eq 2", false),
        // Precedence.
        ("Small eq 5 or Small eq 6 and Text eq 'no'", true),
        ("(Small eq 5 or Small eq 6) and Text eq 'no'", false),
        ("not Small eq 6", true),
        ("not not Married eq true", true),
        ("not Single eq true and Married eq true", true),
        ("not (Single eq true or Married eq true)", false),
        (" ( Small\teq 5 ) ", true),
        ("Small eq 5 and(Text eq 'abc')", true),
    ] {
        let parsed = parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
        assert_eq!(parsed.holds(&row()), expected, "{filter} is {parsed:?}");
    }
}

#[test]
fn malformed_filters_are_refused() {
    let invalid = |says: &'static str| (ErrorCode::InvalidInput, says);
    let missing = (ErrorCode::NotImplemented, ErrorCode::NotImplemented.message());
    const UNARY: &str =
        "A unary operator with an incompatible type was detected. Found operand type 'Edm.String' for operator kind 'Not'.";
    let binary = |left: &str, right: &str, kind: &str| {
        invalid(
            format!(
                "A binary operator with incompatible types was detected. Found operand types '{left}' and '{right}' for operator kind \
                 '{kind}'."
            )
            .leak(),
        )
    };
    for (filter, (code, says)) in [
        ("aaa bbb ccc", invalid("Syntax error at position 7 in 'aaa bbb ccc'.")),
        ("", invalid("Expression expected at position 0 in ''.")),
        ("a eq", invalid("Expression expected at position 4 in 'a eq'.")),
        ("a eq 1)", invalid("Syntax error at position 7 in 'a eq 1)'.")),
        ("(a eq 1", invalid("')' or operator expected at position 7 in '(a eq 1'.")),
        ("a eq 'x", invalid("There is an unterminated string literal at position 7 in 'a eq 'x'.")),
        ("a eq 1.", invalid("A digit was expected at position 7 in 'a eq 1.'.")),
        ("a eq 1e", invalid("A digit was expected at position 7 in 'a eq 1e'.")),
        ("a eq #", invalid("Syntax error: character '#' is not valid at position 5 in 'a eq #'.")),
        ("a EQ 1", invalid("Syntax error at position 4 in 'a EQ 1'.")),
        ("a eq 1 AND b eq 2", invalid("Syntax error at position 10 in 'a eq 1 AND b eq 2'.")),
        ("a eq 5454161346626", invalid("Unrecognized 'Edm.Int32' literal '5454161346626' at '18' in 'a eq 5454161346626'.")),
        ("a eq guid'x'", invalid("Unrecognized 'Edm.Guid' literal 'x' at '12' in 'a eq guid'x''.")),
        ("a eq datetime'x'", invalid("Unrecognized 'Edm.DateTime' literal 'x' at '16' in 'a eq datetime'x''.")),
        ("a eq X'1'", invalid("Unrecognized 'Edm.Binary' literal '1' at '9' in 'a eq X'1''.")),
        ("a eq 5x", invalid("Syntax error at position 6 in 'a eq 5x'.")),
        ("a eq é'x'", invalid("Syntax error at position 9 in 'a eq é'x''.")),
        ("a/b eq 1", invalid("Syntax error at position 2 in 'a/b eq 1'.")),
        ("'x'", invalid(ErrorCode::InvalidInput.message())),
        ("Married", invalid(ErrorCode::InvalidInput.message())),
        ("(Married)", invalid(ErrorCode::InvalidInput.message())),
        ("Married and Age eq 5", binary("Edm.String", "Edm.Boolean", "And")),
        ("Age eq 5 and Married", binary("Edm.Boolean", "Edm.String", "And")),
        ("Age eq 5 and true and (Married)", binary("Edm.Boolean", "Edm.String", "And")),
        ("Married or Single", binary("Edm.String", "Edm.String", "Or")),
        ("Timestamp or true", binary("Edm.DateTime", "Edm.Boolean", "Or")),
        ("5 and true", binary("Edm.Int32", "Edm.Boolean", "And")),
        ("not Married", invalid(UNARY)),
        ("Married eq True", invalid(ErrorCode::InvalidInput.message())),
        ("FALSE ne Married", invalid(ErrorCode::InvalidInput.message())),
        ("a eq null", invalid(ErrorCode::InvalidInput.message())),
        ("startswith(a,'x')", missing),
        ("substringof('x',a) eq true", missing),
        ("a add 1 eq 2", missing),
        ("a eq b", missing),
        ("(a eq 1) gt true", missing),
    ] {
        let error = parse(filter).expect_err(filter);
        assert_eq!((error.code(), error.message()), (code, says), "{filter}");
    }
    let deep = |count: usize| format!("{}true{}", "(".repeat(count), ")".repeat(count));
    assert!(parse(&deep(100)).is_ok());
    assert_eq!(parse(&deep(101)).unwrap_err().message(), "Recursion limit reached.");
    assert_eq!(parse(&"not ".repeat(5000)).unwrap_err().message(), "Recursion limit reached.");
    assert!(parse(&format!("true{}", " and true".repeat(5000))).unwrap().holds(&row()));
}

/// The reference limits filters to fifteen comparisons, but the service accepts more, and Orleans depends on it (Azure/Azurite#1745).
#[test]
fn comparisons_are_counted_and_not_limited() {
    for (filter, count) in [("true", 1), ("a eq 1", 1), ("a eq 1 and not (b eq 2 or c eq 3)", 3)] {
        assert_eq!(parse(filter).unwrap().comparisons(), count, "{filter}");
    }
    let many: Vec<String> = (0..1000).map(|n| format!("(PartitionKey eq 'p{n}' and RowKey eq 'r')")).collect();
    assert_eq!(parse(&many.join(" or ")).unwrap().comparisons(), 2000);
}

#[test]
fn only_texts_are_put_in_lower_case() {
    let lower = parse("Name ge 'AbC' and not (Id eq 5 or 'X' eq Name) or true").unwrap().in_lower_case();
    assert_eq!(lower.to_string(), "(Name ge 'abc' and not (Id eq 5 or 'x' eq Name)) or true");
}

/// The ranges of a filter, each as `from..to` of `partition/row`.
fn shown(filter: &str) -> String {
    let bound = |key: &Key| format!("{}/{}", key.partition(), key.row()).replace('\0', "+");
    let ranges = ranges(&parse(filter).unwrap());
    let shown =
        ranges.iter().map(|range| format!("{}..{}", bound(&range.from), range.to.as_ref().map(bound).unwrap_or_default()));
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_in_a_filter_limit_the_ranges() {
    for (filter, expected) in [
        ("Text eq 'x'", "/.."),
        ("PartitionKey eq 'a'", "a/..a+/"),
        ("'a' eq PartitionKey", "a/..a+/"),
        ("PartitionKey eq 'a' and RowKey eq 'b'", "a/b..a/b+"),
        ("PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c' and Text eq 'x'", "a/b..a/c"),
        ("PartitionKey eq 'a' and (RowKey eq 'b' or RowKey eq 'd')", "a/b..a/b+ a/d..a/d+"),
        ("PartitionKey eq 'a' or PartitionKey eq 'c'", "a/..a+/ c/..c+/"),
        ("PartitionKey ge 'a' and PartitionKey lt 'b'", "a/..b/"),
        ("PartitionKey gt 'a'", "a+/.."),
        ("PartitionKey le 'a'", "/..a+/"),
        ("RowKey eq 'b'", "/b.."),
        ("PartitionKey ge 'a' and RowKey ge 'b'", "a/b.."),
        ("PartitionKey lt 'b' or PartitionKey lt 'c'", "/..c/"),
        ("PartitionKey eq 'a' and PartitionKey eq 'b'", ""),
        ("PartitionKey eq 'a' and false", ""),
        ("PartitionKey eq 'a' or Text eq 'x'", "/.."),
        ("not (PartitionKey eq 'a')", "/.."),
        ("PartitionKey ne 'a'", "/.."),
        ("PartitionKey eq 5", "/.."),
    ] {
        assert_eq!(shown(filter), expected, "{filter}");
    }
}

/// A naive evaluator that shares no code with the real one.
fn naive(filter: &Filter, row: &Entity) -> bool {
    let value = |operand: &Operand| match operand {
        Operand::Property(name) => row.0.iter().find(|(known, _)| *known == &**name).map(|(_, value)| value.clone()),
        Operand::Constant(constant) => Some(constant.clone()),
    };
    match filter {
        Filter::And(parts) => !parts.iter().any(|part| !naive(part, row)),
        Filter::Or(parts) => parts.iter().filter(|part| naive(part, row)).count() > 0,
        Filter::Not(part) => !naive(part, row),
        Filter::Is(flag) => *flag,
        Filter::Compare(left, operator, right) => {
            let (Some(left), Some(right)) = (value(left), value(right)) else { return false };
            let order = match (&left, &right) {
                (Value::String(one), Value::String(other)) => {
                    one.encode_utf16().collect::<Vec<_>>().partial_cmp(&other.encode_utf16().collect())
                }
                (Value::Int32(one), Value::Int32(other)) => one.partial_cmp(other),
                (Value::Int64(one), Value::Int64(other)) => one.partial_cmp(other),
                (Value::Double(one), Value::Double(other)) => one.partial_cmp(other),
                (Value::Boolean(one), Value::Boolean(other)) => one.partial_cmp(other),
                _ => None,
            };
            match operator {
                Comparison::Equal => order == Some(Ordering::Equal),
                Comparison::NotEqual => matches!(order, Some(Ordering::Less | Ordering::Greater)),
                Comparison::Greater => order == Some(Ordering::Greater),
                Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
                Comparison::Less => order == Some(Ordering::Less),
                Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            }
        }
    }
}

const NAMES: [&str; 6] = ["PartitionKey", "RowKey", "a", "b", "eq_", "Lost"];

fn any_text() -> impl Strategy<Value = Value> {
    prop_oneof!["[ab]{0,2}", "[a'é\u{e000}\u{1F600}]{0,2}"].prop_map(|text| Value::String(text.into()))
}

fn any_constant() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any_text(),
        1 => (-2..3_i64).prop_map(Value::Int64),
        1 => (-4..5_i8).prop_map(|number| Value::Double(f64::from(number) / 2.0)),
        1 => any::<bool>().prop_map(Value::Boolean),
    ]
}

fn any_row() -> impl Strategy<Value = Entity> {
    let values = (any_text(), any_text(), any_constant(), any_constant(), any_constant());
    values.prop_map(|(partition, row, a, b, c)| Entity(NAMES.into_iter().zip([partition, row, a, b, c]).collect()))
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let operator = (0..6_usize).prop_map(|at| WORDS[at].0);
    let property = || (0..6_usize).prop_map(|at| Operand::Property(NAMES[at].into()));
    let constant = || any_constant().prop_map(Operand::Constant);
    let key = (0..2_usize).prop_map(|at| Operand::Property(NAMES[at].into()));
    let leaf = prop_oneof![
        3 => (key, operator.clone(), any_text().prop_map(Operand::Constant)).prop_map(|(p, op, c)| Filter::Compare(p, op, c)),
        3 => (property(), operator.clone(), constant()).prop_map(|(p, op, c)| Filter::Compare(p, op, c)),
        1 => (constant(), operator, property()).prop_map(|(c, op, p)| Filter::Compare(c, op, p)),
        1 => any::<bool>().prop_map(Filter::Is),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::And),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::Or),
            inner.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

proptest! {
    #[test]
    fn a_printed_filter_parses_to_the_same(filter in any_filter()) {
        let text = filter.to_string();
        prop_assert_eq!(parse(&text).map_err(|error| error.to_string()), Ok(filter), "{}", text);
    }

    #[test]
    fn evaluation_agrees_with_the_naive_evaluator(filter in any_filter(), row in any_row()) {
        prop_assert_eq!(filter.holds(&row), naive(&filter, &row), "{}", filter);
    }

    #[test]
    fn every_matching_entity_is_in_the_ranges(filter in any_filter(), row in any_row()) {
        let key = |name| match row.field(name) { Some(ValueRef::String(text)) => text.to_owned(), _ => String::new() };
        let key = Key::new(&key("PartitionKey"), &key("RowKey"));
        let ranges = ranges(&filter);
        let inside = ranges.iter().any(|range| range.from <= key && range.to.as_ref().is_none_or(|to| key < *to));
        prop_assert!(inside || !filter.holds(&row), "{} of {:?} in {:?}", filter, row, ranges);
        prop_assert!(ranges.windows(2).all(|two| two[0].to.as_ref().is_some_and(|to| *to <= two[1].from)), "{:?}", ranges);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,30}", words in "(a|eq|not|and|or|[(]|[)]|'|1|1L|true|datetime'| |,|-){0,12}") {
        let _ = (parse(&text), parse(&words));
    }
}

const WORDS: [(Comparison, &str); 6] = [
    (Comparison::Equal, "eq"),
    (Comparison::NotEqual, "ne"),
    (Comparison::Greater, "gt"),
    (Comparison::GreaterOrEqual, "ge"),
    (Comparison::Less, "lt"),
    (Comparison::LessOrEqual, "le"),
];

// Filters as text that `parse` reads as the same filter.
impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Filter::And(parts) => joined(f, parts, " and "),
            Filter::Or(parts) => joined(f, parts, " or "),
            Filter::Not(part) => write!(f, "not ({part})"),
            Filter::Compare(left, operator, right) => {
                write!(f, "{left} {} {right}", WORDS.iter().find(|(known, _)| known == operator).unwrap().1)
            }
            Filter::Is(flag) => write!(f, "{flag}"),
        }
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Filter], word: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { word })?;
        match part {
            Filter::And(_) | Filter::Or(_) => write!(f, "({part})")?,
            _ => write!(f, "{part}")?,
        }
    }
    Ok(())
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Property(name) => f.write_str(name),
            Operand::Constant(constant) => literal(f, constant),
        }
    }
}

fn literal(f: &mut Formatter<'_>, constant: &Value) -> fmt::Result {
    match constant {
        Value::String(text) => write!(f, "'{}'", text.replace('\'', "''")),
        Value::Int32(number) => write!(f, "{number}"),
        Value::Int64(number) => write!(f, "{number}L"),
        Value::Double(number) if number.is_infinite() => f.write_str(if *number > 0.0 { "INF" } else { "-INF" }),
        Value::Double(number) => f.write_str(&double_text(*number)),
        Value::Boolean(flag) => write!(f, "{flag}"),
        Value::DateTime(date) => write!(f, "datetime'{}'", date_text(*date)),
        Value::Guid(guid) => write!(f, "guid'{guid}'"),
        Value::Binary(bytes) => {
            f.write_str("X'")?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            f.write_char('\'')
        }
    }
}
