//! Listeners and connections, with or without TLS.

use crate::authority::AuthorityError;
use crate::http::automatic_tls::AutomaticTls;
use crate::http::client_stream::{ClientStream, StreamLimits};
use crate::http::header_case::{HeaderCaseReader, MetadataCase};
use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// The origin of a request, in the extensions of the request.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address of the client.
    pub address: SocketAddr,
    /// Whether the connection uses TLS.
    pub https: bool,
    /// The metadata names of the request that were not written in lower case, in pairs: in lower case, as written.
    pub metadata_case: Vec<(String, String)>,
}

impl Peer {
    /// A client at this address, before its first request.
    pub fn new(address: SocketAddr, https: bool) -> Peer {
        Peer { address, https, metadata_case: Vec::new() }
    }
}

/// Which connections use TLS.
#[derive(Clone, Debug)]
pub enum ListenerTls {
    /// None.
    Off,
    /// All, with this certificate.
    Required(Arc<ServerConfig>),
    /// Those that begin with a TLS handshake. All others are plain http.
    Automatic(Arc<AutomaticTls>),
}

/// How connections are served.
#[derive(Clone)]
pub struct ConnectionOptions {
    /// Whether connections use TLS.
    pub tls: ListenerTls,
    /// The longest pause between requests or within the head of a request.
    pub idle_timeout: Duration,
    /// Its sender can wait until all connections are closed.
    pub alive: watch::Receiver<()>,
}

/// The timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The limits for clients that do not read, or do not stop sending.
const LIMITS: StreamLimits = StreamLimits { stall: Duration::from_secs(120), linger: Duration::from_secs(30) };
/// The most headers in a request. Metadata of 8 KiB can have several hundred.
const MAX_HEADERS: usize = 1024;

