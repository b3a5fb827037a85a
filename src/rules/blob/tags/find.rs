//! The expressions of Find Blobs by Tags: `"key" op 'value'` and `@container = 'name'`, joined by AND.
//!
//! The sentences of the refusals are the service's where they are known: `unexpected 'X'` from Azure/azure-sdk-for-net#31963 and #18226, a
//! container named twice from #27610. The other sentences, and the limits, are those of Azurite's tests. #31963 also shows that the
//! service parses parentheses: it refused the `OR` inside them.

use crate::rules::blob::tags::{
    Comparison, DEEPEST, ErrorCode, LONGEST_KEY, LONGEST_VALUE, MOST_TAGS, StorageError, Tags, Token, Tokens, at, is_permitted,
};
use std::collections::BTreeSet;

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
        let invalid = |reason: String| {
            let error = ErrorCode::InvalidQueryParameterValue.with_message(format!("Error parsing query{reason}"));
            error.with_detail("QueryParameterName", "where").with_detail("QueryParameterValue", text)
        };
        let placed = |reason: String| invalid(format!(" {reason}"));
        let mut tokens = Tokens::of(text).map_err(placed)?;
        let mut found = Where { container: None, terms: Vec::new() };
        found.add_all(&mut tokens, DEEPEST).map_err(placed)?;
        if !tokens.left.is_empty() {
            return Err(placed(tokens.unexpected()));
        }
        if in_container && found.container.is_some() {
            return Err(invalid(": Cannot have container in both uri and query".into()));
        }
        found.check_terms().map_err(|reason| invalid(format!(": {reason}")))?;
        Ok(found)
    }

    /// Terms separated by AND.
    fn add_all(&mut self, tokens: &mut Tokens, depth: u32) -> Result<(), String> {
        loop {
            self.add(tokens, depth)?;
            if !tokens.at_word("AND") {
                return Ok(());
            }
            tokens.left.pop();
        }
    }

    fn add(&mut self, tokens: &mut Tokens, depth: u32) -> Result<(), String> {
        let place = tokens.place();
        if tokens.take(&Token::Open) {
            let deeper = depth.checked_sub(1).ok_or_else(|| at(place, format_args!("parentheses nest too deep")))?;
            self.add_all(tokens, deeper)?;
            return if tokens.take(&Token::Close) { Ok(()) } else { Err(tokens.unexpected()) };
        }
        if tokens.at_word("@container") {
            tokens.left.pop();
            if !tokens.take(&Token::Op(Comparison::Equal)) {
                return Err(tokens.unexpected());
            }
            let name = tokens.value()?;
            if self.container.as_ref().is_some_and(|known| *known != name) {
                return Err(at(place, format_args!("unexpected '@container'")));
            }
            self.container = Some(name);
            return Ok(());
        }
        let (key, op, value) = tokens.comparison()?;
        if op == Comparison::NotEqual {
            return Err(at(place, format_args!("unexpected '<>'")));
        }
        check_lengths(&key, &value).map_err(|what| at(place, format_args!("{what}")))?;
        if let Some(odd) = key.chars().chain(value.chars()).find(|c| !is_permitted(*c)) {
            return Err(at(place, format_args!("'{odd}' not permitted in tag name or value")));
        }
        self.terms.push((key, op, value));
        Ok(())
    }

    /// Checks the limits on all terms together: the number of tags, and one value or one range for each.
    fn check_terms(&self) -> Result<(), &'static str> {
        let keys: BTreeSet<&str> = self.terms.iter().map(|(key, ..)| key.as_str()).collect();
        if keys.len() > MOST_TAGS {
            return Err("there can be at most 10 unique tags in a query");
        }
        for key in keys {
            let ops = || self.terms.iter().filter(|(name, ..)| name == key).map(|(_, op, _)| op);
            let lower = ops().filter(|op| matches!(op, Comparison::Greater | Comparison::GreaterOrEqual)).count();
            let upper = ops().filter(|op| matches!(op, Comparison::Less | Comparison::LessOrEqual)).count();
            if lower > 1 || upper > 1 || (ops().count() > 1 && lower + upper < ops().count()) {
                return Err("can't have multiple conditions for a single tag unless they define a range");
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
        let holds = |(key, op, value): &(String, Comparison, String)| tags.get(key).is_some_and(|stored| op.holds(stored, value));
        !tags.is_empty() && self.terms.iter().all(holds)
    }

    /// The tags of a blob that the expression names.
    pub fn named(&self, tags: &Tags) -> Tags {
        let is_named = |key: &str| self.terms.iter().any(|(name, ..)| name == key);
        Tags(tags.0.iter().filter(|(key, _)| is_named(key)).cloned().collect())
    }
}

fn check_lengths(key: &str, value: &str) -> Result<(), &'static str> {
    if !(1..=LONGEST_KEY).contains(&key.chars().count()) {
        return Err("tag must be between 1 and 128 characters in length");
    }
    if value.chars().count() > LONGEST_VALUE {
        return Err("tag value must be between 0 and 256 characters in length");
    }
    Ok(())
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
        for (text, says) in [
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
            assert_eq!(error.message(), format!("Error parsing query{says}"), "{text}");
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
