//! The HTTP client for copy sources on other servers. It sends each request once, follows no redirect, and has timeouts.

use crate::http::automatic_tls::AutomaticTls;
use crate::http::header_case::{HeaderCaseReader, MetadataCase};
use crate::operation::{RemoteRequest, RemoteResponse, source_unavailable};
use crate::rules::error::StorageError;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower_service::Service;

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout from the start of a request to the head of the response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// The client. It loads the trusted certificates on its first request over https, so that the start of the server does not wait for that.
#[derive(Debug, Default)]
pub struct Remote {
    http: OnceLock<HttpsConnector<HttpConnector>>,
    https: OnceLock<HttpsConnector<HttpConnector>>,
    own: OwnCertificate,
}

/// This server's own certificate, which is trusted, too: the source may be this server under a name that it does not know itself.
#[derive(Clone, Debug, Default)]
pub enum OwnCertificate {
    /// The server does not use TLS.
    #[default]
    None,
    /// This one is trusted whoever signed it.
    Loaded(CertificateDer<'static>),
    /// The authority of the server is trusted, and with it the other servers of the same user.
    Automatic(Arc<AutomaticTls>),
}

impl Remote {
    /// Creates a client that trusts this certificate and those that the machine trusts.
    pub fn trusting(own: OwnCertificate) -> Remote {
        Remote { own, ..Remote::default() }
    }

    /// Sends a request, and returns when the head of the response has arrived.
    ///
    /// # Errors
    /// 500 CannotVerifyCopySource for a server that cannot be reached, is not trusted or does not answer.
    pub async fn open(&self, request: RemoteRequest) -> Result<RemoteResponse, StorageError> {
        let response = tokio::time::timeout(RESPONSE_TIMEOUT, self.get(request)).await;
        response.map_err(|_| source_unavailable("the source does not answer"))?
    }

    /// Each request has its own connection: a pooled one may be closed by the other server, and the copy would fail. A connection also
    /// shows the case of the response's metadata names, which hyper does not expose.
    async fn get(&self, remote: RemoteRequest) -> Result<RemoteResponse, StorageError> {
        let uri: Uri = remote.url.parse().map_err(failed)?;
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let mut request = Request::get(target).body(Empty::<Bytes>::new()).map_err(failed)?;
        *request.headers_mut() = remote.headers;
        let host = host(&uri).ok_or_else(|| source_unavailable("the URL has no host"))?;
        request.headers_mut().insert(header::HOST, host.parse().map_err(|_| source_unavailable("the URL has no host"))?);

        let mut connector = self.connector(uri.scheme_str() == Some("https"))?.clone();
        std::future::poll_fn(|context| connector.poll_ready(context)).await.map_err(|error| failed(&*error))?;
        let stream = connector.call(uri).await.map_err(|error| failed(&*error))?;
        let metadata_case = MetadataCase::default();
        let stream = TokioIo::new(HeaderCaseReader::new(TokioIo::new(stream), metadata_case.clone()));
        let (mut sender, connection) = http1::handshake(stream).await.map_err(failed)?;
        // The task ends when the body is read or dropped.
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(target: "lazuli::copy", "a source's connection: {}", chain(&error));
            }
        });
        let (head, body) = sender.send_request(request).await.map_err(failed)?.into_parts();
        let metadata_case = metadata_case.next_head();
        Ok(RemoteResponse::new(head.status.as_u16(), head.headers, metadata_case, Body::new(body)))
    }

    fn connector(&self, https: bool) -> Result<&HttpsConnector<HttpConnector>, StorageError> {
        let connector = if https { &self.https } else { &self.http };
        if let Some(connector) = connector.get() {
            return Ok(connector);
        }
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        plain.set_connect_timeout(Some(CONNECT_TIMEOUT));
        plain.set_nodelay(true);
        let tls = if https { trusting(&self.own) } else { without_roots() };
        let tls = tls.map_err(|error| source_unavailable(error.to_string()))?;
        let made = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(plain);
        Ok(connector.get_or_init(|| made))
    }
}

/// The `Host` header for a URL, without the default port of the scheme.
fn host(uri: &Uri) -> Option<String> {
    let name = uri.host().filter(|name| !name.is_empty())?;
    let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    Some(match uri.port_u16() {
        Some(port) if port != usual => format!("{name}:{port}"),
        _ => name.to_owned(),
    })
}

/// For connections without TLS.
fn without_roots() -> Result<ClientConfig, rustls::Error> {
    let builder =
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// Trusts the certificates of the machine, or those of `webpki-roots` if the machine has none, as in a minimal container.
fn trusting(own: &OwnCertificate) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    let mut roots = RootCertStore::empty();
    let (known, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if known == 0 {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let own = match own {
        OwnCertificate::Loaded(own) => own.clone(),
        OwnCertificate::None => return Ok(builder.with_root_certificates(roots).with_no_client_auth()),
        OwnCertificate::Automatic(tls) => {
            match tls.existing_authority() {
                None => {}
                Some(Ok(authority)) => roots.add(authority.certificate().clone())?,
                Some(Err(error)) => tracing::warn!("copies trust no server of the same authority: {error}"),
            }
            return Ok(builder.with_root_certificates(roots).with_no_client_auth());
        }
    };
    let others = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    let others = others.map_err(|error| rustls::Error::General(error.to_string()))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(OwnOrTrusted { own, others })).with_no_client_auth())
}

/// Trusts this server's own certificate, whose key the handshake proves, and the certificates that `others` trusts.
#[derive(Debug)]
struct OwnOrTrusted {
    own: CertificateDer<'static>,
    others: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for OwnOrTrusted {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity == self.own {
            return Ok(ServerCertVerified::assertion());
        }
        self.others.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.others.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.others.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.others.supported_verify_schemes()
    }
}

/// The error of a copy whose source failed with this error.
fn failed(error: impl std::error::Error) -> StorageError {
    source_unavailable(chain(&error))
}

/// An error and its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
