//! The certificate and the private key for https, loaded from PEM files.

use crate::pfx;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// What a listener needs to speak TLS.
#[derive(Clone, Debug)]
pub struct ServerTls {
    /// The configuration of the TLS library.
    pub config: Arc<ServerConfig>,
    /// The server's own certificate, the first of the chain.
    pub certificate: CertificateDer<'static>,
    /// The reason why some clients may refuse the certificate.
    pub warning: Option<String>,
}

/// What is wrong with the certificate or its key.
#[derive(Debug, Error)]
pub enum TlsError {
    #[error("{flag} {} cannot be read: {error}", .file.display())]
    CannotRead { flag: &'static str, file: PathBuf, error: io::Error },
    #[error("{}", pfx::refusal(.0))]
    Pfx(PathBuf),
    /// `command` is the command of openssl that converts the file.
    #[error(
        "{file} is in DER, not in PEM: openssl {command} -inform der -in {file} -out {pem} converts it",
        file = .file.display(),
        pem = pfx::converted(.file).display()
    )]
    Der { file: PathBuf, command: &'static str },
    #[error("{} is not a PEM file: {error}", .file.display())]
    NotPem { file: PathBuf, error: pem::Error },
    #[error("{} contains no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    #[error("{} contains no private key in PEM", .0.display())]
    NoKey(PathBuf),
    #[error(
        "the key in {key} is encrypted: openssl pkey -in {key} -out {plain} decrypts it",
        key = .0.display(),
        plain = .0.with_extension("decrypted.pem").display()
    )]
    EncryptedKey(PathBuf),
    #[error("{} is not the key of the certificate in {}", .key.display(), .cert.display())]
    OtherKey { cert: PathBuf, key: PathBuf },
    #[error("{} and {} do not work together: {error}", .cert.display(), .key.display())]
    Unusable { cert: PathBuf, key: PathBuf, error: rustls::Error },
}

/// Loads a certificate chain and its private key.
///
/// # Errors
/// [`TlsError`].
pub fn load(cert: &Path, key: &Path) -> Result<ServerTls, TlsError> {
    let bytes = read_pem("--cert", cert, "x509")?;
    let chain = CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| TlsError::NotPem { file: cert.to_owned(), error })?;
    let Some(certificate) = chain.first().cloned() else {
        return Err(TlsError::NoCertificate(cert.to_owned()));
    };
    let bytes = read_pem("--key", key, "pkey")?;
    if is_encrypted(&bytes) {
        return Err(TlsError::EncryptedKey(key.to_owned()));
    }
    let private = PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::NoKey(key.to_owned()),
        error => TlsError::NotPem { file: key.to_owned(), error },
    })?;

    let other_key = || TlsError::OtherKey { cert: cert.to_owned(), key: key.to_owned() };
    let unusable = |error| TlsError::Unusable { cert: cert.to_owned(), key: key.to_owned(), error };
    let provider = Arc::new(ring::default_provider());
    let old = is_version_1(&certificate);
    let pair = match old {
        false => CertifiedKey::from_der(chain, private, &provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => other_key(),
            error => unusable(error),
        })?,
        true => {
            // The library does not parse such a certificate. It contains the public key verbatim, so a search finds it.
            let private = provider.key_provider.load_private_key(private).map_err(unusable)?;
            let pair = CertifiedKey::new(chain, private);
            let public = pair.key.public_key();
            let holds =
                |public: &[u8]| pair.cert.first().is_some_and(|cert| cert.windows(public.len()).any(|part| part == public));
            if public.is_some_and(|public| !holds(&public)) {
                return Err(other_key());
            }
            pair
        }
    };
    let config = server_config(pair).map_err(unusable)?;
    let warning = old.then(|| {
        format!(
            "{} is an X.509 certificate of version 1, which some clients refuse, and which names no host: openssl x509 -req makes one of \
             version 3 with -extfile FILE, where FILE says subjectAltName=DNS:localhost,IP:127.0.0.1",
            cert.display()
        )
    });
    Ok(ServerTls { config, certificate, warning })
}

/// The configuration of a server with this certificate.
///
/// # Errors
/// [`rustls::Error`].
pub fn server_config(pair: CertifiedKey) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The first byte of certificates and keys in DER: the tag of a sequence.
const SEQUENCE: u8 = 0x30;

/// Reads a file that must not be in DER. `command` is the command of openssl that converts such a file.
#[expect(clippy::disallowed_methods, reason = "this is where certificate files are read")]
fn read_pem(flag: &'static str, file: &Path, command: &'static str) -> Result<Vec<u8>, TlsError> {
    let bytes = std::fs::read(file).map_err(|error| TlsError::CannotRead { flag, file: file.to_owned(), error })?;
    if bytes.first() != Some(&SEQUENCE) {
        return Ok(bytes);
    }
    // A PFX file is a sequence that begins with the number 3; a certificate is one that begins with a sequence.
    match contents(&bytes) {
        Some([0x02, 0x01, 0x03, ..]) => Err(TlsError::Pfx(file.to_owned())),
        _ => Err(TlsError::Der { file: file.to_owned(), command }),
    }
}

/// Returns true if the key of a PEM file is encrypted, in either of the two formats of such keys. The library ignores a key in the
/// first format, and reports one in the second as damaged.
fn is_encrypted(pem: &[u8]) -> bool {
    let text = String::from_utf8_lossy(pem);
    let encrypted = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"].iter().any(|mark| text.contains(mark));
    encrypted && !text.contains("-----BEGIN PRIVATE KEY-----")
}

/// Returns true for a certificate of version 1, which has no version field: its first field is the serial number.
fn is_version_1(cert: &[u8]) -> bool {
    contents(cert).and_then(contents).is_some_and(|members| members.starts_with(&[0x02]))
}

