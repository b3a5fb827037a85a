//! Blob index tags, and the conditions on them.
//!
//! A request has tags in the body of Set Blob Tags, or in `x-ms-tags` as a query string, and conditions on them in `x-ms-if-tags`:
//!
//! ```text
//! expression  = conjunction *( OR conjunction )
//! conjunction = term *( AND term )
//! term        = "(" expression ")" | key operator value
//! key         = "…" | bare identifier      value = '…'      operator = = | <> | > | >= | < | <=
//! ```
//!
//! Inside quotes, a quote is doubled. All values are text, compared byte by byte: `'10' < '9'`.

mod find;

mod tokens;

use crate::rules::blob::tags::tokens::{SyntaxError, Token, Tokens};
use crate::rules::comparison::Comparison;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::chain;
pub use find::Where;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

/// The most tags of a blob.
const MOST_TAGS: usize = 10;
/// The most characters of a key, which has at least one.
const LONGEST_KEY: usize = 128;
/// The most characters of a value, which may be empty.
const LONGEST_VALUE: usize = 256;

/// The tags of a blob, in the order of their keys. Without tags it allocates nothing.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// Tags from pairs of key and value.
    ///
    /// # Errors
    /// 400 for the limit that they break.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Tags, StorageError> {
        let mut tags: Vec<(String, String)> = pairs.into_iter().take(MOST_TAGS + 1).collect();
        if tags.len() > MOST_TAGS {
            return Err(ErrorCode::TagsTooLarge.with_reason("more than 10 tags"));
        }
        for (key, value) in &tags {
            if key.is_empty() {
                return Err(ErrorCode::EmptyTagName.into());
            }
            if key.chars().count() > LONGEST_KEY || value.chars().count() > LONGEST_VALUE {
                return Err(ErrorCode::TagsTooLarge.with_reason("a key of more than 128 or a value of more than 256 characters"));
            }
            if !key.chars().chain(value.chars()).all(is_permitted) {
                // The service has no error code of its own for this.
                return Err(ErrorCode::DuplicateTagNames
                    .with_message("The tags specified are invalid. It contains characters that are not permitted."));
            }
        }
        tags.sort_unstable();
        if tags.is_sorted_by(|(key, _), (next, _)| key < next) {
            Ok(Tags(tags))
        } else {
            Err(ErrorCode::DuplicateTagNames.into())
        }
    }

    /// Parses `x-ms-tags`: `k1=v1&k2=v2`, percent-encoded, a space also as `+`. Empty means no tags.
    pub fn parse_header(text: &str) -> Result<Tags, StorageError> {
        if text.is_empty() {
            return Ok(Tags::default());
        }
        let decoded = |part: &str| percent_decode_str(&part.replace('+', " ")).decode_utf8().ok().map(String::from);
        let pair = |pair: &str| pair.split_once('=').and_then(|(key, value)| Some((decoded(key)?, decoded(value)?)));
        let pairs: Option<Vec<_>> = text.split('&').map(pair).collect();
        Tags::from_pairs(pairs.ok_or_else(|| StorageError::invalid_header("x-ms-tags", text))?)
    }

    /// The number of tags (`x-ms-tag-count`).
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The value under a key; keys are case-sensitive.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

fn is_permitted(c: char) -> bool {
    c.is_ascii_alphanumeric() || " +-./:=_".contains(c)
}

/// A condition on a blob's tags, as `x-ms-if-tags` states it. Chains are lists, so that only parentheses nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `"key" op 'value'`
    Compare {
        /// The key of the tag.
        key: String,
        op: Comparison,
        value: String,
    },
    /// Two or more, of which all must be true.
    All(Vec<Expr>),
    /// Two or more, of which one must be true.
    Any(Vec<Expr>),
}

impl Expr {
    /// Parses `x-ms-if-tags`.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue, with the reason in the log.
    pub fn parse(text: &str) -> Result<Expr, StorageError> {
        let read = || {
            let mut tokens = Tokens::of(text)?;
            let whole = expression(&mut tokens, DEEPEST)?;
            tokens.end().map(|()| whole)
        };
        read().map_err(|error: SyntaxError| StorageError::invalid_header("x-ms-if-tags", text).with_reason(error.to_string()))
    }

