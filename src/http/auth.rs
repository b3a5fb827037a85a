//! Who asks: an account key's signature, a shared access signature, a bearer token, or nobody in particular. What comes of it is a [`Grant`]; whether
//! that suffices is for the operation's row and `rules::access` to say.

use crate::account::Account;
use crate::operation::{Service, ServiceKind, Target};
use crate::rules::auth::permissions::Authorization;
use crate::rules::auth::sas::Sas;
use crate::rules::auth::shared_key::{Dialect, SignedRequest};
use crate::rules::auth::token::{Identity, TokenCheck};
use crate::rules::auth::{shared_key, token};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names::QueryPairs;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::net::IpAddr;

/// Where to sign in, for who showed nothing. No tenant is known here, so the one named is «common».
const CHALLENGE: &str =
    "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com";

/// A request, as far as its authorization goes.
#[derive(Clone, Copy, Debug)]
pub struct SignedHead<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, percent-encoded, as sent.
    pub path: &'a str,
    /// The query, decoded, in order.
    pub query: &'a [(String, String)],
    /// The ways to read the query that a Shared Key may have signed.
    pub signed: &'a [QueryPairs],
    /// The headers that are text: lower-case names, in order.
    pub headers: &'a [(&'a str, &'a str)],
    /// The version that the request follows.
    pub version: Version,
    /// Where it came from.
    pub peer: IpAddr,
    /// Whether it came over TLS.
    pub https: bool,
    /// How much a bearer token must show, if any is taken.
    pub oauth: Option<TokenCheck>,
    /// The server's time.
    pub now: Timestamp,
    /// The machine's time, which a token is held against; a signed request's date may be of either time.
    pub machine: Timestamp,
}

/// What was found out about a caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// What they may do.
    pub authorization: Authorization,
    /// Who they are, if a bearer token says so.
    pub user: Option<Identity>,
    /// The response headers that their signature sets on reads.
    pub overrides: Vec<(&'static str, String)>,
    /// The encryption scope that their signature demands of writes.
    pub scope: Option<String>,
}

impl From<Authorization> for Caller {
    fn from(authorization: Authorization) -> Caller {
        Caller { authorization, user: None, overrides: Vec::new(), scope: None }
    }
}

/// Authenticates a request.
///
/// # Errors
/// 400 InvalidAuthenticationInfo for a malformed header; 401 for a bearer token that does not do; 403 with AuthenticationErrorDetail
/// for a signature that is wrong, out of time or out of place.
pub fn authenticate(
    asking: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
) -> Result<Caller, StorageError> {
    let header = asking.header("authorization");
    match (header, header.and_then(bearer_token)) {
        (_, Some(token)) => {
            let user = bearer(asking, service, account, target, token).map_err(challenge)?;
            match Sas::is_for_one_user(asking.query) {
                true => signature(asking, service, account, target, Some(user)),
                false => Ok(Caller { user: Some(user), ..Authorization::User.into() }),
            }
        }
        (Some(value), None) => shared_key(asking, service, account, value).map(|()| Authorization::Owner.into()),
        (None, None) if Sas::is_present(asking.query) => signature(asking, service, account, target, None),
        (None, None) => Ok(Authorization::Anonymous(service.public_access(&account.name, target)).into()),
    }
}

/// The token of an Authorization header of the scheme Bearer.
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Who bears a token.
fn bearer(
    asking: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
    token: &str,
) -> Result<Identity, StorageError> {
    let labels: &[&str] = match service.kind() {
        ServiceKind::Blob => &["blob", "dfs"],
        other => &[other.label()],
    };
    let (https, version, now) = (asking.https, asking.version, asking.machine);
    let user = token::bearer(asking.oauth, token, &token::TokenContext { labels, account: &account.name, https, version, now })?;
    tracing::debug!(target: "lazuli::access", "a token of {:?} ({:?})", user.oid, user.name);
    if service.kind() == ServiceKind::File && target.container_name().is_some() {
        token::intent(asking.header("x-ms-file-request-intent"))?;
    }
    Ok(user)
}

impl SignedHead<'_> {
    fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Adds to a 401 where to sign in.
pub fn challenge(error: StorageError) -> StorageError {
    if error.status() == 401 { error.with_header("www-authenticate", CHALLENGE) } else { error }
}

