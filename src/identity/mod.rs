//! The issuer of tokens: what Microsoft Entra ID, a managed identity endpoint and the metadata service of a virtual machine are to
//! clients in Azure.
//!
//! Clients get a token here, and the services verify it with the issuer's key. The paths are in `path`, the answers in `answers`.

mod answers;
mod key;
mod path;

use crate::environment::Environment;
use crate::identity::answers::{Answer, IssuerRequest, LIFETIME};
use crate::identity::key::SigningKey;
use crate::identity::path::{Endpoint, Place};
use crate::rules::auth::principals::{Principal, Principals, oid_of};
use crate::rules::auth::token::TokenVerifier;
use crate::rules::pages;
use crate::rules::text::guid;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
pub use key::KeyError;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// The route of all paths below the issuer's prefix.
pub const ROUTE: &str = "/_lazuli/identity/{*path}";

/// The largest body of a request for a token, in bytes.
const LIMIT: usize = 64 << 10;
/// The longest time to send it.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// The principal of a request that names none, where none is declared.
pub const DEFAULT_PRINCIPAL: &str = "lazuli";

/// The issuer of a server.
#[derive(Debug)]
pub struct Issuer {
    /// The principals that may have a token. Without any, every name may.
    principals: Principals,
    environment: Arc<Environment>,
    /// The names of the server. Over http, requests to other public names are refused.
    names: Vec<String>,
    /// The file of the key; `None`: the key is in memory only.
    file: Option<PathBuf>,
    /// Made for the first token.
    key: OnceCell<SigningKey>,
}

/// Whose token a client wants, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TokenRequest<'a> {
    principal: &'a Principal,
    /// The tenant as an id.
    tenant: &'a str,
    /// The audience: `https://storage.azure.com`.
    resource: &'a str,
    /// How the client proved who it is: `1` by a secret, `2` by an assertion or a managed identity.
    proof: &'static str,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    /// When it was issued, in seconds since 1970.
    issued: i64,
}

/// The id of a tenant: itself, or always the same for a name such as `adfs`.
fn tenant_id(name: &str) -> String {
    guid(name).map_or_else(|| oid_of(DEFAULT_PRINCIPAL), |id| id.to_string())
}

impl Issuer {
    /// Creates the issuer of a server. With a folder, the key is kept in it, and a key that is there already is used.
    ///
    /// # Errors
    /// [`KeyError`] if the folder has a key that cannot be read.
    pub fn open(
        principals: Principals,
        environment: Arc<Environment>,
        folder: Option<PathBuf>,
        names: Vec<String>,
    ) -> Result<Issuer, KeyError> {
        let file = folder.map(|folder| folder.join(key::FILE));
        let found = file.as_deref().map(SigningKey::load).transpose()?.flatten();
        let key = OnceCell::new_with(found);
        Ok(Issuer { principals, environment, names, file, key })
    }

    /// Returns true if a request is for the issuer. `is_account` returns true for the names of accounts, whose paths come first.
    pub fn serves(host_names_account: bool, path: &str, is_account: impl Fn(&str) -> bool) -> bool {
        !host_names_account && path::find(path, is_account).is_some()
    }

    /// The URL of the authority, which challenges name: `https://localhost:10000/{tenant}`.
    pub fn authority(host: &str) -> String {
        format!("https://{host}/{}", tenant_id(""))
    }

