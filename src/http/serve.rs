//! Listeners and connections, with or without TLS.

use crate::http::client_stream::{ClientStream, StreamLimits};
use crate::http::faults;
use crate::http::faults::CutConnection;
use crate::http::header_case::{HeaderCaseReader, MetadataCase};
use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
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
use tower_service::Service;

/// The origin of a request, in the extensions of the request.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address of the client.
    pub address: SocketAddr,
    /// The metadata names of the request that were not written in lower case, in pairs: in lower case, as written.
    pub metadata_case: Vec<(String, String)>,
}

/// How connections are served.
#[derive(Clone)]
pub struct ConnectionOptions {
    /// The TLS configuration; `None` for plain http.
    pub tls: Option<Arc<rustls::ServerConfig>>,
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
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, options: ConnectionOptions) {
    // Small responses are sent at once. A socket that does not support this works without it.
    _ = stream.set_nodelay(true);
    let outcome = match options.tls {
        // The client has sent nothing or has closed the connection.
        _ if !has_started(&stream, peer, &options).await => Ok(()),
        None => serve_http(stream, peer, router, options.idle_timeout).await,
        Some(config) => match tokio::time::timeout(HANDSHAKE_TIMEOUT, TlsAcceptor::from(config).accept(stream)).await {
            Ok(Ok(stream)) => serve_http(stream, peer, router, options.idle_timeout).await,
            Ok(Err(error)) => Err(ConnectionError::Tls(error)),
            Err(_) => Err(ConnectionError::HandshakeTimeout),
        },
    };
    if let Err(error) = outcome {
        tracing::debug!(target: "lazuli::connection", "{peer}: {error}");
    }
    drop(options.alive);
}

/// Waits for the first byte of a connection. Returns true if there is one, and logs a warning if the client confuses http and https.
async fn has_started(stream: &TcpStream, peer: SocketAddr, options: &ConnectionOptions) -> bool {
    let mut first = [0];
    let longest = if options.tls.is_some() { HANDSHAKE_TIMEOUT } else { options.idle_timeout };
    let came = tokio::time::timeout(longest, stream.peek(&mut first)).await;
    let port = || stream.local_addr().map_or(0, |address| address.port());
    match (&options.tls, first) {
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

/// The first byte of a TLS connection: the type of a handshake record.
const TLS_HANDSHAKE: u8 = 22;

/// Serves a connection, and adds the [`Peer`] to the extensions of each request.
async fn serve_http<S>(stream: S, peer: SocketAddr, router: Router, idle_timeout: Duration) -> Result<(), ConnectionError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let metadata_case = MetadataCase::default();
    let stream = HeaderCaseReader::new(ClientStream::new(stream, LIMITS), metadata_case.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer { address: peer, metadata_case: metadata_case.next_head() });
        let answer = router.clone().call(request);
        async move {
            match answer.await {
                Ok(response) if faults::is_cut(&response) => Err(CutConnection),
                Ok(response) => Ok(response),
                Err(never) => match never {},
            }
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(idle_timeout)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service)
        .await?;
    Ok(())
}
