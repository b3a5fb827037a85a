//! Signatures and stored policies, and when, from where and how a signature may be used.

use super::signature::{OVERRIDES, SINCE};
use super::*;
use crate::rules::auth::permissions::{Authorization, Permissions, SasScope};
use crate::rules::auth::roles::ActionSet;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;

/// A query written as `name=value&…`, already decoded.
pub(in crate::rules::auth::sas) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

pub(in crate::rules::auth::sas) fn sas(service: char, text: &str) -> Sas {
    Sas::parse(service, &query(&format!("{text}&sig=s"))).unwrap()
}

pub(in crate::rules::auth::sas) fn detail(error: &StorageError) -> &str {
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
fn is_valid_from_start_to_expiry() {
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
fn is_limited_to_addresses_and_protocols() {
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
    for (spr, https, allowed) in [("", false, true), ("https,http", false, true), ("https", true, true), ("https", false, false)]
    {
        assert_eq!(sas('b', &format!("{base}&spr={spr}")).check_protocol(https).is_ok(), allowed, "{spr}");
    }
}

#[test]
fn reports_its_permissions_and_headers() {
    let account = sas('b', "sv=2020-12-06&ss=bq&srt=o&sp=rw&se=2030-01-01&rsct=text/html");
    assert_eq!(account.overrides().count(), 0);
    let letters = |text: &str| Permissions::parse(text).unwrap();
    let scope = SasScope::Account { services: letters("bq"), types: letters("o") };
    assert_eq!(
        account.authorization(&account.merged(None).unwrap(), ActionSet::ALL),
        Authorization::Sas { scope, letters: letters("rw"), actions: ActionSet::ALL }
    );
    for (version, set) in [("2012-02-12", vec![]), ("2013-08-15", vec![("content-type", "text/plain")])] {
        let sas = sas('b', &format!("sv={version}&sr=b&sp=r&se=2030-01-01&rsct=text/plain&rscc=&ses=scope"));
        assert_eq!(sas.overrides().collect::<Vec<_>>(), set);
        assert_eq!((sas.signature(), sas.identifier(), sas.encryption_scope()), ("s", None, Some("scope")));
        assert_eq!(
            sas.authorization(&sas.merged(None).unwrap(), ActionSet::NONE),
            Authorization::Sas { scope: SasScope::Resource, letters: letters("r"), actions: ActionSet::NONE }
        );
    }
}
