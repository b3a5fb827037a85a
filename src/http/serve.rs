//! Listeners and connections: from a socket to the router and back, with or without TLS, until told to stop.

use crate::http::header_case::{HeaderCaseReader, MetadataCase};
use crate::http::lingering_close::LingeringClose;
use crate::http::stall_timeout::StallTimeout;
use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// Where a request came from; the router finds it among the request's extensions.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The other end of its connection.
    pub address: SocketAddr,
    /// How its metadata names are spelled.
    pub spelled: MetadataCase,
}

/// How connections are served.
#[derive(Clone)]
pub struct ConnectionOptions {
    /// TLS, if the server speaks it.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// How long a connection may be silent, between requests or within a request's head.
    pub silence: Duration,
}

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long an answer may stand still because its reader does not read.
const STALL: Duration = Duration::from_secs(120);
/// How long a connection that the server ends still takes in what its client sends, so that the client gets to read the answer.
const LINGER: Duration = Duration::from_secs(30);
/// Headers in a request, at most. Metadata of 8 KiB in short pairs takes some hundreds.
const HEADERS: usize = 1024;

/// Accepts connections for ever, each a task of its own; dropping the future ends them all at once.
pub async fn serve(listener: TcpListener, router: Router, manner: ConnectionOptions) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => _ = connections.spawn(connection(stream, peer, router.clone(), manner.clone())),
                Err(error) => {
                    tracing::warn!("a connection could not be accepted: {error}");
                    out_of_descriptors().await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// When accepting fails, the machine is out of something; it gets a moment to find it again.
#[expect(clippy::disallowed_methods, reason = "a listener that cannot accept must not spin")]
async fn out_of_descriptors() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Why a connection ended before its time.
#[derive(Debug, Error)]
enum ConnectionError {
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error(transparent)]
    Tls(io::Error),
    #[error("the TLS handshake took too long")]
    HandshakeTimeout,
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, manner: ConnectionOptions) {
    // Small answers go out at once; a socket that refuses this works all the same.
    _ = stream.set_nodelay(true);
    let outcome = match manner.tls {
        // Nothing came, or the peer is gone.
        _ if !is_as_expected(&stream, peer, &manner).await => Ok(()),
        None => speak(stream, peer, router, manner.silence).await,
        Some(config) => match tokio::time::timeout(HANDSHAKE, TlsAcceptor::from(config).accept(stream)).await {
            Ok(Ok(stream)) => speak(stream, peer, router, manner.silence).await,
            Ok(Err(error)) => Err(ConnectionError::Tls(error)),
            Err(_) => Err(ConnectionError::HandshakeTimeout),
        },
    };
    if let Err(error) = outcome {
        tracing::debug!(target: "lazuli::connection", "{peer}: {error}");
    }
}

/// Waits for a connection's first byte; tells whether there is one, and warns of a client that has mixed up http and https.
async fn is_as_expected(stream: &TcpStream, peer: SocketAddr, manner: &ConnectionOptions) -> bool {
    let mut first = [0];
    let longest = if manner.tls.is_some() { HANDSHAKE } else { manner.silence };
    let came = tokio::time::timeout(longest, stream.peek(&mut first)).await;
    let port = || stream.local_addr().map_or(0, |address| address.port());
    match (&manner.tls, first) {
        (None, [TLS_HANDSHAKE]) => tracing::warn!(
            "{peer} speaks TLS to port {port}, which serves plain http: its endpoint has to begin with http://, or the server needs \
             --cert and --key",
            port = port()
        ),
        (Some(_), [byte]) if byte.is_ascii_uppercase() => {
            tracing::warn!(
                "{peer} speaks plain http to port {port}, which serves https: its endpoint has to begin with https://",
                port = port()
            );
        }
        _ => {}
    }
    matches!(came, Ok(Ok(1..)))
}

/// The first byte that a client of TLS sends: the type of a record with a handshake.
const TLS_HANDSHAKE: u8 = 22;

async fn speak<S>(stream: S, peer: SocketAddr, router: Router, silence: Duration) -> Result<(), ConnectionError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let spelled = MetadataCase::default();
    let stream = HeaderCaseReader::new(LingeringClose::new(stream, LINGER), spelled.clone());
    let told = PeerService { router, peer: Peer { address: peer, spelled } };
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(silence)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(StallTimeout::new(stream, STALL)), TowerToHyperService::new(told))
        .await?;
    Ok(())
}

/// A router that tells each request its peer.
#[derive(Clone)]
struct PeerService {
    router: Router,
    peer: Peer,
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
        request.extensions_mut().insert(self.peer.clone());
        self.router.call(request)
    }
}
