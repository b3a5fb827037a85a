//! A server in this process, on free ports, with a manual clock; and a client that signs its requests.

use super::time::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lazuli::{Clock, Config, Emulator, EmulatorBuilder, ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The version that requests are sent in, unless a test says otherwise.
pub const VERSION: &str = "2021-12-02";

/// A running server and a client of it.
pub struct TestServer {
    pub emulator: Emulator,
    client: TestClient,
    arguments: Vec<String>,
    start: Timestamp,
    waited: AtomicU64,
}

/// A client, and the ports at which it finds a server.
pub struct TestClient {
    client: Client<HttpConnector, Full<Bytes>>,
    ports: Vec<(ServiceKind, u16)>,
}

impl TestClient {
    /// A client of the server at these ports.
    pub fn at(ports: &[(ServiceKind, u16)]) -> TestClient {
        TestClient { client: Client::builder(TokioExecutor::new()).build_http(), ports: ports.to_vec() }
    }

    fn of(emulator: &Emulator) -> TestClient {
        let addresses = emulator.addresses().iter().chain(emulator.data_lake());
        TestClient::at(&addresses.map(|address| (address.kind, address.port)).collect::<Vec<_>>())
    }

    fn host(&self, kind: ServiceKind) -> String {
        let (_, port) = self.ports.iter().find(|(known, _)| *known == kind).unwrap();
        format!("127.0.0.1:{port}")
    }

    /// Begins a request to the blob service's default account, signed with its key: `target` is `/container/blob?query`.
    pub fn request(&self, method: &str, target: &str) -> RequestBuilder<'_> {
        RequestBuilder {
            client: self,
            kind: ServiceKind::Blob,
            method: method.to_owned(),
            account: WELL_KNOWN_ACCOUNT.to_owned(),
            target: target.to_owned(),
            headers: vec![("x-ms-version".into(), VERSION.into())],
            body: Bytes::new(),
            key: Some(WELL_KNOWN_KEY.to_owned()),
            signed: None,
            in_path: true,
            port: None,
        }
    }
}

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: http::HeaderMap,
    pub body: Bytes,
}

impl Answer {
    /// A header's text, which need not be ASCII; empty when it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| std::str::from_utf8(value.as_bytes()).unwrap())
    }

    /// The body as text, without a byte order mark.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap().trim_start_matches('\u{feff}')
    }

    /// The status, and the error code if there is one: `"404 BlobNotFound"`, `"201"`.
    pub fn verdict(&self) -> String {
        // Operations on entities have the error code in their JSON only.
        let json: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let code = json["odata.error"]["code"].as_str().unwrap_or_else(|| self.header("x-ms-error-code"));
        format!("{} {code}", self.status).trim().to_owned()
    }

    /// The text of the first element of this name in an XML body; empty when there is none.
    pub fn element(&self, name: &str) -> &str {
        let text = self.text();
        let Some(start) = text.find(&format!("<{name}>")).map(|at| at + name.len() + 2) else { return "" };
        text[start..].split(&format!("</{name}>")).next().unwrap()
    }

    /// The texts of all elements of this name in an XML body, in order.
    pub fn elements(&self, name: &str) -> Vec<&str> {
        let close = format!("</{name}>");
        self.text().split(&format!("<{name}>")).skip(1).map(|rest| rest.split(&close).next().unwrap()).collect()
    }
}

/// The time at which the clock of each server starts: the machine's, to the second, because signatures are checked against it.
pub fn start_of_time() -> Timestamp {
    Timestamp::from(SystemTime::now()).to_second()
}

/// A configuration from arguments, all services on free ports.
pub fn configuration(arguments: &[&str]) -> Config {
    let ports = ["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0"];
    Config::from_arguments(ports.iter().chain(arguments)).unwrap()
}

/// A server with these arguments, and with a clock and ids that a test controls.
fn emulator(arguments: &[&str], start: Timestamp, seed: u64) -> EmulatorBuilder {
    Emulator::builder().config(configuration(arguments)).clock(Clock::Manual(start.into())).seed(seed)
}

impl TestServer {
    /// A server with the default account.
    pub async fn new() -> TestServer {
        TestServer::with(&[]).await
    }

    /// A server with these arguments.
    pub async fn with(arguments: &[&str]) -> TestServer {
        TestServer::at(arguments, start_of_time()).await
    }

    /// A server with these arguments, whose clock starts at this time.
    pub async fn at(arguments: &[&str], start: Timestamp) -> TestServer {
        let emulator = emulator(arguments, start, 7).start().await.unwrap();
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        TestServer { client: TestClient::of(&emulator), emulator, arguments, start, waited: AtomicU64::new(0) }
    }

