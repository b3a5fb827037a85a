//! A server as a value: it starts on given or free ports, and stops when it is dropped.

mod address;
mod builder;
pub(crate) mod client;
mod error;

use crate::account::{ANY_NAME, Account, Accounts};
use crate::authority::{CertificateNames, state_folder};
use crate::config::accounts::AccountError;
use crate::config::{Config, ConfigErrorKind, Endpoint, ProgramName, Tls};
use crate::console::{Console, ConsoleApi, landing, worker_refusal};
use crate::control::{Checkpoints, ControlState, PageKey, SasFields, ServiceAddress};
use crate::diagnostics::Diagnostics;
use crate::environment::Environment;
use crate::http::auth::SignIn;
use crate::http::automatic_tls::AutomaticTls;
use crate::http::background::Background;
use crate::http::blob_port::BlobPort;
use crate::http::pipeline::local_services::LocalServices;
use crate::http::pipeline::{ListenerOptions, Pipeline};
use crate::http::remote::OwnCertificate;
use crate::http::serve::{ConnectionOptions, ListenerTls, Peer};
use crate::http::tls::{ServerTls, TlsError};
use crate::http::{host, serve, tls};
use crate::identity::Issuer;
use crate::operation::{Service, ServiceKind};
use crate::progress::Progress;
use crate::seed::Seeder;
use crate::services::blob::{Blobs, DataLake, remove_some};
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use crate::store::disk::Disk;
use crate::store::disk::error::{DiskError, DiskErrorKind};
use crate::store::disk::folder::TLS_FOLDER;
use crate::store::disk::medium::Medium;
use crate::store::records::CorruptRecord;
use crate::{control, identity, seed};
pub use address::Address;
use address::listen;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
pub use builder::EmulatorBuilder;
pub use error::StartError;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A running server. Dropping it stops it and closes its connections; [`Emulator::stop`] also waits until that is done.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lazuli::{Emulator, ServiceKind};
///
/// let emulator = Emulator::builder().start().await?;
/// let connection_string = emulator.connection_string(); // for the SDK of your choice
/// let url = emulator.endpoint(ServiceKind::Blob, lazuli::WELL_KNOWN_ACCOUNT);
/// assert!(connection_string.contains(&url.ok_or("the Blob service runs")?));
/// emulator.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Emulator {
    /// The first account and its first key, for the connection string.
    account: Account,
    addresses: Vec<Address>,
    websites: Option<Address>,
    lake: Option<Address>,
    pub(crate) environment: Arc<Environment>,
    #[cfg(test)]
    pub(crate) files: Arc<Files>,
    #[cfg(test)]
    pub(crate) blobs: Arc<Blobs>,
    store: Store,
    recovered: Vec<String>,
    /// The tasks of the listeners. Dropping them ends them.
    listeners: JoinSet<()>,
    /// Every connection has a receiver of this.
    connections: watch::Sender<()>,
    /// The tasks that continue after their request was answered. Dropping them ends them.
    _background: Arc<Background>,
}

impl Emulator {
    /// Begins with the settings of a server for tests: free ports, the well-known account, data in memory.
    pub fn builder() -> EmulatorBuilder {
        EmulatorBuilder::new()
    }

