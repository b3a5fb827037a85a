//! The configuration of a server.

use crate::account::Account;
use crate::client_variables::CredentialKind;
use crate::log::LogOptions;
use crate::rules::auth::principals::Principals;
use crate::rules::auth::token::TokenCheck;
use crate::store::disk::Durability;
use crate::user::User;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The key of [`WELL_KNOWN_ACCOUNT`](crate::account::WELL_KNOWN_ACCOUNT), and of each account that is configured without one.
pub const WELL_KNOWN_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// The configuration of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The name by which it was started.
    pub(crate) program: ProgramName,
    /// The file that was read, if any.
    pub(crate) config_file: Option<PathBuf>,
    /// Where the Blob service listens, if it is served.
    pub(crate) blob: Option<Endpoint>,
    /// Where the static websites listen, if they have a port of their own.
    pub(crate) web: Option<Endpoint>,
    /// Where clients of Data Lake connect that nothing else distinguishes from those of the Blob service, if there is such a port.
    pub(crate) lake: Option<Endpoint>,
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
    /// Whether and how https is served.
    pub(crate) tls: Tls,
    /// What is checked of a bearer token; `None`: bearer tokens are refused.
    pub(crate) oauth: Option<TokenCheck>,
    /// The credential whose variables `lazuli run` and `lazuli env` set; `None`: of no credential.
    pub(crate) credential: Option<CredentialKind>,
    /// Whether every request is authorized, whoever sends it (`--auth none`).
    pub(crate) is_open: bool,
    /// The principals with roles. Without any, a principal may do everything.
    pub(crate) principals: Principals,
    /// Whether `/_lazuli/` can change and disturb the server.
    pub(crate) control: bool,
    /// The folder with the resources that empty accounts get at the start.
    pub(crate) seed: Option<PathBuf>,
    /// Host names that requests to `/_lazuli/` may have besides addresses and local names.
    pub(crate) control_hosts: Vec<String>,
    /// How many requests `--control` keeps.
    pub(crate) request_log: usize,
    /// Whether the program stops when its standard input is closed.
    pub(crate) stop_with_stdin: bool,
    /// Whether a host name never names the account.
    pub(crate) path_style_only: bool,
    /// The options of the log.
    pub(crate) log: LogOptions,
    /// The file that a log of the level debug is appended to.
    pub(crate) debug: Option<PathBuf>,
    /// The user that a server becomes if root starts it.
    pub(crate) user: Option<User>,
    /// Settings that are ignored, and the reasons: one line each.
    pub(crate) warnings: Vec<String>,
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

/// Whether and how https is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// http only.
    #[default]
    Off,
    /// http and https at the same ports, with a certificate that the server makes.
    Automatic {
        /// Names and addresses of the certificate beside those of this machine.
        names: Vec<String>,
        /// The folder of the certificate authority; `None`: beside the data, or else with the state of the user.
        folder: Option<PathBuf>,
    },
    /// https only, with these PEM files.
    Files {
        /// The certificate chain.
        cert: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
}

/// The name by which the program was started. It decides which services run and what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramName {
    /// All four services.
    #[default]
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
