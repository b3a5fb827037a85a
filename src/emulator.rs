//! A server as a value: it starts on given or free ports, and stops when it is dropped.

use crate::account::Accounts;
use crate::config::{Config, Endpoint, ProgramName};
use crate::control;
use crate::control::ControlState;
use crate::environment::Environment;
use crate::http::background::Background;
use crate::http::pipeline::local_services::LocalServices;
use crate::http::pipeline::{ListenerOptions, Pipeline};
use crate::http::serve::{ConnectionOptions, Peer};
use crate::http::tls::{ServerTls, TlsError};
use crate::http::{host, serve, tls};
use crate::operation::{Service, ServiceKind};
use crate::services::blob::Blobs;
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use crate::store::disk::Disk;
use crate::store::disk::medium::Medium;
use crate::store::journal::CorruptRecord;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket, lookup_host};
use tokio::task::JoinSet;

/// A running server. Dropping it stops it at once and closes its connections.
#[derive(Debug)]
pub struct Emulator {
    addresses: Vec<Address>,
    websites: Option<Address>,
    environment: Arc<Environment>,
    files: Arc<Files>,
    store: Store,
    recovered: Vec<String>,
    /// The tasks of the listeners. Dropping them ends them.
    _listeners: JoinSet<()>,
    /// The tasks that continue after their request was answered. Dropping them ends them.
    _background: Arc<Background>,
}

/// Why a server cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("{0}")]
    Disk(String),
    #[error("--location {}: there is a record that cannot be read: {}", .location.display(), .record.0)]
    CorruptRecord { location: PathBuf, record: CorruptRecord },
    /// `hint` names the flag that chooses another port or address.
    #[error("the {service} service cannot listen at {host}:{port}: {reason} ({hint})")]
    Listen { service: &'static str, host: String, port: u16, reason: String, hint: String },
}

impl StartError {
    /// Returns true if another server is using the location.
    pub fn is_location_in_use(&self) -> bool {
        matches!(self, StartError::Disk(reason) if reason.ends_with("another server is using this folder"))
    }
}

/// Where a service listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
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

impl Emulator {
    /// Starts the services that the configuration names.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(config: &Config, environment: Environment) -> Result<Emulator, StartError> {
        let tls = config.tls.as_ref().map(|tls| tls::load(&tls.cert, &tls.key)).transpose()?;
        Emulator::start_with(config, tls, environment).await
    }

    /// Starts the services with a certificate that is already loaded.
    ///
    /// # Errors
    /// As for [`Emulator::start`].
    pub async fn start_with(config: &Config, tls: Option<ServerTls>, environment: Environment) -> Result<Emulator, StartError> {
        let environment = Arc::new(environment);
        let accounts: Arc<Accounts> = Arc::new(config.accounts.iter().cloned().collect());
        let (store, mut recovered) = match &config.location {
            None => (Store::MEMORY, Vec::new()),
            Some(path) => {
                let (disk, recovered) = Disk::open(path, Medium::default(), config.durability).map_err(StartError::Disk)?;
                (Store::on_disk(Arc::new(disk)), recovered)
            }
        };
        let location = config.location.as_deref().unwrap_or(Path::new(""));
        let unreadable = |record| StartError::CorruptRecord { location: location.to_owned(), record };
        let files = Arc::new(Files::open(&accounts, &store).map_err(unreadable)?);
        let configured = [
            (ServiceKind::Blob, &config.blob),
            (ServiceKind::Queue, &config.queue),
            (ServiceKind::Table, &config.table),
            (ServiceKind::File, &config.file),
        ];
        let configured: Vec<(Arc<dyn Service>, &Endpoint)> = configured
            .into_iter()
            .filter_map(|(kind, endpoint)| Some((kind, endpoint.as_ref()?)))
            .map(|(kind, endpoint)| Ok((service(kind, &accounts, &store, &files).map_err(unreadable)?, endpoint)))
            .collect::<Result<_, StartError>>()?;
        recovered.extend(store.disk().map(|disk| disk.settle()).unwrap_or_default());
        let services: Arc<[Arc<dyn Service>]> = configured.iter().map(|(service, _)| service.clone()).collect();
        let control_state = ControlState { services, environment: environment.clone() };

        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = |kind, endpoint: &Endpoint, port| Address { kind, scheme, host: endpoint.host.clone(), port };
        let options = ListenerOptions { host_style: config.product_style_urls, https: tls.is_some(), oauth: config.oauth };
        let background = Arc::new(Background::default());
        let local_services = Arc::new(LocalServices::new(tls.as_ref().map(|tls| tls.certificate.clone())));
        let pipeline = |service| {
            Pipeline::new(service, accounts.clone(), environment.clone(), store.clone(), &background, options)
                .with_local_services(&local_services)
        };
        let mut addresses = Vec::new();
        let mut bound = Vec::new();
        let mut websites = None;
        for (service, endpoint) in configured {
            let kind = service.kind();
            let (listener, port) = match listen(kind.name(), kind.label(), endpoint).await {
                Ok(bound) => bound,
                // Azurite has no File service, so two of its servers on one machine have no different ports for it. The other services start.
                Err(error) if service.kind() == ServiceKind::File && config.program == ProgramName::Azurite => {
                    tracing::warn!("{error}; the other services start without it");
                    continue;
                }
                Err(error) => return Err(error),
            };
            addresses.push(address(kind, endpoint, port));
            bound.push((pipeline(service.clone()), endpoint, listener));
            if let (ServiceKind::Blob, Some(endpoint), Some(first)) = (kind, &config.web, config.accounts.first()) {
                let (listener, port) = listen("Web", "web", endpoint).await?;
                websites = Some(address(kind, endpoint, port));
                bound.push((pipeline(service).to_websites(&first.name), endpoint, listener));
            }
        }
        let bound: Vec<_> =
            bound.into_iter().map(|(pipeline, endpoint, listener)| (Arc::new(pipeline), endpoint, listener)).collect();
        local_services.set_services(services_of(&addresses, bound.iter().map(|(pipeline, ..)| pipeline)));
        let mut listeners = JoinSet::new();
        for (pipeline, endpoint, listener) in bound {
            let router = control::routes(control_state.clone(), config.control).merge(service_routes(pipeline));
            let options =
                ConnectionOptions { tls: tls.as_ref().map(|tls| tls.config.clone()), idle_timeout: endpoint.keep_alive };
            listeners.spawn(serve::serve(listener, router, options));
        }
        Ok(Emulator { addresses, websites, environment, files, store, recovered, _listeners: listeners, _background: background })
    }

    /// The addresses of the services, in the order Blob, Queue, Table, File.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The address of the static websites, if they have their own port.
    pub fn websites(&self) -> Option<&Address> {
        self.websites.as_ref()
    }

    /// The URL of a service's endpoint for an account, without a trailing `/`. `None` if the service does not run.
    pub fn url(&self, kind: ServiceKind, account: &str) -> Option<String> {
        self.addresses.iter().find(|address| address.kind == kind).map(|address| format!("{}/{account}", address.url()))
    }

    /// Messages about the recovery of the data in the location. Empty for a server in memory.
    pub fn recovered(&self) -> &[String] {
        &self.recovered
    }

    /// Where the server stores its data.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The shares, for servers of other protocols than REST.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The clock and the source of ids.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
}

