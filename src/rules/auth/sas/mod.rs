//! Shared access signatures: a grant written into a URL's query and signed, for whoever holds the URL.
//!
//! Three kinds: an account SAS reaches whole services; a service SAS reaches one resource, perhaps under a policy stored with it;
//! a user delegation SAS is like a service SAS, but signed with a key that a user was lent. [`Sas::parse`] reads one (`parse`),
//! [`Sas::string_to_sign`] writes what its signer signed (`sign`), and the checks here say whether it holds now, from there, in
//! that way. The HMAC is for whoever has the keys. Sources: «Create an account / service / user delegation SAS» in the REST
//! reference; the sentences of AuthenticationErrorDetail as the service is known to say them.

mod delegation;
pub mod keys;
mod parse;
mod sign;

use crate::rules::auth::permissions::{Authorization, Permissions, SasScope};
use crate::rules::auth::sas::parse::Sent;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use std::net::{IpAddr, Ipv4Addr};

/// The response headers that a signature may set, with the parameters that do.
const OVERRIDES: [(&str, &str); 5] = [
    ("rscc", "cache-control"),
    ("rscd", "content-disposition"),
    ("rsce", "content-encoding"),
    ("rscl", "content-language"),
    ("rsct", "content-type"),
];

/// Parameters that came with a version: by the rules of one before it, nobody has signed them.
const SINCE: [(&str, &str); 8] = [
    ("ses", "2020-12-06"),
    ("saoid", "2020-02-10"),
    ("suoid", "2020-02-10"),
    ("scid", "2020-02-10"),
    ("sduoid", "2025-07-05"),
    ("skdutid", "2025-07-05"),
    ("srh", "2026-04-06"),
    ("srq", "2026-04-06"),
];

/// A shared access signature as read from a query: well formed, and nothing more is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sas {
    /// The version whose rules it was signed by (`sv`).
    pub version: Version,
    /// What it reaches.
    pub kind: Kind,
    /// What it permits (`sp`), unless a stored policy says so.
    pub permissions: Option<Permissions>,
    /// From when it holds (`st`).
    pub start: Option<Timestamp>,
    /// Until when it holds (`se`), unless a stored policy says so.
    pub expiry: Option<Timestamp>,
    /// From where it may be used (`sip`).
    pub ip: Option<IpRange>,
    /// By which protocol it may be used (`spr`).
    pub protocol: Protocol,
    service: char,
    sent: Sent,
}

/// The kinds of signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole services, signed with an account key.
    Account {
        /// The services (`ss`), of `bqtf`.
        services: Permissions,
        /// The levels (`srt`), of `sco`.
        types: Permissions,
    },
    /// One resource, signed with an account key.
    Service {
        /// What sort of resource.
        resource: Resource,
    },
    /// One resource, signed with a user delegation key: the one that [`Sas::sent`] of `skoid`, `sktid`, `skt`, `ske`, `sks` and
    /// `skv` names.
    UserDelegation {
        /// What sort of resource.
        resource: Resource,
        /// From when the key holds.
        key_start: Timestamp,
        /// Until when the key holds.
        key_expiry: Timestamp,
    },
}

/// What sort of resource a service SAS signs (`sr`; queues and tables have no such parameter).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A container and all in it.
    Container,
    /// A blob.
    Blob,
    /// A snapshot of a blob, and not the blob.
    Snapshot,
    /// A version of a blob, and not the blob.
    BlobVersion,
    /// A directory and all below it; its name is this many segments long.
    Directory {
        /// How many (`sdd`).
        depth: u32,
    },
    /// A share and all in it.
    Share,
    /// A file.
    File,
    /// A queue.
    Queue,
    /// A table, or a range of its keys (`spk`, `srk`, `epk`, `erk`).
    Table,
}

/// The protocols that a signature may be used by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTPS alone.
    Https,
    /// HTTP as well.
    Any,
}

