//! `lazuli --health`: checks the health of the server that runs with the same flags.

use crate::config::{Config, Tls};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::io;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// The timeout of connecting, of each read and of each write.
const TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST: &[u8] = b"GET /_lazuli/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Why the server does not count as healthy. `place` is the host and port of the request.
#[derive(Debug, Error)]
pub enum HealthError {
    #[error("no service is served")]
    NoService,
    #[error("{place} answered {status} instead of 200; is it Lazuli?")]
    Status { place: String, status: u16 },
    #[error("{place} did not answer within {} seconds", TIMEOUT.as_secs())]
    Timeout { place: String },
    #[error("no server answers at {place}: {error}")]
    NoServer { place: String, error: io::Error },
    #[error("the server at {place} speaks plain http; leave out --cert and --key")]
    PlainHttp { place: String },
    #[error("the server at {place} speaks https; add --cert and --key")]
    Https { place: String },
    #[error("{place} does not answer in {protocol}")]
    Protocol { place: String, protocol: &'static str },
}

/// Requests the health of the first service that the configuration names.
///
/// # Errors
/// [`HealthError`] if no server answers there, or if it is not a server with these flags.
pub fn check(config: &Config) -> Result<(), HealthError> {
    let endpoints = [&config.blob, &config.queue, &config.table, &config.file];
    let endpoint = endpoints.into_iter().flatten().next().ok_or(HealthError::NoService)?;
    let host = match endpoint.host.as_str() {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    let (port, https) = (endpoint.port, matches!(config.tls, Tls::Files { .. }));
    let place = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let error = match status(host, port, https) {
        Ok(200) => return Ok(()),
        Ok(status) => return Err(HealthError::Status { place, status }),
        Err(error) => error,
    };
    Err(match error.kind() {
        // On Unix, a socket whose timeout has passed returns WouldBlock.
        ErrorKind::WouldBlock | ErrorKind::TimedOut => HealthError::Timeout { place },
        ErrorKind::ConnectionRefused => HealthError::NoServer { place, error },
        _ if status(host, port, !https).is_ok() => match https {
            true => HealthError::PlainHttp { place },
            false => HealthError::Https { place },
        },
        ErrorKind::InvalidData => HealthError::Protocol { place, protocol: if https { "https" } else { "HTTP" } },
        _ => HealthError::NoServer { place, error },
    })
}

/// Returns the HTTP status of the answer.
fn status(host: &str, port: u16, https: bool) -> io::Result<u16> {
    let stream = connect(host, port)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    if !https {
        return exchange(stream);
    }
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAny(provider)));
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let session = ClientConnection::new(Arc::new(config.with_no_client_auth()), name).map_err(io::Error::other)?;
    exchange(StreamOwned::new(session, stream))
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut outcome = Err(io::Error::other("the host has no address"));
    for address in (host, port).to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&address, TIMEOUT);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn exchange(mut stream: impl Read + Write) -> io::Result<u16> {
    stream.write_all(REQUEST)?;
    // `HTTP/1.1 200`
    let mut answer = [0; 12];
    stream.read_exact(&mut answer)?;
    let status = str::from_utf8(&answer).ok().and_then(|line| line.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok());
    status.ok_or_else(|| ErrorKind::InvalidData.into())
}

/// Accepts any certificate. The request contains no secret and the answer is only a status, and the certificate of a test server is
/// often self-signed or for another name.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