/// The ports and pipelines of the services, for [`LocalServices`]. Websites are not copy sources.
fn services_of<'a>(addresses: &[Address], pipelines: impl Iterator<Item = &'a Arc<Pipeline>>) -> Vec<(u16, Weak<Pipeline>)> {
    let services = pipelines.filter(|pipeline| !pipeline.is_of_websites());
    services
        .filter_map(|pipeline| {
            let address = addresses.iter().find(|address| address.kind == pipeline.service().kind())?;
            Some((address.port, Arc::downgrade(pipeline)))
        })
        .collect()
}

/// Routes all requests to the pipeline.
fn service_routes(pipeline: Arc<Pipeline>) -> Router {
    async fn answer(State(pipeline): State<Arc<Pipeline>>, request: Request) -> Response {
        if let Some(refusal) = host::refusal(&request) {
            return refusal;
        }
        let peer = request.extensions().get::<Peer>().cloned();
        let address = peer.as_ref().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address.ip());
        let metadata_case = peer.map(|peer| peer.metadata_case.of(request.headers())).unwrap_or_default();
        pipeline.answer(request, address, metadata_case).await
    }
    Router::new().fallback(answer).with_state(pipeline)
}

fn service(kind: ServiceKind, accounts: &Accounts, store: &Store, files: &Arc<Files>) -> Result<Arc<dyn Service>, CorruptRecord> {
    Ok(match kind {
        ServiceKind::Blob => Arc::new(Blobs::open(accounts, store)?),
        ServiceKind::Queue => Arc::new(Queues::open(accounts, store)?),
        ServiceKind::Table => Arc::new(Tables::open(accounts, store)?),
        ServiceKind::File => files.clone(),
    })
}

async fn listen(service: &'static str, label: &str, endpoint: &Endpoint) -> Result<(TcpListener, u16), StartError> {
    let (host, port) = (endpoint.host.as_str(), endpoint.port);
    // Websites are served at the host of the Blob service.
    let host_of = if label == "web" { "blob" } else { label };
    let failed = |error: std::io::Error| {
        let port_hint = format!("--{label}-port N chooses another");
        let (reason, hint) = match error.kind() {
            std::io::ErrorKind::AddrInUse => ("the port is already in use".to_owned(), port_hint),
            std::io::ErrorKind::PermissionDenied => ("not permitted to listen there".to_owned(), port_hint),
            _ => (error.to_string(), format!("--{host_of}-host HOST chooses another address of this machine")),
        };
        StartError::Listen { service, host: host.to_owned(), port, reason, hint }
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
