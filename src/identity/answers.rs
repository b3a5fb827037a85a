//! The requests and answers of the issuer. The shapes are those of Entra ID and of the managed identity endpoints; each SDK reads some of
//! their members.

use crate::environment::Environment;
use crate::identity::path::Endpoint;
use crate::rules::names::decode_query;
use axum::body::Body;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

/// How long a token is valid, in seconds.
pub const LIFETIME: i64 = 3600;
/// The address of the metadata service in Azure, which demands the header `Metadata`.
const METADATA_ADDRESS: &str = "169.254.169.254";
/// What a client sends with an assertion instead of a secret.
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A request.
#[derive(Debug)]
pub struct IssuerRequest {
    method: Method,
    /// The `Host` header.
    pub host: String,
    headers: HeaderMap,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
    /// The client id and the secret in an `Authorization` header.
    basic: Option<(String, String)>,
}

/// A request for a token by client credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientCredentials<'a> {
    pub client_id: &'a str,
    pub resource: &'a str,
    /// `1` for a secret, `2` for an assertion.
    pub proof: &'static str,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: StatusCode,
    body: Value,
}

fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

impl IssuerRequest {
    pub fn new(parts: &http::request::Parts, body: &[u8]) -> IssuerRequest {
        let host = parts.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        let host = parts.uri.authority().map(http::uri::Authority::as_str).or(host).unwrap_or_default();
        // A form writes a blank as `+`. What cannot be decoded is absent.
        let decode = |text: &str| decode_query(&text.replace('+', "%20")).unwrap_or_default();
        let basic = parts.headers.get(http::header::AUTHORIZATION).and_then(|text| {
            let (scheme, credentials) = text.to_str().ok()?.split_once(' ')?;
            let text = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
            let (id, secret) = text.split_once(':')?;
            scheme.eq_ignore_ascii_case("basic").then(|| (id.to_owned(), secret.to_owned()))
        });
        IssuerRequest {
            method: parts.method.clone(),
            host: host.to_owned(),
            headers: parts.headers.clone(),
            query: decode(parts.uri.query().unwrap_or_default()),
            form: decode(std::str::from_utf8(body).unwrap_or_default()),
            basic,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim).filter(|value| !value.is_empty())
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        value(&self.query, name).or_else(|| value(&self.form, name))
    }