fn shared_key(asking: &SignedHead<'_>, service: &dyn Service, account: &Account, value: &str) -> Result<(), StorageError> {
    let credential = shared_key::parse_authorization(value)?;
    let refused = |detail: String| ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", detail);
    if credential.account != account.name {
        return Err(refused(format!(
            "The account '{}' of the Authorization header is not the account '{}' of the URL.",
            credential.account, account.name
        )));
    }
    let date =
        shared_key::date_to_check(asking.headers).ok_or_else(|| refused("x-ms-date or Date must be specified.".to_owned()))?;
    let sent = Timestamp::parse_http(date).ok_or_else(|| refused(format!("The date '{date}' is not an RFC 1123 date.")))?;
    // Where a test moved the server's clock, its client may still keep the machine's.
    if [asking.now, asking.machine].into_iter().all(|time| sent.seconds_apart(time) > shared_key::SKEW_SECONDS) {
        return Err(refused(format!(
            "Request date header too old: '{date}'. Server time is '{}', and the two may be 15 minutes apart.",
            asking.now.rfc1123()
        )));
    }
    let dialect = match service.kind() {
        ServiceKind::Table => Dialect::Table,
        _ => Dialect::Storage,
    };
    // A path-style secondary URL is signed with or without its suffix, as the client's library sees fit.
    let below = asking.path.strip_prefix('/').and_then(|path| path.strip_prefix(&*account.name)?.strip_prefix("-secondary"));
    let plain = below.filter(|below| below.is_empty() || below.starts_with('/')).map(|below| format!("/{}{below}", account.name));
    let mut first = None;
    let paths = [Some(asking.path), plain.as_deref()].into_iter().flatten();
    for (path, query) in paths.flat_map(|path| asking.signed.iter().map(move |query| (path, query))) {
        let signed = SignedRequest {
            method: asking.method,
            account: &account.name,
            path,
            query,
            headers: asking.headers,
            version: asking.version,
        };
        for text in shared_key::strings_to_sign(credential.scheme, dialect, &signed) {
            if account.keys.iter().any(|key| made(key, &text, credential.signature)) {
                return Ok(());
            }
            first.get_or_insert(text);
        }
    }
    Err(shared_key::mismatch(credential.signature, &first.unwrap_or_default()))
}

/// Whether the request bears a signature that counts: one of the account's keys stands behind it, whatever it permits; or it is so
/// incomplete that nobody's could.
pub fn bears_signature(asking: &SignedHead<'_>, service: &dyn Service, account: &Account, target: &Target) -> bool {
    Sas::is_present(asking.query)
        && (Sas::parse(service.kind().letter(), asking.query).is_err() || signed(asking, service, account, target).is_ok())
}

/// The signature that the request bears, if one of the account's keys made it, or a key that was lent to a user.
fn signed(asking: &SignedHead<'_>, service: &dyn Service, account: &Account, target: &Target) -> Result<Sas, StorageError> {
    let sas = Sas::parse(service.kind().letter(), asking.query)?;
    let container = target.container_name().unwrap_or_default();
    let canonical = sas.canonical(&account.name, container, target.object_name())?;
    let text = sas.string_to_sign(&account.name, &canonical, asking.query, asking.headers);
    let good = |key: &Vec<u8>| match sas.lent_key() {
        Some(lent) => made(&lent.value(&account.name, key), &text, sas.signature()),
        None => made(key, &text, sas.signature()),
    };
    if account.keys.iter().any(good) { Ok(sas) } else { Err(Sas::mismatch(&text)) }
}

fn signature(
    asking: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
    user: Option<Identity>,
) -> Result<Caller, StorageError> {
    let sas = signed(asking, service, account, target)?;
    sas.check_version()?;
    let policy = sas.identifier().and_then(|id| service.policy(&account.name, target, id));
    let effective = sas.merged(policy.as_ref())?;
    effective.check_time(asking.now)?;
    sas.check_ip(asking.peer)?;
    sas.check_protocol(asking.https)?;
    sas.check_user(user.as_ref())?;
    let overrides = sas.overrides().map(|(name, value)| (name, value.to_owned())).collect();
    Ok(Caller { authorization: sas.authorization(&effective), user, overrides, scope: sas.encryption_scope().map(str::to_owned) })
}

/// Whether this key made this signature. The comparison takes as long for a wrong one as for a right one.
fn made(key: &[u8], text: &str, signature: &str) -> bool {
    let Ok(given) = STANDARD.decode(signature) else { return false };
    Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mac| mac.chain_update(text.as_bytes()).verify_slice(&given).is_ok())
}
