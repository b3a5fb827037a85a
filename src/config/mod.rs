//! The configuration: flags, environment variables, a file and defaults become a [`Config`] or a [`ConfigError`].
//!
//! `flags` is the table of all flags; `arguments` parses a command line by it, `file` reads
//! `lazuli.toml`, `layers` merges the sources of values into a `draft`,
//! `values` and `accounts` parse values, and `settings` is the result. `help`, `man`, `completions` and `page` write `--help`, the man
//! page, the completions of shells and `docs/configuration.md` from the table.

pub mod accounts;
mod arguments;
mod completions;
mod draft;
mod error;
mod file;
mod flags;
mod help;
mod layers;
mod man;
#[cfg(test)]
mod page;
#[cfg(test)]
mod schema;
mod settings;
#[cfg(test)]
mod tests;
mod unknown_variables;
mod values;

pub use crate::account::WELL_KNOWN_ACCOUNT;
use crate::client_variables::Format;
use crate::store::disk::Durability;
pub use error::ConfigError;
pub(crate) use error::ConfigErrorKind;
pub use file::DEFAULT as DEFAULT_FILE;
pub use settings::{Config, Endpoint, ProgramName, Tls, WELL_KNOWN_KEY};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
pub use unknown_variables::unknown_variables;

impl Config {
    /// Reads the flags of a server as they are on the command line, without the program's name: see
    /// [the list](https://github.com/lazuli-storage/lazuli/blob/main/docs/configuration.md). Environment variables are not read, and
    /// `lazuli.toml` only if `--config` names it.
    ///
    /// ```
    /// # fn main() -> Result<(), lazuli::ConfigError> {
    /// let config = lazuli::Config::from_arguments(["--blob-port=0", "--account=orders,versioning"])?;
    /// let emulator = lazuli::Emulator::builder().config(config);
    /// # _ = emulator;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ConfigError`] for a flag or value that is invalid, and for the flags of other commands, such as `--check`.
    pub fn from_arguments<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Result<Config, ConfigError> {
        let program = OsString::from("lazuli");
        match read(std::iter::once(program).chain(arguments.into_iter().map(Into::into)), &|_| None, None)? {
            Command::Serve(config) => Ok(config),
            _ => Err(ConfigErrorKind::OtherCommand.into()),
        }
    }
}

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
    /// Print the variables that lead a client to the server with this configuration, and exit.
    Env(Config, Format),
    /// Run a server and a command that finds it, and exit with the status of the command.
    Run { config: Config, program: OsString, arguments: Vec<OsString> },
    /// Make this machine trust the certificate authority of the servers with this configuration, or undo that, and exit with 0 or 1.
    Trust { config: Config, undo: bool },
}

/// Reads the command line, which starts with the program's name, the environment, and a file: the one that they name, or the default
/// one if it exists.
///
/// # Errors
/// [`ConfigErrorKind`].
pub fn read(
    args: impl IntoIterator<Item = OsString>,
    env: &dyn Fn(&str) -> Option<String>,
    default_file: Option<&Path>,
) -> Result<Command, ConfigErrorKind> {
    let mut args = args.into_iter();
    let program = ProgramName::of(&args.next().unwrap_or_default());
    let words: Result<Vec<String>, OsString> = args.by_ref().take_while(|word| word != "--").map(OsString::into_string).collect();
    let words = words.map_err(ConfigErrorKind::NotUtf8)?;
    // After `--`.
    let command: Vec<OsString> = args.collect();
    let given = arguments::parse(words.into_iter())?;

    let has = |name: &str| given.iter().any(|argument| argument.flag.name == name);
    if has("help") {
        return Ok(Command::Print(help::help(has)));
    }
    if has("version") {
        return Ok(Command::Print(concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned()));
    }
    if let Some(argument) = given.iter().rfind(|argument| argument.flag.name == "completions") {
        let shell = values::shell(&argument.value);
        let shell = shell.map_err(|reason| ConfigErrorKind::InvalidValue { flag: argument.name.clone(), reason })?;
        return Ok(Command::Print(completions::script(shell)));
    }
    if has("man") {
        return Ok(Command::Print(man::page()));
    }
    let named = given.iter().rfind(|argument| argument.flag.name == "config").map(|argument| argument.value.clone());
    let named = named.or_else(|| env("LAZULI_CONFIG").filter(|path| !path.is_empty()));
    let file = file::read(named.as_deref(), default_file)?;
    let (is_run, is_trust, is_env) = (has("run"), has("trust"), has("env"));
    let defaults = if is_run { layers::Defaults::Run } else { layers::Defaults::Serve };
    let mut draft = layers::merge(&given, env, &file, defaults)?;
    draft.config.config_file = file.path;
    let from = draft.from_azurite.take();
    let config = draft.finish(program)?;
    match (has("import"), from, config.location.clone()) {
        (false, None, _) => {}
        (true, Some(from), Some(to)) => return Ok(Command::Import { from, to, durability: config.durability }),
        (false, Some(_), _) => return Err(ConfigErrorKind::WorkspaceWithoutImport),
        (true, ..) => {
            return Err(ConfigErrorKind::MissingFlag { flag: "import", needs: "--from-azurite DIR and --location DIR" });
        }
    }
    if has("check") {
        let location = config.location.ok_or(ConfigErrorKind::MissingFlag { flag: "--check", needs: "--location DIR" })?;
        return Ok(Command::Check(location));
    }
    if has("undo") && !is_trust {
        return Err(ConfigErrorKind::MissingFlag { flag: "--undo", needs: "trust: lazuli trust --undo" });
    }
    let format = given.iter().rfind(|argument| argument.flag.name == "format");
    if format.is_some() && !is_env {
        return Err(ConfigErrorKind::MissingFlag { flag: "--format", needs: "env: lazuli env --format FORMAT" });
    }
    if is_run {
        let mut words = command.into_iter();
        let program =
            words.next().ok_or(ConfigErrorKind::MissingFlag { flag: "run", needs: "a command: lazuli run -- COMMAND" })?;
        return Ok(Command::Run { config, program, arguments: words.collect() });
    }
    if is_env {
        let format = format.map_or(Ok(Format::of_system()), |argument| {
            values::format(&argument.value)
                .map_err(|reason| ConfigErrorKind::InvalidValue { flag: argument.name.clone(), reason })
        })?;
        return Ok(Command::Env(config, format));
    }
    if is_trust {
        return Ok(Command::Trust { config, undo: has("undo") });
    }
    Ok(if has("health") { Command::Health(config) } else { Command::Serve(config) })
}
