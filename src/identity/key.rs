//! The key that signs tokens: RSA with 2048 bits, for RS256.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use crypto_bigint::{NonZero, U1024, U2048};
use crypto_primes::{Flavor, random_prime};
use rand::SeedableRng;
use rand::rngs::StdRng;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the file, in the folder of the data.
pub const FILE: &str = "identity-key.pem";

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";

/// The public exponent, 65537.
const EXPONENT: u32 = 0x1_0001;

/// Why a key cannot be made, loaded or used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("the key of the tokens cannot be read from {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{} is not a key for tokens; move it away, and the server makes a new one", .0.display())]
    Malformed(PathBuf),
    #[error("the key of the tokens cannot be written to {}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("the operating system returns no random numbers for a key")]
    Random,
    #[error("a token cannot be signed")]
    Sign,
}

/// The private key that signs tokens.
#[derive(Debug)]
pub struct SigningKey {
    pair: RsaKeyPair,
    public: PublicKey,
}

/// The public key that verifies them.
#[derive(Debug)]
pub struct PublicKey {
    components: RsaPublicKeyComponents<Vec<u8>>,
    /// Its thumbprint (RFC 7638).
    id: String,
}

impl SigningKey {
    /// Makes a key, and stores it in the file.
    ///
    /// # Errors
    /// [`KeyError`] without random numbers, and if the file cannot be written.
    pub fn make(file: Option<&Path>) -> Result<SigningKey, KeyError> {
        let der = loop {
            // Some pairs of primes are unsuitable: their product has 2047 bits, or 65537 divides one of them minus 1.
            if let Some(der) = private_key(&mut seeded()?) {
                break der;
            }
        };
        let key = SigningKey::parse(&der).ok_or(KeyError::Random)?;
        if let Some(path) = file {
            write(path, &to_pem(&der)).map_err(|error| KeyError::Write { path: path.to_owned(), error })?;
        }
        Ok(key)
    }

    /// Loads the key in a file; `None` if there is no such file.
    ///
    /// # Errors
    /// [`KeyError`] if the file has something else in it.
    #[expect(clippy::disallowed_methods, reason = "the file of the key belongs to the key")]
    pub fn load(path: &Path) -> Result<Option<SigningKey>, KeyError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(KeyError::Read { path: path.to_owned(), error }),
        };
        let key = from_pem(&text).and_then(|der| SigningKey::parse(&der));
        key.map(Some).ok_or_else(|| KeyError::Malformed(path.to_owned()))
    }

    fn parse(der: &[u8]) -> Option<SigningKey> {
        let pair = RsaKeyPair::from_der(der).ok()?;
        let components = RsaPublicKeyComponents::from(pair.public());
        // The members in alphabetical order, without blanks (RFC 7638).
        let (e, n) = (URL_SAFE_NO_PAD.encode(&components.e), URL_SAFE_NO_PAD.encode(&components.n));
        let thumbprint = Sha256::digest(format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#));
        let public = PublicKey { components, id: URL_SAFE_NO_PAD.encode(thumbprint) };
        Some(SigningKey { pair, public })
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a text by RSASSA-PKCS1-v1_5 with SHA-256.
    ///
    /// # Errors
    /// [`KeyError::Sign`].
    pub fn sign(&self, text: &[u8]) -> Result<Vec<u8>, KeyError> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        let signed = self.pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text, &mut signature);
        signed.map(|()| signature).map_err(|_| KeyError::Sign)
    }
}

impl PublicKey {
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        self.components.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).is_ok()
    }

    /// The key as an element of a JSON Web Key Set.
    pub fn jwk(&self) -> Value {
        let (n, e) = (URL_SAFE_NO_PAD.encode(&self.components.n), URL_SAFE_NO_PAD.encode(&self.components.e));
        json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.id, "x5t": self.id, "n": n, "e": e })
    }
}

/// A generator with a seed of the operating system.
fn seeded() -> Result<StdRng, KeyError> {
    let mut seed = [0; 32];
    SystemRandom::new().fill(&mut seed).map_err(|_| KeyError::Random)?;
    Ok(StdRng::from_seed(seed))
}

