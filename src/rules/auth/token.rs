//! Bearer tokens: the claims of JSON Web Tokens, and whether they are accepted.
//!
//! The server does not have the keys of Microsoft's issuers, so it verifies only the signatures of its own tokens (`--oauth local`). With
//! the other levels every client can write a token, as every client knows the account key of an emulator. The other checks are those of
//! the service: a token that it would refuse for its time, its issuer or its audience is refused here, too. Sources: "Authorize with
//! Microsoft Entra ID" in the REST reference; the sentences of AuthenticationErrorDetail are those of the service.

use crate::rules::auth::roles::{self, Assignment, Rights};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// The checks of tokens (`--oauth`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCheck {
    /// Those of the service without the signature: HTTPS, the time, a known issuer, this service as the audience.
    Basic,
    /// Any token that has not expired, also over plain HTTP.
    Dev,
    /// Those of the service with the signature, for tokens that this server issued, also over plain HTTP.
    Local,
}

/// Verifies the signatures of the server's own tokens.
pub trait TokenVerifier: std::fmt::Debug + Send + Sync {
    /// Returns true if the key with this id signed the text by RS256.
    fn verifies(&self, key_id: &str, signed: &[u8], signature: &[u8]) -> bool;
}

/// The identity in a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The object id of the user, service or machine (`oid`, or else `sub`).
    pub oid: String,
    /// The tenant (`tid`).
    pub tid: String,
    /// The name of the user (`upn`) or of the application (`appid`, `azp`); may be empty.
    pub name: String,
    /// The object ids of its groups (`groups`).
    pub groups: Vec<String>,
    /// What its roles permit: those of the claim `roles`, which Entra ID's tokens for Azure Storage do not have. Without the claim,
    /// everything, unless the server assigns roles (`--identity`).
    pub rights: Rights,
}

/// What a token is checked against: the request that has it, and the server.
#[derive(Clone, Copy, Debug)]
pub struct TokenContext<'a> {
    /// The labels of the service in host names: `blob` and `dfs`, `queue`, `table` or `file`.
    pub labels: &'a [&'a str],
    pub account: &'a str,
    pub https: bool,
    pub version: Version,
    /// The time by which a token expires: the machine's, and the server's for a token that the server issued.
    pub now: Timestamp,
    /// The key of the server's own tokens.
    pub verifier: Option<&'a dyn TokenVerifier>,
}

/// The longest token whose signature is verified, in bytes.
const LONGEST: usize = 16 << 10;

/// The id for a token without one: the nil GUID.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// The prefixes of issuers: those of version 1.0 tokens, then those of 2.0, each in every cloud.
const ISSUERS: [&str; 8] = [
    "https://sts.windows.net/",
    "https://sts.microsoftonline.de/",
    "https://sts.chinacloudapi.cn/",
    "https://sts.windows-ppe.net/",
    "https://login.microsoftonline.com/",
    "https://login.microsoftonline.us/",
    "https://login.microsoftonline.de/",
    "https://login.partner.microsoftonline.cn/",
];

/// The audiences of all accounts of Azure Storage: its URL, and its application id in Entra.
const ANY_ACCOUNT: [&str; 2] = ["https://storage.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1"];

/// The domains of accounts, by cloud.
const CLOUDS: [&str; 4] = ["windows.net", "chinacloudapi.cn", "usgovcloudapi.net", "cloudapi.de"];

/// Why a token is refused, in the words of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum TokenError {
    #[error("Authentication scheme Bearer is not supported in this version.")]
    Version,
    #[error("Bearer tokens are off: start the server with --oauth local, basic (https) or dev (any).")]
    Disabled,
    #[error("Authentication scheme Bearer is not allowed with HTTP; a server started with --oauth local or dev allows it.")]
    Http,
    #[error("The bearer token is not a JSON Web Token.")]
    NoToken,
    #[error("Signature validation failed. Signature verification failed.")]
    Signature,
    #[error("Lifetime validation failed. The token is expired.")]
    Expired,
    #[error("Lifetime validation failed. The token needs the claims iat, nbf and exp.")]
    MissingTimes,
    #[error("Lifetime validation failed. The token is not yet valid.")]
    NotYetValid,
    #[error("Issuer validation failed. Issuer did not match.")]
    Issuer,
    #[error("Audience validation failed. Audience did not match.")]
    Audience,
}

