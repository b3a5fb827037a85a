//! The requests to the issuer: which parameters they have in which form, and what is refused.

use crate::identity::answers::Answer;
use crate::identity::token::ClientProof;
use crate::rules::names::decode_query;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, Method, StatusCode};

/// The address of the metadata service in Azure, which demands the header `Metadata`.
const METADATA_ADDRESS: &str = "169.254.169.254";
/// What a client sends with an assertion instead of a secret.
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A request, of which nothing is checked yet.
#[derive(Debug)]
pub struct IssuerRequest {
    method: Method,
    /// The host that it was sent to, with its port.
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
    pub proof: ClientProof,
}

/// The value of the first pair with this name; `None` if it is empty.
fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

impl IssuerRequest {
    /// Reads the head of a request and a body in the form `application/x-www-form-urlencoded`.
    pub fn new(parts: &http::request::Parts, host: &str, body: &[u8]) -> IssuerRequest {
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

    fn has_metadata_header(&self) -> bool {
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

    /// Checks that a public document is read.
    ///
    /// # Errors
    /// 405.
    pub fn check_read(&self) -> Result<(), Answer> {
        self.check_method(&[Method::GET, Method::HEAD])
    }

    fn check_method(&self, methods: &[Method]) -> Result<(), Answer> {
        if methods.contains(&self.method) {
            return Ok(());
        }
        let methods: Vec<&str> = methods.iter().map(Method::as_str).collect();
        let text = format!("The method must be {}.", methods.join(" or "));
        Err(Answer::managed_error(StatusCode::METHOD_NOT_ALLOWED, &text))
    }

    /// Checks a request to the endpoint of App Service, or of Cloud Shell, and returns the resource that the token is for.
    ///
    /// # Errors
    /// 405 for another method than GET and POST, which Cloud Shell has; 401 without the secret header; 400 without a resource.
    pub fn app_service_resource(&self) -> Result<&str, Answer> {
        self.check_method(&[Method::GET, Method::POST])?;
        let has_secret = ["x-identity-header", "secret"].iter().any(|name| self.header(name).is_some());
        if !has_secret && !self.has_metadata_header() {
            return Err(Answer::managed_error(
                StatusCode::UNAUTHORIZED,
                "The header X-IDENTITY-HEADER is required; its value can be any, such as that of IDENTITY_HEADER.",
            ));
        }
        self.resource()
    }

    /// Checks a request to the metadata service, and returns the resource that the token is for.
    ///
    /// # Errors
    /// 405 for another method than GET; 400 without a resource, or at the address of Azure's service without the header `Metadata`.
    pub fn metadata_resource(&self) -> Result<&str, Answer> {
        self.check_method(&[Method::GET])?;
        // At other addresses the header is optional: the .NET SDK probes without it, and concludes from an error that the machine has no
        // identity.
        if self.host.split(':').next() == Some(METADATA_ADDRESS) && !self.has_metadata_header() {
            return Err(Answer::managed_error(StatusCode::BAD_REQUEST, "Required metadata header not specified"));
        }
        self.resource()
    }

    fn resource(&self) -> Result<&str, Answer> {
        let missing = || Answer::managed_error(StatusCode::BAD_REQUEST, "The parameter 'resource' is required.");
        self.parameter("resource").ok_or_else(missing)
    }

    /// The authority that a request for the discovery of clouds names.
    pub fn authorization_endpoint(&self) -> Option<&str> {
        value(&self.query, "authorization_endpoint")
    }

    /// Checks a request to the token endpoint, and returns what it requests.
    ///
    /// # Errors
    /// 405 for another method than POST; those of RFC 6749, section 5.2.
    pub fn client_credentials(&self) -> Result<ClientCredentials<'_>, Answer> {
        if self.method != Method::POST {
            let text = format!("AADSTS900561: The endpoint only accepts POST requests. Received a {} request.", self.method);
            return Err(Answer::oauth_error(StatusCode::METHOD_NOT_ALLOWED, "invalid_request", &text));
        }
        self.check_grant_type()?;
        let (basic_id, basic_secret) = self.basic.as_ref().map(|(id, secret)| (id.as_str(), secret.as_str())).unzip();
        let is_filled = |text: &&str| !text.is_empty();
        let client_id = self.field("client_id").or(basic_id.filter(is_filled)).ok_or_else(|| missing("client_id"))?;
        let secret = self.field("client_secret").or(basic_secret.filter(is_filled));
        let proof = self.proof(secret)?;
        let resource = match (self.field("scope"), self.field("resource")) {
            (Some(scope), _) => resource_of_scope(scope)?,
            (None, Some(resource)) => resource,
            (None, None) => return Err(missing("scope")),
        };
        Ok(ClientCredentials { client_id, resource, proof })
    }

    fn field(&self, name: &str) -> Option<&str> {
        value(&self.form, name)
    }

    fn check_grant_type(&self) -> Result<(), Answer> {
        match self.field("grant_type").ok_or_else(|| missing("grant_type"))? {
            "client_credentials" => Ok(()),
            other => {
                let text = format!(
                    "AADSTS70003: The app requested an unsupported grant type '{other}'. This server has no users who could sign in: \
                     use client_credentials, or a managed identity."
                );
                Err(Answer::oauth_error(StatusCode::BAD_REQUEST, "unsupported_grant_type", &text))
            }
        }
    }

    /// How the client proves who it is. Any secret and any assertion is accepted.
    fn proof(&self, secret: Option<&str>) -> Result<ClientProof, Answer> {
        let invalid = |text: &str| Err(Answer::oauth_error(StatusCode::UNAUTHORIZED, "invalid_client", text));
        match (secret, self.field("client_assertion")) {
            (Some(_), _) => Ok(ClientProof::Secret),
            (None, Some(_)) if self.field("client_assertion_type").is_none_or(|kind| kind == JWT_BEARER) => {
                Ok(ClientProof::Assertion)
            }
            (None, Some(_)) => invalid(&format!("AADSTS50027: The value of client_assertion_type must be {JWT_BEARER}.")),
            (None, None) => invalid(
                "AADSTS7000216: 'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type.",
            ),
        }
    }
}

/// The error for a form without this field.
fn missing(name: &str) -> Answer {
    let text = format!("AADSTS900144: The request body must contain the following parameter: '{name}'.");
    Answer::oauth_error(StatusCode::BAD_REQUEST, "invalid_request", &text)
}

/// The resource of a scope: `https://storage.azure.com/.default`.
fn resource_of_scope(scope: &str) -> Result<&str, Answer> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> IssuerRequest {
        let request = headers
            .iter()
            .fold(http::Request::builder().method(method).uri(target), |request, (name, value)| request.header(*name, *value));
        let host = headers.iter().find(|(name, _)| *name == "host").map_or("", |(_, host)| host);
        IssuerRequest::new(&request.body(()).unwrap().into_parts().0, host, body.as_bytes())
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
            (
                format!("{grant}&client_id=ann&client_secret=s&{scope}"),
                Ok(("ann", "https://storage.azure.com", ClientProof::Secret)),
            ),
            (
                format!("{grant}&client_id=ann&client_secret=s&{scope}+openid"),
                Ok(("ann", "https://storage.azure.com", ClientProof::Secret)),
            ),
            (format!("{grant}&client_id=ann&client_secret=s&resource=r"), Ok(("ann", "r", ClientProof::Secret))),
            (
                format!("{grant}&client_id=ann&client_assertion=a&{scope}"),
                Ok(("ann", "https://storage.azure.com", ClientProof::Assertion)),
            ),
            (
                format!("{grant}&client_id=ann&client_assertion=a&{scope}&client_assertion_type={JWT_BEARER}"),
                Ok(("ann", "https://storage.azure.com", ClientProof::Assertion)),
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
                .app_service_resource()
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
            sent.metadata_resource().map(str::to_owned).map_err(|error| error.status.as_u16())
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
