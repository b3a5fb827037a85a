//! `lazuli env`: the variables that lead a client to a server, and the files that they name.

use crate::authority::{Authority, AuthorityError, AuthorityErrorKind, TrustFiles};
use crate::client_variables::{Format, inherited_certificates};
use crate::command_line::Failure;
use crate::config::{Config, Tls};
use crate::emulator::client::settings_of_config;
use crate::emulator::tls_folder;
use crate::environment::Environment;
use crate::log::{complain, say};
use std::io;
use std::io::ErrorKind;
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
    let broken = |name: &&str| format!("{name} has a line break, which this format cannot have: --format sh can");
    let variables = settings.variables(&inherited);
    let lines = variables.iter().map(|(name, value)| format.line(name, value).ok_or_else(|| broken(name)));
    let lines = lines.collect::<Result<Vec<String>, String>>()?;
    settings.removed_variables(&inherited).into_iter().filter_map(|name| format.removing_line(name)).for_each(|line| say(&line));
    lines.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

/// Loads or makes the certificate authority of a folder, and writes the files that make clients trust it.
pub fn write_trust_files(folder: &Path) -> Result<(Authority, TrustFiles), AuthorityError> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    if folder.to_str().is_none() {
        // Variables and their readers are UTF-8.
        let error = io::Error::new(ErrorKind::InvalidInput, "the path is not UTF-8");
        return Err(AuthorityErrorKind::Folder { folder, error }.into());
    }
    let authority = Authority::open(&folder, Environment::real().machine().into())?;
    let files = TrustFiles::write(&authority, &folder, &inherited_certificates(&inherited))?;
    Ok((authority, files))
}

/// A variable of this process.
pub fn inherited(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
