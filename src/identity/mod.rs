//! The issuer of tokens: what Microsoft Entra ID, a managed identity endpoint and the metadata service of a virtual machine are to
//! clients in Azure.
//!
//! Clients get a token here, and the services verify it with the issuer's key. `path` has the URLs, `request` what clients send there,
//! `token` what they get, and `answers` in which form.

mod answers;
mod key;
mod path;
mod request;
mod token;

use crate::environment::Environment;
use crate::identity::answers::Answer;
use crate::identity::key::SigningKey;
use crate::identity::path::{Endpoint, Place};
use crate::identity::request::IssuerRequest;
use crate::identity::token::{ClientProof, Token, TokenRequest};
use crate::rules::auth::principals::{Principal, Principals, oid_of};
use crate::rules::auth::token::TokenVerifier;
use crate::rules::pages;
use crate::rules::text::guid;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
pub use key::KeyError;
pub use path::ROUTE;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// The largest body of a request for a token, in bytes.
const BODY_LIMIT: usize = 64 << 10;
/// The longest time to send it.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// The name of the principal of a request that names none, if none is declared.
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

/// The id of the server's own tenant.
fn own_tenant() -> String {
    oid_of(DEFAULT_PRINCIPAL)
}

/// The id of the tenant in a path. One that is a name, such as `adfs`, is the server's own.
fn tenant_id(name: &str) -> String {
    guid(name).map_or_else(own_tenant, |id| id.to_string())
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
        format!("https://{host}/{}", own_tenant())
    }

    /// Answers a request to this host that is for the issuer. `https` is true for a connection with TLS.
    pub async fn answer(
        &self,
        request: http::Request<Body>,
        host: &str,
        https: bool,
        is_account: impl Fn(&str) -> bool,
    ) -> Response {
        let (parts, wire) = request.into_parts();
        let Some(place) = path::find(parts.uri.path(), is_account) else { return Answer::not_found().into_response() };
        // What is left of a body that is refused is dropped, and closes the connection.
        let answered = match read_form(wire).await {
            Ok(form) => self.answer_at(&place, &IssuerRequest::new(&parts, host, &form), https).await,
            Err(status) => Err(Answer::invalid_body(status)),
        };
        let answer = answered.unwrap_or_else(|error| error.with_ids(&self.environment));
        tracing::info!(target: "lazuli::access", "Identity {} {} {}", parts.method, parts.uri.path(), answer.summary());
        answer.into_response()
    }

    async fn answer_at(&self, place: &Place<'_>, request: &IssuerRequest, https: bool) -> Result<Answer, Answer> {
        let base = format!("{}://{}{}", if https { "https" } else { "http" }, request.host, place.prefix);
        self.check_page(request, https)?;
        match place.endpoint {
            Endpoint::Discovery { .. } | Endpoint::InstanceDiscovery | Endpoint::Keys | Endpoint::Subscriptions => {
                request.check_read()?;
            }
            _ => {}
        }
        match place.endpoint {
            Endpoint::AppService => self.managed_token(request, request.app_service_resource()?).await,
            Endpoint::Metadata => self.managed_token(request, request.metadata_resource()?).await,
            Endpoint::Token { tenant } => self.client_token(request, &tenant_id(tenant)).await,
            Endpoint::Discovery { tenant } => Ok(Answer::discovery(&base, tenant, &tenant_id(tenant))),
            Endpoint::InstanceDiscovery => Ok(Answer::instance(&base, request.authorization_endpoint())),
            Endpoint::Keys => {
                let key = self.key().await?;
                Ok(Answer::ok(json!({ "keys": [key.public().jwk()] })))
            }
            Endpoint::Interactive => Err(Answer::interactive()),
            Endpoint::Subscriptions => Ok(Answer::ok(json!({ "value": [] }))),
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

    /// The token of a managed identity: the one that the request names, or the first.
    async fn managed_token(&self, request: &IssuerRequest, resource: &str) -> Result<Answer, Answer> {
        let principal = match request.identity() {
            Some(name) => self.principal(name).ok_or_else(|| Answer::unknown_identity(name))?,
            None => self.principals.0.first().cloned().unwrap_or_else(|| undeclared(DEFAULT_PRINCIPAL)),
        };
        let (tenant, proof) = (own_tenant(), ClientProof::Assertion);
        let token = self.issue(&TokenRequest { principal: &principal, tenant: &tenant, resource, proof }).await?;
        Ok(Answer::managed_token(&token, &principal.name, resource))
    }

    /// The token of a client with credentials.
    async fn client_token(&self, request: &IssuerRequest, tenant: &str) -> Result<Answer, Answer> {
        let credentials = request.client_credentials()?;
        let name = credentials.client_id;
        let principal = self.principal(name).ok_or_else(|| Answer::unknown_client(name))?;
        let (resource, proof) = (credentials.resource, credentials.proof);
        let token = self.issue(&TokenRequest { principal: &principal, tenant, resource, proof }).await?;
        Ok(Answer::token(&token))
    }

    /// The principal with this name or object id. If none is declared, every name is one.
    fn principal(&self, name: &str) -> Option<Principal> {
        match self.principals.are_declared() {
            true => self.principals.find(name).cloned(),
            false => Some(undeclared(name)),
        }
    }

    async fn issue(&self, request: &TokenRequest<'_>) -> Result<Token, Answer> {
        let key = self.key().await?;
        let (now, id) = (self.environment.now().unix_seconds(), self.environment.id());
        request.issue(key, now, id).map_err(|error| Answer::failed(&error))
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

/// Reads a body, of a limited size and in a limited time.
///
/// # Errors
/// 413, 408, or 400 for a body that breaks off.
async fn read_form(body: Body) -> Result<Bytes, StatusCode> {
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, BODY_LIMIT).collect()).await {
        Ok(Ok(form)) => Ok(form.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// A principal of a server that declares none.
fn undeclared(name: &str) -> Principal {
    Principal { name: name.to_owned(), oid: oid_of(name), groups: Vec::new(), roles: Vec::new() }
}

impl TokenVerifier for Issuer {
    fn verifies(&self, key_id: &str, signed: &[u8], signature: &[u8]) -> bool {
        self.key.get().is_some_and(|key| key.public().id() == key_id && key.public().verifies(signed, signature))
    }
}
