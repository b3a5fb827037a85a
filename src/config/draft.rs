//! The values of all flags before they become a [`Config`], and the checks that involve several of them.

use crate::client_variables::CredentialKind;
use crate::config::{Config, ConfigErrorKind, Endpoint, ProgramName, Tls};
use crate::rules::auth::token::TokenCheck;
use crate::store::disk::Durability;
use std::path::{Path, PathBuf};

/// What the flags set.
#[derive(Default)]
pub(super) struct Draft {
    /// What does not depend on other flags.
    pub(super) config: Config,
    pub(super) blob: Endpoint,
    pub(super) queue: Endpoint,
    pub(super) table: Endpoint,
    pub(super) file: Endpoint,
    pub(super) web_port: Option<u16>,
    pub(super) dfs_port: Option<u16>,
    pub(super) in_memory: bool,
    pub(super) from_azurite: Option<PathBuf>,
    pub(super) durability: Option<Durability>,
    pub(super) tls_off: bool,
    pub(super) tls_names: Vec<String>,
    pub(super) cert: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) password: bool,
    pub(super) any_origin: bool,
}

impl Draft {
    /// Checks flags against each other, and returns the configuration.
    ///
    /// # Errors
    /// [`ConfigErrorKind`] for flags that are missing or that contradict each other.
    pub(super) fn finish(mut self, program: ProgramName) -> Result<Config, ConfigErrorKind> {
        if self.in_memory && self.config.location.take().is_some() {
            self.warn("--location is ignored: --in-memory keeps everything in memory");
        }
        if self.config.location.is_none() && self.durability.is_some() {
            self.warn("--durability is ignored: without --location everything is kept in memory");
        }
        if program != ProgramName::Lazuli && self.config.location.is_none() && !self.in_memory {
            self.warn(
                "data is kept in memory and is lost when the server stops. --location DIR keeps it (Azurite uses the current folder)",
            );
        }
        let files = self.certificate_files()?;
        let tls = self.tls(files);
        self.warn_of_sign_in(&tls);
        self.config.accounts.iter_mut().for_each(|account| account.any_origin = self.any_origin);
        let has_blob = !matches!(program, ProgramName::AzuriteQueue | ProgramName::AzuriteTable);
        if self.web_port.is_some() && !has_blob {
            self.warn("--web-port is ignored: websites are the Blob service's");
        }
        if self.dfs_port.is_some() && !has_blob {
            self.warn("--dfs-port is ignored: Data Lake is the other API of the Blob service");
        }
        let lake = self.dfs_port.filter(|_| has_blob).map(|port| Endpoint { port, ..self.blob.clone() });
        let web = self.web_port.filter(|_| has_blob).map(|port| Endpoint { port, ..self.blob.clone() });
        let all = matches!(program, ProgramName::Lazuli | ProgramName::Azurite);
        Ok(Config {
            program,
            blob: has_blob.then_some(self.blob),
            web,
            lake,
            queue: (all || program == ProgramName::AzuriteQueue).then_some(self.queue),
            table: (all || program == ProgramName::AzuriteTable).then_some(self.table),
            file: all.then_some(self.file),
            durability: self.durability.unwrap_or_default(),
            tls,
            ..self.config
        })
    }

    /// The certificate that the flags name; `None` if they name none.
    fn certificate_files(&mut self) -> Result<Option<Tls>, ConfigErrorKind> {
        match (self.cert.take(), self.key.take()) {
            // As in Azurite: if there is a key file, the certificate is PEM, and the password is not used.
            (Some(cert), Some(key)) => {
                if self.password {
                    self.warn("--pwd is ignored: with --key, both files are read as PEM");
                }
                Ok(Some(Tls::Files { cert, key }))
            }
            (Some(cert), None) if self.password || is_pfx(&cert) => Err(match cert.metadata() {
                Ok(_) => ConfigErrorKind::PfxCertificate(cert),
                Err(error) => ConfigErrorKind::UnreadableCertificate { path: cert, error },
            }),
            (Some(_), None) => {
                Err(ConfigErrorKind::MissingFlag { flag: "--cert", needs: "--key with the certificate's private key" })
            }
            (None, Some(_)) => {
                Err(ConfigErrorKind::MissingFlag { flag: "--key", needs: "--cert with the certificate of that key" })
            }
            (None, None) if self.password => Err(ConfigErrorKind::PasswordWithoutCertificate),
            (None, None) => Ok(None),
        }
    }

    /// Whether and how https is served, if these files are given.
    fn tls(&mut self, files: Option<Tls>) -> Tls {
        if self.tls_off && files.is_some() {
            self.warn("--cert and --key are ignored: --tls off serves no https");
        }
        if !self.tls_names.is_empty() && (self.tls_off || files.is_some()) {
            self.warn("--tls-name is ignored: it is for the certificate that the server makes itself");
        }
        match files {
            _ if self.tls_off => Tls::Off,
            Some(files) => files,
            None => Tls::Automatic { names: std::mem::take(&mut self.tls_names), folder: None },
        }
    }

    /// Warns of flags about signing in that others make pointless or dangerous.
    fn warn_of_sign_in(&mut self, tls: &Tls) {
        if self.config.oauth == Some(TokenCheck::Basic) && *tls == Tls::Off {
            self.warn("--oauth basic takes bearer tokens only over https: leave out --tls off, or use --oauth local or dev");
        }
        let needs_issuer = !matches!(self.config.credential, None | Some(CredentialKind::ManagedIdentity));
        if needs_issuer && self.config.oauth != Some(TokenCheck::Local) {
            self.warn("--credential is ignored: only a server with --oauth local issues tokens");
        }
        if self.config.is_open {
            self.warn(
                "--auth none: no signature is checked, and whoever reaches the server may read, change and delete everything",
            );
        }
        if self.config.is_open && self.config.principals.are_declared() {
            self.warn("--identity is ignored: with --auth none everybody may do everything");
        }
        if self.config.principals.are_declared() && self.config.oauth.is_none() && !self.config.is_open {
            self.warn("--identity has no effect: no bearer token is accepted without --oauth (local, basic or dev)");
        }
    }

    /// The hosts of all services.
    pub(super) fn hosts(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.blob, &mut self.queue, &mut self.table, &mut self.file].into_iter().map(|endpoint| &mut endpoint.host)
    }

    /// Adds a warning about a setting that is ignored.
    pub(super) fn warn(&mut self, line: &str) {
        self.config.warnings.push(line.to_owned());
    }
}

fn is_pfx(cert: &Path) -> bool {
    cert.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pfx") || extension.eq_ignore_ascii_case("p12"))
}