    fn claims_metadata(&self) -> bool {
        self.header("metadata").is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The managed identity that a request names: by an id, or by its resource, whose path ends in its name.
    pub fn identity(&self) -> Option<&str> {
        let names = ["client_id", "clientid", "object_id", "principal_id", "mi_res_id", "msi_res_id"];
        let named = names.iter().find_map(|name| self.parameter(name))?;
        named.rsplit('/').next().filter(|name| !name.is_empty())
    }

    /// The `Origin` header, which browsers send for a page.
    pub fn origin(&self) -> Option<&str> {
        let origin = self.headers.get(http::header::ORIGIN).filter(|origin| !origin.is_empty());
        origin.map(|origin| origin.to_str().unwrap_or_default())
    }

    /// Checks that the method is one of an endpoint.
    ///
    /// # Errors
    /// 405.
    pub fn check_method(&self, endpoint: Endpoint<'_>) -> Result<(), Answer> {
        let methods: &[Method] = match endpoint {
            // Cloud Shell sends a form.
            Endpoint::AppService => &[Method::GET, Method::POST],
            Endpoint::Metadata => &[Method::GET],
            Endpoint::Token { .. } => &[Method::POST],
            Endpoint::Discovery { .. } | Endpoint::InstanceDiscovery | Endpoint::Keys => &[Method::GET, Method::HEAD],
            Endpoint::NeedsPerson => &[Method::GET, Method::HEAD, Method::POST],
        };
        match endpoint {
            _ if methods.contains(&self.method) => Ok(()),
            Endpoint::Token { .. } => {
                let text = format!("AADSTS900561: The endpoint only accepts POST requests. Received a {} request.", self.method);
                Err(Answer::oauth_error(StatusCode::METHOD_NOT_ALLOWED, "invalid_request", &text))
            }
            _ => {
                let methods: Vec<&str> = methods.iter().map(Method::as_str).collect();
                let text = format!("The method must be {}.", methods.join(" or "));
                Err(Answer::managed_error(StatusCode::METHOD_NOT_ALLOWED, &text))
            }
        }
    }

    /// Checks a request to the endpoint of App Service, or of Cloud Shell, and returns the resource.
    ///
    /// # Errors
    /// 401 without the secret header, 400 without a resource.
    pub fn app_service(&self) -> Result<&str, Answer> {
        let has_secret = ["x-identity-header", "secret"].iter().any(|name| self.header(name).is_some());
        if !has_secret && !self.claims_metadata() {
            return Err(Answer::managed_error(
                StatusCode::UNAUTHORIZED,
                "The header X-IDENTITY-HEADER is required; its value can be any, such as that of IDENTITY_HEADER.",
            ));
        }
        self.resource()
    }

    /// Checks a request to the metadata service, and returns the resource.
    ///
    /// # Errors
    /// 400 without a resource, or at the address of Azure's service without the header `Metadata`.
    pub fn metadata(&self) -> Result<&str, Answer> {
        // Elsewhere the header is optional: some SDKs probe without it, and take an error for a machine without identity.
        if self.host.split(':').next() == Some(METADATA_ADDRESS) && !self.claims_metadata() {
            return Err(Answer::managed_error(StatusCode::BAD_REQUEST, "Required metadata header not specified"));
        }
        self.resource()
    }

    fn resource(&self) -> Result<&str, Answer> {
        let missing = || Answer::managed_error(StatusCode::BAD_REQUEST, "The parameter 'resource' is required.");
        self.parameter("resource").ok_or_else(missing)
    }

    /// Checks a request to the token endpoint.
    ///
    /// # Errors
    /// The errors of RFC 6749, section 5.2.
    pub fn client_credentials(&self) -> Result<ClientCredentials<'_>, Answer> {
        let missing = |name: &str| {
            let text = format!("AADSTS900144: The request body must contain the following parameter: '{name}'.");
            Answer::oauth_error(StatusCode::BAD_REQUEST, "invalid_request", &text)
        };
        let field = |name| value(&self.form, name);
        match field("grant_type").ok_or_else(|| missing("grant_type"))? {
            "client_credentials" => {}
            other => {
                let text = format!(
                    "AADSTS70003: The app requested an unsupported grant type '{other}'. This server has no people who could sign in: \
                     use client_credentials, or a managed identity."
                );
                return Err(Answer::oauth_error(StatusCode::BAD_REQUEST, "unsupported_grant_type", &text));
            }
        }
        let basic = self.basic.as_ref();
        let client_id = field("client_id").or(basic.map(|(id, _)| id.as_str()).filter(|id| !id.is_empty()));
        let client_id = client_id.ok_or_else(|| missing("client_id"))?;
        let secret = field("client_secret").or(basic.map(|(_, secret)| secret.as_str()).filter(|secret| !secret.is_empty()));
        let proof = match (secret, field("client_assertion")) {
            (Some(_), _) => "1",
            (None, Some(_)) if field("client_assertion_type").is_none_or(|kind| kind == JWT_BEARER) => "2",
            (None, Some(_)) => {
                let text = format!("AADSTS50027: The value of client_assertion_type must be {JWT_BEARER}.");
                return Err(Answer::oauth_error(StatusCode::UNAUTHORIZED, "invalid_client", &text));
            }
            (None, None) => {
                let text = "AADSTS7000216: 'client_assertion', 'client_secret' or 'request' is required for the \
                            'client_credentials' grant type.";
                return Err(Answer::oauth_error(StatusCode::UNAUTHORIZED, "invalid_client", text));
            }
        };
        let resource = match (field("scope"), field("resource")) {
            (Some(scope), _) => of_scope(scope)?,
            (None, Some(resource)) => resource,
            (None, None) => return Err(missing("scope")),
        };
        Ok(ClientCredentials { client_id, resource, proof })
    }
}

/// The resource of a scope: `https://storage.azure.com/.default`.
fn of_scope(scope: &str) -> Result<&str, Answer> {
    let invalid = || {
        let text = format!(
            "AADSTS1002012: The provided value for scope {scope} is not valid. Client credential flows must have a scope value with \
             /.default suffixed to the resource identifier (application ID URI)."
        );
        Answer::oauth_error(StatusCode::BAD_REQUEST, "invalid_scope", &text)
    };
    let resource = scope.split(' ').find_map(|scope| scope.strip_suffix("/.default"));
    resource.filter(|resource| !resource.is_empty()).ok_or_else(invalid)
}

impl Answer {
    pub fn ok(body: &Value) -> Answer {
        Answer { status: StatusCode::OK, body: body.clone() }
    }

