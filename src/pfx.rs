//! Certificates in PFX files (PKCS #12): Lazuli does not read them, and says how to convert them.

use std::path::{Path, PathBuf};

/// The sentence about a certificate and a key in one PFX file.
pub fn refusal(file: &Path) -> String {
    let pem = converted(file);
    let (file, pem) = (file.display(), pem.display());
    format!(
        "{file}: Lazuli does not read PFX files. Convert it: openssl pkcs12 -in {file} -out {pem} -nodes, then start with --cert {pem} \
         --key {pem}"
    )
}

/// The file that a conversion to PEM makes: never the one that it reads.
pub fn converted(file: &Path) -> PathBuf {
    let pem = file.with_extension("pem");
    if pem == file { file.with_extension("converted.pem") } else { pem }
}
