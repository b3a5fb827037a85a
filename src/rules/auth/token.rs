//! Bearer tokens: what a JSON Web Token says of its bearer, and whether that lets them in.
//!
//! Nobody here knows the keys of whoever issues tokens, so no signature is checked: anybody can write a token, as anybody can sign
//! with the key that every emulator has. What is checked keeps a test honest: a token that the service would refuse for its time,
//! its issuer or its audience is refused here too. Sources: «Authorize with Microsoft Entra ID» in the REST reference; the
//! sentences of AuthenticationErrorDetail as the service is known to say them.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// How much a token must show (`--oauth`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCheck {
    /// As in the service, but for the signature: https, a time that has come and not gone, a known issuer, this service as audience.
    Basic,
    /// A token at all, by plain HTTP too, and not yet expired.
    Dev,
}

/// Who bears a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The user, or the service or machine that acts as one (`oid`, or else `sub`).
    pub oid: String,
    /// The tenant that knows them (`tid`).
    pub tid: String,
    /// What people call them (`upn`), or the application (`appid`, `azp`); empty when the token does not say.
    pub name: String,
}

/// Where a token is shown.
#[derive(Clone, Copy, Debug)]
pub struct TokenContext<'a> {
    /// The labels that the service has in host names: `blob` and `dfs`, `queue`, `table` or `file`.
    pub labels: &'a [&'a str],
    /// The account.
    pub account: &'a str,
    /// Whether it came over TLS.
    pub https: bool,
    /// The version that the request follows.
    pub version: Version,
    /// The time by the clock that clients have.
    pub now: Timestamp,
}

/// Who stands behind a token that does not say: nobody in particular, as the nil GUID.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Issuers, by how their names begin: those of version 1.0 tokens, then those of 2.0, each in every cloud.
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

/// What tokens for any account of Azure Storage are meant for: its address, and its number among Entra's applications.
const ANY_ACCOUNT: [&str; 2] = ["https://storage.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1"];

/// Where accounts live, by cloud.
const CLOUDS: [&str; 4] = ["windows.net", "chinacloudapi.cn", "usgovcloudapi.net", "cloudapi.de"];