/// The addresses that a signature may be used from: an inclusive range of IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpRange {
    /// The lowest.
    pub first: Ipv4Addr,
    /// The highest.
    pub last: Ipv4Addr,
}

/// A stored access policy: what a container, queue, table or share says for the signatures that name it (`si`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub id: String,
    /// From when, if it says so.
    pub start: Option<Timestamp>,
    /// Until when, if it says so.
    pub expiry: Option<Timestamp>,
    /// The permission letters, if it says so.
    pub permissions: Option<String>,
}

/// What signature and stored policy say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// From when; always, if nothing says so.
    pub start: Option<Timestamp>,
    /// Until when, that moment excluded.
    pub expiry: Timestamp,
    /// What is permitted.
    pub permissions: Permissions,
}

impl Sas {
    /// A parameter of the signature as sent and decoded, such as `sig`, `spk` or `skoid`; empty when it is not there.
    pub fn sent(&self, name: &str) -> &str {
        self.sent.get(name)
    }

    /// The HMAC in base64 (`sig`), not yet checked.
    pub fn signature(&self) -> &str {
        self.sent("sig")
    }

    /// The stored policy that it refers to (`si`).
    pub fn identifier(&self) -> Option<&str> {
        Some(self.sent("si")).filter(|id| !id.is_empty())
    }

    /// The encryption scope that writes must use (`ses`).
    pub fn encryption_scope(&self) -> Option<&str> {
        Some(self.sent("ses")).filter(|scope| !scope.is_empty())
    }

    /// The response headers, in lower case, that it sets on reads (`rscc` and the like, since 2013-08-15). An account SAS sets none:
    /// it would not have signed them.
    pub fn overrides(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let apply = self.since("2013-08-15") && !matches!(self.kind, Kind::Account { .. });
        OVERRIDES
            .iter()
            .map(|(parameter, header)| (*header, self.sent(parameter)))
            .filter(move |(_, value)| apply && !value.is_empty())
    }

    /// What holds in the end: each field from the signature or from the stored policy, and never from both. `policy` is the one
    /// that the resource has under [`Sas::identifier`], if it has one. A user delegation key bounds what it signs.
    pub fn merged(&self, policy: Option<&Policy>) -> Result<Effective, StorageError> {
        let none = Policy::default();
        let policy = match (self.identifier(), policy) {
            (None, _) => &none,
            (Some(_), Some(policy)) => policy,
            (Some(_), None) => return Err(refused("SAS identifier cannot be found for specified signed identifier")),
        };
        let stored_letters = policy.permissions.as_deref().filter(|text| !text.is_empty()).and_then(Permissions::parse);
        let start = one_of(self.start, policy.start)?;
        let expiry = one_of(self.expiry, policy.expiry)?
            .ok_or_else(|| refused("Signed expiry must be specified in signature or SAS identifier"))?;
        let permissions = one_of(self.permissions, stored_letters)?
            .ok_or_else(|| refused("Signed permission must be specified in signature or SAS identifier"))?;
        Ok(match self.kind {
            Kind::UserDelegation { key_start, key_expiry, .. } => {
                Effective { start: start.max(Some(key_start)), expiry: expiry.min(key_expiry), permissions }
            }
            _ => Effective { start, expiry, permissions },
        })
    }

    /// What the holder may do, once signature, time, address and protocol are found in order.
    pub fn authorization(&self, effective: &Effective) -> Authorization {
        let scope = match self.kind {
            Kind::Account { services, types } => SasScope::Account { services, types },
            Kind::Service { .. } | Kind::UserDelegation { .. } => SasScope::Resource,
        };
        Authorization::Sas { scope, letters: effective.permissions }
    }

    /// Whether it may be used from this address: 403 AuthorizationSourceIPMismatch if not.
    pub fn check_ip(&self, peer: IpAddr) -> Result<(), StorageError> {
        match (self.ip, peer.to_canonical()) {
            (None, _) => Ok(()),
            (Some(range), IpAddr::V4(peer)) if (range.first..=range.last).contains(&peer) => Ok(()),
            (Some(range), peer) => {
                Err(ErrorCode::AuthorizationSourceIPMismatch
                    .with_reason(format!("{peer} is not in {}-{}", range.first, range.last)))
            }
        }
    }

