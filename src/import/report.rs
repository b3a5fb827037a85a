//! What was imported, and what was not.

use crate::import::error::{ImportError, ItemError};
use std::collections::BTreeMap;

/// The results of an import. Items are counted by their kind, which is a plural such as `blobs`.
#[derive(Debug, Default)]
pub struct Report {
    imported: BTreeMap<&'static str, u64>,
    /// By kind and reason: how many, and the first of them.
    not_imported: BTreeMap<(&'static str, String), (u64, String)>,
    /// Likewise, for items that were imported but differ from the workspace.
    different: BTreeMap<(&'static str, &'static str), (u64, String)>,
}

impl Report {
    /// Counts an item with the outcome of its import.
    ///
    /// # Errors
    /// When the import cannot continue.
    pub fn count(&mut self, kind: &'static str, name: &str, outcome: Result<(), ItemError>) -> Result<(), ImportError> {
        match outcome {
            Ok(()) => *self.imported.entry(kind).or_default() += 1,
            Err(ItemError::NotImported(reason)) => self.count_not_imported(kind, name, &reason),
            Err(ItemError::Fatal(error)) => return Err(error),
        }
        Ok(())
    }

    /// Counts an item that is not imported.
    pub fn count_not_imported(&mut self, kind: &'static str, name: &str, reason: &str) {
        self.not_imported.entry((kind, reason.to_owned())).or_insert_with(|| (0, name.to_owned())).0 += 1;
    }

    /// Counts an imported item that differs from the workspace.
    pub fn count_different(&mut self, kind: &'static str, name: &str, reason: &'static str) {
        self.different.entry((kind, reason)).or_insert_with(|| (0, name.to_owned())).0 += 1;
    }

    /// Returns true if nothing was imported.
    pub fn is_empty(&self) -> bool {
        self.imported.is_empty()
    }

    /// What was imported, in one line.
    pub fn summary(&self) -> String {
        let counts: Vec<String> = self.imported.iter().map(|(kind, count)| counted(*count, kind)).collect();
        counts.join(", ")
    }

    /// What was not imported, and what was but differs: a line for each reason.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let line = |prefix: &str, kind: &str, reason: &str, (count, first): &(u64, String)| {
            format!("{prefix}: {} ({reason}), the first: {}", counted(*count, kind), first.escape_debug())
        };
        let not_imported = self.not_imported.iter().map(move |((kind, reason), found)| line("not imported", kind, reason, found));
        let different = self.different.iter().map(move |((kind, reason), found)| line("warning, imported", kind, reason, found));
        not_imported.chain(different)
    }
}

/// A number of items. `what` is their name in the plural, whose noun is the last word before an `of` or a `with`.
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
    fn one_item_is_singular() {
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