    /// Starts the services of a configuration with a certificate that is already loaded.
    ///
    /// # Errors
    /// [`StartError`].
    pub(crate) async fn start_with(
        config: &Config,
        tls: Option<ServerTls>,
        environment: Environment,
        progress: &Progress,
    ) -> Result<Emulator, StartError> {
        let account = config.accounts.first().cloned().ok_or(AccountError::NoAccount).map_err(ConfigErrorKind::from)?;
        let environment = Arc::new(environment);
        let mut accounts: Accounts = config.accounts.iter().cloned().collect();
        let (store, mut recovered) = match &config.location {
            None => (Store::MEMORY, Vec::new()),
            Some(path) => {
                let (disk, recovered) = Disk::open(path, Medium::default(), config.durability, progress)?;
                (Store::on_disk(Arc::new(disk)), recovered)
            }
        };
        // The second part of a root's name is an account, which an earlier start made.
        let stored = store.disk().map(|disk| disk.roots()).unwrap_or_default();
        accounts.declare(stored.iter().filter_map(|root| root.split('/').nth(1)).map(str::to_owned));
        let accounts = Arc::new(accounts);
        let location = config.location.as_deref().unwrap_or(Path::new(""));
        let unreadable = |record| DiskError::new(location, DiskErrorKind::CorruptRecord(record));
        let files = Arc::new(Files::open(&accounts, &store).map_err(unreadable)?);
        let blobs = Arc::new(Blobs::open(&accounts, &store).map_err(unreadable)?);
        let configured = [
            (ServiceKind::Blob, &config.blob),
            (ServiceKind::Queue, &config.queue),
            (ServiceKind::Table, &config.table),
            (ServiceKind::File, &config.file),
        ];
        let configured: Vec<(Arc<dyn Service>, &Endpoint)> = configured
            .into_iter()
            .filter_map(|(kind, endpoint)| Some((kind, endpoint.as_ref()?)))
            .map(|(kind, endpoint)| Ok((service(kind, &accounts, &store, &blobs, &files).map_err(unreadable)?, endpoint)))
            .collect::<Result<_, StartError>>()?;
        recovered.extend(store.disk().map(|disk| disk.settle()).unwrap_or_default());
        recovered.extend(blobs.convert(&accounts, environment.now()).await?);
        let services: Vec<Arc<dyn Service>> = configured.iter().map(|(service, _)| service.clone()).collect();

        let scheme = if tls.is_some() { "https" } else { "http" };
        let automatic_tls = automatic_tls(config);
        let (listener_tls, own_certificate) = match (tls, &automatic_tls) {
            (Some(tls), _) => (ListenerTls::Required(tls.config), OwnCertificate::Loaded(tls.certificate)),
            (None, Some(tls)) => (ListenerTls::Automatic(tls.clone()), OwnCertificate::Automatic(tls.clone())),
            (None, None) => (ListenerTls::Off, OwnCertificate::None),
        };
        let address = |kind, endpoint: &Endpoint, port| Address { kind, scheme, host: endpoint.host.clone(), port };
        let options = ListenerOptions { host_style: !config.path_style_only };
        let issuer = config.oauth.map(|_| {
            let (folder, names) = (config.location.clone(), certificate_names(config).all().to_vec());
            Issuer::open(config.principals.clone(), environment.clone(), folder, names).map(Arc::new)
        });
        let issuer = issuer.transpose()?;
        let sign_in = Arc::new(SignIn {
            is_open: config.is_open,
            oauth: config.oauth,
            principals: config.principals.clone(),
            issuer: issuer.clone(),
        });
        let background = Arc::new(Background::default());
        let local_services = Arc::new(LocalServices::new(own_certificate));
        for container in blobs.with_discarded(&accounts) {
            background.spawn(Box::pin(async move {
                while remove_some(&container).await {
                    tokio::task::yield_now().await;
                }
            }));
        }
        let diagnostics = Arc::new(match config.control {
            true => Diagnostics::recording(config.request_log),
            false => Diagnostics::default(),
        });
        let mut operations = Vec::new();
        let mut pipeline = |service: Arc<dyn Service>| {
            operations.extend(service.operations().iter().map(|spec| spec.name));
            Pipeline::new(service, accounts.clone(), environment.clone(), store.clone(), &background, options)
                .with_sign_in(sign_in.clone())
                .with_local_services(&local_services)
                .with_diagnostics(&diagnostics)
        };
        let mut addresses = Vec::new();
        let mut bound = Vec::new();
        let mut pipelines = Vec::new();
        let mut apis = Vec::new();
        let (mut websites, mut lake_address) = (None, None);
        for (service, endpoint) in configured {
            let kind = service.kind();
            let (listener, port) = match listen(kind.name(), kind.label(), endpoint).await {
                Ok(bound) => bound,
                // Azurite has no File service, so two of its servers on one machine have no different ports for it. The other services start.
                Err(error) if service.kind() == ServiceKind::File && config.program == ProgramName::Azurite => {
                    tracing::warn!("{error}; the other services start without it");
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            addresses.push(address(kind, endpoint, port));
            let own = Arc::new(pipeline(service.clone()));
            let lake = (kind == ServiceKind::Blob).then(|| Arc::new(pipeline(Arc::new(DataLake::new(blobs.clone())))));
            if let (Some(lake), Some(endpoint)) = (&lake, &config.lake) {
                let (listener, port) = listen("Data Lake", "dfs", endpoint).await?;
                lake_address = Some(address(ServiceKind::DataLake, endpoint, port));
                let port = BlobPort { blob: own.clone(), lake: lake.clone(), is_lake_listener: true };
                bound.push((blob_routes(port), endpoint, listener, true));
            }
            pipelines.push(own.clone());
            for service in [&own].into_iter().chain(&lake) {
                let kind = service.service().kind();
                apis.push(ConsoleApi { kind, host: endpoint.host.clone(), port, service: service.clone() });
            }
            let routes = match lake {
                Some(lake) => blob_routes(BlobPort { blob: own, lake, is_lake_listener: false }),
                None => service_routes(own),
            };
            bound.push((routes, endpoint, listener, true));
            if let (ServiceKind::Blob, Some(endpoint), Some(first)) = (kind, &config.web, config.accounts.first()) {
                let (listener, port) = listen("Web", "web", endpoint).await?;
                websites = Some(address(kind, endpoint, port));
                let sites = Arc::new(pipeline(service).into_websites(&first.name));
                // A script of a website may serve all paths of its port.
                bound.push((service_routes(sites), endpoint, listener, false));
            }
        }
        local_services.set_services(services_of(&addresses, &pipelines));
        let seeder = Seeder::new(&services, &config.accounts, &store, &environment, config.seed.clone());
        if let Some(folder) = &config.seed {
            seeder.write_to_empty_accounts(seed::read(folder)?).await?;
        }
        let page_key = Arc::new(PageKey::random()?);
        let control_state = Arc::new(ControlState {
            control: config.control,
            page_key: page_key.clone(),
            hosts: hosts(config),
            services,
            operations,
            addresses: addresses.iter().chain(&lake_address).map(Address::of_service).collect(),
            declared: declared(config),
            accounts: accounts.clone(),
            location: config.location.clone(),
            started: environment.machine(),
            environment: environment.clone(),
            diagnostics,
            store: store.clone(),
            checkpoints: Checkpoints::default(),
            seeder,
            tls: automatic_tls,
        });
        let console = Arc::new(Console::new(apis, page_key, hosts(config)));
        let mut listeners = JoinSet::new();
        let (connections, alive) = watch::channel(());
        for (routes, endpoint, listener, has_console) in bound {
            let page = if has_console { console.routes(&endpoint.host) } else { Router::new() };
            let router = control::routes(control_state.clone()).merge(page).merge(routes);
            let options =
                ConnectionOptions { tls: listener_tls.clone(), idle_timeout: endpoint.keep_alive, alive: alive.clone() };
            listeners.spawn(serve::serve(listener, router, options));
        }
        Ok(Emulator {
            account,
            addresses,
            websites,
            lake: lake_address,
            environment,
            #[cfg(test)]
            files,
            #[cfg(test)]
            blobs,
            store,
            recovered,
            listeners,
            connections,
            _background: background,
        })
    }

    /// The addresses of the services, in the order Blob, Queue, Table, File.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The address of the static websites, if they have their own port.
    pub fn websites(&self) -> Option<&Address> {
        self.websites.as_ref()
    }

    /// The address of the port for Data Lake clients that nothing else distinguishes, if there is one.
    pub fn data_lake(&self) -> Option<&Address> {
        self.lake.as_ref()
    }

    /// The URL of a service's endpoint for an account, without a trailing `/`. `None` if the service does not run.
    pub fn endpoint(&self, kind: ServiceKind, account: &str) -> Option<String> {
        let own = self.lake.iter().chain(&self.addresses).find(|address| address.kind == kind);
        own.or_else(|| self.addresses.iter().find(|address| address.kind == kind.at_port()))
            .map(|address| format!("{}/{account}", address.url()))
    }

    /// The connection string of the first account, with the endpoints of all services that run.
    pub fn connection_string(&self) -> String {
        connection_string(&self.account, &self.addresses)
    }

    /// The URL of a service's endpoint for the first account, with a signature that allows everything until the year 2100: for clients
    /// that have no account keys, such as the official crates for Rust. `None` if the service does not run.
    pub fn sas_url(&self, kind: ServiceKind) -> Option<String> {
        let fields = SasFields { permissions: "rwdxylacupitf", services: "bqtf", resource_types: "sco", expiry: "2100-01-01" };
        let (endpoint, sas) = (self.endpoint(kind, &self.account.name)?, control::account_sas(&self.account, &fields)?);
        Some(format!("{endpoint}?{sas}"))
    }

    /// The name of the first account.
    pub fn account(&self) -> &str {
        &self.account.name
    }

    /// The server's time.
    pub fn now(&self) -> SystemTime {
        self.environment.now().into()
    }

    /// Moves the server's time forward: what expires in this span has expired afterwards.
    pub fn advance(&self, by: Duration) {
        self.environment.advance(by);
    }

    /// Stops the server. When this returns, its connections are closed, its ports are free, and its data is in the location, which
    /// another server can use.
    pub async fn stop(mut self) {
        let disk_closed = self.store.disk().map(|disk| disk.closed());
        let connections = self.connections.clone();
        self.listeners.shutdown().await;
        // The services and the tasks in the background.
        drop(self);
        connections.closed().await;
        if let Some(closed) = disk_closed {
            closed.await;
        }
    }

    /// Messages about the recovery of the data in the location. Empty for a server in memory.
    pub(crate) fn recovered(&self) -> &[String] {
        &self.recovered
    }

    /// Where the server stores its data.
    #[cfg(test)]
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}

/// The connection string of an account, with the endpoints at these addresses.
///
/// It has no `DfsEndpoint`: the SDK for .NET refuses a string with a name that it does not know, and clients of Data Lake take the
/// Blob service's endpoint.
fn connection_string(account: &Account, addresses: &[Address]) -> String {
    let addresses: Vec<ServiceAddress> = addresses.iter().map(Address::of_service).collect();
    control::connection_string(account, &addresses)
}

/// The ports and pipelines of the services, for [`LocalServices`]. Websites are not copy sources.
fn services_of(addresses: &[Address], pipelines: &[Arc<Pipeline>]) -> Vec<(u16, Weak<Pipeline>)> {
    let service = |pipeline: &Arc<Pipeline>| {
        let address = addresses.iter().find(|address| address.kind == pipeline.service().kind())?;
        Some((address.port, Arc::downgrade(pipeline)))
    };
    pipelines.iter().filter_map(service).collect()
}

/// The names of the declared accounts.
fn declared(config: &Config) -> Vec<String> {
    config.accounts.iter().map(|account| account.name.clone()).filter(|name| name != ANY_NAME).collect()
}

/// The hosts by which control requests may name the server: those of `--control-host` and `--tls-name`, and where it listens.
fn hosts(config: &Config) -> Vec<String> {
    let names = if let Tls::Automatic { names, .. } = &config.tls { names.as_slice() } else { &[] };
    let endpoints = [&config.blob, &config.queue, &config.table, &config.file].into_iter().flatten();
    config.control_hosts.iter().chain(names).chain(endpoints.map(|endpoint| &endpoint.host)).cloned().collect()
}

/// Routes all requests to the pipeline.
fn service_routes(pipeline: Arc<Pipeline>) -> Router {
    let handler = |State(pipeline): State<Arc<Pipeline>>, request| async move { answer(&pipeline, request).await };
    let routes = match pipeline.has_issuer() {
        true => Router::new().route(identity::ROUTE, any(handler)),
        false => Router::new(),
    };
    routes.fallback(handler).with_state(pipeline)
}

/// Routes each request to the pipeline of its API.
fn blob_routes(port: BlobPort) -> Router {
    let handler = |State(port): State<Arc<BlobPort>>, request| async move { answer(port.pipeline(&request), request).await };
    let routes = match port.blob.has_issuer() {
        true => Router::new().route(identity::ROUTE, any(handler)),
        false => Router::new(),
    };
    routes.fallback(handler).with_state(Arc::new(port))
}

async fn answer(pipeline: &Arc<Pipeline>, request: Request) -> Response {
    if let Some(refusal) = host::refusal(&request) {
        return refusal;
    }
    let host = host::of(request.uri(), request.headers());
    if let Some(refusal) = worker_refusal(host, request.headers()).filter(|_| !pipeline.serves_site(host)) {
        return refusal;
    }
    let landing = landing(pipeline.service().kind(), &request);
    let unknown = || Peer::new(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0), false);
    let peer = request.extensions().get::<Peer>().cloned().unwrap_or_else(unknown);
    if let Some(issuer) = pipeline.issuer_of(&request) {
        let host = host::of(request.uri(), request.headers()).to_owned();
        return issuer.answer(request, &host, peer.https, |name| pipeline.is_account(name)).await;
    }
    landing.apply(pipeline.answer(request, peer).await)
}

fn service(
    kind: ServiceKind,
    accounts: &Accounts,
    store: &Store,
    blobs: &Arc<Blobs>,
    files: &Arc<Files>,
) -> Result<Arc<dyn Service>, CorruptRecord> {
    Ok(match kind {
        ServiceKind::Blob => blobs.clone(),
        ServiceKind::DataLake => Arc::new(DataLake::new(blobs.clone())),
        ServiceKind::Queue => Arc::new(Queues::open(accounts, store)?),
        ServiceKind::Table => Arc::new(Tables::open(accounts, store)?),
        ServiceKind::File => files.clone(),
    })
}

/// Reads the certificate and the key for https, if the configuration names them.
///
/// # Errors
/// [`TlsError`] if a file cannot be read or used.
pub(crate) fn load_tls(config: &Config) -> Result<Option<ServerTls>, TlsError> {
    match &config.tls {
        Tls::Files { cert, key } => tls::load(cert, key).map(Some),
        Tls::Off | Tls::Automatic { .. } => Ok(None),
    }
}

/// The certificate that a server with this configuration makes itself, if it does.
fn automatic_tls(config: &Config) -> Option<Arc<AutomaticTls>> {
    let is_automatic = matches!(config.tls, Tls::Automatic { .. });
    is_automatic.then(|| Arc::new(AutomaticTls::new(tls_folder(config), certificate_names(config))))
}

/// The names of a server, which its certificate has if it makes one.
fn certificate_names(config: &Config) -> CertificateNames {
    let others: &[String] = if let Tls::Automatic { names, .. } = &config.tls { names } else { &[] };
    let endpoints = [&config.blob, &config.queue, &config.table, &config.file];
    let hosts = endpoints.into_iter().flatten().map(|endpoint| endpoint.host.as_str());
    let accounts = config.accounts.iter().map(|account| account.name.as_str());
    CertificateNames::of_server(accounts, hosts, others)
}

/// The folder of the authority of a server: with its data or, if that is in memory, with the state of the user. `None` if the
/// environment names none.
pub(crate) fn tls_folder(config: &Config) -> Option<PathBuf> {
    if let Tls::Automatic { folder: Some(folder), .. } = &config.tls {
        return Some(folder.clone());
    }
    let parent = config.location.clone().or_else(|| state_folder(&|name| std::env::var_os(name)));
    parent.map(|parent| parent.join(TLS_FOLDER))
}
