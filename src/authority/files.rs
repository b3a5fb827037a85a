//! The files of the authority: `ca.pem`, its certificate, and `ca.key`, its key.
//!
//! Both are written to a temporary folder, which is then renamed. So the folder has both or does not exist, and of two servers that make
//! it at the same time one uses that of the other.

use crate::authority::{Authority, AuthorityError, AuthorityErrorKind};
use chrono::{DateTime, Utc};
use rcgen::{Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The certificate.
pub const CERTIFICATE: &str = "ca.pem";
/// The key.
const KEY: &str = "ca.key";

/// Loads the authority of a folder, or makes it.
pub fn open(folder: &Path, now: SystemTime) -> Result<Authority, AuthorityError> {
    match folder.symlink_metadata() {
        Ok(_) => load(folder, now),
        Err(error) if error.kind() == ErrorKind::NotFound => create(folder, now),
        Err(error) => Err(AuthorityErrorKind::Folder { folder: folder.to_owned(), error }.into()),
    }
}

fn create(folder: &Path, now: SystemTime) -> Result<Authority, AuthorityError> {
    let unusable = |error| AuthorityErrorKind::Folder { folder: folder.to_owned(), error };
    let (authority, key) = Authority::make(now)?;
    let parent = folder.parent().unwrap_or(Path::new(""));
    private_folder(parent).map_err(unusable)?;
    let temporary = temporary(folder);
    let published = private_folder(&temporary).and_then(|()| {
        write(&temporary.join(KEY), key.as_bytes(), 0o600)?;
        write(&temporary.join(CERTIFICATE), authority.pem().as_bytes(), 0o644)?;
        std::fs::rename(&temporary, folder)
    });
    match published {
        Ok(()) => Ok(Authority { folder: Some(folder.to_owned()), ..authority }),
        Err(error) => {
            _ = std::fs::remove_dir_all(&temporary);
            // Another server was first.
            if folder.exists() { load(folder, now) } else { Err(unusable(error).into()) }
        }
    }
}

fn load(folder: &Path, now: SystemTime) -> Result<Authority, AuthorityError> {
    let (cert_file, key_file) = (folder.join(CERTIFICATE), folder.join(KEY));
    let damaged = |file: &Path, expected| AuthorityErrorKind::Damaged { file: file.to_owned(), expected };
    let (pem, key) = (read(&cert_file)?, read(&key_file)?);
    let no_certificate = || damaged(&cert_file, "certificate of an authority");
    let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|_| no_certificate())?;
    let key = KeyPair::from_pem(&key).map_err(|_| damaged(&key_file, "private key"))?;
    let (_, parsed) = x509_parser::parse_x509_certificate(&certificate).map_err(|_| no_certificate())?;
    if !parsed.is_ca() {
        return Err(no_certificate().into());
    }
    if *parsed.public_key().subject_public_key.data != *key.public_key_raw() {
        return Err(AuthorityErrorKind::OtherKey(cert_file).into());
    }
    let time = |time: x509_parser::time::ASN1Time| DateTime::from_timestamp(time.timestamp(), 0).unwrap_or_default();
    let (not_before, not_after) = (time(parsed.validity().not_before), time(parsed.validity().not_after));
    let (now, day) = (DateTime::<Utc>::from(now), |time: DateTime<Utc>| time.format("%Y-%m-%d").to_string());
    if not_after <= now {
        return Err(AuthorityErrorKind::Expired { file: cert_file, day: day(not_after) }.into());
    }
    if now < not_before {
        return Err(AuthorityErrorKind::NotYetValid { file: cert_file, day: day(not_before) }.into());
    }
    let name = parsed.subject().iter_common_name().find_map(|name| name.as_str().ok()).unwrap_or_default().to_owned();
    let issuer = Issuer::from_ca_cert_der(&certificate, key)?;
    Ok(Authority { name, certificate, issuer, not_after, folder: Some(folder.to_owned()) })
}

#[expect(clippy::disallowed_methods, reason = "this is where the authority is read")]
fn read(file: &Path) -> Result<String, AuthorityError> {
    std::fs::read_to_string(file).map_err(|error| AuthorityErrorKind::CannotRead { file: file.to_owned(), error }.into())
}

/// Writes a file whole: readers see the old one or the new one.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> Result<(), AuthorityError> {
    let temporary = temporary(file);
    let written = write(&temporary, bytes, 0o644).and_then(|()| std::fs::rename(&temporary, file));
    written.map_err(|error| {
        _ = std::fs::remove_file(&temporary);
        AuthorityErrorKind::CannotWrite { file: file.to_owned(), error }.into()
    })
}

/// A name beside a file or folder that no other process uses.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}-{:016x}", RandomState::new().hash_one(std::process::id())))
}

/// Creates a folder that only the user can search, and its parents.
fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a new file, with these permissions where the system has such.
fn write(file: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file: File = options.open(file)?;
    file.write_all(bytes)?;
    file.sync_all()
}