impl TokenError {
    fn into_error(self, version: Version) -> StorageError {
        let code = match self {
            TokenError::Version | TokenError::Http => ErrorCode::AuthenticationFailed,
            _ if version < Version::V2019_12_12 => ErrorCode::AuthenticationFailed,
            _ => ErrorCode::InvalidBearerToken,
        };
        code.with_detail("AuthenticationErrorDetail", self.to_string())
    }
}

/// Authenticates the bearer of a token. `check` is `None` if the server accepts no tokens.
///
/// # Errors
/// 401 InvalidAuthenticationInfo, before 2019-12-12 403 AuthenticationFailed, for an invalid token; 403 AuthenticationFailed if no token is
/// allowed. Each has the reason as AuthenticationErrorDetail.
pub fn bearer(check: Option<TokenCheck>, token: &str, context: &TokenContext<'_>) -> Result<Identity, StorageError> {
    if context.version < Version::V2017_11_09 {
        // A client that only changes the version would be refused again.
        let reason = match check {
            Some(_) => "x-ms-version has to be 2017-11-09 or later",
            None => "x-ms-version has to be 2017-11-09 or later, and the server started with --oauth local, dev or basic",
        };
        return Err(TokenError::Version.into_error(context.version).with_reason(reason));
    }
    let authenticate = || {
        let check = check.ok_or(TokenError::Disabled)?;
        if check == TokenCheck::Basic && !context.https {
            return Err(TokenError::Http);
        }
        if check == TokenCheck::Local {
            verify(token, context.verifier)?;
        }
        let claims = Claims::read(token).ok_or(TokenError::NoToken)?;
        claims.check(check, context).map(|()| claims.identity)
    };
    authenticate().map_err(|error| error.into_error(context.version))
}

/// The identity in a token of which nothing is checked; `None` if it cannot be read.
pub fn unchecked(token: &str) -> Option<Identity> {
    let identity = Claims::read(token)?.identity;
    Some(Identity { rights: Rights::All, ..identity })
}

impl Identity {
    /// The identity of a request without a token.
    pub fn nobody() -> Identity {
        Identity { oid: NOBODY.to_owned(), tid: NOBODY.to_owned(), ..Identity::default() }
    }
}

/// Checks the header that File requests with a token must have (`x-ms-file-request-intent`). Its only value is `backup`, which ignores the
/// permissions of files.
///
/// # Errors
/// 400 MissingRequiredHeader or InvalidHeaderValue.
pub fn intent(header: Option<&str>) -> Result<(), StorageError> {
    let name = "x-ms-file-request-intent";
    match header.filter(|text| !text.is_empty()) {
        None => Err(StorageError::missing_header(name)),
        Some(text) if text.eq_ignore_ascii_case("backup") => Ok(()),
        Some(text) => Err(StorageError::invalid_header(name, text)),
    }
}

/// Verifies that this server signed a token, with RS256: a token that names another algorithm is refused, whatever its signature.
fn verify(token: &str, verifier: Option<&dyn TokenVerifier>) -> Result<(), TokenError> {
    let (signed, signature) = token.rsplit_once('.').filter(|_| token.len() <= LONGEST).ok_or(TokenError::NoToken)?;
    let header = signed.split('.').next().and_then(json_object).ok_or(TokenError::NoToken)?;
    let text = |name| header.get(name).and_then(Value::as_str);
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Signature)?;
    // A critical extension would have to be understood (RFC 7515, 4.1.11).
    let is_known = text("alg") == Some("RS256") && header.get("crit").is_none();
    let key_id = text("kid").filter(|_| is_known);
    let is_signed =
        key_id.zip(verifier).is_some_and(|(key_id, verifier)| verifier.verifies(key_id, signed.as_bytes(), &signature));
    is_signed.then_some(()).ok_or(TokenError::Signature)
}