    /// Whether it may be used by HTTPS or by plain HTTP: 403 AuthorizationProtocolMismatch if not.
    pub fn check_protocol(&self, https: bool) -> Result<(), StorageError> {
        if https || self.protocol == Protocol::Any { Ok(()) } else { Err(ErrorCode::AuthorizationProtocolMismatch.into()) }
    }

    /// Whether its version knows all its parameters, so that they are part of what is signed: 403 AuthenticationFailed if not. And
    /// whether headers can have the values that it sets: 400 InvalidQueryParameterValue if one has a control character.
    pub fn check_version(&self) -> Result<(), StorageError> {
        if let Some((name, date)) = SINCE.iter().find(|(name, date)| !self.sent(name).is_empty() && !self.since(date)) {
            return Err(refused(format!("The parameter {name} is part of a signature since version {date}.")));
        }
        let unfit = |value: &str| value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t');
        let set = |header: &str| OVERRIDES.iter().find(|(_, known)| *known == header).map_or("", |(parameter, _)| parameter);
        match self.overrides().find(|(_, value)| unfit(value)) {
            Some((header, value)) => Err(StorageError::invalid_query(
                set(header),
                value.escape_debug().to_string(),
                format!("The header {header} cannot have control characters."),
            )),
            None => Ok(()),
        }
    }

    fn since(&self, date: &str) -> bool {
        since(self.version, date)
    }

    /// The refusal of a signature that no key gives: it shows what the service signed, so that one can compare.
    pub fn mismatch(string_to_sign: &str) -> StorageError {
        refused(format!("Signature did not match. String to sign used was {string_to_sign}"))
    }
}

impl Effective {
    /// Whether it holds now: 403 AuthenticationFailed if not, telling the times.
    pub fn check_time(&self, now: Timestamp) -> Result<(), StorageError> {
        let start = self.start.unwrap_or(now);
        if (start..self.expiry).contains(&now) {
            return Ok(());
        }
        let [from, until, at] = [start, self.expiry, now].map(Timestamp::rfc1123);
        Err(refused(match start >= self.expiry {
            true => format!("Signed expiry time [{until}] has to be after signed start time [{from}]"),
            false => {
                format!("Signature not valid in the specified time frame: Start [{from}] - Expiry [{until}] - Current [{at}]")
            }
        }))
    }
}

/// Whether a version is this one, written as a date, or later.
fn since(version: Version, date: &str) -> bool {
    Version::parse(date).is_some_and(|first| version >= first)
}

/// A field of the signature or of the stored policy.
fn one_of<T>(signed: Option<T>, stored: Option<T>) -> Result<Option<T>, StorageError> {
    if signed.is_some() && stored.is_some() {
        return Err(refused("Access policy fields can be associated with signature or SAS identifier but not both"));
    }
    Ok(signed.or(stored))
}

fn refused(detail: impl Into<String>) -> StorageError {
    ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", detail)
}