    /// Answers a request that is for the issuer. `https`: it came over TLS.
    pub async fn answer(
        &self,
        request: http::Request<axum::body::Body>,
        https: bool,
        is_account: impl Fn(&str) -> bool,
    ) -> Response {
        let (parts, wire) = request.into_parts();
        let Some(place) = path::find(parts.uri.path(), is_account) else { return Answer::not_found().into_response() };
        // What is left of a body that is refused is dropped, and closes the connection.
        let form = match tokio::time::timeout(BODY_TIMEOUT, Limited::new(wire, LIMIT).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return Answer::invalid_body(StatusCode::PAYLOAD_TOO_LARGE).into_response();
            }
            Ok(Err(_)) => return Answer::invalid_body(StatusCode::BAD_REQUEST).into_response(),
            Err(_) => return Answer::invalid_body(StatusCode::REQUEST_TIMEOUT).into_response(),
        };
        let read = IssuerRequest::new(&parts, &form);
        let answer = self.answer_at(&place, &read, https).await.unwrap_or_else(|error| error.with_ids(&self.environment));
        tracing::info!(target: "lazuli::access", "Identity {} {} {}", parts.method, parts.uri.path(), answer.summary());
        answer.into_response()
    }

    async fn answer_at(&self, place: &Place<'_>, request: &IssuerRequest, https: bool) -> Result<Answer, Answer> {
        self.check_page(request, https)?;
        request.check_method(place.endpoint)?;
        let base = format!("{}://{}{}", if https { "https" } else { "http" }, request.host, place.prefix);
        match place.endpoint {
            Endpoint::AppService => {
                let resource = request.app_service()?;
                let principal = self.managed(request)?;
                self.managed_token(&principal, resource).await
            }
            Endpoint::Metadata => {
                let resource = request.metadata()?;
                let principal = self.managed(request)?;
                self.managed_token(&principal, resource).await
            }
            Endpoint::Token { tenant } => {
                let wanted = request.client_credentials()?;
                let principal = self.principal(wanted.client_id).ok_or_else(|| Answer::unknown_client(wanted.client_id))?;
                let tenant = tenant_id(tenant);
                let wanted =
                    TokenRequest { principal: &principal, tenant: &tenant, resource: wanted.resource, proof: wanted.proof };
                let token = self.issue(&wanted).await?;
                Ok(Answer::token(&token.text))
            }
            Endpoint::Discovery { tenant } => Ok(Answer::discovery(&base, tenant, &tenant_id(tenant))),
            Endpoint::InstanceDiscovery => Ok(Answer::instance(&base, request)),
            Endpoint::Keys => {
                let key = self.key().await?;
                Ok(Answer::ok(&json!({ "keys": [key.public().jwk()] })))
            }
            Endpoint::NeedsPerson => Err(Answer::needs_person()),
        }
    }

    /// Refuses requests of web pages from elsewhere. Over https, no name but those of the certificate gets this far.
    ///
    /// # Errors
    /// 403.
    fn check_page(&self, request: &IssuerRequest, https: bool) -> Result<(), Answer> {
        let is_own = https || pages::is_own_host(&request.host, &self.names);
        match request.origin().is_some_and(pages::is_foreign) {
            true => Err(Answer::foreign_page()),
            false if !is_own => Err(Answer::unknown_host(&request.host)),
            false => Ok(()),
        }
    }

    /// The principal of a managed identity: the one that the request names, or the first.
    fn managed(&self, request: &IssuerRequest) -> Result<Principal, Answer> {
        match request.identity() {
            Some(name) => self.principal(name).ok_or_else(|| Answer::unknown_identity(name)),
            None => Ok(self.principals.0.first().cloned().unwrap_or_else(|| any(DEFAULT_PRINCIPAL))),
        }
    }

    /// The principal with this name or id. If none is declared, every name is one.
    fn principal(&self, name: &str) -> Option<Principal> {
        match self.principals.are_declared() {
            true => self.principals.find(name).cloned(),
            false => Some(any(name)),
        }
    }

    async fn managed_token(&self, principal: &Principal, resource: &str) -> Result<Answer, Answer> {
        let token = self.issue(&TokenRequest { principal, tenant: &tenant_id(""), resource, proof: "2" }).await?;
        Ok(Answer::managed_token(&token.text, token.issued, &principal.name, resource))
    }

    /// Issues a token.
    async fn issue(&self, request: &TokenRequest<'_>) -> Result<Token, Answer> {
        let key = self.key().await?;
        let issued = self.environment.now().unix_seconds();
        let TokenRequest { principal, tenant, resource, proof } = request;
        let mut claims = json!({
            "aud": resource,
            "iss": format!("https://sts.windows.net/{tenant}/"),
            "iat": issued,
            "nbf": issued,
            "exp": issued + LIFETIME,
            "appid": principal.name,
            "appidacr": proof,
            "idp": format!("https://sts.windows.net/{tenant}/"),
            "idtyp": "app",
            "oid": principal.oid,
            "sub": principal.oid,
            "tid": tenant,
            "uti": URL_SAFE_NO_PAD.encode(self.environment.id()),
            "ver": "1.0",
        });
        if let (Some(claims), false) = (claims.as_object_mut(), principal.groups.is_empty()) {
            claims.insert("groups".to_owned(), json!(principal.groups));
        }
        let header = json!({ "typ": "JWT", "alg": "RS256", "x5t": key.public().id(), "kid": key.public().id() });
        let encode = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let signature = key.sign(signed.as_bytes()).map_err(|error| Answer::failed(&error))?;
        Ok(Token { text: format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)), issued })
    }

    /// The key, which is made if there is none.
    async fn key(&self) -> Result<&SigningKey, Answer> {
        let made = || async {
            let file = self.file.clone();
            let make = move || SigningKey::make(file.as_deref());
            tokio::task::spawn_blocking(make).await.unwrap_or(Err(KeyError::Random))
        };
        self.key.get_or_try_init(made).await.map_err(|error| Answer::failed(&error))
    }
}

/// A principal that is not declared.
fn any(name: &str) -> Principal {
    Principal { name: name.to_owned(), oid: oid_of(name), groups: Vec::new(), roles: Vec::new() }
}

impl TokenVerifier for Issuer {
    fn verifies(&self, key_id: &str, signed: &[u8], signature: &[u8]) -> bool {
        self.key.get().is_some_and(|key| key.public().id() == key_id && key.public().verifies(signed, signature))
    }
}