    /// The answer of a token endpoint.
    pub fn token(token: &str) -> Answer {
        let body = json!({
            "token_type": "Bearer",
            "expires_in": LIFETIME - 1,
            "ext_expires_in": LIFETIME - 1,
            "access_token": token,
        });
        Answer::ok(&body)
    }

    /// The answer of a managed identity endpoint. Its numbers are texts.
    pub fn managed_token(token: &str, issued: i64, client_id: &str, resource: &str) -> Answer {
        let body = json!({
            "access_token": token,
            "client_id": client_id,
            "expires_in": (LIFETIME - 1).to_string(),
            "expires_on": (issued + LIFETIME).to_string(),
            "ext_expires_in": (LIFETIME - 1).to_string(),
            "not_before": issued.to_string(),
            "resource": resource,
            "token_type": "Bearer",
        });
        Answer::ok(&body)
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
        Answer::ok(&body)
    }

    /// The discovery of clouds: this server is one of its own.
    pub fn instance(base: &str, request: &IssuerRequest) -> Answer {
        let authority = value(&request.query, "authorization_endpoint");
        let tenant = authority.and_then(|url| url.split('/').nth(3)).filter(|tenant| !tenant.is_empty()).unwrap_or("common");
        let body = json!({
            "tenant_discovery_endpoint": format!("{base}/{tenant}/v2.0/.well-known/openid-configuration"),
            "api-version": "1.1",
            "metadata": [],
        });
        Answer::ok(&body)
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

    pub fn failed(error: &crate::identity::KeyError) -> Answer {
        tracing::error!("no token can be issued: {error}");
        Answer::oauth_error(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "AADSTS90033: A server error has occurred.")
    }

    pub fn needs_person() -> Answer {
        let text = "AADSTS50059: This server has no people who could sign in, with a browser or with a device code: use client \
                    credentials (AZURE_CLIENT_ID and AZURE_CLIENT_SECRET), or a managed identity (IDENTITY_ENDPOINT).";
        Answer::oauth_error(StatusCode::BAD_REQUEST, "unauthorized_client", text)
    }

    pub fn unknown_client(name: &str) -> Answer {
        let text = format!("AADSTS700016: Application with identifier '{name}' was not found: --identity declares it.");
        Answer::oauth_error(StatusCode::BAD_REQUEST, "unauthorized_client", &text)
    }

    pub fn unknown_identity(name: &str) -> Answer {
        let text = format!("Identity not found: {name}. --identity declares it.");
        Answer::managed_error(StatusCode::BAD_REQUEST, &text)
    }

    /// The error of a managed identity endpoint.
    fn managed_error(status: StatusCode, text: &str) -> Answer {
        let body =
            json!({ "statusCode": status.as_u16(), "message": text, "error": "invalid_request", "error_description": text });
        Answer { status, body }
    }

    /// The error of a token endpoint.
    fn oauth_error(status: StatusCode, code: &str, text: &str) -> Answer {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> IssuerRequest {
        let request = headers
            .iter()
            .fold(http::Request::builder().method(method).uri(target), |request, (name, value)| request.header(*name, *value));
        IssuerRequest::new(&request.body(()).unwrap().into_parts().0, body.as_bytes())
    }

    /// The error and the first word of its description.
    fn error(answer: &Answer) -> (u16, &str, &str) {
        let text = |name| answer.body.get(name).and_then(Value::as_str).unwrap_or_default();
        (answer.status.as_u16(), text("error"), text("error_description").split(':').next().unwrap_or_default())
    }

    #[test]
    fn client_credentials_have_a_client_a_proof_and_a_scope() {
        let scope = "scope=https%3A%2F%2Fstorage.azure.com%2F.default";
        let grant = "grant_type=client_credentials";
        for (body, expected) in [
            (format!("{grant}&client_id=ann&client_secret=s&{scope}"), Ok(("ann", "https://storage.azure.com", "1"))),
            (format!("{grant}&client_id=ann&client_secret=s&{scope}+openid"), Ok(("ann", "https://storage.azure.com", "1"))),
            (format!("{grant}&client_id=ann&client_secret=s&resource=r"), Ok(("ann", "r", "1"))),
            (format!("{grant}&client_id=ann&client_assertion=a&{scope}"), Ok(("ann", "https://storage.azure.com", "2"))),
            (
                format!("{grant}&client_id=ann&client_assertion=a&{scope}&client_assertion_type={JWT_BEARER}"),
                Ok(("ann", "https://storage.azure.com", "2")),
            ),
            (
                format!("{grant}&client_id=ann&client_assertion=a&{scope}&client_assertion_type=saml"),
                Err((401, "invalid_client", "AADSTS50027")),
            ),
            (format!("{grant}&client_id=ann&{scope}"), Err((401, "invalid_client", "AADSTS7000216"))),
            (format!("{grant}&client_id=ann&client_secret=&{scope}"), Err((401, "invalid_client", "AADSTS7000216"))),
            (format!("{grant}&client_secret=s&{scope}"), Err((400, "invalid_request", "AADSTS900144"))),
            (format!("{grant}&client_id=ann&client_secret=s"), Err((400, "invalid_request", "AADSTS900144"))),
            (format!("{grant}&client_id=ann&client_secret=s&scope=read"), Err((400, "invalid_scope", "AADSTS1002012"))),
            (format!("{grant}&client_id=ann&client_secret=s&scope=%2F.default"), Err((400, "invalid_scope", "AADSTS1002012"))),
            (String::new(), Err((400, "invalid_request", "AADSTS900144"))),
            ("grant_type=password".to_owned(), Err((400, "unsupported_grant_type", "AADSTS70003"))),
            ("%ff=%ff".to_owned(), Err((400, "invalid_request", "AADSTS900144"))),
        ] {
            let sent = request("POST", "/adfs/oauth2/token", &[], &body);
            let read = sent.client_credentials().map(|wanted| (wanted.client_id, wanted.resource, wanted.proof));
            assert_eq!(read.as_ref().map_err(error), expected.as_ref().map_err(|error| *error), "{body}");
        }
        let basic = format!("Basic {}", STANDARD.encode("ann:s"));
        let sent = request("POST", "/adfs/oauth2/token", &[("authorization", &basic)], &format!("{grant}&{scope}"));
        assert_eq!(sent.client_credentials().unwrap().client_id, "ann");
    }

    #[test]
    fn a_managed_identity_needs_the_header_of_its_endpoint() {
        let app = |headers: &[(&str, &str)], query: &str| {
            request("GET", &format!("/msi/token?{query}"), headers, "")
                .app_service()
                .map(str::to_owned)
                .map_err(|e| e.status.as_u16())
        };
        for (headers, query, expected) in [
            (&[("x-identity-header", "x")][..], "resource=r", Ok("r")),
            (&[("secret", "x")], "resource=r", Ok("r")),
            (&[("metadata", "true")], "resource=r", Ok("r")),
            (&[("metadata", "false")], "resource=r", Err(401)),
            (&[("x-identity-header", "")], "resource=r", Err(401)),
            (&[], "resource=r", Err(401)),
            (&[("x-identity-header", "x")], "", Err(400)),
        ] {
            assert_eq!(app(headers, query), expected.map(str::to_owned), "{headers:?} {query}");
        }
        let machine = |method: &str, headers: &[(&str, &str)]| {
            let sent = request(method, "/metadata/identity/oauth2/token?resource=r", headers, "");
            let checked = sent.check_method(Endpoint::Metadata).and_then(|()| sent.metadata());
            checked.map(str::to_owned).map_err(|error| error.status.as_u16())
        };
        for (method, headers, expected) in [
            ("GET", &[("host", "127.0.0.1:1")][..], Ok("r")),
            ("GET", &[("host", "169.254.169.254"), ("metadata", "true")], Ok("r")),
            ("GET", &[("host", "169.254.169.254")], Err(400)),
            ("POST", &[("host", "127.0.0.1:1"), ("metadata", "true")], Err(405)),
        ] {
            assert_eq!(machine(method, headers), expected.map(str::to_owned), "{method} {headers:?}");
        }
    }

    #[test]
    fn an_identity_is_named_by_an_id_or_a_resource() {
        for (query, expected) in [
            ("client_id=ann", Some("ann")),
            ("clientid=ann", Some("ann")),
            ("object_id=o", Some("o")),
            ("mi_res_id=%2Fsubscriptions%2Fs%2FuserAssignedIdentities%2Fann", Some("ann")),
            ("msi_res_id=/subscriptions/s/ann", Some("ann")),
            ("client_id=", None),
            ("client_id=/", None),
            ("resource=r", None),
        ] {
            let sent = request("GET", &format!("/msi/token?{query}"), &[], "");
            assert_eq!(sent.identity(), expected, "{query}");
        }
    }
}
