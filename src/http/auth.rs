//! Authentication: an account key's signature, a shared access signature, a bearer token, or none of them. The result is an
//! [`Authorization`], which `rules::auth::permissions` compares with the permission that the operation requires.

use crate::account::Account;
use crate::http::target;
use crate::identity::Issuer;
use crate::operation::{Service, ServiceKind, Target};
use crate::rules::auth::permissions::Authorization;
use crate::rules::auth::principals::Principals;
use crate::rules::auth::roles::{ActionSet, Assignment, Rights};
use crate::rules::auth::sas::Sas;
use crate::rules::auth::shared_key::{Dialect, SignedRequest};
use crate::rules::auth::token::{Identity, TokenCheck, TokenVerifier};
use crate::rules::auth::{shared_key, token};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access;
use crate::rules::names;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

/// The authority that the challenge of a 401 names if the server accepts tokens of others. The server knows no tenant of theirs, so this is
/// the tenant "common".
const AUTHORITY: &str = "https://login.microsoftonline.com/common";

/// Who may sign in to a server, and how.
#[derive(Clone, Debug, Default)]
pub struct SignIn {
    /// Whether every request is authorized, whoever sends it.
    pub is_open: bool,
    /// What is checked of a bearer token; `None`: bearer tokens are refused.
    pub oauth: Option<TokenCheck>,
    /// The principals with roles.
    pub principals: Principals,
    /// The issuer of the server's own tokens.
    pub issuer: Option<Arc<Issuer>>,
}

/// The parts of a request that authentication needs.
#[derive(Clone, Copy, Debug)]
pub struct SignedHead<'a> {
    pub method: &'a str,
    /// The path as sent, percent-encoded.
    pub path: &'a str,
    /// The decoded query in the order sent.
    pub query: &'a [(String, String)],
    /// The query as sent.
    pub raw_query: &'a str,
    /// The headers that are text, with lower-case names, in the order sent.
    pub headers: &'a [(&'a str, &'a str)],
    /// The `Host` header.
    pub host: &'a str,
    /// The service version of the request.
    pub version: Version,
    /// The address of the client.
    pub peer: IpAddr,
    /// Whether the connection uses TLS.
    pub https: bool,
    /// Who may sign in.
    pub sign_in: &'a SignIn,
    /// The server's time.
    pub now: Timestamp,
    /// The machine's time, by which tokens of other issuers expire. The date of a signed request may be close to either time.
    pub machine: Timestamp,
}

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The rights of the caller.
    pub authorization: Authorization,
    /// The identity in the bearer token, if there is one.
    pub user: Option<Identity>,
    /// Whose access control lists apply to the request.
    pub principal: access::Caller,
    /// The response headers that the SAS sets on reads.
    pub overrides: Vec<(&'static str, String)>,
    /// The encryption scope that the SAS requires of writes.
    pub scope: Option<String>,
}

impl From<Authorization> for Caller {
    fn from(authorization: Authorization) -> Caller {
        Caller { authorization, user: None, principal: access::Caller::SuperUser, overrides: Vec::new(), scope: None }
    }
}

/// Authenticates a request.
///
/// # Errors
/// 400 InvalidAuthenticationInfo for a malformed header; 401 for an invalid bearer token; 403 with AuthenticationErrorDetail for a
/// signature that is wrong, expired or for another resource.
pub fn authenticate(
    head: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
) -> Result<Caller, StorageError> {
    let header = head.header("authorization");
    if head.sign_in.is_open {
        return Ok(unchecked_caller(head, service, header.and_then(bearer_token)));
    }
    match (header, header.and_then(bearer_token)) {
        (_, Some(token)) => {
            let user = check_token(head, service, account, target, token).map_err(|error| challenge(error, head))?;
            match Sas::is_for_one_user(head.query) {
                true => sas_caller(head, service, account, target, Some(user)),
                false => {
                    let (actions, principal) = rights(&user, service.kind(), account, target.container_name());
                    Ok(Caller { user: Some(user), principal, ..Authorization::User(actions).into() })
                }
            }
        }
        (Some(value), None) => check_shared_key(head, service, account, value).map(|()| Authorization::Owner.into()),
        (None, None) if Sas::is_present(head.query) => sas_caller(head, service, account, target, None),
        (None, None) => Ok(Authorization::Anonymous(service.public_access(&account.name, target)).into()),
    }
}

