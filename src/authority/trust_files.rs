//! The files that make clients trust the authority, beside it: its certificate, all certificates that the machine trusts with it, and the
//! same as a trust store for Java.
//!
//! A client that is given a list of certificates trusts no others. So the lists have those of the machine, too.

use crate::authority::{Authority, AuthorityError, files, pkcs12};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::{Path, PathBuf};

/// The paths of the files. They are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustFiles {
    /// The certificate of the authority in PEM.
    pub certificate: PathBuf,
    /// The certificates of the machine and of the authority in PEM.
    pub bundle: PathBuf,
    /// The same certificates in PKCS #12.
    pub java: PathBuf,
    /// What a workload identity presents to get a token. The server accepts any text.
    pub assertion: PathBuf,
}

/// The password of the trust store. It is the customary one: the store has no secret.
pub const JAVA_PASSWORD: &str = "changeit";

impl TrustFiles {
    /// The files in a folder, whether they exist or not.
    pub fn of(folder: &Path) -> TrustFiles {
        TrustFiles {
            certificate: folder.join(files::CERTIFICATE),
            bundle: folder.join("ca-bundle.pem"),
            java: folder.join("ca.p12"),
            assertion: folder.join("assertion"),
        }
    }

    /// Writes the files that do not hold what they should. `given` are files of certificates in PEM that clients trust so far. `folder` is
    /// absolute.
    ///
    /// # Errors
    /// [`AuthorityError`].
    pub fn write(authority: &Authority, folder: &Path, given: &[PathBuf]) -> Result<TrustFiles, AuthorityError> {
        let paths = TrustFiles::of(folder);
        let mut all = vec![authority.certificate().clone()];
        let machine = rustls_native_certs::load_native_certs().certs;
        let others =
            given.iter().filter(|file| **file != paths.bundle && **file != paths.certificate).flat_map(|file| certificates(file));
        for certificate in machine.into_iter().chain(others) {
            if !all.contains(&certificate) {
                all.push(certificate);
            }
        }
        let bundle: String = all.iter().map(pem).collect();
        let name = |number: usize| if number == 0 { "lazuli".to_owned() } else { format!("machine-{number}") };
        let named: Vec<_> = all.into_iter().enumerate().map(|(number, certificate)| (name(number), certificate)).collect();
        update(&paths.certificate, authority.pem().as_bytes())?;
        update(&paths.bundle, bundle.as_bytes())?;
        update(&paths.java, &pkcs12::trust_store(&named))?;
        update(&paths.assertion, b"lazuli\n")?;
        Ok(paths)
    }
}

/// The certificates in a file. A file that cannot be read was of no use to its client either.
fn certificates(file: &Path) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_file_iter(file).map(|all| all.flatten().collect()).unwrap_or_default()
}

/// Replaces a file that does not hold these bytes.
#[expect(clippy::disallowed_methods, reason = "this is where the files of the authority are read")]
fn update(file: &Path, bytes: &[u8]) -> Result<(), AuthorityError> {
    match std::fs::read(file) {
        Ok(found) if found == bytes => Ok(()),
        _ => files::replace(file, bytes),
    }
}

/// A certificate in PEM.
pub(super) fn pem(certificate: &CertificateDer<'_>) -> String {
    let config = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    pem::encode_config(&pem::Pem::new("CERTIFICATE", certificate.as_ref()), config)
}
