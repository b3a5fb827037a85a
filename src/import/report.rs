//! What was imported, and what was not.

use crate::import::error::{ImportError, ItemError};
use crate::progress::Stage;
use std::collections::BTreeMap;

/// The results of an import. Items are counted by their kind, which is a plural such as `blobs`.
#[derive(Debug, Default)]
pub struct Report {
    imported: BTreeMap<&'static str, u64>,
    /// By what happened to them, kind and reason: how many items were not imported or differ from the workspace, and the first of them.
    warnings: BTreeMap<(&'static str, &'static str, String), (u64, String)>,
    /// How many documents of the workspace are imported.
    documents: Stage,
}

impl Report {
    /// An empty report, which counts documents in this stage.
    pub fn new(documents: Stage) -> Report {
        Report { documents, ..Report::default() }
    }

    /// Counts a document that was read, whatever became of it.
    pub fn advance(&self) {
        self.documents.advance(1);
    }

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
        self.warn("not imported", kind, name, reason);
    }

    /// Counts an imported item that differs from the workspace.
    pub fn count_different(&mut self, kind: &'static str, name: &str, reason: &'static str) {
        self.warn("warning, imported", kind, name, reason);
    }

    fn warn(&mut self, what: &'static str, kind: &'static str, name: &str, reason: &str) {
        self.warnings.entry((what, kind, reason.to_owned())).or_insert_with(|| (0, name.to_owned())).0 += 1;
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
        self.warnings.iter().map(|((what, kind, reason), (count, first))| {
            format!("{what}: {} ({reason}), the first: {}", counted(*count, kind), first.escape_debug())
        })
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