/// The caller of a request to a server without checks (`--auth none`): the principal in a token, or nobody. It may do everything.
fn unchecked_caller(head: &SignedHead<'_>, service: &dyn Service, token: Option<&str>) -> Caller {
    let user = token.and_then(token::unchecked).unwrap_or_else(Identity::nobody);
    let sas = Sas::is_present(head.query).then(|| Sas::parse(service.kind().letter(), head.query).ok()).flatten();
    let overrides = sas.iter().flat_map(Sas::overrides).map(|(name, value)| (name, value.to_owned())).collect();
    Caller { user: Some(user), overrides, ..Authorization::User(ActionSet::ALL).into() }
}

/// The token of an `Authorization` header with the scheme Bearer.
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Checks a bearer token, and returns the identity in it.
fn check_token(
    head: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
    token: &str,
) -> Result<Identity, StorageError> {
    let labels: &[&str] = match service.kind() {
        ServiceKind::Blob | ServiceKind::DataLake => &["blob", "dfs"],
        other => &[other.label()],
    };
    let (https, version, account) = (head.https, head.version, account.name.as_str());
    let check = head.sign_in.oauth;
    // The server's own tokens follow its clock, which a test may move. Other clients use the time of the machine.
    let now = if check == Some(TokenCheck::Local) { head.now } else { head.machine };
    let verifier = head.sign_in.issuer.as_deref().map(|issuer| issuer as &dyn TokenVerifier);
    let context = token::TokenContext { labels, account, https, version, now, verifier };
    let user = token::bearer(check, token, &context)?;
    tracing::debug!(target: "lazuli::access", "a token of {:?} ({:?})", user.oid, user.name);
    if service.kind() == ServiceKind::File && target.container_name().is_some() {
        token::intent(head.header("x-ms-file-request-intent"))?;
    }
    Ok(head.sign_in.principals.resolve(user))
}

/// What the roles of a principal permit on a container, queue, table or share, and whose access control lists apply. In a hierarchical
/// namespace, the lists decide about paths where the roles do not suffice.
pub fn rights(user: &Identity, kind: ServiceKind, account: &Account, container: Option<&str>) -> (ActionSet, access::Caller) {
    let actions = user.rights.on(container);
    let principal = access::Caller::of_token(user, actions);
    let has_paths = account.hns && matches!(kind, ServiceKind::Blob | ServiceKind::DataLake);
    match has_paths && principal.is_limited() {
        true => (actions.union(access::PERMITTED_BY_ACL), principal),
        false => (actions, principal),
    }
}

/// Adds to the error of a principal without a role who it is and which roles it has.
pub fn with_roles(error: StorageError, caller: &Caller) -> StorageError {
    let Some(Identity { oid, name, rights: Rights::Assigned(roles), .. }) = &caller.user else { return error };
    if error.code() != ErrorCode::AuthorizationPermissionMismatch {
        return error;
    }
    let scoped = |role: &Assignment| match &role.scope {
        Some(scope) => format!("{} in {scope}", role.role.name),
        None => role.role.name.to_owned(),
    };
    let roles: Vec<String> = roles.iter().map(scoped).collect();
    let roles = if roles.is_empty() { "no role".to_owned() } else { roles.join(", ") };
    let reason = format!("{}; {name:?} ({oid}) has {roles}", error.reason());
    error.with_reason(reason)
}

impl SignedHead<'_> {
    fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Adds the `WWW-Authenticate` header to a 401. It names the authority from which clients get a token: this server, if it accepts
