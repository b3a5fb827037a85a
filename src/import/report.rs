//! What came over, and what did not.

use crate::import::error::{ImportError, ItemError};
use std::collections::BTreeMap;

/// The counts of an import.
#[derive(Debug, Default)]
pub struct Report {
    brought: BTreeMap<&'static str, u64>,
    /// By what it is and why: how many, and the first of them.
    left: BTreeMap<(&'static str, String), (u64, String)>,
    /// Likewise, of what came and should be looked at.
    warned: BTreeMap<(&'static str, &'static str), (u64, String)>,
}

impl Report {
    /// Counts one thing that came, or why it did not.
    ///
    /// # Errors
    /// When the import is over.
    pub fn count(&mut self, what: &'static str, name: &str, outcome: Result<(), ItemError>) -> Result<bool, ImportError> {
        match outcome {
            Ok(()) => *self.brought.entry(what).or_default() += 1,
            Err(ItemError::NotImported(why)) => {
                self.leave(what, name, &why);
                return Ok(false);
            }
            Err(ItemError::Fatal(error)) => return Err(error),
        }
        Ok(true)
    }

    /// Counts one thing that stays behind.
    pub fn leave(&mut self, what: &'static str, name: &str, why: &str) {
        let counted = self.left.entry((what, why.to_owned())).or_insert_with(|| (0, name.to_owned()));
        counted.0 += 1;
    }

    /// Counts one thing that came, but should be looked at.
    pub fn warn(&mut self, what: &'static str, name: &str, why: &'static str) {
        let counted = self.warned.entry((what, why)).or_insert_with(|| (0, name.to_owned()));
        counted.0 += 1;
    }

    /// Whether nothing came over.
    pub fn is_empty(&self) -> bool {
        self.brought.is_empty()
    }

    /// What came over, in one line.
    pub fn summary(&self) -> String {
        let counts: Vec<String> = self.brought.iter().map(|(what, count)| counted(*count, what)).collect();
        counts.join(", ")
    }

    /// What did not, and what should be looked at: a line for each reason.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let line = |begin: &str, what: &str, why: &str, (count, first): &(u64, String)| {
            format!("{begin}: {} ({why}), the first: {}", counted(*count, what), first.escape_debug())
        };
        let left = self.left.iter().map(move |((what, why), found)| line("not brought over", what, why, found));
        left.chain(self.warned.iter().map(move |((what, why), found)| line("warning, brought over", what, why, found)))
    }
}

/// So many of what is named in the plural, whose noun is the last word before an `of` or a `with`.
fn counted(count: u64, what: &str) -> String {
    if count != 1 {
        return format!("{count} {what}");
    }
    let end = [" of ", " with "].iter().find_map(|word| what.find(word)).unwrap_or(what.len());
    let (nouns, rest) = what.split_at(end);
    let noun = match nouns.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => nouns.strip_suffix('s').unwrap_or(nouns).to_owned(),
    };
    format!("1 {noun}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (count, what, wanted) in [
            (0, "leases", "0 leases"),
            (1, "leases", "1 lease"),
            (1, "entities", "1 entity"),
            (2, "entities", "2 entities"),
            (1, "lists of access policies", "1 list of access policies"),
            (1, "properties of the Blob service", "1 property of the Blob service"),
            (1, "snapshots with a new timestamp", "1 snapshot with a new timestamp"),
            (1, "uncommitted blocks", "1 uncommitted block"),
        ] {
            assert_eq!(counted(count, what), wanted);
        }
    }
}
