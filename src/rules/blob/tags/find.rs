//! The expressions of Find Blobs by Tags: `"key" op 'value'` and `@container = 'name'`, joined by AND.
//!
//! The sentences of the refusals are the service's where they are known: `unexpected 'X'` from Azure/azure-sdk-for-net#31963 and #18226, a
//! container named twice from #27610. The other sentences, and the limits, are those of Azurite's tests. #31963 also shows that the
//! service parses parentheses: it refused the `OR` inside them.

use crate::rules::blob::tags::tokens::{Problem, SyntaxError, Token, Tokens};
use crate::rules::blob::tags::{DEEPEST, LONGEST_KEY, LONGEST_VALUE, MOST_TAGS, Tags, is_permitted};
use crate::rules::comparison::Comparison;
use crate::rules::error::{ErrorCode, StorageError};
use std::collections::BTreeSet;

/// Why an expression is refused, as the service writes it after `Error parsing query`.
#[derive(Debug, thiserror::Error)]
enum WhereError {
    #[error(" {0}")]
    Syntax(#[from] SyntaxError),
    #[error(": Cannot have container in both uri and query")]
    ContainerInUri,
    #[error(": there can be at most 10 unique tags in a query")]
    TooManyTags,
    #[error(": can't have multiple conditions for a single tag unless they define a range")]
    NoRange,
}

/// An expression: conditions of which all must be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    container: Option<String>,
    terms: Vec<(String, Comparison, String)>,
}

impl Where {
    /// Parses `where`. With `in_container`, the URL names a container, and the expression must not.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue, with the service's sentence, for a malformed expression or one that exceeds a limit.
    pub fn parse(text: &str, in_container: bool) -> Result<Where, StorageError> {
        let mut found = Where { container: None, terms: Vec::new() };
        found.read(text, in_container).map_err(|error| {
            let error = ErrorCode::InvalidQueryParameterValue.with_message(format!("Error parsing query{error}"));
            error.with_detail("QueryParameterName", "where").with_detail("QueryParameterValue", text)
        })?;
        Ok(found)
    }

    fn read(&mut self, text: &str, in_container: bool) -> Result<(), WhereError> {
        let mut tokens = Tokens::of(text)?;
        self.add_all(&mut tokens, DEEPEST)?;
        tokens.end()?;
        if in_container && self.container.is_some() {
            return Err(WhereError::ContainerInUri);
        }
        self.check_terms()
    }

    /// Terms separated by AND.
    fn add_all(&mut self, tokens: &mut Tokens, depth: u32) -> Result<(), SyntaxError> {
        self.add(tokens, depth)?;
        while tokens.take_word("AND") {
            self.add(tokens, depth)?;
        }
        Ok(())
    }

    fn add(&mut self, tokens: &mut Tokens, depth: u32) -> Result<(), SyntaxError> {
        let position = tokens.position();
        if tokens.at(&Token::Open) {
            return tokens.parentheses(depth, |tokens, depth| self.add_all(tokens, depth));
        }
        if tokens.take_word("@container") {
            tokens.need(&Token::Operator(Comparison::Equal))?;
            let name = tokens.value()?;
            if self.container.as_ref().is_some_and(|known| *known != name) {
                return Err(Problem::Unexpected("@container".to_owned()).at(position));
            }
            self.container = Some(name);
            return Ok(());
        }
        let (key, op, value) = tokens.comparison()?;
        check_term(&key, op, &value).map_err(|problem| problem.at(position))?;
        self.terms.push((key, op, value));
        Ok(())
    }

    /// Checks the limits on all terms together: the number of tags, and one value or one range for each.
    fn check_terms(&self) -> Result<(), WhereError> {
        let keys: BTreeSet<&str> = self.terms.iter().map(|(key, ..)| key.as_str()).collect();
        if keys.len() > MOST_TAGS {
            return Err(WhereError::TooManyTags);
        }
        for key in keys {
            let ops = || self.terms.iter().filter(|(name, ..)| name == key).map(|(_, op, _)| op);
            let lower = ops().filter(|op| matches!(op, Comparison::Greater | Comparison::GreaterOrEqual)).count();
            let upper = ops().filter(|op| matches!(op, Comparison::Less | Comparison::LessOrEqual)).count();
            if lower > 1 || upper > 1 || (ops().count() > 1 && lower + upper < ops().count()) {
                return Err(WhereError::NoRange);
            }
        }
        Ok(())
    }

    /// The only container that is searched.
    pub fn container(&self) -> Option<&str> {
        self.container.as_deref()
    }

    /// Returns true if a blob with these tags matches. One without tags never does: the index does not contain it.
    pub fn finds(&self, tags: &Tags) -> bool {
        let holds =
            |(key, op, value): &(String, Comparison, String)| tags.get(key).is_some_and(|stored| op.holds(stored.cmp(value)));
        !tags.is_empty() && self.terms.iter().all(holds)
    }

    /// The tags of a blob that the expression names.
    pub fn named(&self, tags: &Tags) -> Tags {
        let is_named = |key: &str| self.terms.iter().any(|(name, ..)| name == key);
        Tags(tags.0.iter().filter(|(key, _)| is_named(key)).cloned().collect())
    }
}

