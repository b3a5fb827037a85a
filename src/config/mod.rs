//! What the user wants: flags, environment variables and defaults become one [`Config`], or one line that says what is wrong.
//!
//! `flags` is the one list of all that can be said; `arguments` reads a command line by it, `draft` gathers what is said where,
//! `reference` writes `--help` and `docs/configuration.md`, `value` and `accounts` know what a value looks like.

mod accounts;
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

pub use crate::account::WELL_KNOWN_ACCOUNT;
use crate::log::{Format, LogOptions};
use crate::rules::auth::token::TokenCheck;
use crate::rules::encryption::Scopes;
use crate::store::disk::Durability;
use crate::user::User;
pub use accounts::AccountError;
pub use error::{ConfigError, ValueError};
pub use reference::reference;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use unknown_variables::strangers;

/// The key of [`WELL_KNOWN_ACCOUNT`], and that of every account for which none is given.
pub const WELL_KNOWN_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// What a server is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// As what it was started.
    pub program: ProgramName,
    /// Where Blob listens, if it is wanted.
    pub blob: Option<Endpoint>,
    /// Where the static websites listen, if they have a port of their own.
    pub web: Option<Endpoint>,
    /// Where Queue listens, if it is wanted.
    pub queue: Option<Endpoint>,
    /// Where Table listens, if it is wanted.
    pub table: Option<Endpoint>,
    /// Where File listens, if it is wanted.
    pub file: Option<Endpoint>,
    /// The accounts: at least one, no name twice.
    pub accounts: Vec<AccountConfig>,
    /// The directory that data is kept in; without one, it is kept in memory alone.
    pub location: Option<PathBuf>,
    /// When a write to that directory counts as done.
    pub durability: Durability,
    /// Certificate and key, for https.
    pub tls: Option<Tls>,
    /// How much a bearer token must show; without it, none is taken.
    pub oauth: Option<TokenCheck>,
    /// No line for each request.
    pub silent: bool,
    /// Whether `/_lazuli/` can move the clock and empty the accounts.
    pub control: bool,
    /// Whether a host name may name the account.
    pub product_style_urls: bool,
    /// How much the log tells.
    pub log: tracing::Level,
    /// How the log is written.
    pub log_format: Format,
    /// The file that a log of the level debug is added to.
    pub debug: Option<PathBuf>,
    /// Whom a server becomes that was started as root.
    pub user: Option<User>,
    /// What was asked for and will not happen: one line each, for the log.
    pub warnings: Vec<String>,
}

impl Config {
    /// What is logged, and how.
    pub fn log_options(&self) -> LogOptions {
        LogOptions { level: self.log, format: self.log_format, silent: self.silent }
    }
}

/// Where a service listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// An address or a name, an IPv6 address without brackets.
    pub host: String,
    /// The port; 0 for any free one.
    pub port: u16,
    /// How long an idle connection stays open.
    pub keep_alive: Duration,
}

/// An account and what it has switched on.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountConfig {
    /// 3 to 24 lower-case letters and digits.
    pub name: String,
    /// The first key, decoded.
    pub key: Vec<u8>,
    /// The second key, decoded.
    pub key2: Option<Vec<u8>>,
    /// Whether every write to a blob makes a version.
    pub versioning: bool,
    /// Whether the account has a hierarchical namespace.
    pub hns: bool,
    /// Whether blobs can be put under an immutability policy or a legal hold.
    pub immutability: bool,
    /// Whether blobs tell when they were last read or written.
    pub access_tracking: bool,
    /// Whether page blobs have premium tiers and shares are provisioned.
    pub premium: bool,
    /// For how many days a deleted container can be restored, if at all.
    pub container_retention: Option<u32>,
    /// For how many days a deleted share can be restored, if at all.
    pub share_retention: Option<u32>,
    /// The encryption scopes that it declares.
    pub scopes: Scopes,
}

impl fmt::Debug for AccountConfig {
    /// Without the keys: a configuration may end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountConfig").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The PEM files for https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate chain.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The name the program was started by, which says what it serves and what it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramName {
    /// All four services.
    Lazuli,
    /// All four services; Azurite's lines for Blob, Queue and Table. Nobody who starts it knows of File.
    Azurite,
    /// Blob alone.
    AzuriteBlob,
    /// Queue alone.
    AzuriteQueue,
    /// Table alone.
    AzuriteTable,
}

impl ProgramName {
    /// The exit status of a mistake in the arguments, and of a start that failed. Azurite ends with 1, so scripts that were made for it
    /// look for that.
    pub fn failure(self) -> u8 {
        if self == ProgramName::Lazuli { 2 } else { 1 }
    }

    /// By the file name of `argv[0]`; whoever is none of Azurite's programs is Lazuli.
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

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Be a server.
    Serve(Config),
    /// Print this, which ends with its line, and exit with 0.
    Print(String),
    /// Bring an Azurite workspace over into a new location, and exit.
    Import {
        /// The workspace.
        from: PathBuf,
        /// The location.
        to: PathBuf,
        /// When a write to it counts as done.
        durability: Durability,
    },
    /// Say what this location holds and whether it is sound, and exit with 0 or 1.
    Check(PathBuf),
    /// Ask the server that runs with this configuration for its health, and exit with 0 or 1.
    Health(Config),
}

/// Reads a whole command line, the program's name first, and the environment.
pub fn read(args: impl IntoIterator<Item = OsString>, env: &dyn Fn(&str) -> Option<String>) -> Result<Command, ConfigError> {
    let mut args = args.into_iter();
    let program = ProgramName::of(&args.next().unwrap_or_default());
    let words: Result<Vec<String>, OsString> = args.map(OsString::into_string).collect();
    let words = words.map_err(ConfigError::NotUtf8)?;
    let given = arguments::parse(words.into_iter())?;

    let asked = |question: &str| given.iter().any(|g| g.flag.name == question);
    if asked("help") {
        return Ok(Command::Print(reference::help()));
    }
    if asked("version") {
        return Ok(Command::Print(concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned()));
    }
    let mut draft = layers::merge(&given, env)?;
    let from = draft.from_azurite.take();
    let config = draft.finish(program)?;
    match (asked("import"), from, config.location.clone()) {
        (false, None, _) => {}
        (true, Some(from), Some(to)) => return Ok(Command::Import { from, to, durability: config.durability }),
        (false, Some(_), _) => return Err(ConfigError::WorkspaceWithoutImport),
        (true, ..) => {
            return Err(ConfigError::MissingFlag { flag: "import", needs: "--from-azurite DIR and --location DIR" });
        }
    }
    if asked("check") {
        let location = config.location.ok_or_else(|| ConfigError::MissingFlag { flag: "--check", needs: "--location DIR" })?;
        return Ok(Command::Check(location));
    }
    Ok(if asked("health") { Command::Health(config) } else { Command::Serve(config) })
}
