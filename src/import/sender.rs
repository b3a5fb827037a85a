//! Requests without a socket: what is brought over passes through the same pipelines as everything else that is written.

use crate::account::{Account, Accounts};
use crate::environment::Environment;
use crate::http::background::Background;
use crate::http::pipeline::{ListenerOptions, Pipeline};
use crate::import::error::{ImportError, ItemError};
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

/// The key that signs the requests. The accounts of an import have no other.
const KEY: &[u8] = b"import";
/// The version of the requests.
const VERSION: Version = Version::V2021_12_02;
/// What metadata headers begin with.
const META: &str = "x-ms-meta-";
/// What a URL's path has as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// The services of a location, for who writes all of it anew.
pub struct RequestSender {
    blob: Arc<Pipeline>,
    queue: Arc<Pipeline>,
    table: Arc<Pipeline>,
    /// The queues themselves: no request puts a message that was taken before.
    pub queues: Arc<Queues>,
    /// The clock and ids.
    pub environment: Arc<Environment>,
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
    /// When a record of the store cannot be read.
    pub fn open(names: &[String], store: &Store, environment: Environment) -> Result<RequestSender, ImportError> {
        let account = |name: &String| Account { name: name.clone(), keys: vec![KEY.to_vec()], ..Account::default() };
        let accounts: Arc<Accounts> = Arc::new(names.iter().map(account).collect());
        let (environment, background) = (Arc::new(environment), Arc::new(Background::default()));
        let options = ListenerOptions { host_style: false, https: false, oauth: None };
        let pipeline = |service: Arc<dyn Service>| {
            Arc::new(Pipeline::new(service, accounts.clone(), environment.clone(), store.clone(), &background, options))
        };
        let queues = Arc::new(Queues::open(&accounts, store)?);
        let (blob, queue) = (pipeline(Arc::new(Blobs::open(&accounts, store)?)), pipeline(queues.clone()));
        let table = pipeline(Arc::new(Tables::open(&accounts, store)?));
        Ok(RequestSender { blob, queue, table, queues, environment, _background: background })
    }

    /// Asks a service as the owner of an account.
    ///
    /// # Errors
    /// What the service refuses, by its code; and what keeps it from writing anything.
    pub async fn ask(&self, kind: ServiceKind, account: &str, ask: ImportRequest) -> Result<(), ItemError> {
        self.answer(kind, account, ask).await.map(drop)
    }

    /// Asks likewise; returns the headers of the answer.
    ///
    /// # Errors
    /// As for [`RequestSender::ask`].
    pub async fn answer(&self, kind: ServiceKind, account: &str, ask: ImportRequest) -> Result<HeaderMap, ItemError> {
        let pipeline = match kind {
            ServiceKind::Queue => &self.queue,
            ServiceKind::Table => &self.table,
            ServiceKind::Blob | ServiceKind::File => &self.blob,
        };
        let ImportRequest { method, path, query, mut headers, body } = ask;
        let path = format!("/{account}{}", utf8_percent_encode(&path, PATH));
        let pairs: Vec<String> =
            query.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
        headers.push(("host".to_owned(), "127.0.0.1".to_owned()));
        headers.push(("content-length".to_owned(), body.len().to_string()));
        headers.push(("x-ms-version".to_owned(), VERSION.to_string()));
        headers.push(("x-ms-date".to_owned(), self.environment.machine().rfc1123()));
        let written = headers.iter().filter_map(|(name, _)| name.strip_prefix(META));
        let spelling = written.map(|name| (name.to_ascii_lowercase(), name.to_owned())).filter(|(a, b)| a != b).collect();
        headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
        let named: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let signed = SignedRequest { method, account, path: &path, query: &query, headers: &named, version: VERSION };
        let dialect = if kind == ServiceKind::Table { Dialect::Table } else { Dialect::Storage };
        let text = string_to_sign(Scheme::SharedKey, dialect, &signed);
        let mac = Hmac::<Sha256>::new_from_slice(KEY).map(|mac| mac.chain_update(text.as_bytes()).finalize().into_bytes());
        let signature = mac.map_or(String::new(), |mac| STANDARD.encode(mac));
        headers.push(("authorization".to_owned(), format!("SharedKey {account}:{signature}")));

        let target = if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) };
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in &headers {
            request = request.header(name, value.as_bytes());
        }
        // A name or value that no header can have is one that no client could ever send.
        let request = request.body(Body::from(body)).map_err(|error| ItemError::NotImported(error.to_string()))?;
        let answer = pipeline.answer(request, IpAddr::V4(Ipv4Addr::LOCALHOST), spelling).await;
        let code = answer.headers().get("x-ms-error-code").and_then(|code| code.to_str().ok()).unwrap_or_default().to_owned();
        match answer.status() {
            status if status.is_success() => Ok(answer.into_parts().0.headers),
            status if status.is_server_error() => Err(ItemError::Fatal(ImportError::ServerError { status, code })),
            status => Err(ItemError::NotImported(format!("refused: {} {code}", status.as_u16()).trim_end().to_owned())),
        }
    }
}
