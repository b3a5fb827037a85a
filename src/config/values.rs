//! The parsers of the values of flags.

use crate::client_variables;
use crate::client_variables::CredentialKind;
use crate::config::error::ValueError;
use crate::log::Format;
use crate::rules::auth::token::TokenCheck;
use crate::store::disk::Durability;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tracing::Level;

/// A shell that completes flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Pwsh,
}

/// An address or a name. The brackets of an IPv6 address are optional.
pub(super) fn host(text: &str) -> Result<String, ValueError> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if bare.parse::<IpAddr>().is_ok() || (!bare.is_empty() && bare.chars().all(name)) {
        Ok(bare.to_owned())
    } else {
        Err(malformed(text, "a host: an IPv4 or IPv6 address or a name"))
    }
}

/// A port; 0 means any free one.
pub(super) fn port(text: &str) -> Result<u16, ValueError> {
    text.parse().map_err(|_| malformed(text, "a port: a number from 0 to 65535"))
}

/// Whole seconds; 0 means no limit, which is represented by a century.
pub(super) fn seconds(text: &str) -> Result<Duration, ValueError> {
    match text.parse::<u32>() {
        Ok(0) => Ok(Duration::from_secs(u64::from(u32::MAX))),
        Ok(seconds) => Ok(Duration::from_secs(u64::from(seconds))),
        Err(_) => Err(malformed(text, "a number of whole seconds")),
    }
}

/// Checks a number of megabytes, which is not used.
pub(super) fn megabytes(text: &str) -> Result<(), ValueError> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(()),
        _ => Err(malformed(text, "a number of megabytes")),
    }
}

/// The value of a switch.
pub(super) fn boolean(text: &str) -> Result<bool, ValueError> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ValueError::NotBoolean(text.to_owned())),
    }
}

/// A path. Whether it exists is not checked here.
pub(super) fn path(text: &str) -> Result<PathBuf, ValueError> {
    Ok(PathBuf::from(text))
}

/// A durability level by its name.
pub(super) fn durability(text: &str) -> Result<Durability, ValueError> {
    let levels = [("process", Durability::Process), ("sync", Durability::Sync)];
    named(text, levels, "a durability: process or sync")
}

/// Whether https is off, by the name of a mode of TLS.
pub(super) fn tls_off(text: &str) -> Result<bool, ValueError> {
    named(text, [("auto", false), ("off", true)], "a mode: auto or off")
}

/// Names and addresses, separated by `;`. The first label of a name can be `*`.
pub(super) fn certificate_names(text: &str) -> Result<Vec<String>, ValueError> {
    let name = |text: &str| match text.strip_prefix("*.") {
        Some(rest) if rest.parse::<IpAddr>().is_err() => host(rest).map(|rest| format!("*.{rest}")),
        _ => host(text),
    };
    text.split(';').map(str::trim).filter(|text| !text.is_empty()).map(name).collect()
}

/// A credential by its name, or none.
pub(super) fn credential(text: &str) -> Result<Option<CredentialKind>, ValueError> {
    let credentials = [
        ("managed-identity", Some(CredentialKind::ManagedIdentity)),
        ("environment", Some(CredentialKind::Environment)),
        ("workload-identity", Some(CredentialKind::WorkloadIdentity)),
        ("none", None),
    ];
    named(text, credentials, "a credential: managed-identity, environment, workload-identity or none")
}

/// Whether no request is checked, by the name of a check.
pub(super) fn no_checks(text: &str) -> Result<bool, ValueError> {
    named(text, [("keys", false), ("none", true)], "a check: keys or none")
}

/// Whether pages of all origins may send requests.
pub(super) fn any_origin(text: &str) -> Result<bool, ValueError> {
    named(text, [("rules", false), ("all", true)], "a choice: rules or all")
}

/// A level of token checks by its name.
pub(super) fn oauth(text: &str) -> Result<TokenCheck, ValueError> {
    named(
        text,
        [("local", TokenCheck::Local), ("basic", TokenCheck::Basic), ("dev", TokenCheck::Dev)],
        "a level: local, basic or dev",
    )
}

/// A log format by its name.
pub(super) fn log_format(text: &str) -> Result<Format, ValueError> {
    named(text, [("text", Format::Text), ("json", Format::Json)], "a format: text or json")
}

/// A reader of variables by its name.
pub(super) fn format(text: &str) -> Result<client_variables::Format, ValueError> {
    use client_variables::Format::{Cmd, Dotenv, Plain, PowerShell, Sh};
    let formats = [("sh", Sh), ("powershell", PowerShell), ("cmd", Cmd), ("dotenv", Dotenv), ("plain", Plain)];
    named(text, formats, "a format: sh, powershell, cmd, dotenv or plain")
}

/// A shell by its name.
pub(super) fn shell(text: &str) -> Result<Shell, ValueError> {
    let shells = [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish), ("powershell", Shell::Pwsh)];
    named(text, shells, "a shell: bash, zsh, fish or powershell")
}

/// A log level by its name.
pub(super) fn level(text: &str) -> Result<Level, ValueError> {
    let levels = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];
    named(text, levels.map(|level| (level.as_str(), level)), "a level: error, warn, info, debug or trace")
}

/// The value with this name, in any letter case.
fn named<T, const N: usize>(text: &str, values: [(&str, T); N], expected: &'static str) -> Result<T, ValueError> {
    let found = values.into_iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value).ok_or_else(|| malformed(text, expected))
}

fn malformed(value: &str, expected: &'static str) -> ValueError {
    ValueError::Malformed { value: value.to_owned(), expected }
}
