//! Other servers, as the sources of copies: a client that gets a URL once, follows no redirect, and does not wait for ever.

use crate::op::{Answer, Asking, lost};
use crate::rules::fault::Fault;
use axum::body::Body;
use bytes::Bytes;
use http::Request;
use http_body_util::Empty;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long all may take up to the head of the answer.
const ANSWER: Duration = Duration::from_secs(30);

/// The client. What it trusts is read when it is first needed, so that nobody else waits for that.
#[derive(Debug, Default)]
pub struct Remote {
    client: OnceLock<Client<HttpsConnector<HttpConnector>, Empty<Bytes>>>,
}

impl Remote {
    /// Gets a URL; the body is still to come.
    ///
    /// # Errors
    /// 500 CannotVerifyCopySource for a server that cannot be reached, cannot be trusted or does not answer.
    pub async fn open(&self, asking: Asking) -> Result<Answer, Fault> {
        let mut request = Request::get(asking.url).body(Empty::new()).map_err(|error| lost(error.to_string()))?;
        *request.headers_mut() = asking.headers;
        let answer = tokio::time::timeout(ANSWER, self.client()?.request(request)).await;
        let answer = answer.map_err(|_| lost("the source does not answer"))?.map_err(|error| lost(chain(&error)))?;
        let (head, body) = answer.into_parts();
        Ok(Answer::new(head.status.as_u16(), head.headers, Body::new(body)))
    }

    fn client(&self) -> Result<&Client<HttpsConnector<HttpConnector>, Empty<Bytes>>, Fault> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        plain.set_connect_timeout(Some(CONNECT));
        plain.set_nodelay(true);
        let tls = trusting().map_err(|error| lost(error.to_string()))?;
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(plain);
        // Each source has its own connection: one that was kept may have died meanwhile, and a copy would fail for it.
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(self.client.get_or_init(|| client))
    }
}

/// Trusts whom this machine trusts, a local authority too; where it trusts nobody (a container without certificates), the well-known.
fn trusting() -> Result<ClientConfig, rustls::Error> {
    let builder =
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions()?;
    let mut roots = RootCertStore::empty();
    let (known, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Ok(match known {
        0 => builder.with_webpki_roots().with_no_client_auth(),
        _ => builder.with_root_certificates(roots).with_no_client_auth(),
    })
}

/// An error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