/// The claims of a token.
struct Claims {
    audiences: Vec<String>,
    issuer: Option<String>,
    issued: Option<Timestamp>,
    start: Option<Timestamp>,
    expiry: Option<Timestamp>,
    identity: Identity,
}

impl Claims {
    /// Parses a token: a header, claims and a signature, each in base64; the first two are JSON objects.
    fn read(token: &str) -> Option<Claims> {
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, _] = parts[..] else { return None };
        json_object(header)?;
        let claims = json_object(claims)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let first = |names: &[&str]| names.iter().find_map(|name| text(name));
        // Some issuers write a list of one as a text.
        let list = |name: &str| match claims.get(name)? {
            Value::Array(all) => Some(all.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()),
            _ => Some(text(name).into_iter().collect()),
        };
        Some(Claims {
            audiences: list("aud").unwrap_or_default(),
            issuer: text("iss"),
            issued: time_claim(&claims, "iat")?,
            start: time_claim(&claims, "nbf")?,
            expiry: time_claim(&claims, "exp")?,
            identity: Identity {
                oid: first(&["oid", "sub"]).unwrap_or_else(|| NOBODY.to_owned()),
                tid: first(&["tid"]).unwrap_or_else(|| NOBODY.to_owned()),
                name: first(&["upn", "preferred_username", "unique_name", "appid", "azp"]).unwrap_or_default(),
                groups: list("groups").unwrap_or_default(),
                rights: list("roles").map_or(Rights::All, |names| rights_of(&names)),
            },
        })
    }

    /// Checks the times, the issuer and the audience.
    fn check(&self, check: TokenCheck, context: &TokenContext<'_>) -> Result<(), TokenError> {
        if self.expiry.is_some_and(|expiry| context.now >= expiry) {
            return Err(TokenError::Expired);
        }
        if check == TokenCheck::Dev {
            return Ok(());
        }
        let (Some(_), Some(start), Some(_)) = (self.issued, self.start, self.expiry) else {
            return Err(TokenError::MissingTimes);
        };
        // A test can set the clock back after the server issued a token, which SDKs keep.
        if context.now < start && check != TokenCheck::Local {
            return Err(TokenError::NotYetValid);
        }
        let issuer = self.issuer.as_deref().unwrap_or_default();
        let is_issuer = match check {
            TokenCheck::Local => issuer == format!("https://sts.windows.net/{}/", self.identity.tid),
            TokenCheck::Basic | TokenCheck::Dev => ISSUERS.iter().any(|known| issuer.starts_with(known)),
        };
        if !is_issuer {
            return Err(TokenError::Issuer);
        }
        if !self.audiences.iter().any(|audience| is_audience(audience, context)) {
            return Err(TokenError::Audience);
        }
        Ok(())
    }
}

/// Returns true if an audience is Azure Storage, or this service of this account. A `/` at its end is optional.
fn is_audience(audience: &str, context: &TokenContext<'_>) -> bool {
    let audience = audience.strip_suffix('/').unwrap_or(audience);
    if ANY_ACCOUNT.contains(&audience) {
        return true;
    }
    let host = audience.strip_prefix("https://").and_then(|host| host.strip_prefix(context.account)?.strip_prefix('.'));
    host.and_then(|host| host.split_once(".core."))
        .is_some_and(|(label, cloud)| context.labels.contains(&label) && CLOUDS.contains(&cloud))
}

/// The rights of the roles with these names. Unknown roles permit nothing.
fn rights_of(names: &[String]) -> Rights {
    let found = names.iter().filter_map(|name| roles::by_name(name)).flatten();
    Rights::Assigned(found.map(|role| Assignment { role, scope: None }).collect())
}

