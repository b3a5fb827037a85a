//! Where the services listen.

use crate::config::Endpoint;
use crate::emulator::error::StartErrorKind;
use crate::operation::ServiceKind;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// Where a service listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The service.
    pub kind: ServiceKind,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The host as configured.
    pub host: String,
    /// The port; the actual one if 0 was configured.
    pub port: u16,
}

impl Address {
    /// `http://host:port`, with an IPv6 address in brackets.
    pub fn url(&self) -> String {
        match self.host.contains(':') {
            true => format!("{}://[{}]:{}", self.scheme, self.host, self.port),
            false => format!("{}://{}:{}", self.scheme, self.host, self.port),
        }
    }
}

/// Listens at an endpoint, and returns the port: the chosen one if the endpoint has port 0.
pub(super) async fn listen(
    service: &'static str,
    label: &str,
    endpoint: &Endpoint,
) -> Result<(TcpListener, u16), StartErrorKind> {
    let (host, port) = (endpoint.host.as_str(), endpoint.port);
    // Websites and Data Lake are served at the host of the Blob service.
    let host_of = if matches!(label, "web" | "dfs") { "blob" } else { label };
    let failed = |error: std::io::Error| {
        let port_hint = format!("--{label}-port N chooses another");
        let (reason, hint) = match error.kind() {
            std::io::ErrorKind::AddrInUse => ("the port is already in use".to_owned(), port_hint),
            std::io::ErrorKind::PermissionDenied => ("not permitted to listen there".to_owned(), port_hint),
            _ => (error.to_string(), format!("--{host_of}-host HOST chooses another address of this machine")),
        };
        StartErrorKind::Listen { service, host: host.to_owned(), port, reason, hint }
    };
    let listener = bind(host, port).await.map_err(failed)?;
    let address: SocketAddr = listener.local_addr().map_err(failed)?;
    Ok((listener, address.port()))
}

/// The most connections that wait to be accepted. Clients of further ones retry after a second.
const BACKLOG: u32 = 4096;

/// Listens at the first address of a host that is available.
async fn bind(host: &str, port: u16) -> std::io::Result<TcpListener> {
    let mut failed = None;
    for address in lookup_host((host, port)).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::Error::other("the host has no address")))
}

fn listen_at(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows listening on a port whose previous connections are still in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
