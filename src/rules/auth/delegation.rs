//! User delegation keys: what an account lends to a user who signed in, to sign shared access signatures with.
//!
//! A key is not kept anywhere. Its value is made of what it says of itself under the account's key, so that it can be made again
//! when a signature comes in, after any number of starts, and is good for nothing else than it was lent for. Source: «Get User
//! Delegation Key» in the REST reference; refusals as the service is known to give them.

use crate::rules::error::StorageError;
use crate::rules::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The longest time that a key can be lent for, and how far from now its start may be: 7 days, in seconds.
const LONGEST: u64 = 7 * 24 * 60 * 60;

/// A key, as far as everybody may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDelegationKey {
    /// Who it was lent to (`skoid`).
    pub oid: String,
    /// Their tenant (`sktid`).
    pub tid: String,
    /// From when it holds (`skt`).
    pub start: Timestamp,
    /// Until when it holds (`ske`).
    pub expiry: Timestamp,
    /// The service that it is for (`sks`): `b`, `q`, `t` or `f`.
    pub service: char,
    /// The version that it was asked for in (`skv`).
    pub version: String,
    /// The tenant of those who may use what it signs (`skdutid`); empty for that of the key.
    pub delegated_tid: String,
}

impl UserDelegationKey {
    /// Its value: known to the account, and to whom it was lent. `secret` is the account's key.
    pub fn value(&self, account: &str, secret: &[u8]) -> Vec<u8> {
        let (start, expiry) = (self.start.iso(), self.expiry.iso());
        let service = self.service.to_string();
        let fields = ["user delegation key", account, &self.oid, &self.tid, &start, &expiry, &service, &self.version];
        // Each with its length in front, so that no two keys are written alike.
        let text: String =
            fields.into_iter().chain([self.delegated_tid.as_str()]).map(|field| format!("{}:{field}", field.len())).collect();
        // An HMAC takes a secret of any length.
        Hmac::<Sha256>::new_from_slice(secret).map_or(Vec::new(), |mac| mac.chain_update(text).finalize().into_bytes().to_vec())
    }
}

/// The term of a key that is asked for now, to the second, from the texts of `Start`, if there is one, and `Expiry`.
///
/// # Errors
/// 400 InvalidXmlNodeValue, which names the node by its value too, for what is no date or not within the week.
pub fn term(start: Option<&str>, expiry: &str, now: Timestamp) -> Result<(Timestamp, Timestamp), StorageError> {
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
    fn a_term_lies_within_the_week() {
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
            match term(start, expiry, now) {
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
    fn a_key_is_good_for_nothing_else() {
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
