//! The query string of a request, decoded.

/// A decoded query string: names in lower case, the values of repeated names joined by `,` as the service does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Creates it from decoded pairs in the order sent.
    pub fn new(pairs: &[(String, String)]) -> Query {
        // Sorted by name, so that merging a long query is not quadratic.
        let mut merged: Vec<(String, String)> =
            pairs.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
        merged.sort_by(|(one, _), (other, _)| one.cmp(other));
        merged.dedup_by(|(later, more), (earlier, value)| {
            let same = later == earlier;
            if same {
                value.push(',');
                value.push_str(more);
            }
            same
        });
        Query(merged)
    }

    /// The query without these parameters.
    pub fn without(&self, names: &[&str]) -> Query {
        Query(self.0.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect())
    }

    /// The names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The value of the parameter with this lower-case name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.0.get(at).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_repeated_values_joined_in_order() {
        let pairs = [("b", "2"), ("A", "1"), ("B", ""), ("b", "3"), ("", "x")].map(|(name, value)| (name.into(), value.into()));
        let query = Query::new(&pairs);
        for (name, value) in [("a", Some("1")), ("b", Some("2,,3")), ("", Some("x")), ("c", None), ("A", None)] {
            assert_eq!(query.get(name), value, "{name}");
        }
        assert_eq!(query.names().collect::<Vec<_>>(), ["", "a", "b"]);
        assert_eq!(Query::default().get("a"), None);
    }

    /// The URL has as many parameters as it can.
    #[test]
    fn a_long_query_is_read_in_no_time() {
        let pairs: Vec<(String, String)> = (0..30_000).map(|n| (format!("p{n}"), String::new())).collect();
        let query = Query::new(&pairs);
        assert!(pairs.iter().all(|(name, _)| query.get(name).is_some()));
    }
}
