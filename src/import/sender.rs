//! Requests without a socket: what is brought over passes through the same pipelines as everything else that is written.

use crate::account::{Account, Accounts};
use crate::config::WELL_KNOWN_KEY;
use crate::environment::Environment;
use crate::http::background::Background;
use crate::http::pipeline::{ListenerOptions, Pipeline};
use crate::import::report::ImportError;
use crate::operation::{Service, ServiceKind};
use crate::rules::auth::shared_key::{Dialect, Scheme, SignedRequest, string_to_sign};
use crate::rules::versions::Version;
use crate::services::blob::Blobs;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Request};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// The version in which everything is asked.
const VERSION: &str = "2021-12-02";
/// What metadata headers begin with.
const META: &str = "x-ms-meta-";
/// What a URL's path has as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// The services of a location, for who writes all of it anew.
pub struct RequestSender {
    pipelines: Vec<(ServiceKind, Arc<Pipeline>)>,
    /// The queues themselves: no request puts a message that was taken before.
    pub queues: Arc<Queues>,
    /// The clock and ids.
    pub environment: Arc<Environment>,
    key: Vec<u8>,
    _background: Arc<Background>,
}

/// A request being made.
#[derive(Debug)]
pub struct ImportRequest {
    method: &'static str,
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl ImportRequest {
    /// A request about `/container/blob`, the path not yet encoded.
    pub fn new(method: &'static str, path: &str) -> ImportRequest {
        ImportRequest { method, path: path.to_owned(), query: Vec::new(), headers: Vec::new(), body: Vec::new() }
    }

    /// With a parameter.
    pub fn query(mut self, name: &str, value: &str) -> ImportRequest {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> ImportRequest {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// With a header, if there is a value.
    pub fn header_of(self, name: &str, value: Option<&str>) -> ImportRequest {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// With the metadata of a document.
    pub fn metadata(mut self, document: &serde_json::Value) -> ImportRequest {
        let members = document.get("metadata").and_then(serde_json::Value::as_object);
        for (name, value) in members.into_iter().flatten() {
            self.headers.push((format!("{META}{name}"), value.as_str().unwrap_or_default().to_owned()));
        }
        self
    }

    /// With a body.
    pub fn body(self, body: Vec<u8>) -> ImportRequest {
        ImportRequest { body, ..self }
    }
}

impl RequestSender {
    /// The services on a store, for these accounts.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(names: &[String], store: &Store, environment: Environment) -> Result<RequestSender, String> {
        let key = STANDARD.decode(WELL_KNOWN_KEY).map_err(|error| error.to_string())?;
        let account = |name: &String| Account { name: name.clone(), keys: vec![key.clone()], ..Account::default() };
        let accounts: Arc<Accounts> = Arc::new(names.iter().map(account).collect());
        let unreadable = |why: crate::store::journal::CorruptRecord| why.0;
        let queues = Arc::new(Queues::open(&accounts, store).map_err(unreadable)?);
        let services: [Arc<dyn Service>; 3] = [
            Arc::new(Blobs::open(&accounts, store).map_err(unreadable)?),
            queues.clone(),
            Arc::new(Tables::open(&accounts, store).map_err(unreadable)?),
        ];
        let (environment, background) = (Arc::new(environment), Arc::new(Background::default()));
        let manners = ListenerOptions { host_style: false, https: false, oauth: None };
        let pipeline = |service: Arc<dyn Service>| {
            let kind = service.kind();
            let pipeline = Pipeline::new(service, accounts.clone(), environment.clone(), store.clone(), &background, manners);
            (kind, Arc::new(pipeline))
        };
        let pipelines = services.into_iter().map(pipeline).collect();
        Ok(RequestSender { pipelines, queues, environment, key, _background: background })
    }

    /// Asks a service as the owner of an account.
    ///
    /// # Errors
    /// What the service refuses, by its code; and what keeps it from writing anything.
    pub async fn ask(&self, kind: ServiceKind, account: &str, ask: ImportRequest) -> Result<(), ImportError> {
        self.answer(kind, account, ask).await.map(drop)
    }

    /// Asks likewise; returns the headers of the answer.
    ///
    /// # Errors
    /// As for [`RequestSender::ask`].
    pub async fn answer(&self, kind: ServiceKind, account: &str, ask: ImportRequest) -> Result<HeaderMap, ImportError> {
        let broken = |why: &dyn std::fmt::Display| ImportError::Broken(why.to_string());
        let (_, pipeline) =
            self.pipelines.iter().find(|(known, _)| *known == kind).ok_or_else(|| broken(&"there is no such service"))?;
        let ImportRequest { method, path, query, mut headers, body } = ask;
        let path = format!("/{account}{}", utf8_percent_encode(&path, PATH));
        let pairs: Vec<String> =
            query.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
        headers.push(("host".to_owned(), "127.0.0.1".to_owned()));
        headers.push(("content-length".to_owned(), body.len().to_string()));
        headers.push(("x-ms-version".to_owned(), VERSION.to_owned()));
        headers.push(("x-ms-date".to_owned(), self.environment.machine().rfc1123()));
        let written = headers.iter().filter_map(|(name, _)| name.strip_prefix(META));
        let spelling = written.map(|name| (name.to_ascii_lowercase(), name.to_owned())).filter(|(a, b)| a != b).collect();
        headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
        let named: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let version = Version::parse(VERSION).ok_or_else(|| broken(&"no version"))?;
        let signed = SignedRequest { method, account, path: &path, query: &query, headers: &named, version };
        let dialect = if kind == ServiceKind::Table { Dialect::Table } else { Dialect::Storage };
        let text = string_to_sign(Scheme::SharedKey, dialect, &signed);
        let mac = Hmac::<Sha256>::new_from_slice(&self.key).map_err(|error| broken(&error))?;
        let signature = STANDARD.encode(mac.chain_update(text.as_bytes()).finalize().into_bytes());
        headers.push(("authorization".to_owned(), format!("SharedKey {account}:{signature}")));

        let target = if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) };
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in &headers {
            request = request.header(name, value.as_bytes());
        }
        // A name or value that no header can have is one that no client could ever send.
        let request = request.body(Body::from(body)).map_err(|error| ImportError::Left(error.to_string()))?;
        let answer = pipeline.answer(request, IpAddr::V4(Ipv4Addr::LOCALHOST), spelling).await;
        let code = answer.headers().get("x-ms-error-code").and_then(|code| code.to_str().ok()).unwrap_or_default().to_owned();
        match answer.status() {
            status if status.is_success() => Ok(answer.into_parts().0.headers),
            status if status.is_server_error() => Err(ImportError::Broken(format!("it cannot be written: {status} {code}"))),
            status => Err(ImportError::Left(format!("refused: {} {code}", status.as_u16()).trim_end().to_owned())),
        }
    }
}