/// only its own.
pub fn challenge(error: StorageError, head: &SignedHead<'_>) -> StorageError {
    if error.status() != 401 {
        return error;
    }
    let authority = match head.sign_in.oauth {
        Some(TokenCheck::Local) => Issuer::authority(&authority_host(head.host)),
        Some(TokenCheck::Basic | TokenCheck::Dev) | None => AUTHORITY.to_owned(),
    };
    let challenge = format!("Bearer authorization_uri={authority}/oauth2/authorize resource_id=https://storage.azure.com");
    error.with_header("www-authenticate", challenge)
}

/// The host at which the paths of the issuer are: not that of an account, whose paths name containers.
fn authority_host(host: &str) -> Cow<'_, str> {
    match target::account_of_host(host) {
        Some(_) => host.rsplit_once(':').map_or_else(|| "localhost".into(), |(_, port)| format!("localhost:{port}").into()),
        None => host.into(),
    }
}

/// Checks the signature of an account key in an `Authorization` header.
fn check_shared_key(head: &SignedHead<'_>, service: &dyn Service, account: &Account, value: &str) -> Result<(), StorageError> {
    let credential = shared_key::parse_authorization(value)?;
    if credential.account != account.name {
        return Err(authentication_failed(format!(
            "The account '{}' of the Authorization header is not the account '{}' of the URL.",
            credential.account, account.name
        )));
    }
    check_date(head)?;
    let dialect = match service.kind() {
        ServiceKind::Table => Dialect::Table,
        _ => Dialect::Storage,
    };
    // Some clients sign a path-style secondary URL with its suffix, others without.
    let below = head.path.strip_prefix('/').and_then(|path| path.strip_prefix(&*account.name)?.strip_prefix("-secondary"));
    let plain = below.filter(|below| below.is_empty() || below.starts_with('/')).map(|below| format!("/{}{below}", account.name));
    let queries = names::signed_queries(head.raw_query)?;
    let mut first = None;
    let paths = [Some(head.path), plain.as_deref()].into_iter().flatten();
    for (path, query) in paths.flat_map(|path| queries.iter().map(move |query| (path, query))) {
        let signed = SignedRequest {
            method: head.method,
            account: &account.name,
            path,
            query,
            headers: head.headers,
            version: head.version,
        };
        for text in shared_key::strings_to_sign(credential.scheme, dialect, &signed) {
            if account.keys.iter().any(|key| is_signed_with(key, &text, credential.signature)) {
                return Ok(());
            }
            first.get_or_insert(text);
        }
    }
    Err(shared_key::mismatch(credential.signature, &first.unwrap_or_default()))
}

/// Checks that a signed request was sent within 15 minutes.
fn check_date(head: &SignedHead<'_>) -> Result<(), StorageError> {
    let missing = || authentication_failed("x-ms-date or Date must be specified.".to_owned());
    let date = shared_key::date_to_check(head.headers).ok_or_else(missing)?;
    let invalid = || authentication_failed(format!("The date '{date}' is not an RFC 1123 date."));
    let sent = Timestamp::parse_http(date).ok_or_else(invalid)?;
    // A test may have moved the server's clock, while its client signs with the machine's time.
    if [head.now, head.machine].into_iter().all(|time| sent.seconds_apart(time) > shared_key::SKEW_SECONDS) {
        return Err(authentication_failed(format!(
            "Request date header too old: '{date}'. Server time is '{}', and the two may be 15 minutes apart.",
            head.now.rfc1123()
        )));
    }
    Ok(())
}

fn authentication_failed(detail: String) -> StorageError {
    ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", detail)
}

/// Returns true if the request has a SAS that one of the account's keys signed, whatever it permits, or a SAS that is malformed.
pub fn has_sas(head: &SignedHead<'_>, service: &dyn Service, account: &Account, target: &Target) -> bool {
    Sas::is_present(head.query)
        && (Sas::parse(service.kind().letter(), head.query).is_err() || signed_sas(head, service, account, target).is_ok())
}

