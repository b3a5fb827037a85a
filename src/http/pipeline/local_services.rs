//! The services of this server with their ports and their certificate. They make it possible to recognize a copy source at this server
//! by its URL, and to read it in this process, without a name lookup, a trusted certificate or a connection.

use crate::account::Accounts;
use crate::http::faults;
use crate::http::remote::OwnCertificate;
use crate::http::serve::Peer;
use crate::http::target::{account_of_host, label_kind};
use crate::operation::{RemoteRequest, RemoteResponse, ServiceKind, source_unavailable};
use crate::rules::error::StorageError;
use axum::body::Body;
use http::uri::Authority;
use http::{HeaderMap, Request, Response, Uri, header};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};

/// A service of this server, which can be a copy source.
pub trait LocalService: Send + Sync + std::fmt::Debug {
    fn kind(&self) -> ServiceKind;

    /// Answers a request as if it came over a connection.
    fn answer_locally(
        self: Arc<Self>,
        request: Request<Body>,
        peer: Peer,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
}

/// The services of this server.
#[derive(Debug, Default)]
pub struct LocalServices {
    services: OnceLock<Vec<(u16, Weak<dyn LocalService>)>>,
    /// The certificate of the services.
    pub certificate: OwnCertificate,
}

/// The host and the port that a request was sent to.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestAddress<'a> {
    /// The host as the request names it.
    pub host: &'a str,
    /// The service that the request was sent to.
    pub kind: ServiceKind,
    /// The port as the request names it.
    pub port: u16,
}

impl LocalServices {
    /// Creates it without services, with the certificate of the server.
    pub fn new(certificate: OwnCertificate) -> LocalServices {
        LocalServices { services: OnceLock::new(), certificate }
    }

    /// Sets the services with their ports. Only the first call has an effect.
    pub fn set_services<S: LocalService + 'static>(&self, services: impl IntoIterator<Item = (u16, Weak<S>)>) {
        let services = services.into_iter().map(|(port, service)| (port, service as Weak<dyn LocalService>));
        _ = self.services.set(services.collect());
    }

    /// The service that a URL names: by the host of one of its accounts, or by one of its ports at a name of this machine or at the name
    /// that the request was sent to.
    ///
    /// A host name of Azure without a port counts if the account exists here: clients that know only the name of the account build such
    /// URLs.
    pub(super) fn service_of(
        &self,
        uri: &Uri,
        accounts: &Accounts,
        host_style: bool,
        address: RequestAddress<'_>,
    ) -> Option<Arc<dyn LocalService>> {
        let authority = uri.authority()?;
        let (host, port) = (authority.host(), port(uri)?);
        if let Some((label, account)) = account_of_host(host).filter(|_| host_style) {
            accounts.get(&account)?;
            let kind = label_kind(label)?;
            let (listens, service) = self.services().find(|(_, service)| service.kind() == kind)?;
            let known =
                listens == port || kind == address.kind && port == address.port || is_azure(host) && [80, 443].contains(&port);
            return known.then_some(service);
        }
        let here = is_loopback(host) || host.eq_ignore_ascii_case(name_of(address.host));
        self.services().find(|(listens, _)| here && *listens == port).map(|(_, service)| service)
    }

    fn services(&self) -> impl Iterator<Item = (u16, Arc<dyn LocalService>)> {
        self.services.get().into_iter().flatten().filter_map(|(port, service)| Some((*port, service.upgrade()?)))
    }
}

/// Reads a URL from a service of this server.
pub(super) async fn open(
    service: Arc<dyn LocalService>,
    uri: &Uri,
    remote: RemoteRequest,
    peer: SocketAddr,
) -> Result<RemoteResponse, StorageError> {
    let unfit = |_| source_unavailable("the URL cannot be requested");
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let mut request = Request::get(target).body(Body::empty()).map_err(unfit)?;
    *request.headers_mut() = remote.headers;
    if let Some(host) = uri.authority().and_then(|authority| authority.as_str().parse().ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    let peer = Peer::new(peer, uri.scheme_str() == Some("https"));
    let response = service.answer_locally(request, peer).await;
    if faults::is_cut(&response) {
        return Err(source_unavailable("a fault cuts the connection"));
    }
    let (head, body) = response.into_parts();
    let metadata_case = head.extensions.get::<MetadataNames>().map(|names| names.of(&head.headers)).unwrap_or_default();
    Ok(RemoteResponse::new(head.status.as_u16(), head.headers, metadata_case, body))
}

/// The metadata names of a response as they were written, for a response that is not sent over a connection.
#[derive(Clone, Debug)]
pub(super) struct MetadataNames(pub Vec<String>);

impl MetadataNames {
    fn of(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let pairs = self.0.iter().map(|name| (name.to_ascii_lowercase(), name.clone()));
        pairs.filter(|(lower, written)| lower != written && headers.contains_key(format!("x-ms-meta-{lower}"))).collect()
    }
}

/// The port of a URL, which can be the default of its scheme.
fn port(uri: &Uri) -> Option<u16> {
    uri.port_u16().or(match uri.scheme_str() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        _ => None,
    })
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    let end = host.rfind(']').map_or(0, |end| end + 1);
    host[end..].find(':').map_or(host, |at| &host[..end + at])
}

/// Returns true for a host name of Azure.
fn is_azure(host: &str) -> bool {
    host.to_ascii_lowercase().ends_with(".core.windows.net")
}

/// Returns true for a name or an address of the local machine.
fn is_loopback(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.to_canonical().is_loopback()),
        None => {
            host == "localhost"
                || host.ends_with(".localhost")
                || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

/// The port in the host of a request, or the default of the scheme.
pub(super) fn port_of(host: &str, https: bool) -> u16 {
    let named = host.parse::<Authority>().ok().and_then(|authority| authority.port_u16());
    named.unwrap_or(if https { 443 } else { 80 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        for host in ["localhost", "LocalHost", "acc.blob.localhost", "127.0.0.1", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "localhost.example.test", "10.0.0.1", "[fe80::1]", "::1]", "azurite", "notlocalhost"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn hosts_and_ports() {
        for (host, name, port) in [
            ("localhost:10000", "localhost", 10000),
            ("localhost", "localhost", 80),
            ("[::1]:10000", "[::1]", 10000),
            ("[::1]", "[::1]", 80),
            ("", "", 80),
        ] {
            assert_eq!((name_of(host), port_of(host, false)), (name, port), "{host}");
        }
        assert_eq!(port_of("acc.blob.core.windows.net", true), 443);
    }
}