    /// Stops the server and starts it again with the same arguments, at the same time of its clock.
    pub async fn restart(&mut self) {
        let seed = 7 + u64::from(self.emulator.addresses()[0].port);
        // Another server, in memory, takes its place while it stops.
        let idle = emulator(&[], self.start, 0).start().await.unwrap();
        std::mem::replace(&mut self.emulator, idle).stop().await;
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.emulator = emulator(&arguments, self.start, seed).start().await.unwrap();
        self.emulator.advance(Duration::from_secs(self.waited.load(Ordering::Relaxed)));
        self.client = TestClient::of(&self.emulator);
    }

    /// Stops the server and starts it again with other arguments.
    pub async fn restart_with(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        self.restart().await;
    }

    /// Whether it was started with this argument.
    #[allow(dead_code, reason = "the simulation, which is inside of the crate, uses it")]
    pub fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|given| given == argument)
    }

    /// Moves the server's clock on.
    pub fn wait(&self, seconds: u64) {
        self.waited.fetch_add(seconds, Ordering::Relaxed);
        self.emulator.advance(Duration::from_secs(seconds));
    }

    /// The server's time.
    pub fn now(&self) -> Timestamp {
        self.emulator.now().into()
    }

    /// The time of the server's machine, which is that of its start: signed requests have this date.
    pub fn machine_time(&self) -> Timestamp {
        self.start
    }

    /// `127.0.0.1:port` of a service.
    pub fn host(&self, kind: ServiceKind) -> String {
        let mut addresses = self.emulator.addresses().iter().chain(self.emulator.data_lake());
        let address = addresses.find(|address| address.kind == kind).unwrap();
        format!("127.0.0.1:{}", address.port)
    }

    /// The blob endpoint of the default account: `http://127.0.0.1:port/devstoreaccount1`.
    pub fn blob_url(&self) -> String {
        self.emulator.endpoint(ServiceKind::Blob, WELL_KNOWN_ACCOUNT).unwrap()
    }

    /// Begins a request to the blob service's default account, signed with its key: `target` is `/container/blob?query`.
    pub fn request(&self, method: &str, target: &str) -> RequestBuilder<'_> {
        self.client.request(method, target)
    }

    /// Begins a request as a browser makes it: to this host, unsigned and without a version, on the blob service's port.
    pub fn visit(&self, method: &str, host: &str, path: &str) -> RequestBuilder<'_> {
        let request = self.request(method, path).anonymous().header("x-ms-version", "").header("host", host);
        RequestBuilder { account: String::new(), ..request }
    }

    /// Creates a container.
    pub async fn container(&self, name: &str) {
        let made = self.request("PUT", &format!("/{name}?restype=container")).send().await;
        assert_eq!(made.verdict(), "201", "{}", made.text());
    }

    /// Puts a block blob; its ETag.
    pub async fn blob(&self, path: &str, content: impl Into<Bytes>) -> String {
        let put = self.request("PUT", path).header("x-ms-blob-type", "BlockBlob").body(content).send().await;
        assert_eq!(put.verdict(), "201", "{}", put.text());
        put.header("etag").to_owned()
    }
}

/// A request being made.
pub struct RequestBuilder<'a> {
    client: &'a TestClient,
    kind: ServiceKind,
    method: String,
    account: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Bytes,
    key: Option<String>,
    /// The target that is signed, where it is not the one that is sent.
    signed: Option<String>,
    /// Whether the URL names the account.
    in_path: bool,
    /// The port, where it is not the service's.
    port: Option<u16>,
}

