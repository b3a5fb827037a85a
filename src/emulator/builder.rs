//! What an [`Emulator`] in this process is started with.

use crate::config::{Config, ConfigError, ConfigErrorKind, accounts};
use crate::emulator::{Emulator, StartError, load_tls};
use crate::environment::{Clock, Environment};
use crate::operation::ServiceKind;
use crate::progress::Progress;
use std::path::PathBuf;

/// Starts an [`Emulator`]. Without any setting it listens at free ports of 127.0.0.1, serves the account
/// [`WELL_KNOWN_ACCOUNT`](crate::WELL_KNOWN_ACCOUNT), and stores its data in memory.
#[derive(Debug)]
#[must_use = "a builder starts nothing until `start`"]
pub struct EmulatorBuilder {
    config: Result<Config, ConfigError>,
    accounts: Vec<String>,
    clock: Clock,
    seed: Option<u64>,
}

impl EmulatorBuilder {
    pub(super) fn new() -> EmulatorBuilder {
        let ports = ["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0"];
        EmulatorBuilder { config: Config::from_arguments(ports), accounts: Vec::new(), clock: Clock::System, seed: None }
    }

    /// Replaces all settings, ports included, with those of a configuration.
    pub fn config(mut self, config: Config) -> EmulatorBuilder {
        self.config = Ok(config);
        self
    }

    /// Serves an account with this key, in base64. The accounts given here take the place of the configured ones.
    pub fn account(mut self, name: &str, key: &str) -> EmulatorBuilder {
        self.accounts.push(format!("{name}:{key}"));
        self
    }

    /// Listens at this port for a service; 0 means any free port.
    pub fn port(mut self, service: ServiceKind, port: u16) -> EmulatorBuilder {
        if let Ok(config) = &mut self.config {
            let endpoint = match service {
                ServiceKind::Blob | ServiceKind::DataLake => &mut config.blob,
                ServiceKind::Queue => &mut config.queue,
                ServiceKind::Table => &mut config.table,
                ServiceKind::File => &mut config.file,
            };
            if let Some(endpoint) = endpoint {
                endpoint.port = port;
            }
        }
        self
    }

    /// Stores the data in this folder, which is created if it does not exist. A server that starts there later has the same data.
    pub fn location(mut self, folder: impl Into<PathBuf>) -> EmulatorBuilder {
        if let Ok(config) = &mut self.config {
            config.location = Some(folder.into());
        }
        self
    }

    /// Sets the server's clock, which decides when leases, signatures, messages and deleted resources expire.
    pub fn clock(mut self, clock: Clock) -> EmulatorBuilder {
        self.clock = clock;
        self
    }

    /// Derives all ids from a seed. Together with a manual clock, which decides the ETags, a run can be repeated.
    pub fn seed(mut self, seed: u64) -> EmulatorBuilder {
        self.seed = Some(seed);
        self
    }

    /// Starts the server. When this returns, it answers at its [endpoints](Emulator::endpoint).
    ///
    /// # Errors
    /// [`StartError`] if a setting is invalid, a port is in use, or the data in the location cannot be read.
    pub async fn start(self) -> Result<Emulator, StartError> {
        let mut config = self.config.map_err(|ConfigError(kind)| kind)?;
        if !self.accounts.is_empty() {
            config.accounts = accounts::read(&self.accounts.join(";")).map_err(ConfigErrorKind::from)?;
        }
        let environment = Environment::new(self.clock, self.seed);
        Emulator::start_with(&config, load_tls(&config)?, environment, &Progress::default()).await
    }
}