/// The SAS of the request, if one of the account's keys or a user delegation key signed it.
///
/// # Errors
/// 403 for a malformed SAS or a wrong signature.
fn signed_sas(head: &SignedHead<'_>, service: &dyn Service, account: &Account, target: &Target) -> Result<Sas, StorageError> {
    let sas = Sas::parse(service.kind().letter(), head.query)?;
    let container = target.container_name().unwrap_or_default();
    let listed = listed_directory(head, service, target);
    let canonical = sas.canonical(&account.name, container, target.object_name().or(listed))?;
    let text = sas.string_to_sign(&account.name, &canonical, head.query, head.headers);
    let valid = |key: &Vec<u8>| match sas.delegation_key() {
        Some(delegated) => is_signed_with(&delegated.value(&account.name, key), &text, sas.signature()),
        None => is_signed_with(key, &text, sas.signature()),
    };
    if account.keys.iter().any(valid) { Ok(sas) } else { Err(Sas::mismatch(&text)) }
}

/// The directory that a list of paths names, for which the signature of a directory can be.
fn listed_directory<'a>(head: &SignedHead<'a>, service: &dyn Service, target: &Target) -> Option<&'a str> {
    let is_list = service.kind() == ServiceKind::DataLake && matches!(target, Target::Container { .. });
    let (_, path) = head.query.iter().find(|(name, _)| is_list && name.eq_ignore_ascii_case("directory"))?;
    Some(path.trim_matches('/')).filter(|path| !path.is_empty())
}

/// Checks a SAS: its signature, its policy, its time, its address, its protocol and its user (`sduoid`).
fn sas_caller(
    head: &SignedHead<'_>,
    service: &dyn Service,
    account: &Account,
    target: &Target,
    user: Option<Identity>,
) -> Result<Caller, StorageError> {
    let sas = signed_sas(head, service, account, target)?;
    sas.check_version()?;
    let policy = sas.identifier().and_then(|id| service.policy(&account.name, target, id));
    let effective = sas.merged(policy.as_ref())?;
    effective.check_time(head.now)?;
    sas.check_ip(head.peer)?;
    sas.check_protocol(head.https)?;
    sas.check_user(user.as_ref())?;
    let overrides = sas.overrides().map(|(name, value)| (name, value.to_owned())).collect();
    let (actions, principal) = rights_of_signer(&sas, head.sign_in, service.kind(), account, target)?;
    let scope = sas.encryption_scope().map(str::to_owned);
    Ok(Caller { authorization: sas.authorization(&effective, actions), user, principal, overrides, scope })
}

/// What the signer of a SAS may do at this moment, which limits the SAS, and whose access control lists apply. An account key is not
/// limited; a user delegation key has the rights of its principal.
fn rights_of_signer(
    sas: &Sas,
    sign_in: &SignIn,
    kind: ServiceKind,
    account: &Account,
    target: &Target,
) -> Result<(ActionSet, access::Caller), StorageError> {
    let named = access::Caller::of_signature(sas.parameter("saoid"), sas.parameter("suoid"))?;
    let Some(key) = sas.delegation_key() else { return Ok((ActionSet::ALL, named)) };
    let signer = sign_in.principals.with_oid(&key.oid, &key.tid);
    let container = target.container_name().or_else(|| Some(sas.parameter("tn")).filter(|table| !table.is_empty()));
    let (actions, principal) = rights(&signer, kind, account, container);
    match named == access::Caller::SuperUser && principal.is_limited() && account.hns {
        true => Ok((actions, principal)),
        false => Ok((signer.rights.on(container), named)),
    }
}

/// Returns true if the signature of the text was made with this key. The comparison takes constant time.
fn is_signed_with(key: &[u8], text: &str, signature: &str) -> bool {
    let Ok(given) = STANDARD.decode(signature) else { return false };
    Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mac| mac.chain_update(text.as_bytes()).verify_slice(&given).is_ok())
}