fn check_term(key: &str, op: Comparison, value: &str) -> Result<(), Problem> {
    if op == Comparison::NotEqual {
        return Err(Problem::Unexpected("<>".to_owned()));
    }
    if !(1..=LONGEST_KEY).contains(&key.chars().count()) {
        return Err(Problem::KeyLength);
    }
    if value.chars().count() > LONGEST_VALUE {
        return Err(Problem::ValueLength);
    }
    let forbidden = key.chars().chain(value.chars()).find(|c| !is_permitted(*c));
    forbidden.map_or(Ok(()), |c| Err(Problem::ForbiddenCharacter(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tags(text: &str) -> Tags {
        Tags::parse_header(text).unwrap()
    }

    #[test]
    fn finds() {
        let blob = tags("tag1=b&tag%202=my+tag&other=x");
        for (text, found, named) in [
            ("tag1 = 'b'", true, &["tag1"][..]),
            ("\"tag 2\"='my tag' and tag1>='a' AND tag1 < 'c'", true, &["tag 2", "tag1"]),
            ("tag1 > 'b'", false, &["tag1"]),
            ("tag1 <= 'b'", true, &["tag1"]),
            ("Tag1 = 'b'", false, &[]),
            ("absent >= ''", false, &[]),
            ("@container = 'c' AND tag1 = 'b'", true, &["tag1"]),
            ("@CONTAINER='c'", true, &[]),
        ] {
            let search = Where::parse(text, false).unwrap();
            assert_eq!(search.finds(&blob), found, "{text}");
            assert_eq!(search.named(&blob).iter().map(|(key, _)| key).collect::<Vec<_>>(), named, "{text}");
            assert!(!search.finds(&Tags::default()), "{text}");
        }
        assert_eq!(Where::parse("a='1' AND @container='c' AND @container='c'", false).unwrap().container(), Some("c"));
        assert_eq!(
            Where::parse("(a='1')and(b>='2'AND@container='c')", false).unwrap(),
            Where {
                container: Some("c".into()),
                terms: vec![("a".into(), Comparison::Equal, "1".into()), ("b".into(), Comparison::GreaterOrEqual, "2".into())],
            }
        );
    }

    #[test]
    fn refuses_what_is_no_search() {
        let (long_key, long_value) = (format!("{}=''", "k".repeat(129)), format!("k='{}'", "v".repeat(257)));
        let many: Vec<String> = (0..11).map(|n| format!("k{n}=''")).collect();
        for (text, message) in [
            ("", " at or near character position 1: unexpected end"),
            ("tag1", " at or near character position 1: expected an operator"),
            ("tag1 = b", " at or near character position 8: unexpected 'b'"),
            ("tag1 = \"b\"", " at or near character position 8: unexpected 'b'"),
            ("tag1 =", " at or near character position 7: expecting tag value"),
            ("tag1 = 'b", " at or near character position 8: unexpected '''"),
            ("tag1 <> 'b'", " at or near character position 1: unexpected '<>'"),
            ("tag1 = 'b' OR tag1 = 'c'", " at or near character position 12: unexpected 'OR'"),
            ("a = 'b' AND (c = 'd' OR c = 'e')", " at or near character position 22: unexpected 'OR'"),
            ("tag1 = 'b' AND", " at or near character position 15: unexpected end"),
            ("AND tag1 = 'b'", " at or near character position 1: unexpected 'AND'"),
            ("tag1 = 'b' tag2 = 'c'", " at or near character position 12: unexpected 'tag2'"),
            ("'key 1'='v'", " at or near character position 1: unexpected 'key 1'"),
            ("(tag1 = 'b'", " at or near character position 12: unexpected end"),
            ("@container", " at or near character position 11: unexpected end"),
            ("@container > 'c'", " at or near character position 12: unexpected '>'"),
            ("@container = c", " at or near character position 14: unexpected 'c'"),
            ("@container = 'c' AND @container = 'd'", " at or near character position 22: unexpected '@container'"),
            ("a='é' AND @other = 'c'", " at or near character position 1: 'é' not permitted in tag name or value"),
            ("@other = 'c'", " at or near character position 1: unsupported parameter '@other'"),
            ("a='it''s'", " at or near character position 1: ''' not permitted in tag name or value"),
            (&long_key, " at or near character position 1: tag must be between 1 and 128 characters in length"),
            (&long_value, " at or near character position 1: tag value must be between 0 and 256 characters in length"),
            (&many.join(" and "), ": there can be at most 10 unique tags in a query"),
            ("a='1' and a='2'", ": can't have multiple conditions for a single tag unless they define a range"),
            ("a>'1' and a>='2'", ": can't have multiple conditions for a single tag unless they define a range"),
        ] {
            let error = Where::parse(text, false).expect_err(text);
            assert_eq!(error.code().name(), "InvalidQueryParameterValue", "{text}");
            assert_eq!(error.message(), format!("Error parsing query{message}"), "{text}");
            assert_eq!(error.details()[0], ("QueryParameterName", "where".to_owned()), "{text}");
        }
        assert!(Where::parse(&many[..10].join(" and "), true).is_ok());
        let twice = Where::parse("a='1' and @container='c'", true).unwrap_err();
        assert_eq!(twice.message(), "Error parsing query: Cannot have container in both uri and query");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"([ "'()<>=anNdoOrR@é]|AND|@container){0,24}"#) {
            let _ = Where::parse(&text, false);
        }
    }
}
