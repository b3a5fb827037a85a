//! Customer-provided keys and encryption scopes: the key or scope of a blob, and the requests that may read or write it.
//!
//! The server encrypts nothing: it stores the fingerprint of the key and compares it with that of every request.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::header;
use crate::rules::wire_name::WireName;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The header that names the encryption scope of a write.
pub const SCOPE: &str = "x-ms-encryption-scope";

/// The header that names the default scope of a container.
pub const DEFAULT_SCOPE: &str = "x-ms-default-encryption-scope";

/// The header that forbids other scopes in a container.
pub const DENY_OVERRIDE: &str = "x-ms-deny-encryption-scope-override";

/// The default scope of a container without one.
pub const ACCOUNT_SCOPE: &str = "$account-encryption-key";

/// The encryption of a blob, or the encryption that a request names.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encryption {
    /// The keys of the service.
    #[default]
    Service,
    /// A customer-provided key, by the base64 of its SHA-256.
    Key(Box<str>),
    /// The account's encryption scope of this name.
    Scope(Box<str>),
}

/// The encryption scopes that an account declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(BTreeSet<Box<str>>);

impl Scopes {
    /// Declares a scope: 3 to 63 lower-case letters, digits and dashes, each dash between letters or digits, as in [the management
    /// API](https://learn.microsoft.com/rest/api/storagerp/encryption-scopes/put). Returns `false` for an invalid name.
    pub fn declare(&mut self, name: &str) -> bool {
        let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let valid = (3..=63).contains(&name.len()) && name.split('-').all(part);
        if valid {
            self.0.insert(name.into());
        }
        valid
    }

    /// Returns true if the account has this scope. An account that declares none has all scopes.
    pub fn has(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.contains(name)
    }
}

/// The reason in the log for an unknown scope.
const UNDECLARED: &str = "the account declares other encryption scopes: --account NAME,scope=SCOPE adds one";

/// The names of the encryption headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncryptionHeaderNames {
    pub key: &'static str,
    pub sha256: &'static str,
    pub algorithm: &'static str,
    /// Not for a source: the service knows its scope.
    pub scope: Option<&'static str>,
}

/// The headers for the resource of the URL.
pub const PLAIN: EncryptionHeaderNames = EncryptionHeaderNames {
    key: "x-ms-encryption-key",
    sha256: "x-ms-encryption-key-sha256",
    algorithm: "x-ms-encryption-algorithm",
    scope: Some(SCOPE),
};

/// The headers for the source of a copy.
pub const SOURCE: EncryptionHeaderNames = EncryptionHeaderNames {
    key: "x-ms-source-encryption-key",
    sha256: "x-ms-source-encryption-key-sha256",
    algorithm: "x-ms-source-encryption-algorithm",
    scope: None,
};

/// The encryption headers of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncryptionHeaders<'a> {
    /// `x-ms-encryption-key`: 32 bytes in base64.
    pub key: Option<&'a str>,
    /// `x-ms-encryption-key-sha256`: the fingerprint of the key, in base64.
    pub sha256: Option<&'a str>,
    /// `x-ms-encryption-algorithm`: AES256.
    pub algorithm: Option<&'a str>,
    /// `x-ms-encryption-scope`.
    pub scope: Option<&'a str>,
}

/// The default encryption of a container.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultEncryption {
    /// The scope of blobs whose requests name none.
    pub scope: Option<Box<str>>,
    /// Whether requests cannot name another scope.
    pub deny_override: bool,
}

impl DefaultEncryption {
    /// Parses the headers of a new container: [`DEFAULT_SCOPE`] and [`DENY_OVERRIDE`].
    ///
    /// # Errors
    /// 400 MissingRequiredHeader for one without the other: the status and the message are
    /// [those of the service](https://github.com/pulumi/pulumi-azure-nextgen/issues/222), the code is a choice. 400 InvalidHeaderValue for
    /// a malformed flag, and for a scope that the account does not declare, as for [`Encryption::scope_of_write`].
    pub fn read(scope: Option<&str>, deny: Option<&str>, declared: &Scopes) -> Result<DefaultEncryption, StorageError> {
        let missing = |name| Err(StorageError::missing_header(name).with_message(UNPAIRED));
        let (scope, deny) = match (scope, deny) {
            (Some(scope), Some(deny)) => (scope, deny),
            (None, None) => return Ok(DefaultEncryption::default()),
            (None, Some(_)) => return missing(DEFAULT_SCOPE),
            (Some(_), None) => return missing(DENY_OVERRIDE),
        };
        let deny_override = header(DENY_OVERRIDE, deny, bool::parse)?;
        match scope {
            ACCOUNT_SCOPE => Ok(DefaultEncryption { scope: None, deny_override }),
            scope if declared.has(scope) => Ok(DefaultEncryption { scope: Some(scope.into()), deny_override }),
            scope => Err(StorageError::invalid_header(DEFAULT_SCOPE, scope).with_reason(UNDECLARED)),
        }
    }
}

