//! `lazuli env`: the variables that lead a client to a server, and the files that they name.

use crate::authority::{Authority, AuthorityError, TrustFiles};
use crate::client_variables::{Format, inherited_certificates};
use crate::command_line::Failure;
use crate::config::{Config, Tls};
use crate::emulator::client::settings_of_config;
use crate::emulator::tls_folder;
use crate::environment::Environment;
use crate::log::{complain, say};
use std::path::Path;
use std::process::ExitCode;

/// What is wrong without a folder for the certificate authority.
pub const NO_FOLDER: &str = if cfg!(windows) {
    "there is no folder for the certificate authority: LOCALAPPDATA is not set, and no --location is given"
} else {
    "there is no folder for the certificate authority: neither XDG_STATE_HOME nor HOME is set, and no --location is given"
};

/// Prints the variables of the clients of the server with this configuration.
pub fn print(config: &Config, format: Format) -> Result<ExitCode, Failure> {
    config.warnings.iter().for_each(|warning| complain(warning));
    let trust = match (&config.tls, tls_folder(config)) {
        (Tls::Automatic { .. }, Some(folder)) => Some(write_trust_files(&folder)?.1),
        (Tls::Automatic { .. }, None) => return Err(NO_FOLDER.into()),
        (Tls::Off | Tls::Files { .. }, _) => None,
    };
    let settings = settings_of_config(config, trust);
    let settings =
        settings.ok_or("env has to know the ports, and port 0 is any free one. lazuli run -- COMMAND works with free ports")?;
    settings.removed_variables(&inherited).into_iter().filter_map(|name| format.removing_line(name)).for_each(|line| say(&line));
    settings.variables(&inherited).iter().for_each(|(name, value)| say(&format.line(name, value)));
    Ok(ExitCode::SUCCESS)
}

/// Loads or makes the certificate authority of a folder, and writes the files that make clients trust it.
pub fn write_trust_files(folder: &Path) -> Result<(Authority, TrustFiles), AuthorityError> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let authority = Authority::open(&folder, Environment::real().machine().into())?;
    let files = TrustFiles::write(&authority, &folder, &inherited_certificates(&inherited))?;
    Ok((authority, files))
}

/// A variable of this process.
pub fn inherited(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