fn wrong_level() -> StorageError {
    refused("The specified signed resource is not allowed for the this resource level")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query written as `name=value&…`, already decoded.
    pub(super) fn query(text: &str) -> Vec<(String, String)> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    pub(super) fn sas(service: char, text: &str) -> Sas {
        Sas::parse(service, &query(&format!("{text}&sig=s"))).unwrap()
    }

    pub(super) fn detail(error: &StorageError) -> &str {
        assert_eq!(error.code(), ErrorCode::AuthenticationFailed);
        error.details().first().map_or("", |(_, text)| text)
    }

    #[test]
    fn a_stored_policy_fills_what_the_signature_leaves_open() {
        let day = |text: &str| Timestamp::parse_iso(text);
        let policy = |start: Option<&str>, expiry: Option<&str>, letters: Option<&str>| Policy {
            id: "p".into(),
            start: start.and_then(day),
            expiry: expiry.and_then(day),
            permissions: letters.map(str::to_owned),
        };
        let twice = "Access policy fields can be associated with signature or SAS identifier but not both";
        for (text, policy, expected) in [
            ("si=p", Some(policy(Some("2029-01-01"), Some("2030-01-01"), Some("r"))), Ok(())),
            ("si=p&se=2030-01-01&st=2029-01-01", Some(policy(None, None, Some("r"))), Ok(())),
            ("si=p&sp=r&st=2029-01-01", Some(policy(None, Some("2030-01-01"), Some(""))), Ok(())),
            ("si=p&sp=r", Some(policy(None, Some("2030-01-01"), Some("r"))), Err(twice)),
            ("si=p&se=2030-01-01", Some(policy(None, Some("2030-01-01"), Some("r"))), Err(twice)),
            ("si=p", Some(policy(None, None, Some("r"))), Err("Signed expiry must be specified in signature or SAS identifier")),
            (
                "si=p",
                Some(policy(None, Some("2030-01-01"), None)),
                Err("Signed permission must be specified in signature or SAS identifier"),
            ),
            ("si=p", None, Err("SAS identifier cannot be found for specified signed identifier")),
            ("sp=r&st=2029-01-01&se=2030-01-01", None, Ok(())),
        ] {
            let merged = sas('b', &format!("sv=2020-12-06&sr=c&{text}")).merged(policy.as_ref());
            match (&merged, expected) {
                (Ok(effective), Ok(())) => {
                    assert_eq!((effective.start, Some(effective.expiry)), (day("2029-01-01"), day("2030-01-01")), "{text}");
                    assert_eq!(Some(effective.permissions), Permissions::parse("r"));
                }
                (Err(error), Err(expected)) => assert_eq!(detail(error), expected),
                _ => panic!("{text}: {merged:?}"),
            }
        }
    }

    #[test]
    fn holds_from_start_to_expiry() {
        let at = |text: &str| Timestamp::parse_iso(text).unwrap();
        let key = "&skoid=o&sktid=t&skt=2029-01-01&ske=2029-01-03&sks=b&skv=2020-12-06";
        for (text, now, expected) in [
            ("st=2029-01-01&se=2029-01-02", "2029-01-01", ""),
            ("se=2029-01-02", "2029-01-01T23:59:59Z", ""),
            (
                "st=2029-01-01&se=2029-01-02",
                "2028-12-31",
                "Signature not valid in the specified time frame: Start [Mon, 01 Jan 2029 00:00:00 GMT] - Expiry [Tue, 02 Jan 2029 \
                 00:00:00 GMT] - Current [Sun, 31 Dec 2028 00:00:00 GMT]",
            ),
            (
                "se=2029-01-02",
                "2029-01-02",
                "Signed expiry time [Tue, 02 Jan 2029 00:00:00 GMT] has to be after signed start time [Tue, 02 Jan 2029 00:00:00 GMT]",
            ),
            (&format!("se=2029-02-01{key}"), "2029-01-02", ""),
            (
                &format!("se=2029-02-01{key}"),
                "2029-01-04",
                "Signature not valid in the specified time frame: Start [Mon, 01 Jan 2029 00:00:00 GMT] - Expiry [Wed, 03 Jan 2029 \
                 00:00:00 GMT] - Current [Thu, 04 Jan 2029 00:00:00 GMT]",
            ),
        ] {
            let effective = sas('b', &format!("sv=2020-12-06&sr=c&sp=r&{text}")).merged(None).unwrap();
            let outcome = effective.check_time(at(now));
            assert_eq!(outcome.as_ref().err().map_or("", detail), expected, "{text}");
        }
    }

    #[test]
    fn parameters_have_their_versions() {
        for (name, date) in SINCE {
            for (sv, allowed) in [("2018-11-09", false), (date, true), ("2030-01-01", true)] {
                let sas = sas('b', &format!("sv={sv}&sr=c&sp=r&se=2030-01-01&{name}=x"));
                assert_eq!(sas.check_version().is_ok(), allowed, "{name} {sv}");
            }
        }
        assert_eq!(sas('b', "sv=2012-02-12&sr=c&sp=r&se=2030-01-01&ses=").check_version(), Ok(()));
    }

    #[test]
    fn a_value_that_no_header_can_have_is_refused() {
        for (parameter, _) in OVERRIDES {
            let check = |service, kind: &str, value: &str| {
                let mut query = query(&format!("sv=2020-12-06&{kind}&sp=r&se=2030-01-01&sig=s"));
                query.push((parameter.to_owned(), value.to_owned()));
                Sas::parse(service, &query).unwrap().check_version()
            };
            for (service, kind) in [('b', "sr=b"), ('f', "sr=f")] {
                for value in ["a\r\nb: c", "a\rb", "a\nb", "a\0b", "\x7f"] {
                    let refusal = check(service, kind, value).unwrap_err();
                    assert_eq!(refusal.code(), ErrorCode::InvalidQueryParameterValue, "{parameter} {value:?}");
                    let named = |(name, value): &(&str, String)| *name == "QueryParameterName" && value == parameter;
                    assert!(refusal.details().iter().any(named), "{parameter}: {refusal:?}");
                }
                for value in ["", "a\tb", "ü", "attachment; filename=\"a b\""] {
                    assert_eq!(check(service, kind, value), Ok(()), "{parameter} {value:?}");
                }
            }
            // An account's signature sets no headers.
            assert_eq!(check('b', "ss=b&srt=o", "a\nb"), Ok(()), "{parameter}");
        }
    }

    #[test]
    fn holds_from_its_addresses_by_its_protocol() {
        let base = "sv=2020-12-06&sr=c&sp=r&se=2030-01-01";
        for (sip, peer, allowed) in [
            ("", "2001:db8::1", true),
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("10.0.0.1-10.0.1.0", "10.0.0.255", true),
            ("10.0.0.1-10.0.1.0", "10.0.1.1", false),
            ("127.0.0.1", "::1", false),
        ] {
            let outcome = sas('b', &format!("{base}&sip={sip}")).check_ip(peer.parse().unwrap());
            assert_eq!(outcome.is_ok(), allowed, "{sip} {peer}");
        }
        for (spr, https, allowed) in
            [("", false, true), ("https,http", false, true), ("https", true, true), ("https", false, false)]
        {
            assert_eq!(sas('b', &format!("{base}&spr={spr}")).check_protocol(https).is_ok(), allowed, "{spr}");
        }
    }

    #[test]
    fn tells_what_it_grants_and_sets() {
        let account = sas('b', "sv=2020-12-06&ss=bq&srt=o&sp=rw&se=2030-01-01&rsct=text/html");
        assert_eq!(account.overrides().count(), 0);
        let letters = |text: &str| Permissions::parse(text).unwrap();
        let scope = SasScope::Account { services: letters("bq"), types: letters("o") };
        assert_eq!(account.authorization(&account.merged(None).unwrap()), Authorization::Sas { scope, letters: letters("rw") });
        for (version, set) in [("2012-02-12", vec![]), ("2013-08-15", vec![("content-type", "text/plain")])] {
            let sas = sas('b', &format!("sv={version}&sr=b&sp=r&se=2030-01-01&rsct=text/plain&rscc=&ses=scope"));
            assert_eq!(sas.overrides().collect::<Vec<_>>(), set);
            assert_eq!((sas.signature(), sas.identifier(), sas.encryption_scope()), ("s", None, Some("scope")));
            assert_eq!(
                sas.authorization(&sas.merged(None).unwrap()),
                Authorization::Sas { scope: SasScope::Resource, letters: letters("r") }
            );
        }
    }
}