/// Parses a part of a token: a JSON object in base64.
fn json_object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// An optional time in the claims: seconds since 1970, without their fraction. The outer `None` is for an invalid value.
fn time_claim(claims: &Map<String, Value>, name: &str) -> Option<Option<Timestamp>> {
    let Some(value) = claims.get(name) else { return Some(None) };
    let seconds = value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))?;
    Some(Some(Timestamp::from_unix(seconds, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;
    const TOKEN: &str = r#"{"aud":"https://storage.azure.com","iss":"https://sts.windows.net/t/","iat":1699999000,"nbf":1699999000,
        "exp":1700003600,"oid":"o","tid":"t","upn":"ann@example.org"}"#;

    fn token(claims: &str) -> String {
        format!("{}.{}.", URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#), URL_SAFE_NO_PAD.encode(claims))
    }

    const CONTEXT: TokenContext<'_> = TokenContext {
        labels: &["blob", "dfs"],
        account: "acct",
        https: true,
        version: Version::V2021_12_02,
        now: Timestamp::from_unix(NOW, 0),
        verifier: None,
    };

    /// The status and the detail of the error; 0 for an accepted token.
    fn outcome(check: Option<TokenCheck>, token: &str, context: &TokenContext<'_>) -> (u16, String) {
        match bearer(check, token, context) {
            Ok(_) => (0, String::new()),
            Err(error) => (error.status(), error.details()[0].1.clone()),
        }
    }

    #[test]
    fn a_token_has_an_identity() {
        let who = |claims: &str| {
            let identity = bearer(Some(TokenCheck::Dev), &token(claims), &CONTEXT).unwrap();
            [identity.oid, identity.tid, identity.name]
        };
        assert_eq!(who(TOKEN), ["o", "t", "ann@example.org"]);
        assert_eq!(who(r#"{"sub":"s","tid":"t","appid":"a"}"#), ["s", "t", "a"]);
        assert_eq!(who(r#"{"oid":7,"tid":""}"#), [NOBODY, NOBODY, ""]);
    }

    /// A claim that cannot be read limits its bearer, and does not set it free.
    #[test]
    fn the_claim_of_roles_limits_in_every_form() {
        for (claims, names) in [
            ("{}", None),
            (r#"{"roles":["Storage Blob Data Reader","Storage Table Data Reader"]}"#, Some(&["blob-reader", "table-reader"][..])),
            (r#"{"roles":"Storage Blob Data Reader"}"#, Some(&["blob-reader"])),
            (r#"{"roles":[]}"#, Some(&[])),
            (r#"{"roles":["x",7]}"#, Some(&[])),
            (r#"{"roles":null}"#, Some(&[])),
            (r#"{"roles":{"a":1}}"#, Some(&[])),
        ] {
            let rights = bearer(Some(TokenCheck::Dev), &token(claims), &CONTEXT).unwrap().rights;
            let held = match &rights {
                Rights::All => None,
                Rights::Assigned(roles) => Some(roles.iter().map(|role| role.role.short).collect::<Vec<_>>()),
            };
            assert_eq!(held.as_deref(), names, "{claims}");
        }
    }

    #[test]
    fn basic_is_as_strict_as_the_service() {
        let (time, issuer, audience) =
            ("Lifetime validation failed.", "Issuer validation failed.", "Audience validation failed.");
        for (from, to, detail) in [
            ("", "", ""),
            ("1700003600", "1700000000", time),
            ("1700003600", "1700000000.5", time),
            ("1700003600", "1700000001", ""),
            (r#""nbf":1699999000"#, r#""nbf":1700000001"#, time),
            (r#""nbf":1699999000,"#, "", time),
            (r#""iat":1699999000,"#, "", time),
            ("sts.windows.net", "login.microsoftonline.com", ""),
            ("sts.windows.net/t/", "login.microsoftonline.com/t/v2.0", ""),
            ("sts.windows.net", "sts.windows.net.example.org", issuer),
            (r#""iss":"https://sts.windows.net/t/","#, "", issuer),
            ("storage.azure.com", "storage.azure.com/", ""),
            ("https://storage.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1", ""),
            ("storage.azure.com", "acct.blob.core.windows.net", ""),
            ("storage.azure.com", "acct.dfs.core.windows.net/", ""),
            ("storage.azure.com", "acct.blob.core.usgovcloudapi.net", ""),
            ("storage.azure.com", "acct.queue.core.windows.net", audience),
            ("storage.azure.com", "other.blob.core.windows.net", audience),
            ("storage.azure.com", "acctblob.core.windows.net", audience),
            ("storage.azure.com", "storage.azure.com//", audience),
            ("storage.azure.com", "cosmos.azure.com", audience),
            ("\"https://storage.azure.com\"", r#"["x","https://storage.azure.com"]"#, ""),
            ("\"https://storage.azure.com\"", "[]", audience),
        ] {
            let (status, text) = outcome(Some(TokenCheck::Basic), &token(&TOKEN.replacen(from, to, 1)), &CONTEXT);
            assert!(text.starts_with(detail) && text.is_empty() == detail.is_empty(), "{from} {to}: {text}");
            assert_eq!(status, if detail.is_empty() { 0 } else { 401 }, "{from} {to}");
        }
    }

    #[test]
    fn dev_accepts_any_token_that_has_not_expired() {
        for (claims, status) in [
            ("{}", 0),
            (r#"{"aud":"https://example.org","iss":"me","nbf":1800000000}"#, 0),
            (r#"{"exp":1700000001}"#, 0),
            (r#"{"exp":1700000000}"#, 401),
            (r#"{"exp":-1e300}"#, 401),
            (r#"{"exp":"tomorrow"}"#, 401),
            ("[]", 401),
            ("{", 401),
        ] {
            assert_eq!(
                outcome(Some(TokenCheck::Dev), &token(claims), &TokenContext { https: false, ..CONTEXT }).0,
                status,
                "{claims}"
            );
        }
        let good = token("{}");
        for text in ["", "abc", "a.b.c", &good[1..], &good.replace('.', "/"), &format!("{good}.more")] {
            assert_eq!(
                outcome(Some(TokenCheck::Dev), text, &CONTEXT),
                (401, "The bearer token is not a JSON Web Token.".into()),
                "{text}"
            );
        }
    }

    #[test]
    fn file_requests_with_a_token_need_the_intent_of_a_backup() {
        for (header, code) in [
            (Some("backup"), None),
            (Some("Backup"), None),
            (Some("restore"), Some(ErrorCode::InvalidHeaderValue)),
            (Some(""), Some(ErrorCode::MissingRequiredHeader)),
            (None, Some(ErrorCode::MissingRequiredHeader)),
        ] {
            assert_eq!(intent(header).err().map(|error| error.code()), code, "{header:?}");
        }
    }

    #[test]
    fn the_code_of_an_error_depends_on_protocol_and_version() {
        let expired = TOKEN.replace("1700003600", "1");
        for (check, claims, https, version, status) in [
            (None, TOKEN, true, Version::V2021_12_02, 401),
            (None, TOKEN, true, Version::V2019_07_07, 403),
            (Some(TokenCheck::Basic), TOKEN, false, Version::V2021_12_02, 403),
            (Some(TokenCheck::Dev), TOKEN, false, Version::V2021_12_02, 0),
            (Some(TokenCheck::Basic), &expired, true, Version::V2019_12_12, 401),
            (Some(TokenCheck::Basic), &expired, true, Version::V2019_07_07, 403),
            (Some(TokenCheck::Basic), TOKEN, true, Version::V2017_11_09, 0),
            (Some(TokenCheck::Dev), TOKEN, true, Version::V2017_07_29, 403),
            (None, TOKEN, true, Version::V2017_07_29, 403),
        ] {
            let context = TokenContext { https, version, ..CONTEXT };
            if version < Version::V2017_11_09 {
                let reason = bearer(check, &token(claims), &context).unwrap_err().reason().to_owned();
                assert_eq!(reason.contains("--oauth local"), check.is_none(), "{reason}");
            }
            assert_eq!(outcome(check, &token(claims), &context).0, status, "{check:?} {claims} {https} {version}");
        }
    }
}
