//! What Find Blobs by Tags looks for: `"key" op 'value'` joined by AND, and `@container = 'name'` among them.

use super::{Fault, Op, Tags, Token, Tokens, unexpected};

/// A search: conditions of which all must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    container: Option<String>,
    terms: Vec<(String, Op, String)>,
}

impl Where {
    /// Reads `where`; 400 InvalidQueryParameterValue, with the reason, when it is not such an expression.
    pub fn parse(text: &str) -> Result<Where, Fault> {
        let invalid = |reason: String| Fault::query("where", text, format!("Error parsing query {reason}"));
        let mut tokens = Tokens::of(text).map_err(invalid)?;
        let mut found = Where { container: None, terms: Vec::new() };
        loop {
            found.add(&mut tokens).map_err(invalid)?;
            if tokens.0.is_empty() {
                return Ok(found);
            }
            if !tokens.at_word("AND") {
                return Err(invalid(unexpected(tokens.0.last())));
            }
            tokens.0.pop();
        }
    }

    fn add(&mut self, tokens: &mut Tokens) -> Result<(), String> {
        let place = tokens.0.last().map_or(0, |(place, _)| *place);
        if tokens.at_word("@container") {
            tokens.0.pop();
            if !tokens.take(&Token::Op(Op::Equal)) {
                return Err(unexpected(tokens.0.last()));
            }
            let name = match tokens.0.pop() {
                Some((_, Token::Value(name))) => name,
                other => return Err(unexpected(other.as_ref())),
            };
            if self.container.as_ref().is_some_and(|known| *known != name) {
                return Err(format!("at character {place}: a second container"));
            }
            self.container = Some(name);
            return Ok(());
        }
        let (key, op, value) = tokens.comparison()?;
        if op == Op::NotEqual {
            return Err(format!("at character {place}: <> cannot be looked for"));
        }
        self.terms.push((key, op, value));
        Ok(())
    }

    /// The container that alone is looked through.
    pub fn container(&self) -> Option<&str> {
        self.container.as_deref()
    }

    /// Whether a blob with these tags is found. One without tags never is: the index does not have it.
    pub fn finds(&self, tags: &Tags) -> bool {
        let holds = |(key, op, value): &(String, Op, String)| tags.get(key).is_some_and(|stored| op.holds(stored, value));
        !tags.is_empty() && self.terms.iter().all(holds)
    }

    /// Those of a blob's tags that are asked about.
    pub fn asked(&self, tags: &Tags) -> Tags {
        let asked = |key: &str| self.terms.iter().any(|(name, ..)| name == key);
        Tags(tags.0.iter().filter(|(key, _)| asked(key)).cloned().collect())
    }
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
        for (text, found, asked) in [
            ("tag1 = 'b'", true, &["tag1"][..]),
            ("\"tag 2\"='my tag' and tag1>='a' AND tag1 < 'c'", true, &["tag 2", "tag1"]),
            ("tag1 > 'b'", false, &["tag1"]),
            ("tag1 <= 'b'", true, &["tag1"]),
            ("Tag1 = 'b'", false, &[]),
            ("absent >= ''", false, &[]),
            ("@container = 'c' AND tag1 = 'b'", true, &["tag1"]),
            ("@CONTAINER='c'", true, &[]),
        ] {
            let search = Where::parse(text).unwrap();
            assert_eq!(search.finds(&blob), found, "{text}");
            assert_eq!(search.asked(&blob).iter().map(|(key, _)| key).collect::<Vec<_>>(), asked, "{text}");
            assert!(!search.finds(&Tags::default()), "{text}");
        }
        assert_eq!(Where::parse("a='1' AND @container='c' AND @container='c'").unwrap().container(), Some("c"));
        assert_eq!(
            Where::parse("a='it''s'").unwrap(),
            Where { container: None, terms: vec![("a".into(), Op::Equal, "it's".into())] }
        );
    }

    #[test]
    fn refuses_what_is_no_search() {
        for text in [
            "",
            "tag1",
            "tag1 = b",
            "tag1 = \"b\"",
            "tag1 = 'b",
            "tag1 <> 'b'",
            "tag1 = 'b' OR tag1 = 'c'",
            "(tag1 = 'b')",
            "tag1 = 'b' AND",
            "AND tag1 = 'b'",
            "tag1 = 'b' tag2 = 'c'",
            "@container",
            "@container > 'c'",
            "@container = c",
            "@container = 'c' AND @container = 'd'",
            "@other = 'c'",
        ] {
            let fault = Where::parse(text).expect_err(text);
            assert_eq!(fault.code().name(), "InvalidQueryParameterValue", "{text}");
            assert_eq!(fault.details()[0], ("QueryParameterName", "where".to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"([ "'()<>=anNdoOrR@é]|AND|@container){0,24}"#) {
            let _ = Where::parse(&text);
        }
    }
}
