//! The certificate authority of a user's servers: it signs their certificates for https, and a client that trusts it trusts them all.
//!
//! The authority is made when it is first needed and kept in a folder ([`files`]). Certificates of servers are made at each start and are
//! never stored.

mod error;
mod files;
mod folder;
mod names;
mod pkcs12;
#[cfg(test)]
mod tests;
mod trust_files;

use chrono::{DateTime, Datelike, TimeDelta, Utc};
pub use error::{AuthorityError, AuthorityErrorKind};
pub use folder::state_folder;
pub use names::{CertificateNames, host_name};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
pub use trust_files::{JAVA_PASSWORD, TrustFiles};

/// How long an authority is valid.
const AUTHORITY_YEARS: i32 = 10;
/// How long a server's certificate is valid from today, in days. Some clients refuse more than 397 in all.
const SERVER_DAYS: i64 = 365;
/// A certificate is valid from the day before, because the clocks of a container and its host can differ.
const DAYS_BEFORE: i64 = 1;
/// How long before its end a running server replaces its certificate, in days.
const RENEWAL_DAYS: i64 = 30;

/// A certificate authority with its key.
#[derive(Debug)]
pub struct Authority {
    /// The common name of its subject.
    name: String,
    certificate: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
    not_after: DateTime<Utc>,
    /// The folder that it is kept in; `None`: in memory only.
    folder: Option<PathBuf>,
}

/// A server's certificate with its key.
#[derive(Debug)]
pub struct ServerCertificate {
    /// The certificate and that of its authority.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
    /// When a running server replaces it.
    pub renew_at: SystemTime,
}

impl Authority {
    /// Loads the authority in this folder, or makes it. Servers that make it at the same time get the same one.
    ///
    /// # Errors
    /// [`AuthorityError`] if an authority exists and cannot be used, which is never replaced, or if none can be made.
    pub fn open(folder: &Path, now: SystemTime) -> Result<Authority, AuthorityError> {
        files::open(folder, now)
    }

    /// Makes an authority that is not stored.
    ///
    /// # Errors
    /// [`AuthorityError`] if the system has no randomness.
    pub fn in_memory(now: SystemTime) -> Result<Authority, AuthorityError> {
        Ok(Authority::make(now)?.0)
    }

    /// Makes an authority, and returns it with its key in PEM.
    fn make(now: SystemTime) -> Result<(Authority, String), AuthorityError> {
        let today = DateTime::<Utc>::from(now);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let pem = key.serialize_pem();
        let mut params = CertificateParams::default();
        let host = host_name().unwrap_or_else(|| "this machine".to_owned());
        let name = format!("Lazuli development CA of {host}");
        params.distinguished_name.push(DnType::CommonName, &name);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let last = today.with_day(1).and_then(|first| first.with_year(first.year() + AUTHORITY_YEARS)).unwrap_or(today);
        set_validity(&mut params, today - TimeDelta::days(DAYS_BEFORE), last);
        let certificate = params.self_signed(&key)?.der().clone();
        let authority = Authority { name, certificate, issuer: Issuer::new(params, key), not_after: last, folder: None };
        Ok((authority, pem))
    }

    /// Makes a certificate for a server with these names and addresses.
    ///
    /// # Errors
    /// [`AuthorityError`] for a name that no certificate can have.
    pub fn issue(&self, names: &CertificateNames, now: SystemTime) -> Result<ServerCertificate, AuthorityError> {
        let today = DateTime::<Utc>::from(now);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let mut params = CertificateParams::new(names.all().to_vec())?;
        params.distinguished_name.push(DnType::CommonName, "Lazuli");
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let last = (today + TimeDelta::days(SERVER_DAYS)).min(self.not_after);
        set_validity(&mut params, today - TimeDelta::days(DAYS_BEFORE), last);
        let certificate = params.signed_by(&key, &self.issuer)?.der().clone();
        Ok(ServerCertificate {
            chain: vec![certificate, self.certificate.clone()],
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            renew_at: (last - TimeDelta::days(RENEWAL_DAYS)).into(),
        })
    }

    /// The certificate of the authority.
    pub fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    /// The common name of the authority, by which lists of certificates show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The certificate of the authority in PEM.
    pub fn pem(&self) -> String {
        trust_files::pem(&self.certificate)
    }

    /// The folder that it is kept in; `None`: in memory only.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The SHA-256 hash of the certificate, as programs that manage certificates show it.
    pub fn fingerprint(&self) -> String {
        let bytes: Vec<String> = Sha256::digest(&self.certificate).iter().map(|byte| format!("{byte:02X}")).collect();
        bytes.join(":")
    }
}

/// Sets the first and the last day of a certificate.
fn set_validity(params: &mut CertificateParams, from: DateTime<Utc>, until: DateTime<Utc>) {
    let date = |day: DateTime<Utc>| rcgen::date_time_ymd(day.year(), day.month() as u8, day.day() as u8);
    params.not_before = date(from);
    params.not_after = date(until);
}
