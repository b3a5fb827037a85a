//! The configuration: flags, environment variables and defaults become a [`Config`] or a [`ConfigError`].
//!
//! `flags` is the table of all flags; `arguments` parses a command line by it, `layers` merges the sources of values into a `draft`,
//! `values` and `accounts` parse values, `reference` writes `--help` and `docs/configuration.md`.

pub mod accounts;
mod arguments;
mod draft;
mod error;
mod flags;
mod layers;
mod reference;
#[cfg(test)]
mod tests;
mod unknown_variables;
mod values;

use crate::account::Account;
pub use crate::account::WELL_KNOWN_ACCOUNT;
use crate::log::{Format, LogOptions};
use crate::rules::auth::token::TokenCheck;
use crate::store::disk::Durability;
use crate::user::User;
pub(crate) use error::ConfigErrorKind;
pub use error::ConfigError;
pub use reference::reference;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use unknown_variables::unknown_variables;

/// The key of [`WELL_KNOWN_ACCOUNT`], and of each account that is configured without one.
pub const WELL_KNOWN_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// The configuration of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The name by which it was started.
    pub(crate) program: ProgramName,
    /// Where the Blob service listens, if it is served.
    pub(crate) blob: Option<Endpoint>,
    /// Where the static websites listen, if they have a port of their own.
    pub(crate) web: Option<Endpoint>,
    /// Where the Queue service listens, if it is served.
    pub(crate) queue: Option<Endpoint>,
    /// Where the Table service listens, if it is served.
    pub(crate) table: Option<Endpoint>,
    /// Where the File service listens, if it is served.
    pub(crate) file: Option<Endpoint>,
    /// At least one account; names are unique.
    pub(crate) accounts: Vec<Account>,
    /// The directory that data is stored in; `None`: in memory only.
    pub(crate) location: Option<PathBuf>,
    /// When a write to that directory is acknowledged.
    pub(crate) durability: Durability,
    /// Certificate and key, for https.
    pub(crate) tls: Option<Tls>,
    /// What is checked of a bearer token; `None`: bearer tokens are refused.
    pub(crate) oauth: Option<TokenCheck>,
    /// Whether the log has no line for each request.
    pub(crate) silent: bool,
    /// Whether `/_lazuli/` can move the clock and empty the accounts.
    pub(crate) control: bool,
    /// Whether a host name may name the account.
    pub(crate) product_style_urls: bool,
    /// The lowest level that is logged.
    pub(crate) log: tracing::Level,
    /// The format of the log on standard output.
    pub(crate) log_format: Format,
    /// The file that a log of the level debug is appended to.
    pub(crate) debug: Option<PathBuf>,
    /// The user that a server becomes if root starts it.
    pub(crate) user: Option<User>,
    /// Settings that are ignored, and the reasons: one line each.
    pub(crate) warnings: Vec<String>,
}

impl Config {
    /// Reads the flags of a server as they are on the command line, without the program's name: see
    /// [the list](https://github.com/lazuli-storage/lazuli/blob/main/docs/configuration.md). Environment variables are not read.
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
        match read(std::iter::once(program).chain(arguments.into_iter().map(Into::into)), &|_| None)? {
            Command::Serve(config) => Ok(config),
            _ => Err(ConfigErrorKind::OtherCommand.into()),
        }
    }

    /// The options of the log.
    pub(crate) fn log_options(&self) -> LogOptions {
        LogOptions { level: self.log, format: self.log_format, silent: self.silent }
    }
}

/// Where a service listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// An address or a name; an IPv6 address has no brackets.
    pub host: String,
    /// The port; 0 means any free one.
    pub port: u16,
    /// How long an idle connection stays open.
    pub keep_alive: Duration,
}

/// The PEM files for https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate chain.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The name by which the program was started. It decides which services run and what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramName {
    /// All four services.
    Lazuli,
    /// All four services; prints Azurite's lines for Blob, Queue and Table. Azurite has no File service and no line for it.
    Azurite,
    /// The Blob service only.
    AzuriteBlob,
    /// The Queue service only.
    AzuriteQueue,
    /// The Table service only.
    AzuriteTable,
}

impl ProgramName {
    /// The exit status for invalid arguments and for a start that failed. Azurite exits with 1, and scripts made for it
    /// expect that.
    pub fn failure(self) -> u8 {
        if self == ProgramName::Lazuli { 2 } else { 1 }
    }

    /// The name in `argv[0]`. Every name but those of Azurite's programs means Lazuli.
    pub fn of(program: &OsStr) -> ProgramName {
        let name = Path::new(program).file_stem().unwrap_or_default().to_ascii_lowercase();
        match name.to_str() {
            Some("azurite") => ProgramName::Azurite,
            Some("azurite-blob") => ProgramName::AzuriteBlob,
            Some("azurite-queue") => ProgramName::AzuriteQueue,
            Some("azurite-table") => ProgramName::AzuriteTable,
            _ => ProgramName::Lazuli,
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
}

/// Reads the command line, which starts with the program's name, and the environment.
///
/// # Errors
/// [`ConfigErrorKind`].
pub fn read(args: impl IntoIterator<Item = OsString>, env: &dyn Fn(&str) -> Option<String>) -> Result<Command, ConfigErrorKind> {
    let mut args = args.into_iter();
    let program = ProgramName::of(&args.next().unwrap_or_default());
    let words: Result<Vec<String>, OsString> = args.map(OsString::into_string).collect();
    let words = words.map_err(ConfigErrorKind::NotUtf8)?;
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
        (false, Some(_), _) => return Err(ConfigErrorKind::WorkspaceWithoutImport),
        (true, ..) => {
            return Err(ConfigErrorKind::MissingFlag { flag: "import", needs: "--from-azurite DIR and --location DIR" });
        }
    }
    if has("check") {
        let location = config.location.ok_or(ConfigErrorKind::MissingFlag { flag: "--check", needs: "--location DIR" })?;
        return Ok(Command::Check(location));
    }
    Ok(if has("health") { Command::Health(config) } else { Command::Serve(config) })
}
