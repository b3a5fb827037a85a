//! The tokens of the issuer: JSON Web Tokens with the claims of Entra ID's tokens of version 1.0, signed by RS256.

use crate::identity::key::{KeyError, SigningKey};
use crate::rules::auth::principals::Principal;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// How long a token is valid, in seconds.
pub const LIFETIME: i64 = 3600;

/// How a client proved who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientProof {
    /// By a secret.
    Secret,
    /// By an assertion, or as a managed identity.
    Assertion,
}

impl ClientProof {
    /// The value of the claim `appidacr`.
    fn claim(self) -> &'static str {
        match self {
            ClientProof::Secret => "1",
            ClientProof::Assertion => "2",
        }
    }
}

/// Whose token a client requests, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRequest<'a> {
    pub principal: &'a Principal,
    /// The id of the tenant, a GUID.
    pub tenant: &'a str,
    /// The audience: `https://storage.azure.com`.
    pub resource: &'a str,
    pub proof: ClientProof,
}

/// A signed token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// When it was issued, in seconds since 1970.
    pub issued: i64,
}

impl TokenRequest<'_> {
    /// Makes the token and signs it. `issued` is in seconds since 1970, `id` is unique.
    ///
    /// # Errors
    /// [`KeyError::Sign`].
    pub fn issue(&self, key: &SigningKey, issued: i64, id: [u8; 16]) -> Result<Token, KeyError> {
        let header = json!({ "typ": "JWT", "alg": "RS256", "x5t": key.public().id(), "kid": key.public().id() });
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&self.claims(issued, id)));
        let signature = key.sign(signed.as_bytes())?;
        Ok(Token { text: format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)), issued })
    }

    fn claims(&self, issued: i64, id: [u8; 16]) -> Value {
        let TokenRequest { principal, tenant, resource, proof } = self;
        let mut claims = json!({
            "aud": resource,
            "iss": format!("https://sts.windows.net/{tenant}/"),
            "iat": issued,
            "nbf": issued,
            "exp": issued + LIFETIME,
            "appid": principal.name,
            "appidacr": proof.claim(),
            "idp": format!("https://sts.windows.net/{tenant}/"),
            "idtyp": "app",
            "oid": principal.oid,
            "sub": principal.oid,
            "tid": tenant,
            "uti": URL_SAFE_NO_PAD.encode(id),
            "ver": "1.0",
        });
        if let (Some(claims), false) = (claims.as_object_mut(), principal.groups.is_empty()) {
            claims.insert("groups".to_owned(), json!(principal.groups));
        }
        claims
    }
}
