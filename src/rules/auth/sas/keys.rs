//! The range of keys in the signature of a table: it gives access to no other entities.

use crate::rules::auth::permissions::{Authorization, SasScope};
use crate::rules::table::entity::Key;
use crate::rules::table::entity::key::Range;
use crate::rules::text::lookup;

/// The keys that a caller has access to: from `spk`, `srk` to `epk`, `erk` of the signed query, both included. An account SAS gives access
/// to all keys, as the account key does.
pub fn reach(authorization: &Authorization, query: &[(String, String)]) -> Range {
    if !matches!(authorization, Authorization::Sas { scope: SasScope::Resource, .. }) {
        return Range::all();
    }
    let sent = |name: &str| lookup(query, name).filter(|value| !value.is_empty());
    let from = Key::new(sent("spk").unwrap_or_default(), sent("srk").unwrap_or_default());
    // The first key after the range.
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
    use crate::rules::auth::roles::ActionSet;
    use crate::rules::auth::sas::tests::query;

    #[test]
    fn bounds_are_included() {
        let authorization =
            Authorization::Sas { scope: SasScope::Resource, letters: Permissions::default(), actions: ActionSet::ALL };
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
        assert_eq!(reach(&Authorization::Owner, &query("spk=b")), Range::all(), "the account key has no range");
    }
}