/// The contents of a DER sequence.
fn contents(der: &[u8]) -> Option<&[u8]> {
    let (SEQUENCE, [length, rest @ ..]) = der.split_first().map(|(tag, rest)| (*tag, rest))? else { return None };
    // The first byte of a long length gives the number of its other bytes.
    if *length < 0x80 { Some(rest) } else { rest.get(usize::from(*length & 0x7f)..) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests need files to read")]
mod tests {
    use super::*;

    /// Created for these tests only, with `openssl req -x509 -newkey ec`.
    const CERT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUSr7XJxwiohdrylS16rE4CNvK3ykwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDM1MVoYDzIxMjYxMDI4
MDkwMzUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT5Hnk0YvNG4NsNo7Z/CWCNm6MyxDA3dIpiWlYCQfAVVmLj2Gt1LpN3
10WmpTGP8lUCvg2L9MX05f/36a5dlW5jo28wbTAdBgNVHQ4EFgQUHftc5Cy0FiZo
HiczuQldSQeSSJ4wHwYDVR0jBBgwFoAUHftc5Cy0FiZoHiczuQldSQeSSJ4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOUdadSrp14y5pUNr3UY599PdfpimILUzS+h0iNMBiu4AiBs
Ad1/vWsr9W/ncaIIG5K/lZo5nMW3AR0dnDHx9UEOeQ==
-----END CERTIFICATE-----
";
    const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqzj2iG/5oxhyWai3
h21JWhu2y0Kd7q3nlKOUf0sK/nmhRANCAAT5Hnk0YvNG4NsNo7Z/CWCNm6MyxDA3
dIpiWlYCQfAVVmLj2Gt1LpN310WmpTGP8lUCvg2L9MX05f/36a5dlW5j
-----END PRIVATE KEY-----
";
    const OTHER_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm9rWKGhTKktSbDGx
jm1vXVYpfrvM/zzLPFqvXGOYUcihRANCAAQh0h1xoqEHSS14iVb07X9tbytotMtq
5cmWJRCELMjINrvPdXXflAjSLaLcswMdExoZ8ITBvEWdix5UMg5ZEFbs
-----END PRIVATE KEY-----
";

    #[test]
    fn files_that_match_are_loaded_and_others_are_named() {
        let dir = std::env::temp_dir().join(format!("lazuli-tls-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let damaged = CERT.replace("-----END CERTIFICATE-----", "");
        let both = format!("{KEY}{CERT}");
        let encrypted = KEY.replace(" PRIVATE", " ENCRYPTED PRIVATE");
        let old_encrypted = KEY.replace(" PRIVATE", " EC PRIVATE").replace("\nMIG", "\nProc-Type: 4,ENCRYPTED\n\nMIG");
        let files = [
            ("cert", CERT),
            ("key", KEY),
            ("both", &both),
            ("other", OTHER_KEY),
            ("text", "hello"),
            ("damaged", &damaged),
            ("encrypted", &encrypted),
            ("old-encrypted", &old_encrypted),
            ("der", "0\u{2}\u{2}\u{1}"),
            ("pfx", "0\u{8}\u{2}\u{1}\u{3}0"),
        ];
        for (name, text) in files {
            std::fs::write(dir.join(name), text).unwrap();
        }
        for (cert, key, wanted) in [
            ("cert", "key", Ok(())),
            ("both", "both", Ok(())),
            ("absent", "key", Err("--cert DIR/absent cannot be read: ")),
            ("cert", "absent", Err("--key DIR/absent cannot be read: ")),
            ("text", "key", Err("DIR/text contains no certificate in PEM")),
            ("key", "key", Err("DIR/key contains no certificate in PEM")),
            ("damaged", "key", Err("DIR/damaged is not a PEM file: ")),
            (
                "der",
                "key",
                Err("DIR/der is in DER, not in PEM: openssl x509 -inform der -in DIR/der -out DIR/der.pem converts it"),
            ),
            (
                "pfx",
                "key",
                Err("DIR/pfx: Lazuli does not read PFX files. Convert it: openssl pkcs12 -in DIR/pfx -out DIR/pfx.pem "),
            ),
            ("cert", "cert", Err("DIR/cert contains no private key in PEM")),
            ("cert", "damaged", Err("DIR/damaged is not a PEM file: ")),
            (
                "cert",
                "der",
                Err("DIR/der is in DER, not in PEM: openssl pkey -inform der -in DIR/der -out DIR/der.pem converts it"),
            ),
            (
                "cert",
                "pfx",
                Err("DIR/pfx: Lazuli does not read PFX files. Convert it: openssl pkcs12 -in DIR/pfx -out DIR/pfx.pem "),
            ),
            (
                "cert",
                "encrypted",
                Err("the key in DIR/encrypted is encrypted: openssl pkey -in DIR/encrypted -out DIR/encrypted.decr"),
            ),
            ("cert", "old-encrypted", Err("the key in DIR/old-encrypted is encrypted: openssl pkey -in ")),
            ("cert", "other", Err("DIR/other is not the key of the certificate in DIR/cert")),
        ] {
            match (load(&dir.join(cert), &dir.join(key)), wanted) {
                (Ok(ServerTls { config, warning: None, .. }), Ok(())) => assert_eq!(config.alpn_protocols, [b"http/1.1"]),
                (Err(error), Err(wanted)) => {
                    let wanted = wanted.replace("DIR", &dir.display().to_string());
                    let message = error.to_string();
                    assert!(message.starts_with(&wanted) && message.lines().count() == 1, "{message}");
                }
                (loaded, _) => panic!("{cert} {key}: {loaded:?}"),
            }
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
