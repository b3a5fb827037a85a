//! `lazuli trust`: the system's list of certificate authorities.

use crate::command_line::Failure;
use crate::command_line::env::{NO_FOLDER, inherited, write_trust_files};
use crate::config::{Config, Tls};
use crate::emulator::tls_folder;
use crate::log::{complain, say};
use crate::system_trust;
use std::process::ExitCode;

/// Adds the authority of the servers with this configuration to the system's list, or removes it.
pub fn trust(config: &Config, undo: bool) -> Result<ExitCode, Failure> {
    if !matches!(config.tls, Tls::Automatic { .. }) {
        return Err("trust is for the certificate authority of --tls auto: a server with --cert or --tls off has none".into());
    }
    let folder = tls_folder(config).ok_or(NO_FOLDER)?;
    if undo && !folder.exists() {
        return Err(format!("{} has no certificate authority: there is nothing to undo", folder.display()).into());
    }
    if inherited("SUDO_USER").is_some() {
        complain(
            "with sudo this is the authority of root's servers. For yours, run lazuli trust without sudo: it prints what needs sudo",
        );
    }
    let (authority, files) = write_trust_files(&folder)?;
    say(&format!("The certificate authority is {} (SHA-256 {})", files.certificate.display(), authority.fingerprint()));
    let outcome = system_trust::change(&files.certificate, authority.name(), &authority.fingerprint(), undo);
    outcome.done.iter().for_each(|line| say(line));
    outcome.failed.iter().for_each(|line| complain(line));
    Ok(if outcome.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
