//! The parser of the command line. Words that are no flags are ignored.

use crate::config::ConfigErrorKind;
use crate::config::flags::{Flag, FlagKind, flags};

/// A flag on the command line.
pub(super) struct Argument {
    pub(super) flag: &'static Flag,
    /// The name by which the flag was given, for messages.
    pub(super) name: String,
    /// Its value; `true` for a switch without one.
    pub(super) value: String,
}

/// The words that are commands without dashes.
pub(super) const COMMANDS: [&str; 8] = ["run", "env", "trust", "import", "check", "health", "help", "version"];

/// Parses the words after the program's name.
///
/// Azurite ignores bare words (`azurite start`) except its commands `help` and `version`. So does Lazuli, which has more [`COMMANDS`].
///
/// # Errors
/// [`ConfigErrorKind::UnknownFlag`], [`ConfigErrorKind::MissingValue`].
pub(super) fn parse(words: impl Iterator<Item = String>) -> Result<Vec<Argument>, ConfigErrorKind> {
    let mut words = words.peekable();
    let mut given = Vec::new();
    while let Some(word) = words.next() {
        let word = match word.as_str() {
            bare if COMMANDS.contains(&bare) => format!("--{word}"),
            bare if !bare.starts_with('-') => continue,
            _ => word,
        };
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let flag = flags().find(|flag| flag.names().any(|known| known == name)).ok_or_else(|| unknown(name))?;
        let value = match flag.kind {
            FlagKind::Value(word) | FlagKind::Values(word) | FlagKind::CommandValue(word) => value
                .or_else(|| words.next_if(|next| is_value(next)))
                .filter(|value| !value.is_empty())
                .ok_or_else(|| ConfigErrorKind::MissingValue { flag: name.to_owned(), word })?,
            FlagKind::Switch | FlagKind::Command => {
                value.or_else(|| words.next_if(|next| next == "true" || next == "false")).unwrap_or_else(|| "true".to_owned())
            }
        };
        given.push(Argument { flag, name: name.to_owned(), value });
    }
    Ok(given)
}

/// Returns true if the word after a flag can be its value: it is no flag itself. `-1` is a number.
fn is_value(word: &str) -> bool {
    !word.starts_with('-') || word.parse::<f64>().is_ok()
}

fn unknown(name: &str) -> ConfigErrorKind {
    let bare = |text: &str| text.trim_start_matches('-').to_ascii_lowercase();
    let wanted = bare(name);
    let nearest = flags()
        .flat_map(Flag::names)
        .map(|known| (distance(&wanted, &bare(&known)), known))
        .filter(|(distance, _)| distance * 2 <= wanted.len())
        .min_by_key(|(distance, _)| *distance);
    ConfigErrorKind::UnknownFlag { flag: name.escape_debug().to_string(), nearest: nearest.map(|(_, known)| known) }
}

/// The Levenshtein distance of two words.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.chars().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.chars().count()]
}
