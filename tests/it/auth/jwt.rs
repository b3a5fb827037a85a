//! Makes bearer tokens, without any of the server's code. They are not signed.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A user and a tenant.
pub const ANN: (&str, &str) = ("0bef7f36-c9d2-4d24-8066-c7e915fe5143", "72f988bf-86f1-41af-91ab-2d7cd011db47");
/// Another user of the same tenant.
pub const BOB: (&str, &str) = ("c4f48289-bb84-4086-b250-6f94a8f64cee", ANN.1);
/// A user of another tenant.
pub const EVE: (&str, &str) = ("e0e0e0e0-bb84-4086-b250-6f94a8f64cee", "32f988bf-54f1-15af-36ab-2d7cd364db47");

/// An Authorization header with a token with these claims.
pub fn bearer(claims: &str) -> String {
    let [header, claims] = [r#"{"typ":"JWT","alg":"RS256"}"#, claims].map(|text| URL_SAFE_NO_PAD.encode(text));
    format!("Bearer {header}.{claims}.c2lnbmF0dXJl")
}

/// An Authorization header with a token of this user that satisfies each level of checks.
pub fn of((oid, tid): (&str, &str)) -> String {
    let issuer = format!("https://login.microsoftonline.com/{tid}/v2.0");
    bearer(&claims("https://storage.azure.com/", &issuer, (oid, tid), 3600))
}

/// Claims that are valid since ten minutes ago and for this many seconds, by the machine's clock.
pub fn claims(audience: &str, issuer: &str, (oid, tid): (&str, &str), seconds: i64) -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = since.as_secs() as i64;
    let (past, expiry) = (now - 600, now + seconds);
    format!(
        r#"{{"aud":"{audience}","iss":"{issuer}","iat":{past},"nbf":{past},"exp":{expiry},"oid":"{oid}","tid":"{tid}","upn":"u@example.org"}}"#
    )
}
