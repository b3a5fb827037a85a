//! What came over, and what did not.

use std::collections::BTreeMap;

/// Why something did not come over.
#[derive(Debug)]
pub enum Trouble {
    /// This one thing stays behind, for this reason.
    Left(String),
    /// Nothing can be written: the import is over.
    Broken(String),
}

/// The counts of an import.
#[derive(Debug, Default)]
pub struct Report {
    brought: BTreeMap<&'static str, u64>,
    /// By what it is and why: how many, and the first of them.
    left: BTreeMap<(&'static str, String), (u64, String)>,
}

impl Report {
    /// Counts one thing that came, or why it did not.
    ///
    /// # Errors
    /// When the import is over.
    pub fn count(&mut self, what: &'static str, name: &str, outcome: Result<(), Trouble>) -> Result<bool, String> {
        match outcome {
            Ok(()) => *self.brought.entry(what).or_default() += 1,
            Err(Trouble::Left(why)) => {
                self.leave(what, name, &why);
                return Ok(false);
            }
            Err(Trouble::Broken(why)) => return Err(why),
        }
        Ok(true)
    }

    /// Counts one thing that stays behind.
    pub fn leave(&mut self, what: &'static str, name: &str, why: &str) {
        let counted = self.left.entry((what, why.to_owned())).or_insert_with(|| (0, name.to_owned()));
        counted.0 += 1;
    }

    /// What came over, in one line.
    pub fn brought(&self) -> String {
        let counts: Vec<String> = self.brought.iter().map(|(what, count)| format!("{count} {what}")).collect();
        if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
    }

    /// What did not, a line for each reason.
    pub fn left(&self) -> impl Iterator<Item = String> {
        let line = |((what, why), (count, first)): (&(&str, String), &(u64, String))| {
            format!("not brought over: {count} {what} ({why}), the first: {}", first.escape_debug())
        };
        self.left.iter().map(line)
    }
}