/// The message about a default scope without its flag, or a flag without the scope.
const UNPAIRED: &str = "Container encryption policy missing header: x-ms-default-encryption-scope and \
                        x-ms-deny-encryption-scope-override are required.";

impl Encryption {
    /// Parses the headers of a request.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader or InvalidHeaderValue for an incomplete key, or another fingerprint; 400 InvalidInput for both a key and a
    /// scope.
    pub fn read(names: &EncryptionHeaderNames, headers: EncryptionHeaders<'_>) -> Result<Encryption, StorageError> {
        let Some(key) = headers.key else {
            return Ok(headers.scope.map_or(Encryption::Service, |scope| Encryption::Scope(scope.into())));
        };
        if headers.scope.is_some() {
            return Err(ErrorCode::InvalidInput.with_reason("a customer-provided key and an encryption scope exclude each other"));
        }
        let bytes = STANDARD.decode(key).ok().filter(|bytes| bytes.len() == 32);
        // A key is a secret: the error does not repeat it.
        let bytes = bytes.ok_or_else(|| StorageError::invalid_header(names.key, ""))?;
        let fingerprint = STANDARD.encode(Sha256::digest(&bytes));
        let sha256 = headers.sha256.ok_or_else(|| StorageError::missing_header(names.sha256))?;
        if sha256 != fingerprint {
            return Err(StorageError::invalid_header(names.sha256, sha256));
        }
        match headers.algorithm {
            Some("AES256") => Ok(Encryption::Key(fingerprint.into())),
            Some(other) => Err(StorageError::invalid_header(names.algorithm, other)),
            None => Err(StorageError::missing_header(names.algorithm)),
        }
    }