    /// Returns true if it is true of these tags. An absent tag is unequal to every value, and neither less nor greater.
    pub fn holds(&self, tags: &Tags) -> bool {
        match self {
            Expr::Compare { key, op, value } => {
                tags.get(key).map_or(*op == Comparison::NotEqual, |stored| op.holds(stored.cmp(value)))
            }
            Expr::All(terms) => terms.iter().all(|term| term.holds(tags)),
            Expr::Any(terms) => terms.iter().any(|term| term.holds(tags)),
        }
    }
}

/// The deepest nesting of parentheses, which limits the stack that an expression uses.
const DEEPEST: u32 = 32;

fn expression(tokens: &mut Tokens, depth: u32) -> Result<Expr, SyntaxError> {
    let conjunction =
        |tokens: &mut Tokens| chain(tokens, |tokens| tokens.take_word("AND"), Expr::All, |tokens| term(tokens, depth));
    chain(tokens, |tokens| tokens.take_word("OR"), Expr::Any, conjunction)
}

fn term(tokens: &mut Tokens, depth: u32) -> Result<Expr, SyntaxError> {
    if tokens.at(&Token::Open) {
        return tokens.parentheses(depth, expression);
    }
    let (key, op, value) = tokens.comparison()?;
    Ok(Expr::Compare { key, op, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::wire_name::WireName;
    use proptest::prelude::*;
    use std::fmt;

    fn tags(pairs: &[(&str, &str)]) -> Result<Tags, StorageError> {
        Tags::from_pairs(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn keeps_to_the_limits() {
        let long = |n| "k".repeat(n);
        let many = |n: usize| (0..n).map(|i| (format!("k{i}"), String::new()));
        assert_eq!(Tags::from_pairs(many(10)).map(|tags| tags.len()), Ok(10));
        assert_eq!(Tags::from_pairs(many(11)).unwrap_err().code(), ErrorCode::TagsTooLarge);
        for (key, value, refusal) in [
            ("k", "", None),
            ("+-./:=_ ", "+-./:=_ ", None),
            (&long(128), &long(256), None),
            ("", "v", Some(ErrorCode::EmptyTagName)),
            (&long(129), "", Some(ErrorCode::TagsTooLarge)),
            ("k", &long(257), Some(ErrorCode::TagsTooLarge)),
            ("a,b", "", Some(ErrorCode::DuplicateTagNames)),
            ("k", "naïve", Some(ErrorCode::DuplicateTagNames)),
            ("k", "100%", Some(ErrorCode::DuplicateTagNames)),
        ] {
            assert_eq!(tags(&[(key, value)]).err().map(|error| error.code()), refusal, "{key}={value}");
        }
        assert_eq!(
            tags(&[("k", "1"), ("a", ""), ("k", "2")]).unwrap_err().message(),
            "The tags specified contain duplicate names."
        );
        assert!(tags(&[("k", "1"), ("K", "1")]).is_ok(), "keys are case-sensitive");
    }

    #[test]
    fn reads_the_header_as_recorded() {
        for (text, pairs) in [
            ("", &[][..]),
            ("tag1%20name=my%20tag&tag2=secondtag", &[("tag1 name", "my tag"), ("tag2", "secondtag")]),
            ("tag1+name=my+tag", &[("tag1 name", "my tag")]),
            (
                "%2B-.%2F%3A%3D_%20=firsttag&tag2=%2B-.%2F%3A%3D_&%2B-.%2F%3A%3D_1=%2B-.%2F%3A%3D_",
                &[("+-./:=_ ", "firsttag"), ("+-./:=_1", "+-./:=_"), ("tag2", "+-./:=_")],
            ),
            ("b=2&a=", &[("a", ""), ("b", "2")]),
        ] {
            assert_eq!(Tags::parse_header(text).unwrap().iter().collect::<Vec<_>>(), pairs, "{text}");
        }
        for (text, code) in [
            ("a", ErrorCode::InvalidHeaderValue),
            ("a=1&", ErrorCode::InvalidHeaderValue),
            ("a=%FF", ErrorCode::InvalidHeaderValue),
            ("=1", ErrorCode::EmptyTagName),
            ("a=%zz", ErrorCode::DuplicateTagNames),
            ("a=1&a=2", ErrorCode::DuplicateTagNames),
        ] {
            assert_eq!(Tags::parse_header(text).unwrap_err().code(), code, "{text}");
        }
        assert_eq!(Tags::parse_header("a").unwrap_err().details().first(), Some(&("HeaderName", "x-ms-tags".to_owned())));
    }

    #[test]
    fn decides() {
        let blob = tags(&[("tag1 name", "my tag"), ("tag2", "secondtag"), ("n", "10")]).unwrap();
        for (text, holds) in [
            (r#""tag1"='first tag'"#, false),
            (r#""tag1 name"='my tag' AND "tag2"='secondtag'"#, true),
            ("tag2 = 'secondtag'", true),
            ("tag2 = 'SecondTag'", false),
            ("Tag2 = 'secondtag'", false),
            ("n < '9'", true),
            ("n <= '10' and n >= '10'", true),
            ("n > '10' Or n <> '10'", false),
            ("absent <> 'x'", true),
            ("absent = '' OR absent < 'x' OR absent >= ''", false),
            ("n='10' OR n='10' AND n='0'", true),
            ("(n='10' OR n='10') AND n='0'", false),
            ("((n='10'))", true),
        ] {
            assert_eq!(Expr::parse(text).unwrap().holds(&blob), holds, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_expression() {
        for text in [
            "",
            " ",
            "n",
            "n =",
            "n = 10",
            "n = \"10\"",
            "'n' = '10'",
            "n = '10",
            "\"n = '10'",
            "n == '10'",
            "n => '10'",
            "n != '10'",
            "n = '10' AND",
            "AND n = '10'",
            "n = '10' n = '10'",
            "n = '10' ANDn = '10'",
            "(n = '10'",
            "n = '10')",
            "()",
            "NOT n = '10'",
            "and = '1'",
            "@container = 'c'",
            "9 = '1'",
            "é = '1'",
            "n = '10';",
        ] {
            let error = Expr::parse(text).expect_err(text);
            assert_eq!(error.details(), [("HeaderName", "x-ms-if-tags".to_owned()), ("HeaderValue", text.to_owned())]);
            assert!(!error.reason().is_empty());
        }
    }

    #[test]
    fn no_input_can_take_the_stack() {
        let nested = |depth: usize| Expr::parse(&format!("{}n=''{}", "(".repeat(depth), ")".repeat(depth)));
        assert!(nested(32).is_ok());
        assert!(nested(33).is_err());
        assert!(nested(1_000_000).is_err());
        let chain = Expr::parse(&["n = 'x'"; 100_000].join(" AND ")).unwrap();
        assert!(!chain.holds(&Tags::default()));
        assert_eq!(Expr::parse(&chain.to_string()), Ok(chain));
    }

    fn expressions() -> impl Strategy<Value = Expr> {
        let op = prop::sample::select(vec![
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
            Comparison::Less,
            Comparison::LessOrEqual,
        ]);
        let compare = ("[ -~]{0,6}", op, "[ -~é]{0,6}").prop_map(|(key, op, value)| Expr::Compare { key, op, value });
        compare.prop_recursive(4, 32, 4, |inner| {
            let terms = || prop::collection::vec(inner.clone(), 2..4);
            prop_oneof![terms().prop_map(Expr::All), terms().prop_map(Expr::Any)]
        })
    }

    impl fmt::Display for Expr {
        /// Writes a text that [`Expr::parse`] parses to the same expression.
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (terms, word) = match self {
                Expr::Compare { key, op, value } => {
                    return write!(f, "\"{}\" {} '{}'", key.replace('"', "\"\""), op.name(), value.replace('\'', "''"));
                }
                Expr::All(terms) => (terms, " AND "),
                Expr::Any(terms) => (terms, " OR "),
            };
            for (n, term) in terms.iter().enumerate() {
                f.write_str(if n > 0 { word } else { "" })?;
                match (self, term) {
                    (_, Expr::Compare { .. }) | (Expr::Any(_), Expr::All(_)) => write!(f, "{term}")?,
                    _ => write!(f, "({term})")?,
                }
            }
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(expr in expressions()) {
            prop_assert_eq!(Expr::parse(&expr.to_string()), Ok(expr));
        }

        #[test]
        fn any_text_is_read_or_refused(text in r#"([ "'()<>=anNdoOrR@é]|AND|OR){0,24}"#) {
            let _ = Expr::parse(&text);
        }
    }
}