/// A new private key in the form of PKCS #1 (RFC 8017, A.1.2). `ring` checks it when it is parsed. `None` if the primes are unsuitable.
fn private_key(rng: &mut StdRng) -> Option<Vec<u8>> {
    let mut prime = || -> U1024 { random_prime(rng, Flavor::Any, U1024::BITS) };
    let (first, second) = (prime(), prime());
    let (p, q) = if first > second { (first, second) } else { (second, first) };
    let (p_less, q_less) = (p.wrapping_sub(&U1024::ONE), q.wrapping_sub(&U1024::ONE));
    let n: U2048 = p.concatenating_mul(&q);
    let totient: U2048 = p_less.concatenating_mul(&q_less);
    let nonzero = |number: U1024| Option::<NonZero<U1024>>::from(NonZero::new(number));
    let totient = Option::<NonZero<U2048>>::from(NonZero::new(totient))?;
    let d: U2048 = Option::from(U2048::from_u32(EXPONENT).invert_mod(&totient))?;
    let (d_p, d_q): (U1024, U1024) = (d.rem(&nonzero(p_less)?), d.rem(&nonzero(q_less)?));
    let q_inverse: U1024 = Option::from(q.invert_mod(&nonzero(p)?))?;
    if n.bits() < U2048::BITS {
        return None;
    }
    let mut numbers = Vec::new();
    integer(&mut numbers, &[0]);
    integer(&mut numbers, n.to_be_bytes().as_ref());
    integer(&mut numbers, &EXPONENT.to_be_bytes());
    integer(&mut numbers, d.to_be_bytes().as_ref());
    for number in [p, q, d_p, d_q, q_inverse] {
        integer(&mut numbers, number.to_be_bytes().as_ref());
    }
    let mut der = Vec::new();
    element(&mut der, 0x30, &numbers);
    Some(der)
}

/// Appends an unsigned number as a DER INTEGER.
fn integer(der: &mut Vec<u8>, bytes: &[u8]) {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    // A leading bit of 1 would make the number negative.
    let sign: &[u8] = if digits.first().is_none_or(|first| first & 0x80 != 0) { &[0] } else { &[] };
    element(der, 0x02, &[sign, digits].concat());
}

/// Appends a DER element, of less than 64 KiB.
fn element(der: &mut Vec<u8>, tag: u8, content: &[u8]) {
    der.push(tag);
    match content.len() {
        length @ 0..0x80 => der.push(length as u8),
        length @ 0x80..0x100 => der.extend([0x81, length as u8]),
        length => der.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend(content);
}

fn to_pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
}

fn from_pem(text: &str) -> Option<Vec<u8>> {
    let text = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    STANDARD.decode(text.split_whitespace().collect::<String>()).ok()
}

/// Writes a file that only its owner can read, whole or not at all. A file that a crash left is replaced, with its permissions, and a link
/// is not followed.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension("new");
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_der_has_the_shortest_form() {
        let written = |bytes: &[u8]| {
            let mut der = Vec::new();
            integer(&mut der, bytes);
            der
        };
        assert_eq!(written(&[0]), [2, 1, 0]);
        assert_eq!(written(&[0, 0, 1]), [2, 1, 1]);
        assert_eq!(written(&[0x80]), [2, 2, 0, 0x80]);
        assert_eq!(written(&[0, 1, 0, 1]), [2, 3, 1, 0, 1]);
        for (length, head) in [(127, &[2, 127][..]), (128, &[2, 0x81, 128]), (255, &[2, 0x81, 255]), (256, &[2, 0x82, 1, 0])] {
            assert!(written(&vec![1; length]).starts_with(head), "{length}");
        }
    }

    #[test]
    fn a_key_from_its_file_verifies_what_it_signed() {
        let folder = std::env::temp_dir().join(format!("lazuli-key-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(FILE);
        assert!(SigningKey::load(&path).unwrap().is_none());
        // What is in the way of the new file is neither followed nor reused.
        let (new, elsewhere) = (path.with_extension("new"), folder.join("elsewhere"));
        std::fs::write(&elsewhere, "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&elsewhere, &new).unwrap();
        let key = SigningKey::make(Some(&path)).unwrap();
        assert!(!path.is_symlink() && !new.exists() && std::fs::read(&elsewhere).unwrap().is_empty());
        let signature = key.sign(b"text").unwrap();
        let loaded = SigningKey::load(&path).unwrap().unwrap();
        assert!(loaded.public().verifies(b"text", &signature));
        assert!(!loaded.public().verifies(b"texts", &signature));
        assert_eq!((loaded.public().id(), loaded.public().jwk()), (key.public().id(), key.public().jwk()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        for text in ["", "text", BEGIN, &format!("{BEGIN}\nAAAA\n{END}\n")] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(SigningKey::load(&path), Err(KeyError::Malformed(_))), "{text}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
