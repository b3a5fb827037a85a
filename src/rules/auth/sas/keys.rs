//! The bounds of a table's signature: only entities between them can be reached.

use crate::rules::auth::permissions::{Authorization, SasScope};
use crate::rules::table::entity::Key;
use crate::rules::table::entity::key::Range;

/// The entities that a caller may reach: between `spk`, `srk` and `epk`, `erk` of the query as it was signed, bounds included. The
/// signature of an account reaches all, as its key does.
pub fn reach(authorization: &Authorization, query: &[(String, String)]) -> Range {
    if !matches!(authorization, Authorization::Sas { scope: SasScope::Resource, .. }) {
        return Range::all();
    }
    let sent = |name: &str| {
        let found = query.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    };
    let from = Key::new(sent("spk").unwrap_or_default(), sent("srk").unwrap_or_default());
    // The first key behind the last that is allowed.
    let to = sent("epk").map(|partition| match sent("erk") {
        Some(row) => Key::new(partition, &format!("{row}\0")),
        None => Key::new(&format!("{partition}\0"), ""),
    });
    Range { from, to }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::permissions::Permissions;
    use crate::rules::auth::sas::tests::query;

    #[test]
    fn bounds_are_included() {
        let authorization = Authorization::Sas { scope: SasScope::Resource, letters: Permissions::default() };
        for (bounds, inside, outside) in [
            ("", &[("", ""), ("z", "z")][..], &[][..]),
            ("spk=b", &[("b", ""), ("c", "a")], &[("a", "z"), ("", "")]),
            ("epk=b", &[("a", "z"), ("b", "z"), ("", "")], &[("b\0", ""), ("c", "")]),
            ("spk=b&srk=2", &[("b", "2"), ("b", "3"), ("c", "1")], &[("b", "1"), ("a", "9")]),
            ("epk=b&erk=2", &[("b", "2"), ("b", "1"), ("a", "9")], &[("b", "20"), ("b", "3"), ("c", "1")]),
            ("spk=b&srk=2&epk=b&erk=2", &[("b", "2")], &[("b", "1"), ("b", "3"), ("a", "2")]),
            ("spk=&srk=&epk=&erk=", &[("", ""), ("z", "z")], &[]),
        ] {
            let reach = reach(&authorization, &query(bounds));
            for (keys, expected) in [(inside, true), (outside, false)] {
                for (partition, row) in keys {
                    assert_eq!(reach.holds(&Key::new(partition, row)), expected, "{bounds} {partition} {row}");
                }
            }
        }
        assert_eq!(reach(&Authorization::Owner, &query("spk=b")), Range::all(), "who has the key signs no bounds");
    }
}
