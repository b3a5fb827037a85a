//! The files that make clients trust the authority: its certificate; a list of all certificates that the machine trusts, with it; and the
//! same list as a trust store for Java. They are in the folder of the authority.
//!
//! A client with a list of certificates trusts no others. So the lists have those of the machine, too.

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
    /// The assertion that a workload identity sends to get a token. The server accepts any text.
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

    /// Writes the files that do not exist or have other contents. `given` are files of certificates in PEM that clients trust so far.
    /// `folder` is absolute.
    ///
    /// # Errors
    /// [`AuthorityError`] if a file cannot be written.
    pub fn write(authority: &Authority, folder: &Path, given: &[PathBuf]) -> Result<TrustFiles, AuthorityError> {
        let paths = TrustFiles::of(folder);
        // After `lazuli env`, what clients trust so far can be these files themselves.
        let given = given.iter().filter(|file| **file != paths.bundle && **file != paths.certificate);
        let all = with_machine(authority.certificate(), given.flat_map(|file| certificates(file)));
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

/// A certificate with those that the machine trusts and others, each once.
fn with_machine(
    certificate: &CertificateDer<'static>,
    others: impl Iterator<Item = CertificateDer<'static>>,
) -> Vec<CertificateDer<'static>> {
    let mut all = vec![certificate.clone()];
    for certificate in rustls_native_certs::load_native_certs().certs.into_iter().chain(others) {
        if !all.contains(&certificate) {
            all.push(certificate);
        }
    }
    all
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
