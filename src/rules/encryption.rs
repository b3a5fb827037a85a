//! Customer-provided keys and encryption scopes: which key or scope a blob was written with, and who may read or write it then.
//!
//! The server keeps no byte enciphered: it remembers the key's fingerprint and holds every request to it, as the service does.

use super::fault::{Code, Fault};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// With what a blob is encrypted, or a request would have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// The service's own keys.
    #[default]
    Service,
    /// A key that each request brings, known by the base64 of its SHA-256.
    Key(Box<str>),
    /// The account's encryption scope of this name.
    Scope(Box<str>),
}

/// What the headers are called that speak of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The key.
    pub key: &'static str,
    /// Its fingerprint.
    pub sha256: &'static str,
    /// The algorithm.
    pub algorithm: &'static str,
    /// The scope; a source's is known to the service, and has none.
    pub scope: Option<&'static str>,
}

/// The headers about the resource that the URL names.
pub const PLAIN: Names = Names {
    key: "x-ms-encryption-key",
    sha256: "x-ms-encryption-key-sha256",
    algorithm: "x-ms-encryption-algorithm",
    scope: Some("x-ms-encryption-scope"),
};

/// The headers about the source of a copy.
pub const SOURCE: Names = Names {
    key: "x-ms-source-encryption-key",
    sha256: "x-ms-source-encryption-key-sha256",
    algorithm: "x-ms-source-encryption-algorithm",
    scope: None,
};

/// The headers of a request that speak of encryption, as texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers<'a> {
    /// `x-ms-encryption-key`: 32 bytes in base64.
    pub key: Option<&'a str>,
    /// `x-ms-encryption-key-sha256`: their fingerprint, in base64.
    pub sha256: Option<&'a str>,
    /// `x-ms-encryption-algorithm`: AES256.
    pub algorithm: Option<&'a str>,
    /// `x-ms-encryption-scope`.
    pub scope: Option<&'a str>,
}

/// The default that a container sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    /// The scope that blobs get which name none.
    pub scope: Option<Box<str>>,
    /// Whether they may name no other.
    pub deny_override: bool,
}

impl Encryption {
    /// Reads a request's headers.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader or InvalidHeaderValue for a key that is not whole, or not its fingerprint's; 400 InvalidInput for a key
    /// and a scope at once.
    pub fn read(names: &Names, headers: Headers<'_>) -> Result<Encryption, Fault> {
        let Some(key) = headers.key else {
            return Ok(headers.scope.map_or(Encryption::Service, |scope| Encryption::Scope(scope.into())));
        };
        if headers.scope.is_some() {
            return Err(Code::InvalidInput.because("a customer-provided key and an encryption scope exclude each other"));
        }
        let bytes = STANDARD.decode(key).ok().filter(|bytes| bytes.len() == 32);
        // A key is a secret: the refusal does not repeat it.
        let bytes = bytes.ok_or_else(|| Fault::header(names.key, ""))?;
        let fingerprint = STANDARD.encode(Sha256::digest(&bytes));
        let sha256 = headers.sha256.ok_or_else(|| Fault::missing_header(names.sha256))?;
        if sha256 != fingerprint {
            return Err(Fault::header(names.sha256, sha256));
        }
        match headers.algorithm {
            Some("AES256") => Ok(Encryption::Key(fingerprint.into())),
            Some(other) => Err(Fault::header(names.algorithm, other)),
            None => Err(Fault::missing_header(names.algorithm)),
        }
    }

