//! `$select`: which properties a reader wants.

use std::collections::HashSet;

/// The properties that a reader wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// All that are there.
    #[default]
    All,
    /// These, in this order; one that is not there is null.
    Named(Vec<String>),
}

impl Select {
    /// Reads the option. An empty one, and one with `*`, wants everything (recorded: `$select=`).
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
        if names.is_empty() { Select::All } else { Select::Named(names) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_list() {
        let named = |names: &[&str]| Select::Named(names.iter().map(|name| (*name).to_owned()).collect());
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
