//! https without configuration: the server's certificate, made when the first client needs it.

use crate::authority::{Authority, AuthorityError, AuthorityErrorKind, CertificateNames};
use crate::http::tls::server_config;
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// The certificate of a server, and the authority that signs it. Both are made when they are first needed.
#[derive(Debug)]
pub struct AutomaticTls {
    /// The folder of the authority; `None` if the environment names none.
    folder: Option<PathBuf>,
    names: CertificateNames,
    clock: fn() -> SystemTime,
    authority: Mutex<Option<Arc<Authority>>>,
    /// Held while a certificate is made, so that the first connections make one together.
    making: Mutex<()>,
    current: ArcSwapOption<Current>,
}

/// The certificate in use.
#[derive(Debug)]
struct Current {
    config: Arc<ServerConfig>,
    renew_at: SystemTime,
}

impl AutomaticTls {
    /// Creates it without an authority and a certificate.
    pub fn new(folder: Option<PathBuf>, names: CertificateNames) -> AutomaticTls {
        AutomaticTls {
            folder,
            names,
            clock: machine_time,
            authority: Mutex::default(),
            making: Mutex::default(),
            current: ArcSwapOption::empty(),
        }
    }

    /// The configuration for a connection.
    ///
    /// # Errors
    /// [`AuthorityError`]. The next connection tries again.
    pub async fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, AuthorityError> {
        if let Some(current) = self.current() {
            return Ok(current);
        }
        // This reads files, and computes for some milliseconds.
        let tls = self.clone();
        let made = tokio::task::spawn_blocking(move || tls.make()).await;
        made.map_err(|error| AuthorityErrorKind::Interrupted(error.to_string()))?
    }

    /// The certificate in use, unless it is to be replaced.
    fn current(&self) -> Option<Arc<ServerConfig>> {
        let current = self.current.load();
        current.as_ref().filter(|current| self.now() < current.renew_at).map(|current| current.config.clone())
    }

    fn make(&self) -> Result<Arc<ServerConfig>, AuthorityError> {
        let _making = self.making.lock();
        if let Some(current) = self.current() {
            return Ok(current);
        }
        let authority = self.authority()?;
        let now = self.now();
        let issued = authority.issue(&self.names, now)?;
        let config = CertifiedKey::from_der(issued.chain, issued.key, &ring::default_provider()).and_then(server_config);
        let config = config.map_err(AuthorityErrorKind::from)?;
        self.current.store(Some(Arc::new(Current { config: config.clone(), renew_at: issued.renew_at })));
        Ok(config)
    }

    /// The authority, if it exists already. Copies trust it, because it signs the certificates of all servers of the user.
    pub fn existing_authority(&self) -> Option<Result<Arc<Authority>, AuthorityError>> {
        let is_open = self.authority.lock().is_some();
        (is_open || self.folder.as_ref().is_some_and(|folder| folder.exists())).then(|| self.authority())
    }

    /// [`AutomaticTls::authority`], without blocking the task.
    ///
    /// # Errors
    /// Those of [`AutomaticTls::authority`].
    pub async fn authority_unblocked(self: &Arc<Self>) -> Result<Arc<Authority>, AuthorityError> {
        let tls = self.clone();
        let opened = tokio::task::spawn_blocking(move || tls.authority()).await;
        opened.map_err(|error| AuthorityErrorKind::Interrupted(error.to_string()))?
    }

    /// The authority. If there is no folder for it, it is in memory.
    ///
    /// # Errors
    /// [`AuthorityError`] if there is an authority that cannot be used.
    pub fn authority(&self) -> Result<Arc<Authority>, AuthorityError> {
        let mut authority = self.authority.lock();
        if let Some(authority) = &*authority {
            return Ok(authority.clone());
        }
        let opened = self.open()?;
        Ok(authority.insert(Arc::new(opened)).clone())
    }

    fn open(&self) -> Result<Authority, AuthorityError> {
        let now = self.now();
        let reason = match self.folder.as_deref().map(|folder| Authority::open(folder, now)) {
            Some(Err(AuthorityError(error @ AuthorityErrorKind::Folder { .. }))) => error.to_string(),
            None => "neither the environment nor --location names a folder for it".to_owned(),
            Some(Ok(authority)) => {
                if let Some(folder) = authority.folder() {
                    let fingerprint = authority.fingerprint();
                    tracing::info!("https: clients have to trust the authority in {} (SHA-256 {fingerprint})", folder.display());
                }
                return Ok(authority);
            }
            Some(Err(error)) => return Err(error),
        };
        let authority = Authority::in_memory(now)?;
        tracing::warn!(
            "https: the certificate authority is in memory and ends with this server: {reason}. GET /_lazuli/ca.pem returns its \
             certificate (SHA-256 {})",
            authority.fingerprint()
        );
        Ok(authority)
    }

    fn now(&self) -> SystemTime {
        (self.clock)()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "clients check certificates by the time of their machine, whatever the clock of a test says"
)]
fn machine_time() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, UNIX_EPOCH};

    /// Days since 2030-01-01, as the tests' clock shows them.
    static DAYS: AtomicU64 = AtomicU64::new(0);

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_893_456_000 + 86_400 * DAYS.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_running_server_replaces_its_certificate_before_the_end() {
        let names = CertificateNames::of_server(std::iter::empty(), std::iter::empty(), &[]);
        let tls = Arc::new(AutomaticTls { clock, ..AutomaticTls::new(None, names) });
        assert!(tls.existing_authority().is_none());
        let first = tls.config().await.unwrap();
        let authority = tls.existing_authority().unwrap().unwrap();
        for (days, is_new) in [(0, false), (334, false), (336, true)] {
            DAYS.store(days, Ordering::Relaxed);
            assert_eq!(!Arc::ptr_eq(&tls.config().await.unwrap(), &first), is_new, "{days}");
        }
        assert_eq!(tls.authority().unwrap().certificate(), authority.certificate());
    }

    #[tokio::test]
    async fn connections_at_once_get_one_certificate() {
        let names = CertificateNames::of_server(std::iter::empty(), std::iter::empty(), &[]);
        let tls = Arc::new(AutomaticTls::new(None, names));
        let configs = futures::future::join_all((0..20).map(|_| tls.config())).await;
        let configs: Vec<_> = configs.into_iter().map(Result::unwrap).collect();
        assert!(configs.iter().all(|config| Arc::ptr_eq(config, &configs[0])));
    }
}
