//! The configuration: flags, environment variables and defaults become a [`Config`] or a [`ConfigError`].
//!
//! `flags` is the table of all flags; `arguments` parses a command line by it, `layers` merges the sources of values into a `draft`,
//! `values` and `accounts` parse values, `settings` is the result, `reference` writes `--help` and `docs/configuration.md`.

mod accounts;
mod arguments;
mod draft;
mod error;
mod flags;
mod layers;
mod reference;
mod settings;
#[cfg(test)]
mod tests;
mod unknown_variables;
mod values;

pub use crate::account::WELL_KNOWN_ACCOUNT;
use crate::store::disk::Durability;
pub use accounts::AccountError;
pub use error::{ConfigError, ValueError};
pub use reference::reference;
pub use settings::{Config, Endpoint, ProgramName, Tls, WELL_KNOWN_KEY};
use std::ffi::OsString;
use std::path::PathBuf;
pub use unknown_variables::unknown_variables;

/// What the program does.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Run a server.
    Serve(Config),
    /// Print this text, which ends in a line feed, and exit with 0.
    Print(String),
    /// Import an Azurite workspace into a new location, and exit.
    Import {
        /// The workspace.
        from: PathBuf,
        /// The location.
        to: PathBuf,
        /// When a write to the location is acknowledged.
        durability: Durability,
    },
    /// Print the contents of this location and any damage, and exit with 0 or 1.
    Check(PathBuf),
    /// Check the health of the server that runs with this configuration, and exit with 0 or 1.
    Health(Config),
}

/// Reads the command line, which starts with the program's name, and the environment.
///
/// # Errors
/// [`ConfigError`].
pub fn read(args: impl IntoIterator<Item = OsString>, env: &dyn Fn(&str) -> Option<String>) -> Result<Command, ConfigError> {
    let mut args = args.into_iter();
    let program = ProgramName::of(&args.next().unwrap_or_default());
    let words: Result<Vec<String>, OsString> = args.map(OsString::into_string).collect();
    let words = words.map_err(ConfigError::NotUtf8)?;
    let given = arguments::parse(words.into_iter())?;

    let has = |name: &str| given.iter().any(|argument| argument.flag.name == name);
    if has("help") {
        return Ok(Command::Print(reference::help()));
    }
    if has("version") {
        return Ok(Command::Print(concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned()));
    }
    let mut draft = layers::merge(&given, env)?;
    let from = draft.from_azurite.take();
    let config = draft.finish(program)?;
    match (has("import"), from, config.location.clone()) {
        (false, None, _) => {}
        (true, Some(from), Some(to)) => return Ok(Command::Import { from, to, durability: config.durability }),
        (false, Some(_), _) => return Err(ConfigError::WorkspaceWithoutImport),
        (true, ..) => {
            return Err(ConfigError::MissingFlag { flag: "import", needs: "--from-azurite DIR and --location DIR" });
        }
    }
    if has("check") {
        let location = config.location.ok_or(ConfigError::MissingFlag { flag: "--check", needs: "--location DIR" })?;
        return Ok(Command::Check(location));
    }
    Ok(if has("health") { Command::Health(config) } else { Command::Serve(config) })
}
