//! The answers of the issuer. The shapes are those of Entra ID and of the managed identity endpoints; each SDK reads some of their members.

use crate::environment::Environment;
use crate::identity::key::KeyError;
use crate::identity::token::{LIFETIME, Token};
use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use serde_json::{Value, json};
use uuid::Uuid;

/// The remaining lifetime of a new token as Entra ID reports it, in seconds.
const EXPIRES_IN: i64 = LIFETIME - 1;

/// What is wrong with a principal that gets no token.
const UNDECLARED: &str = "no --identity of this server has this name or object id";

/// A status with JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

impl Answer {
    pub fn ok(body: Value) -> Answer {
        Answer { status: StatusCode::OK, body }
    }

    /// The answer of a token endpoint.
    pub fn token(token: &Token) -> Answer {
        let body = json!({
            "token_type": "Bearer",
            "expires_in": EXPIRES_IN,
            "ext_expires_in": EXPIRES_IN,
            "access_token": token.text,
        });
        Answer::ok(body)
    }

    /// The answer of a managed identity endpoint. Its numbers are strings, as in Azure.
    pub fn managed_token(token: &Token, client_id: &str, resource: &str) -> Answer {
        let body = json!({
            "access_token": token.text,
            "client_id": client_id,
            "expires_in": EXPIRES_IN.to_string(),
            "expires_on": (token.issued + LIFETIME).to_string(),
            "ext_expires_in": EXPIRES_IN.to_string(),
            "not_before": token.issued.to_string(),
            "resource": resource,
            "token_type": "Bearer",
        });
        Answer::ok(body)
    }

    /// The discovery document of a tenant.
    pub fn discovery(base: &str, tenant: &str, tenant_id: &str) -> Answer {
        let body = json!({
            "issuer": format!("https://sts.windows.net/{tenant_id}/"),
            "authorization_endpoint": format!("{base}/{tenant}/oauth2/authorize"),
            "token_endpoint": format!("{base}/{tenant}/oauth2/v2.0/token"),
            "device_authorization_endpoint": format!("{base}/{tenant}/oauth2/devicecode"),
            "jwks_uri": format!("{base}/{tenant}/discovery/keys"),
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic", "private_key_jwt"],
            "response_modes_supported": ["query"],
            "response_types_supported": ["code"],
            "scopes_supported": ["openid"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
        });
        Answer::ok(body)
    }

    /// The discovery of clouds, for the authority that the client names: this server is a cloud of its own.
    pub fn instance(base: &str, authority: Option<&str>) -> Answer {
        let tenant = authority.and_then(|url| url.split('/').nth(3)).filter(|tenant| !tenant.is_empty()).unwrap_or("common");
        let body = json!({
            "tenant_discovery_endpoint": format!("{base}/{tenant}/v2.0/.well-known/openid-configuration"),
            "api-version": "1.1",
            "metadata": [],
        });
        Answer::ok(body)
    }

    pub fn not_found() -> Answer {
        Answer::managed_error(StatusCode::NOT_FOUND, "There is no such path.")
    }

    pub fn foreign_page() -> Answer {
        Answer::managed_error(StatusCode::FORBIDDEN, "There are no tokens for web pages from other networks (the header Origin).")
    }

    pub fn unknown_host(host: &str) -> Answer {
        let text = format!("There are no tokens over http at {host:?}, which is not a name of this server: --tls-name adds one.");
        Answer::managed_error(StatusCode::FORBIDDEN, &text)
    }

    pub fn invalid_body(status: StatusCode) -> Answer {
        Answer::oauth_error(status, "invalid_request", "AADSTS900142: The body of the request cannot be read.")
    }

    /// The error without a key. The log has the reason.
    pub fn failed(error: &KeyError) -> Answer {
        tracing::error!("no token can be issued: {error}");
        Answer::oauth_error(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "AADSTS90033: A server error has occurred.")
    }

    /// The error of an endpoint where a user signs in.
    pub fn interactive() -> Answer {
        let text = "AADSTS50059: This server has no users who could sign in with a browser or a device code: use client credentials \
                    (AZURE_CLIENT_ID and AZURE_CLIENT_SECRET), or a managed identity (IDENTITY_ENDPOINT).";
        Answer::oauth_error(StatusCode::BAD_REQUEST, "unauthorized_client", text)
    }

    pub fn unknown_client(name: &str) -> Answer {
        let text = format!("AADSTS700016: Application with identifier '{name}' was not found: {UNDECLARED}.");
        Answer::oauth_error(StatusCode::BAD_REQUEST, "unauthorized_client", &text)
    }

    pub fn unknown_identity(name: &str) -> Answer {
        let text = format!("Identity not found: {name}: {UNDECLARED}.");
        Answer::managed_error(StatusCode::BAD_REQUEST, &text)
    }

    /// The error of a managed identity endpoint.
    pub fn managed_error(status: StatusCode, text: &str) -> Answer {
        let body =
            json!({ "statusCode": status.as_u16(), "message": text, "error": "invalid_request", "error_description": text });
        Answer { status, body }
    }

    /// The error of a token endpoint (RFC 6749, section 5.2). `text` begins with `AADSTS` and a number, which is an element, too.
    pub fn oauth_error(status: StatusCode, code: &str, text: &str) -> Answer {
        let number = text.strip_prefix("AADSTS").and_then(|text| text.split(':').next()?.parse::<u64>().ok());
        let codes: Vec<u64> = number.into_iter().collect();
        Answer { status, body: json!({ "error": code, "error_description": text, "error_codes": codes }) }
    }

    /// Adds the ids and the time that the errors of a token endpoint have.
    pub fn with_ids(mut self, environment: &Environment) -> Answer {
        if let Some(members) = self.body.as_object_mut().filter(|members| members.contains_key("error_codes")) {
            members.insert("timestamp".to_owned(), json!(environment.now().iso_to_second()));
            members.insert("trace_id".to_owned(), json!(trace_id(environment)));
            members.insert("correlation_id".to_owned(), json!(trace_id(environment)));
        }
        self
    }

    /// The status and the error, for the log.
    pub fn summary(&self) -> String {
        let text = self.body.get("error_description").and_then(Value::as_str).unwrap_or_default();
        let text = text.replace(char::is_control, " ");
        format!("{} {text}", self.status.as_u16()).trim_end().to_owned()
    }

    pub fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"lazuli\""));
        }
        response
    }
}

/// An id for a client that reports an error.
fn trace_id(environment: &Environment) -> String {
    Uuid::from_bytes(environment.id()).to_string()
}
