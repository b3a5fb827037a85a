//! Sends requests to the pipelines of the services without a socket, so that imported data passes the same checks as any other.

use crate::account::{Account, Accounts};
use crate::environment::Environment;
use crate::http::background::Background;
use crate::http::pipeline::{ListenerOptions, Pipeline};
use crate::http::serve::Peer;
use crate::import::error::{ImportError, ItemError};
use crate::import::workspace::Document;
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
use http::{HeaderMap, Request, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use std::net::Ipv4Addr;
use std::sync::Arc;

/// The key that signs the requests. The accounts have it only in the pipelines of senders, which no client reaches.
const KEY: &[u8] = b"import";
/// The version of the requests.
const VERSION: Version = Version::V2021_12_02;
/// The prefix of metadata headers.
const META: &str = "x-ms-meta-";
/// The characters of a path that are percent-encoded.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// The senders of a new location.
pub struct Senders {
    pub blob: RequestSender,
    pub queue: RequestSender,
    pub table: RequestSender,
    /// The queues, because no request can add a message that was dequeued before.
    pub queues: Arc<Queues>,
    _background: Arc<Background>,
}

/// Sends requests to one service.
pub struct RequestSender {
    pub kind: ServiceKind,
    pub environment: Arc<Environment>,
    pipeline: Arc<Pipeline>,
}

/// A request that is being built.
#[derive(Debug)]
pub struct ImportRequest {
    method: &'static str,
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl ImportRequest {
    /// Begins a PUT request. `path` is `/container/blob` without encoding.
    pub fn put(path: &str) -> ImportRequest {
        ImportRequest::new("PUT", path)
    }

    pub fn new(method: &'static str, path: &str) -> ImportRequest {
        ImportRequest { method, path: path.to_owned(), query: Vec::new(), headers: Vec::new(), body: Vec::new() }
    }

    pub fn query(mut self, name: &str, value: &str) -> ImportRequest {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> ImportRequest {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a header if there is a value.
    pub fn optional_header(self, name: &str, value: Option<&str>) -> ImportRequest {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// Adds the metadata of a document.
    pub fn metadata(self, document: &Document) -> ImportRequest {
        let members = document.get("metadata").and_then(Document::as_object).into_iter().flatten();
        members.fold(self, |request, (name, value)| request.header(&format!("{META}{name}"), value.as_str().unwrap_or_default()))
    }

    pub fn body(self, body: Vec<u8>) -> ImportRequest {
        ImportRequest { body, ..self }
    }
}

impl Senders {
    /// Opens the services of a store with these accounts.
    ///
    /// # Errors
    /// When a record of the store cannot be read.
    pub fn open(names: &[String], store: &Store, environment: Environment) -> Result<Senders, ImportError> {
        let account = |name: &String| Account { name: name.clone(), ..Account::default() };
        let accounts: Arc<Accounts> = Arc::new(names.iter().map(|name| RequestSender::with_own_key(&account(name))).collect());
        let (environment, background) = (Arc::new(environment), Arc::new(Background::default()));
        let sender = |service| RequestSender::new(service, accounts.clone(), environment.clone(), store.clone(), &background);
        let queues = Arc::new(Queues::open(&accounts, store)?);
        Ok(Senders {
            blob: sender(Arc::new(Blobs::open(&accounts, store)?)),
            queue: sender(queues.clone()),
            table: sender(Arc::new(Tables::open(&accounts, store)?)),
            queues,
            _background: background,
        })
    }
}

impl RequestSender {
    /// A sender to a service. The accounts have the key of senders.
    pub fn new(
        service: Arc<dyn Service>,
        accounts: Arc<Accounts>,
        environment: Arc<Environment>,
        store: Store,
        background: &Arc<Background>,
    ) -> RequestSender {
        let options = ListenerOptions { host_style: false };
        let kind = service.kind();
        let pipeline = Pipeline::new(service, accounts, environment.clone(), store, background, options);
        RequestSender { kind, environment, pipeline: Arc::new(pipeline) }
    }

    /// An account with the key of senders instead of its own.
    pub fn with_own_key(account: &Account) -> Account {
        Account { keys: vec![KEY.to_vec()], ..account.clone() }
    }

    /// Sends a request as the owner of an account.
    ///
    /// # Errors
    /// When the service refuses the request, or fails.
    pub async fn send(&self, account: &str, request: ImportRequest) -> Result<(), ItemError> {
        self.send_for_headers(account, request).await.map(drop)
    }

    /// Sends a request like [`RequestSender::send`], and returns the headers of the response.
    ///
    /// # Errors
    /// Those of [`RequestSender::send`].
    pub async fn send_for_headers(&self, account: &str, request: ImportRequest) -> Result<HeaderMap, ItemError> {
        self.exchange(account, request, |_, _| false).await
    }

    /// Sends a request like [`RequestSender::send`]. A refusal with a status and a code that `accepts` returns true for is no error.
    ///
    /// # Errors
    /// Those of [`RequestSender::send`].
    pub async fn send_unless(
        &self,
        account: &str,
        request: ImportRequest,
        accepts: impl Fn(StatusCode, &str) -> bool,
    ) -> Result<(), ItemError> {
        self.exchange(account, request, accepts).await.map(drop)
    }

    async fn exchange(
        &self,
        account: &str,
        request: ImportRequest,
        accepts: impl Fn(StatusCode, &str) -> bool,
    ) -> Result<HeaderMap, ItemError> {
        let ImportRequest { method, path, query, mut headers, body } = request;
        let path = format!("/{account}{}", utf8_percent_encode(&path, PATH));
        let pairs: Vec<String> =
            query.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
        headers.push(("host".to_owned(), "127.0.0.1".to_owned()));
        headers.push(("content-length".to_owned(), body.len().to_string()));
        headers.push(("x-ms-version".to_owned(), VERSION.to_string()));
        headers.push(("x-ms-date".to_owned(), self.environment.machine().rfc1123()));
        let metadata = headers.iter().filter_map(|(name, _)| name.strip_prefix(META));
        let metadata_case = metadata.map(|name| (name.to_ascii_lowercase(), name.to_owned())).filter(|(a, b)| a != b).collect();
        headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
        let signed: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let signed = SignedRequest { method, account, path: &path, query: &query, headers: &signed, version: VERSION };
        let dialect = if self.kind == ServiceKind::Table { Dialect::Table } else { Dialect::Storage };
        let text = string_to_sign(Scheme::SharedKey, dialect, &signed);
        let mac = Hmac::<Sha256>::new_from_slice(KEY).map(|mac| mac.chain_update(text.as_bytes()).finalize().into_bytes());
        let signature = mac.map_or(String::new(), |mac| STANDARD.encode(mac));
        headers.push(("authorization".to_owned(), format!("SharedKey {account}:{signature}")));

        let target = if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) };
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in &headers {
            request = request.header(name, value.as_bytes());
        }
        // No client could send a name or a value that no header can have.
        let request = request.body(Body::from(body)).map_err(|error| ItemError::NotImported(error.to_string()))?;
        let peer = Peer { metadata_case, ..Peer::new((Ipv4Addr::LOCALHOST, 0).into(), false) };
        let response = self.pipeline.answer(request, peer).await;
        let code = response.headers().get("x-ms-error-code").and_then(|code| code.to_str().ok()).unwrap_or_default().to_owned();
        match response.status() {
            status if status.is_success() || accepts(status, &code) => Ok(response.into_parts().0.headers),
            status if status.is_server_error() => Err(ItemError::Fatal(ImportError::ServerError { status, code })),
            status => Err(ItemError::NotImported(format!("refused: {} {code}", status.as_u16()).trim_end().to_owned())),
        }
    }
}