/// Accepts connections, and serves each in a task of its own. Dropping the future ends all of them.
pub async fn serve(listener: TcpListener, router: Router, options: ConnectionOptions) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => _ = connections.spawn(connection(stream, peer, router.clone(), options.clone())),
                Err(error) => {
                    tracing::warn!("a connection could not be accepted: {error}");
                    pause_after_failure().await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// Waits after a failed accept, which most often means that the process has no file descriptors left.
#[expect(clippy::disallowed_methods, reason = "a listener that cannot accept must not loop without a pause")]
async fn pause_after_failure() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Why a connection failed.
#[derive(Debug, Error)]
enum ConnectionError {
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error(transparent)]
    Tls(io::Error),
    #[error("the TLS handshake took too long")]
    HandshakeTimeout,
    #[error(transparent)]
    NoCertificate(#[from] AuthorityError),
}

impl ConnectionError {
    /// Returns true if the client ended the handshake because of the certificate.
    fn is_distrust(&self) -> bool {
        use rustls::AlertDescription::{BadCertificate, CertificateUnknown, UnknownCA};
        let ConnectionError::Tls(error) = self else { return false };
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
        matches!(cause, Some(rustls::Error::AlertReceived(BadCertificate | CertificateUnknown | UnknownCA)))
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, options: ConnectionOptions) {
    // Small responses are sent at once. A socket that does not support this works without it.
    _ = stream.set_nodelay(true);
    // A client that sends nothing, or closes the connection, gets no answer.
    if let Some(first) = first_byte(&stream, &options).await {
        warn_of_other_scheme(&stream, peer, first, &options.tls);
        if let Err(error) = serve_by_first_byte(stream, peer, first, router, &options).await {
            log_failure(peer, &error, &options.tls);
        }
    }
    drop(options.alive);
}

/// Serves https or plain http. At a port for both, the first byte of a connection decides.
async fn serve_by_first_byte(
    stream: TcpStream,
    peer: SocketAddr,
    first: u8,
    router: Router,
    options: &ConnectionOptions,
) -> Result<(), ConnectionError> {
    let config = match (&options.tls, first) {
        (ListenerTls::Required(config), _) => config.clone(),
        (ListenerTls::Automatic(tls), TLS_HANDSHAKE) => {
            let made = tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.config()).await;
            made.map_err(|_| ConnectionError::HandshakeTimeout)??
        }
        (ListenerTls::Off | ListenerTls::Automatic(_), _) => {
            return serve_http(stream, Peer::new(peer, false), router, options.idle_timeout).await;
        }
    };
    serve_https(stream, peer, router, config, options.idle_timeout).await
}

/// Logs why a connection failed: as a warning if the user can do something about it.
fn log_failure(peer: SocketAddr, error: &ConnectionError, tls: &ListenerTls) {
    match error {
        ConnectionError::NoCertificate(error) => tracing::warn!("{peer} cannot be served over https: {error}"),
        error if error.is_distrust() && matches!(tls, ListenerTls::Automatic(_)) => tracing::warn!(
            "{peer} does not trust the certificate of this server. Start the client with lazuli run, or give it the variables that lazuli env \
             prints, or run lazuli trust, which makes the system trust it"
        ),
        error => tracing::debug!(target: "lazuli::connection", "{peer}: {error}"),
    }
}

/// Waits for the first byte of a connection, which remains to be read. Returns `None` if there is none.
async fn first_byte(stream: &TcpStream, options: &ConnectionOptions) -> Option<u8> {
    let longest = if matches!(options.tls, ListenerTls::Required(_)) { HANDSHAKE_TIMEOUT } else { options.idle_timeout };
    let mut first = [0];
    match tokio::time::timeout(longest, stream.peek(&mut first)).await {
        Ok(Ok(1..)) => Some(first[0]),
        _ => None,
    }
}

/// Logs a warning if the client confuses http and https.
fn warn_of_other_scheme(stream: &TcpStream, peer: SocketAddr, first: u8, tls: &ListenerTls) {
    let port = || stream.local_addr().map_or(0, |address| address.port());
    match tls {
        ListenerTls::Off if first == TLS_HANDSHAKE => tracing::warn!(
            "{peer} speaks TLS to port {port}, which serves plain http: its endpoint has to begin with http://, or the server has to start \
             without --tls off",
            port = port()
        ),
        ListenerTls::Required(_) if first.is_ascii_uppercase() => tracing::warn!(
            "{peer} speaks plain http to port {port}, which serves https: its endpoint has to begin with https://",
            port = port()
        ),
        _ => {}
    }
}

/// The first byte of a TLS connection: the type of a handshake record.
const TLS_HANDSHAKE: u8 = 22;

async fn serve_https(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    config: Arc<ServerConfig>,
    idle_timeout: Duration,
) -> Result<(), ConnectionError> {
    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, TlsAcceptor::from(config).accept(stream)).await;
    let stream = handshake.map_err(|_| ConnectionError::HandshakeTimeout)?.map_err(ConnectionError::Tls)?;
    serve_http(stream, Peer::new(peer, true), router, idle_timeout).await
}

async fn serve_http<S>(stream: S, peer: Peer, router: Router, idle_timeout: Duration) -> Result<(), ConnectionError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let metadata_case = MetadataCase::default();
    let stream = HeaderCaseReader::new(ClientStream::new(stream, LIMITS), metadata_case.clone());
    let service = PeerService { router, address: peer.address, https: peer.https, metadata_case };
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(idle_timeout)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .await?;
    Ok(())
}

/// Adds the [`Peer`] to the extensions of each request.
#[derive(Clone)]
struct PeerService {
    router: Router,
    address: SocketAddr,
    https: bool,
    metadata_case: MetadataCase,
}

impl tower_service::Service<Request<Incoming>> for PeerService {
    type Response = <Router as tower_service::Service<Request<Body>>>::Response;
    type Error = <Router as tower_service::Service<Request<Body>>>::Error;
    type Future = <Router as tower_service::Service<Request<Body>>>::Future;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let mut request = request.map(Body::new);
        let metadata_case = self.metadata_case.next_head();
        request.extensions_mut().insert(Peer { address: self.address, https: self.https, metadata_case });
        self.router.call(request)
    }
}
