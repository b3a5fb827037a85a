//! Who asks: an account key's signature, a shared access signature, or nobody in particular. What comes of it is a [`Grant`]; whether
//! that suffices is for the operation's row and `rules::access` to say.

use crate::account::Account;
use crate::op::{Service, Target};
use crate::rules::access::Grant;
use crate::rules::fault::{Code, Fault};
use crate::rules::sas::Sas;
use crate::rules::shared_key::{self, Dialect, Signed};
use crate::rules::{time::Timestamp, version::Version};
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::net::IpAddr;

/// Where to sign in, for who showed nothing. No tenant is known here, so the one named is «common».
const CHALLENGE: &str =
    "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com";

/// A request, as far as its authorization goes.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, percent-encoded, as sent.
    pub path: &'a str,
    /// The query, decoded, in order.
    pub query: &'a [(String, String)],
    /// The same with spaces for bare `+`, if there are any.
    pub form: Option<&'a [(String, String)]>,
    /// The headers that are text: lower-case names, in order.
    pub headers: &'a [(&'a str, &'a str)],
    /// The version that the request follows.
    pub version: Version,
    /// Where it came from.
    pub peer: IpAddr,
    /// Whether it came over TLS.
    pub https: bool,
    /// The server's time.
    pub now: Timestamp,
    /// The machine's time, which a signed request's date is held against.
    pub machine: Timestamp,
}

/// What was found out about a caller.
#[derive(Clone, Debug, Default)]
pub struct Overrides(pub Vec<(&'static str, String)>);

/// Authenticates a request.
///
/// # Errors
/// 400 InvalidAuthenticationInfo for a malformed header; 401 for a bearer token; 403 with AuthenticationErrorDetail for a signature
/// that is wrong, out of time or out of place.
pub fn authenticate(
    asking: &Asking<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
) -> Result<(Grant, Overrides), Fault> {
    let header = asking.headers.iter().find(|(name, _)| *name == "authorization").map(|(_, value)| value.trim());
    match header {
        Some(value) if value.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer")) => {
            Err(challenge(Code::InvalidBearerToken.because("bearer tokens are not accepted yet")))
        }
        Some(value) => shared_key(asking, service, account, value).map(|()| (Grant::Owner, Overrides::default())),
        None if Sas::is_present(asking.query) => signature(asking, service, account, target),
        None => Ok((Grant::Anonymous(service.public_access(&account.name, target)), Overrides::default())),
    }
}

/// Adds to a 401 where to sign in.
pub fn challenge(fault: Fault) -> Fault {
    if fault.status() == 401 { fault.with_header("www-authenticate", CHALLENGE) } else { fault }
}

fn shared_key(asking: &Asking<'_>, service: &dyn Service, account: &Account, value: &str) -> Result<(), Fault> {
    let credential = shared_key::parse_authorization(value)?;
    let refused = |detail: String| Code::AuthenticationFailed.with("AuthenticationErrorDetail", detail);
    if credential.account != account.name {
        return Err(refused(format!(
            "The account '{}' of the Authorization header is not the account '{}' of the URL.",
            credential.account, account.name
        )));
    }
    let date =
        shared_key::date_to_check(asking.headers).ok_or_else(|| refused("x-ms-date or Date must be specified.".to_owned()))?;
    let sent = Timestamp::parse_http(date).ok_or_else(|| refused(format!("The date '{date}' is not an RFC 1123 date.")))?;
    if sent.seconds_apart(asking.machine) > shared_key::SKEW_SECONDS {
        return Err(refused(format!(
            "Request date header too old: '{date}'. Server time is '{}', and the two may be 15 minutes apart.",
            asking.machine.rfc1123()
        )));
    }
    let dialect = match service.kind() {
        crate::op::Kind::Table => Dialect::Table,
        _ => Dialect::Storage,
    };
    // A path-style secondary URL is signed with or without its suffix, as the client's library sees fit.
    let below = asking.path.strip_prefix('/').and_then(|path| path.strip_prefix(&*account.name)?.strip_prefix("-secondary"));
    let plain = below.filter(|below| below.is_empty() || below.starts_with('/')).map(|below| format!("/{}{below}", account.name));
    let mut first = None;
    let paths = [Some(asking.path), plain.as_deref()].into_iter().flatten();
    // Who writes a space as `+` signs a space; who just leaves a `+` bare signs that.
    let queries = || std::iter::once(asking.query).chain(asking.form);
    for (path, query) in paths.flat_map(|path| queries().map(move |query| (path, query))) {
        let signed = Signed {
            method: asking.method,
            account: &account.name,
            path,
            query,
            headers: asking.headers,
            version: asking.version,
        };
        for text in shared_key::strings_to_sign(credential.scheme, dialect, &signed) {
            if is_signed(account, &text, credential.signature) {
                return Ok(());
            }
            first.get_or_insert(text);
        }
    }
    Err(shared_key::mismatch(credential.signature, &first.unwrap_or_default()))
}

/// Whether the request bears a signature that one of the account's keys made, whatever it permits.
pub fn bears_signature(asking: &Asking<'_>, service: &dyn Service, account: &Account, target: &Target) -> bool {
    Sas::is_present(asking.query) && signed(asking, service, account, target).is_ok()
}

/// The signature that the request bears, if one of the account's keys made it.
fn signed(asking: &Asking<'_>, service: &dyn Service, account: &Account, target: &Target) -> Result<Sas, Fault> {
    let sas = Sas::parse(service.kind().letter(), asking.query)?;
    let name = Some(target.blob.as_str()).filter(|name| !name.is_empty());
    let canonical = sas.canonical(&account.name, &target.container, name)?;
    let text = sas.string_to_sign(&account.name, &canonical, asking.query, asking.headers);
    if is_signed(account, &text, sas.signature()) { Ok(sas) } else { Err(Sas::mismatch(&text)) }
}

fn signature(
    asking: &Asking<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
) -> Result<(Grant, Overrides), Fault> {
    let sas = signed(asking, service, account, target)?;
    let policy = sas.identifier().and_then(|id| service.policy(&account.name, target, id));
    let effective = sas.merged(policy.as_ref())?;
    effective.check_time(asking.now)?;
    sas.check_ip(asking.peer)?;
    sas.check_protocol(asking.https)?;
    let overrides = sas.overrides().map(|(name, value)| (name, value.to_owned())).collect();
    Ok((sas.grant(&effective), Overrides(overrides)))
}

/// Whether one of the account's keys made this signature. The comparison takes as long for a wrong one as for a right one.
fn is_signed(account: &Account, text: &str, signature: &str) -> bool {
    let Ok(given) = STANDARD.decode(signature) else { return false };
    account.keys.iter().any(|key| {
        Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mac| mac.chain_update(text.as_bytes()).verify_slice(&given).is_ok())
    })
}