/// Finds out who bears a token. `trust` is what the server was told to demand, if it was told to take tokens at all.
///
/// # Errors
/// 401 InvalidAuthenticationInfo, before 2019-12-12 403 AuthenticationFailed, for a token that does not do; 403 AuthenticationFailed
/// where no token would: each with the reason as AuthenticationErrorDetail.
pub fn bearer(trust: Option<TokenCheck>, token: &str, place: &TokenContext<'_>) -> Result<Identity, StorageError> {
    let never = |detail| Err(ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", detail));
    if place.version < Version::V2017_11_09 {
        let refused = ErrorCode::AuthenticationFailed
            .with_detail("AuthenticationErrorDetail", "Authentication scheme Bearer is not supported in this version.");
        // One who mends the version first would only be refused again.
        return Err(match trust {
            Some(_) => refused.with_reason("x-ms-version has to be 2017-11-09 or later"),
            None => refused
                .with_reason("x-ms-version has to be 2017-11-09 or later, and the server started with --oauth dev or basic"),
        });
    }
    let code = if place.version < Version::V2019_12_12 { ErrorCode::AuthenticationFailed } else { ErrorCode::InvalidBearerToken };
    let refused = |detail| code.with_detail("AuthenticationErrorDetail", detail);
    let Some(trust) = trust else {
        return Err(refused("Bearer tokens are off: start the server with --oauth basic (https) or --oauth dev (any)."));
    };
    if trust == TokenCheck::Basic && !place.https {
        return never("Authentication scheme Bearer is not allowed with HTTP; a server started with --oauth dev allows it.");
    }
    let claims = Claims::read(token).ok_or_else(|| refused("The bearer token is not a JSON Web Token."))?;
    claims.check(trust, place).map_err(refused)?;
    Ok(claims.identity)
}

/// What a user of files says beside a token (`x-ms-file-request-intent`): that it is for backups, which look past the files' own
/// permissions. Nothing else is known.
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

/// What a token says.
struct Claims {
    audiences: Vec<String>,
    issuer: Option<String>,
    issued: Option<Timestamp>,
    start: Option<Timestamp>,
    expiry: Option<Timestamp>,
    identity: Identity,
}

impl Claims {
    /// Reads a token: a header, claims and a signature, each in base64, the first two JSON objects. `None` for anything else.
    fn read(token: &str) -> Option<Claims> {
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, _] = parts[..] else { return None };
        object(header)?;
        let claims = object(claims)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let first = |names: &[&str]| names.iter().find_map(|name| text(name));
        Some(Claims {
            audiences: match claims.get("aud") {
                Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => text("aud").into_iter().collect(),
            },
            issuer: text("iss"),
            issued: moment(&claims, "iat")?,
            start: moment(&claims, "nbf")?,
            expiry: moment(&claims, "exp")?,
            identity: Identity {
                oid: first(&["oid", "sub"]).unwrap_or_else(|| NOBODY.to_owned()),
                tid: first(&["tid"]).unwrap_or_else(|| NOBODY.to_owned()),
                name: first(&["upn", "preferred_username", "unique_name", "appid", "azp"]).unwrap_or_default(),
            },
        })
    }

    /// Checks them; the error says what is wrong.
    fn check(&self, trust: TokenCheck, place: &TokenContext<'_>) -> Result<(), &'static str> {
        if self.expiry.is_some_and(|expiry| place.now >= expiry) {
            return Err("Lifetime validation failed. The token is expired.");
        }
        if trust == TokenCheck::Dev {
            return Ok(());
        }
        let (Some(_), Some(start), Some(_)) = (self.issued, self.start, self.expiry) else {
            return Err("Lifetime validation failed. The token does not say when it holds: iat, nbf and exp.");
        };
        if place.now < start {
            return Err("Lifetime validation failed. The token is not yet valid.");
        }
        if !self.issuer.as_deref().is_some_and(|issuer| ISSUERS.iter().any(|known| issuer.starts_with(known))) {
            return Err("Issuer validation failed. Issuer did not match.");
        }
        if !self.audiences.iter().any(|audience| is_for(audience, place)) {
            return Err("Audience validation failed. Audience did not match.");
        }
        Ok(())
    }
}

/// Whether an audience is Azure Storage, or this service of this account. A `/` at its end does not matter.
fn is_for(audience: &str, place: &TokenContext<'_>) -> bool {
    let audience = audience.strip_suffix('/').unwrap_or(audience);
    if ANY_ACCOUNT.contains(&audience) {
        return true;
    }
    let host = audience.strip_prefix("https://").and_then(|host| host.strip_prefix(place.account)?.strip_prefix('.'));
    host.and_then(|host| host.split_once(".core."))
        .is_some_and(|(label, cloud)| place.labels.contains(&label) && CLOUDS.contains(&cloud))
}

/// Reads a part of a token.
fn object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A time among the claims: seconds since 1970, fractions dropped. The outer `None` is for something else in its place.
fn moment(claims: &Map<String, Value>, name: &str) -> Option<Option<Timestamp>> {
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

    const PLACE: TokenContext<'_> = TokenContext {
        labels: &["blob", "dfs"],
        account: "acct",
        https: true,
        version: Version::V2020_12_06,
        now: Timestamp::from_unix(NOW, 0),
    };

    /// The code and the detail of a refusal; nothing when it is let in.
    fn outcome(trust: Option<TokenCheck>, token: &str, place: &TokenContext<'_>) -> (u16, String) {
        match bearer(trust, token, place) {
            Ok(_) => (0, String::new()),
            Err(error) => (error.status(), error.details()[0].1.clone()),
        }
    }

    #[test]
    fn tells_who_bears_it() {
        let who = |claims: &str| {
            let identity = bearer(Some(TokenCheck::Dev), &token(claims), &PLACE).unwrap();
            [identity.oid, identity.tid, identity.name]
        };
        assert_eq!(who(TOKEN), ["o", "t", "ann@example.org"]);
        assert_eq!(who(r#"{"sub":"s","tid":"t","appid":"a"}"#), ["s", "t", "a"]);
        assert_eq!(who(r#"{"oid":7,"tid":""}"#), [NOBODY, NOBODY, ""]);
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
            let (status, said) = outcome(Some(TokenCheck::Basic), &token(&TOKEN.replacen(from, to, 1)), &PLACE);
            assert!(said.starts_with(detail) && said.is_empty() == detail.is_empty(), "{from} {to}: {said}");
            assert_eq!(status, if detail.is_empty() { 0 } else { 401 }, "{from} {to}");
        }
    }

    #[test]
    fn dev_takes_any_token_that_has_not_expired() {
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
                outcome(Some(TokenCheck::Dev), &token(claims), &TokenContext { https: false, ..PLACE }).0,
                status,
                "{claims}"
            );
        }
        let good = token("{}");
        for text in ["", "abc", "a.b.c", &good[1..], &good.replace('.', "/"), &format!("{good}.more")] {
            assert_eq!(
                outcome(Some(TokenCheck::Dev), text, &PLACE),
                (401, "The bearer token is not a JSON Web Token.".into()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_user_of_files_makes_backups() {
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
    fn refusals_have_their_time_and_place() {
        let expired = TOKEN.replace("1700003600", "1");
        for (trust, claims, https, version, status) in [
            (None, TOKEN, true, Version::V2020_12_06, 401),
            (None, TOKEN, true, Version::V2019_07_07, 403),
            (Some(TokenCheck::Basic), TOKEN, false, Version::V2020_12_06, 403),
            (Some(TokenCheck::Dev), TOKEN, false, Version::V2020_12_06, 0),
            (Some(TokenCheck::Basic), &expired, true, Version::V2019_12_12, 401),
            (Some(TokenCheck::Basic), &expired, true, Version::V2019_07_07, 403),
            (Some(TokenCheck::Basic), TOKEN, true, Version::V2017_11_09, 0),
            (Some(TokenCheck::Dev), TOKEN, true, Version::V2017_07_29, 403),
            (None, TOKEN, true, Version::V2017_07_29, 403),
        ] {
            let place = TokenContext { https, version, ..PLACE };
            if version < Version::V2017_11_09 {
                let why = bearer(trust, &token(claims), &place).unwrap_err().reason().to_owned();
                assert_eq!(why.contains("--oauth dev"), trust.is_none(), "{why}");
            }
            assert_eq!(outcome(trust, &token(claims), &place).0, status, "{trust:?} {claims} {https} {version}");
        }
    }
}
