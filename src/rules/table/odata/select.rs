//! `$select`.

use std::collections::HashSet;

/// The selected properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// All that exist.
    #[default]
    All,
    /// These, in this order. One that does not exist is null.
    Properties(Vec<String>),
}

impl Select {
    /// Reads the option. An empty one (recorded) and one with `*` select everything.
    pub fn read(text: &str) -> Select {
        let (mut names, mut known) = (Vec::new(), HashSet::new());
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if name == "*" {
                return Select::All;
            }
            if known.insert(name) {
                names.push(name.to_owned());
            }
        }
        if names.is_empty() { Select::All } else { Select::Properties(names) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_list_without_duplicates() {
        let named = |names: &[&str]| Select::Properties(names.iter().map(|name| (*name).to_owned()).collect());
        for (text, select) in [
            ("", Select::All),
            ("*", Select::All),
            ("a,*", Select::All),
            (" , ", Select::All),
            ("a", named(&["a"])),
            ("a, b,a", named(&["a", "b"])),
        ] {
            assert_eq!(Select::read(text), select, "{text}");
        }
    }
}
