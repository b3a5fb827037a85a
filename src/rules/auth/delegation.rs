//! User delegation keys, with which a user of an account signs shared access signatures.
//!
//! A key is not stored. Its value is an HMAC of its fields with the account key: the server computes it again for each signature, also
//! after a restart, and it is valid for these fields only. Source: "Get User Delegation Key" in the REST reference; errors as
//! returned by the service.

use crate::rules::error::StorageError;
use crate::rules::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The longest time that a key is valid, and the largest difference between its start and now, in seconds: 7 days.
const LONGEST: u64 = 7 * 24 * 60 * 60;

/// The public fields of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDelegationKey {
    /// The object id of the user (`skoid`).
    pub oid: String,
    /// The tenant of the user (`sktid`).
    pub tid: String,
    /// When it becomes valid (`skt`), in whole seconds.
    pub start: Timestamp,
    /// When it expires (`ske`), in whole seconds.
    pub expiry: Timestamp,
    /// The letter of its service (`sks`): `b`, `q`, `t` or `f`.
    pub service: char,
    /// The version of the request for it (`skv`).
    pub version: String,
    /// The tenant of the users who may use its signatures (`skdutid`); empty for the tenant of the key.
    pub delegated_tid: String,
}

impl UserDelegationKey {
    /// Its secret value. `secret` is the account key.
    pub fn value(&self, account: &str, secret: &[u8]) -> Vec<u8> {
        let (start, expiry) = (self.start.iso(), self.expiry.iso());
        let service = self.service.to_string();
        let fields = ["user delegation key", account, &self.oid, &self.tid, &start, &expiry, &service, &self.version];
        // Each with its length, so that different keys have different texts.
        let text: String =
            fields.into_iter().chain([self.delegated_tid.as_str()]).map(|field| format!("{}:{field}", field.len())).collect();
        // An HMAC accepts a secret of any length.
        Hmac::<Sha256>::new_from_slice(secret).map_or(Vec::new(), |mac| mac.chain_update(text).finalize().into_bytes().to_vec())
    }
}

/// Parses `Start`, if it is present, and `Expiry` of a key that is requested now, in whole seconds.
///
/// # Errors
/// 400 InvalidXmlNodeValue, with the value also as the name, for a malformed date or one that is not within the week.
pub fn validity(start: Option<&str>, expiry: &str, now: Timestamp) -> Result<(Timestamp, Timestamp), StorageError> {
    let read = |text: &str| {
        Timestamp::parse_iso(text).map(Timestamp::to_second).ok_or_else(|| StorageError::invalid_xml_node(text, text))
    };
    let from = start.map_or(Ok(now.to_second()), read)?;
    let until = read(expiry)?;
    if from.after_seconds(LONGEST) < now || from > now.after_seconds(LONGEST) {
        let text = start.unwrap_or_default();
        return Err(StorageError::invalid_xml_node(text, text));
    }
    if until <= now || until <= from || until > now.after_seconds(LONGEST) {
        return Err(StorageError::invalid_xml_node(expiry, expiry));
    }
    Ok((from, until))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_iso(text).unwrap()
    }

    #[test]
    fn a_key_is_valid_for_a_week_at_most() {
        let now = at("2024-08-31T21:08:58.0021883Z");
        for (start, expiry, refused) in [
            (None, "2024-09-01T00:00:00Z", ""),
            (Some("2024-08-31T00:00:00Z"), "2024-09-07T21:08:58Z", ""),
            // As the service refused it, a second too late.
            (Some("2024-08-31T00:00:00Z"), "2024-09-07T21:08:59Z", "2024-09-07T21:08:59Z"),
            (Some("2024-09-02"), "2024-09-03", ""),
            (Some("2024-09-03"), "2024-09-03", "2024-09-03"),
            (Some("2024-08-30"), "2024-08-31", "2024-08-31"),
            (Some("2024-08-24"), "2024-09-01", "2024-08-24"),
            (Some("2024-10-24"), "2024-10-25", "2024-10-24"),
            (Some("soon"), "2024-09-01", "soon"),
            (None, "later", "later"),
            (None, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ] {
            match validity(start, expiry, now) {
                Ok(term) => {
                    let from = start.map_or(now.to_second(), at);
                    assert_eq!((term, ""), ((from, at(expiry)), refused), "{start:?} {expiry}");
                }
                Err(error) => {
                    let details: Vec<&str> = error.details().iter().map(|(_, text)| text.as_str()).collect();
                    assert_eq!((error.code().name(), details), ("InvalidXmlNodeValue", vec![refused; 2]), "{start:?} {expiry}");
                }
            }
        }
    }

    #[test]
    fn the_value_of_a_key_depends_on_all_of_its_fields() {
        let key = UserDelegationKey {
            oid: "o".into(),
            tid: "t".into(),
            start: at("2029-01-01"),
            expiry: at("2029-01-02"),
            service: 'b',
            version: "2020-12-06".into(),
            delegated_tid: String::new(),
        };
        let value = key.value("acct", b"secret");
        assert_eq!((value.len(), &value), (32, &key.value("acct", b"secret")));
        let others = [
            UserDelegationKey { oid: "p".into(), ..key.clone() },
            UserDelegationKey { oid: "o1:t".into(), tid: String::new(), ..key.clone() },
            UserDelegationKey { tid: "u".into(), ..key.clone() },
            UserDelegationKey { start: at("2029-01-01T00:00:01Z"), ..key.clone() },
            UserDelegationKey { expiry: at("2029-01-03"), ..key.clone() },
            UserDelegationKey { service: 'q', ..key.clone() },
            UserDelegationKey { version: "2020-12-07".into(), ..key.clone() },
            UserDelegationKey { delegated_tid: "t".into(), ..key.clone() },
        ];
        for other in others {
            assert_ne!(other.value("acct", b"secret"), value, "{other:?}");
        }
        assert_ne!(key.value("acct2", b"secret"), value);
        assert_ne!(key.value("acct", b"other"), value);
    }
}