impl RequestBuilder<'_> {
    /// Adds a header. `x-ms-version` replaces the default one; an empty one takes it away.
    #[expect(clippy::needless_pass_by_value, reason = "a caller should not have to borrow a number")]
    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        if name == "x-ms-version" {
            self.headers.retain(|(known, _)| known != name);
        }
        if !(name == "x-ms-version" && value.to_string().is_empty()) {
            self.headers.push((name.to_lowercase(), value.to_string()));
        }
        self
    }

    /// Adds several headers.
    pub fn headers(self, headers: &[(&str, &str)]) -> Self {
        headers.iter().fold(self, |request, (name, value)| request.header(name, value))
    }

    /// Gives it a body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it to another service.
    pub fn of(mut self, kind: ServiceKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sends it to another port.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sends it to another account (or `devstoreaccount1-secondary`), signed with its key.
    pub fn account(mut self, name: &str, key: &str) -> Self {
        self.account = name.to_owned();
        self.key = Some(key.to_owned());
        self
    }

    /// Does not sign it.
    pub fn anonymous(mut self) -> Self {
        self.key = None;
        self
    }

    /// Leaves the account out of the URL, as clients do whose host names it.
    pub fn host_style(mut self) -> Self {
        self.in_path = false;
        self
    }

    /// Signs another written form of the target than the one that is sent.
    pub fn signed_as(mut self, target: &str) -> Self {
        self.signed = Some(target.to_owned());
        self
    }

    /// Sends it and reads the answer.
    pub async fn send(self) -> Answer {
        self.attempt().await.unwrap()
    }

    /// Sends it and reads the answer, if there is one.
    pub async fn attempt(mut self) -> Option<Answer> {
        let path = if self.account.is_empty() || !self.in_path {
            self.target.clone()
        } else {
            format!("/{}{}", self.account, self.target)
        };
        let place = self.port.map_or_else(|| self.client.host(self.kind), |port| format!("127.0.0.1:{port}"));
        if self.kind == ServiceKind::Table {
            for (name, value) in [("accept", "application/json"), ("content-type", "application/json")] {
                if !self.headers.iter().any(|(known, _)| known == name) {
                    self.headers.push((name.into(), value.into()));
                }
            }
            self.headers.retain(|(name, value)| name != "accept" || !value.is_empty());
        }
        if let Some(key) = self.key.take() {
            if !self.headers.iter().any(|(name, _)| name == "x-ms-date") {
                self.headers.push(("x-ms-date".into(), start_of_time().rfc1123()));
            }
            let signed_path = self.signed.as_ref().map_or(path.clone(), |target| format!("/{}{target}", self.account));
            let sign = if self.kind == ServiceKind::Table { sign_table } else { sign };
            let signed = sign(
                &self.method,
                self.account.trim_end_matches("-secondary"),
                &signed_path,
                &self.headers,
                self.body.len(),
                &key,
            );
            self.headers.push(("authorization".into(), signed));
        }
        let mut request = http::Request::builder()
            .method(self.method.as_str())
            .uri(format!("http://{place}{path}"))
            .header("content-length", self.body.len());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = self.client.client.request(request.body(Full::new(self.body)).unwrap()).await.ok()?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        Some(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

/// The Authorization header of a Shared Key request, made without the server's code.
pub fn sign(method: &str, account: &str, path_and_query: &str, headers: &[(String, String)], length: usize, key: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
    let version = header("x-ms-version");
    let zero_is_written = !version.is_empty() && version < "2015-02-21";
    let length = if length == 0 && !zero_is_written { String::new() } else { length.to_string() };
    let mut lines = vec![method.to_owned()];
    lines.extend([header("content-encoding"), header("content-language"), &length, header("content-md5")].map(str::to_owned));
    lines.extend([header("content-type"), ""].map(str::to_owned));
    let conditions = ["if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"];
    lines.extend(conditions.map(|name| header(name).to_owned()));
    let mut named: Vec<_> = headers.iter().filter(|(name, _)| name.starts_with("x-ms-")).collect();
    named.sort();
    lines.extend(named.iter().map(|(name, value)| format!("{name}:{}", value.trim())));
    lines.push(format!("/{account}{path}"));
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (name.to_lowercase(), percent_encoding::percent_decode_str(value).decode_utf8_lossy().into_owned()))
        .collect();
    pairs.sort();
    lines.extend(pairs.iter().map(|(name, value)| format!("{name}:{value}")));
    let mac = hmac(&lines.join("\n"), key);
    format!("SharedKey {account}:{mac}")
}

/// [`sign`] for tables, which sign little of a request.
pub fn sign_table(
    method: &str,
    account: &str,
    path_and_query: &str,
    headers: &[(String, String)],
    _: usize,
    key: &str,
) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
    let comp = query.split('&').find(|pair| pair.starts_with("comp=")).map(|pair| format!("?{pair}")).unwrap_or_default();
    let (md5, kind, date) = (header("content-md5"), header("content-type"), header("x-ms-date"));
    let mac = hmac(&format!("{method}\n{md5}\n{kind}\n{date}\n/{account}{path}{comp}"), key);
    format!("SharedKey {account}:{mac}")
}

/// The base64 of HMAC-SHA256 under a base64 key.
pub fn hmac(text: &str, key: &str) -> String {
    let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(key).unwrap()).unwrap();
    STANDARD.encode(mac.chain_update(text.as_bytes()).finalize().into_bytes())
}