    /// The scope of a write whose signature demands one (`ses`) and whose header may name one.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for another one in the header.
    pub fn scope_signed<'a>(signed: &'a str, header: Option<&str>) -> Result<&'a str, Fault> {
        match header {
            Some(other) if other != signed => Err(Fault::header("x-ms-encryption-scope", other)),
            _ => Ok(signed),
        }
    }

    /// What a new blob gets in a container with this default.
    ///
    /// # Errors
    /// 403 RequestForbiddenByContainerEncryptionPolicy for another than the default where that is denied.
    pub fn in_container(self, default: &Preset) -> Result<Encryption, Fault> {
        match (&self, &default.scope) {
            (Encryption::Service, Some(scope)) => Ok(Encryption::Scope(scope.clone())),
            (Encryption::Scope(asked), Some(scope)) if asked == scope => Ok(self),
            (Encryption::Service, None) => Ok(self),
            _ if default.deny_override => Err(Code::RequestForbiddenByContainerEncryptionPolicy.into()),
            _ => Ok(self),
        }
    }

    /// Whether a reader who asks so may read what is encrypted so. A scope is the service's business, a key the reader's.
    ///
    /// # Errors
    /// 409 (recorded).
    pub fn admits_reader(&self, asked: &Encryption) -> Result<(), Fault> {
        match (self, asked) {
            (Encryption::Key(_), Encryption::Service | Encryption::Scope(_)) => {
                Err(Code::BlobUsesCustomerSpecifiedEncryption.into())
            }
            (Encryption::Key(has), Encryption::Key(shown)) if has != shown => {
                Err(Code::BlobCustomerSpecifiedEncryptionMismatch.into())
            }
            (Encryption::Service, Encryption::Key(_)) => Err(Code::BlobDoesNotUseCustomerSpecifiedEncryption.into()),
            (Encryption::Scope(_), Encryption::Key(_)) => Err(Code::BlobCustomerSpecifiedEncryptionMismatch.into()),
            _ => Ok(()),
        }
    }

    /// Whether a writer who asks so, after the container's default, may write to what is encrypted so.
    ///
    /// # Errors
    /// 409 (recorded).
    pub fn admits_writer(&self, asked: &Encryption) -> Result<(), Fault> {
        match (self, asked) {
            _ if self == asked => Ok(()),
            (_, Encryption::Service) => Err(Code::BlobUsesCustomerSpecifiedEncryption.into()),
            (Encryption::Service, _) => Err(Code::BlobDoesNotUseCustomerSpecifiedEncryption.into()),
            _ => Err(Code::BlobCustomerSpecifiedEncryptionMismatch.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "MDEyMzQ1NjcwMTIzNDU2NzAxMjM0NTY3MDEyMzQ1Njc=";
    const SHA256: &str = "3QFFFpRA5+XANHqwwbT4yXDmrT/2JaLt/FKHjzhOdoE=";

    #[test]
    fn reads_a_whole_key_or_a_scope() {
        let whole = Headers { key: Some(KEY), sha256: Some(SHA256), algorithm: Some("AES256"), scope: None };
        for (headers, expected) in [
            (Headers::default(), Ok(Encryption::Service)),
            (whole, Ok(Encryption::Key(SHA256.into()))),
            (Headers { scope: Some("s"), ..Headers::default() }, Ok(Encryption::Scope("s".into()))),
            (Headers { scope: Some("s"), ..whole }, Err("InvalidInput")),
            (Headers { key: Some("AAAA"), ..whole }, Err("InvalidHeaderValue")),
            (Headers { sha256: Some("AAAA"), ..whole }, Err("InvalidHeaderValue")),
            (Headers { sha256: None, ..whole }, Err("MissingRequiredHeader")),
            (Headers { algorithm: Some("ROT13"), ..whole }, Err("InvalidHeaderValue")),
            (Headers { algorithm: None, ..whole }, Err("MissingRequiredHeader")),
        ] {
            assert_eq!(Encryption::read(&PLAIN, headers).map_err(|fault| fault.code().name()), expected, "{headers:?}");
        }
    }

    #[test]
    fn who_may_read_and_write() {
        let (service, key, other) = (Encryption::Service, Encryption::Key("k".into()), Encryption::Key("o".into()));
        let scope = Encryption::Scope("s".into());
        let (uses, lacks, mismatch) = (
            "BlobUsesCustomerSpecifiedEncryption",
            "BlobDoesNotUseCustomerSpecifiedEncryption",
            "BlobCustomerSpecifiedEncryptionMismatch",
        );
        for (stored, asked, reads, writes) in [
            (&service, &service, "", ""),
            (&service, &key, lacks, lacks),
            (&key, &key, "", ""),
            (&key, &service, uses, uses),
            (&key, &other, mismatch, mismatch),
            (&scope, &service, "", uses),
            (&scope, &scope, "", ""),
            (&scope, &key, mismatch, mismatch),
        ] {
            let code = |outcome: Result<(), Fault>| outcome.map_or_else(|fault| fault.code().name(), |()| "");
            assert_eq!(code(stored.admits_reader(asked)), reads, "{stored:?} {asked:?}");
            assert_eq!(code(stored.admits_writer(asked)), writes, "{stored:?} {asked:?}");
        }
    }

    #[test]
    fn a_signature_may_demand_a_scope() {
        assert_eq!(Encryption::scope_signed("s", None), Ok("s"));
        assert_eq!(Encryption::scope_signed("s", Some("s")), Ok("s"));
        let fault = Encryption::scope_signed("s", Some("other")).unwrap_err();
        assert_eq!((fault.status(), fault.code().name()), (400, "InvalidHeaderValue"));
    }

    #[test]
    fn a_container_may_have_its_own() {
        let default = |deny_override| Preset { scope: Some("s".into()), deny_override };
        let scope = |name: &str| Encryption::Scope(name.into());
        assert_eq!(Encryption::Service.in_container(&default(true)), Ok(scope("s")));
        assert_eq!(scope("s").in_container(&default(true)), Ok(scope("s")));
        assert!(scope("other").in_container(&default(true)).is_err());
        assert_eq!(scope("other").in_container(&default(false)), Ok(scope("other")));
        assert_eq!(Encryption::Service.in_container(&Preset::default()), Ok(Encryption::Service));
    }
}