    /// The scope of a write: that of its signature (`ses`), which its header may repeat, or else that of its header.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a header that names another scope than the signature, as documented. For a scope that the account does
    /// not declare, the same or, in a signature, 400 InvalidQueryParameterValue: a choice, since no code is documented for it.
    pub fn scope_of_write<'a>(
        signed: Option<&'a str>,
        header: Option<&'a str>,
        declared: &Scopes,
    ) -> Result<Option<&'a str>, StorageError> {
        match (signed, header) {
            (Some(signed), _) if !declared.has(signed) => {
                Err(StorageError::invalid_query("ses", signed, "The account has no encryption scope of this name."))
            }
            (Some(signed), Some(other)) if other != signed => Err(StorageError::invalid_header(SCOPE, other)),
            (None, Some(named)) if !declared.has(named) => {
                Err(StorageError::invalid_header(SCOPE, named).with_reason(UNDECLARED))
            }
            _ => Ok(signed.or(header)),
        }
    }

    /// The encryption of a new blob in a container with this default.
    ///
    /// # Errors
    /// 403 RequestForbiddenByContainerEncryptionPolicy for another scope than the default if that is denied.
    pub fn in_container(self, default: &DefaultEncryption) -> Result<Encryption, StorageError> {
        match (&self, &default.scope) {
            (Encryption::Service, Some(scope)) => Ok(Encryption::Scope(scope.clone())),
            (Encryption::Scope(requested), Some(scope)) if requested == scope => Ok(self),
            (Encryption::Service, None) => Ok(self),
            _ if default.deny_override => Err(ErrorCode::RequestForbiddenByContainerEncryptionPolicy.into()),
            _ => Ok(self),
        }
    }

    /// Checks that a request with this encryption may read the blob. Reads need the key of a blob, but not its scope.
    ///
    /// # Errors
    /// 409 (recorded).
    pub fn admits_reader(&self, requested: &Encryption) -> Result<(), StorageError> {
        match (self, requested) {
            (Encryption::Key(_), Encryption::Service | Encryption::Scope(_)) => {
                Err(ErrorCode::BlobUsesCustomerSpecifiedEncryption.into())
            }
            (Encryption::Key(has), Encryption::Key(shown)) if has != shown => {
                Err(ErrorCode::BlobCustomerSpecifiedEncryptionMismatch.into())
            }
            (Encryption::Service, Encryption::Key(_)) => Err(ErrorCode::BlobDoesNotUseCustomerSpecifiedEncryption.into()),
            (Encryption::Scope(_), Encryption::Key(_)) => Err(ErrorCode::BlobCustomerSpecifiedEncryptionMismatch.into()),
            _ => Ok(()),
        }
    }

    /// Checks that a request with this encryption, after the default of the container, may write to the blob.
    ///
    /// # Errors
    /// 409 (recorded).
    pub fn admits_writer(&self, requested: &Encryption) -> Result<(), StorageError> {
        match (self, requested) {
            _ if self == requested => Ok(()),
            (_, Encryption::Service) => Err(ErrorCode::BlobUsesCustomerSpecifiedEncryption.into()),
            (Encryption::Service, _) => Err(ErrorCode::BlobDoesNotUseCustomerSpecifiedEncryption.into()),
            _ => Err(ErrorCode::BlobCustomerSpecifiedEncryptionMismatch.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::secret::is_secret;

    const KEY: &str = "MDEyMzQ1NjcwMTIzNDU2NzAxMjM0NTY3MDEyMzQ1Njc=";
    const SHA256: &str = "3QFFFpRA5+XANHqwwbT4yXDmrT/2JaLt/FKHjzhOdoE=";

    #[test]
    fn the_log_masks_keys() {
        for names in [PLAIN, SOURCE] {
            assert!(is_secret(names.key), "{names:?}");
        }
    }

    #[test]
    fn parses_a_complete_key_or_a_scope() {
        let whole = EncryptionHeaders { key: Some(KEY), sha256: Some(SHA256), algorithm: Some("AES256"), scope: None };
        for (headers, expected) in [
            (EncryptionHeaders::default(), Ok(Encryption::Service)),
            (whole, Ok(Encryption::Key(SHA256.into()))),
            (EncryptionHeaders { scope: Some("s"), ..EncryptionHeaders::default() }, Ok(Encryption::Scope("s".into()))),
            (EncryptionHeaders { scope: Some("s"), ..whole }, Err("InvalidInput")),
            (EncryptionHeaders { key: Some("AAAA"), ..whole }, Err("InvalidHeaderValue")),
            (EncryptionHeaders { sha256: Some("AAAA"), ..whole }, Err("InvalidHeaderValue")),
            (EncryptionHeaders { sha256: None, ..whole }, Err("MissingRequiredHeader")),
            (EncryptionHeaders { algorithm: Some("ROT13"), ..whole }, Err("InvalidHeaderValue")),
            (EncryptionHeaders { algorithm: None, ..whole }, Err("MissingRequiredHeader")),
        ] {
            assert_eq!(Encryption::read(&PLAIN, headers).map_err(|error| error.code().name()), expected, "{headers:?}");
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
        for (stored, requested, reads, writes) in [
            (&service, &service, "", ""),
            (&service, &key, lacks, lacks),
            (&key, &key, "", ""),
            (&key, &service, uses, uses),
            (&key, &other, mismatch, mismatch),
            (&scope, &service, "", uses),
            (&scope, &scope, "", ""),
            (&scope, &key, mismatch, mismatch),
        ] {
            let code = |outcome: Result<(), StorageError>| outcome.map_or_else(|error| error.code().name(), |()| "");
            assert_eq!(code(stored.admits_reader(requested)), reads, "{stored:?} {requested:?}");
            assert_eq!(code(stored.admits_writer(requested)), writes, "{stored:?} {requested:?}");
        }
    }

    /// An account that declares these scopes.
    fn declared(names: &[&str]) -> Scopes {
        let mut scopes = Scopes::default();
        assert!(names.iter().all(|name| scopes.declare(name)), "{names:?}");
        scopes
    }

    #[test]
    fn an_account_declares_its_scopes() {
        let longest = "a".repeat(63);
        for name in ["abc", "a-b", "1-2-3", &longest] {
            let scopes = declared(&[name]);
            assert!(scopes.has(name) && !scopes.has("other"), "{name}");
        }
        let too_long = "a".repeat(64);
        for name in ["", "ab", "-ab", "ab-", "a--b", "aBc", "a_b", "a.b", "abç", "$account-encryption-key", &too_long] {
            let mut scopes = Scopes::default();
            assert!(!scopes.declare(name), "{name}");
            assert_eq!(scopes, Scopes::default(), "{name}");
        }
        assert!(Scopes::default().has("any"));
    }

    #[test]
    fn a_write_names_a_scope_that_the_account_has() {
        let (any, two) = (Scopes::default(), declared(&["one", "two"]));
        let (header, query) = (Err("InvalidHeaderValue"), Err("InvalidQueryParameterValue"));
        for (declared, signed, named, expected) in [
            (&any, None, None, Ok(None)),
            (&any, None, Some("one"), Ok(Some("one"))),
            (&any, Some("one"), None, Ok(Some("one"))),
            (&any, Some("one"), Some("one"), Ok(Some("one"))),
            (&any, Some("one"), Some("two"), header),
            (&two, None, None, Ok(None)),
            (&two, None, Some("two"), Ok(Some("two"))),
            (&two, None, Some("Two"), header),
            (&two, None, Some("three"), header),
            (&two, Some("one"), None, Ok(Some("one"))),
            (&two, Some("one"), Some("two"), header),
            (&two, Some("one"), Some("three"), header),
            (&two, Some("three"), None, query),
            (&two, Some("three"), Some("three"), query),
            (&two, Some("three"), Some("one"), query),
        ] {
            let scope = Encryption::scope_of_write(signed, named, declared).map_err(|error| error.code().name());
            assert_eq!(scope, expected, "{signed:?} {named:?} {declared:?}");
        }
    }

    #[test]
    fn a_new_container_names_a_scope_and_whether_it_may_be_overridden() {
        let (any, one) = (Scopes::default(), declared(&["one"]));
        let preset = |scope: Option<&str>, deny_override| Ok(DefaultEncryption { scope: scope.map(Box::from), deny_override });
        let (missing, header) = (Err((400, "MissingRequiredHeader")), Err((400, "InvalidHeaderValue")));
        for (declared, scope, deny, expected) in [
            (&any, None, None, preset(None, false)),
            (&any, Some("s"), Some("false"), preset(Some("s"), false)),
            (&any, Some("s"), Some("True"), preset(Some("s"), true)),
            (&any, Some(ACCOUNT_SCOPE), Some("true"), preset(None, true)),
            (&any, Some("s"), None, missing.clone()),
            (&any, Some(ACCOUNT_SCOPE), None, missing.clone()),
            (&any, None, Some("true"), missing.clone()),
            (&any, None, Some("maybe"), missing),
            (&any, Some("s"), Some("maybe"), header.clone()),
            (&one, None, None, preset(None, false)),
            (&one, Some("one"), Some("true"), preset(Some("one"), true)),
            (&one, Some(ACCOUNT_SCOPE), Some("false"), preset(None, false)),
            (&one, Some("two"), Some("true"), header),
        ] {
            let read = DefaultEncryption::read(scope, deny, declared).map_err(|error| (error.status(), error.code().name()));
            assert_eq!(read, expected, "{scope:?} {deny:?} {declared:?}");
        }
    }

    #[test]
    fn a_container_may_have_its_own() {
        let default = |deny_override| DefaultEncryption { scope: Some("s".into()), deny_override };
        let scope = |name: &str| Encryption::Scope(name.into());
        assert_eq!(Encryption::Service.in_container(&default(true)), Ok(scope("s")));
        assert_eq!(scope("s").in_container(&default(true)), Ok(scope("s")));
        assert!(scope("other").in_container(&default(true)).is_err());
        assert_eq!(scope("other").in_container(&default(false)), Ok(scope("other")));
        assert_eq!(Encryption::Service.in_container(&DefaultEncryption::default()), Ok(Encryption::Service));
    }
}
