//! The program: runs a server or one of the other commands, as the command line says.

mod env;
mod run;
mod trust;

use crate::account::WELL_KNOWN_ACCOUNT;
use crate::config::{Command, Config, ProgramName, Tls};
use crate::emulator::{Emulator, load_tls};
use crate::environment::Environment;
use crate::http::tls::ServerTls;
use crate::log::{Logger, Stream, complain, say};
use crate::operation::ServiceKind;
use crate::progress::Progress;
use crate::store::disk::Durability;
use crate::store::disk::medium::MAKES_HOLES;
use crate::user::User;
use crate::{check, config, health, import, log, user};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often free memory is returned to the system.
const RELEASE_INTERVAL: Duration = Duration::from_secs(1);

/// What a system without holes in files cannot do.
const NO_HOLES: &str = "Deleted contents keep their space on this system until all in the same file of up to 256 MiB are deleted";

/// Why a command fails, in one line.
type Failure = Box<dyn std::error::Error>;

/// Runs the program `lazuli` with the arguments and the environment variables of this process, and returns its exit status.
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let program = arguments.first().map_or(ProgramName::Lazuli, |program| ProgramName::of(program));
    let outcome = match config::read(arguments, &|name| std::env::var(name).ok(), Some(Path::new(config::DEFAULT_FILE))) {
        Err(error) => Err(error.into()),
        Ok(Command::Print(text)) => {
            say(text.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Health(config)) => Ok(check_health(&config)),
        Ok(Command::Check(location)) => Ok(check_location(&location)),
        Ok(Command::Import { from, to, durability }) => import_azurite(&from, &to, durability),
        Ok(Command::Serve(config)) => serve(config),
        Ok(Command::Env(config, format)) => env::print(&config, format),
        Ok(Command::Run { config, program, arguments }) => run::run(config, &program, &arguments),
        Ok(Command::Trust { config, undo }) => trust::trust(&config, undo),
    };
    outcome.unwrap_or_else(|error| {
        complain(&error.to_string());
        ExitCode::from(program.failure())
    })
}

fn check_health(config: &Config) -> ExitCode {
    match health::check(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Prints the contents of a location to standard output and damage to standard error.
fn check_location(location: &Path) -> ExitCode {
    let checked = check::check(location, &Progress::shown(complain));
    checked.found.iter().for_each(|line| say(line));
    checked.wrong.iter().for_each(|line| complain(line));
    if !checked.wrong.is_empty() {
        return ExitCode::FAILURE;
    }
    say("No damage found");
    ExitCode::SUCCESS
}

fn import_azurite(from: &Path, to: &Path, durability: Durability) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let imported = runtime.block_on(import::azurite(from, to, durability, Environment::real(), &Progress::shown(complain)))?;
    say(&format!("Imported into {}: {}", to.display(), imported.summary));
    imported.warnings.iter().for_each(|line| complain(line));
    Ok(if imported.warnings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns free memory to the system, even while the server is idle, until the returned value is dropped.
///
/// The allocator looks for memory to return only when megabytes are allocated. So a thread allocates a megabyte every second, which
/// takes microseconds if there is nothing to return.
fn release_memory() -> io::Result<Sender<()>> {
    let (alive, ended) = channel::<()>();
    let release = move || {
        while ended.recv_timeout(RELEASE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let mut megabyte = Vec::<u8>::with_capacity(1 << 20);
            megabyte.push(1);
            drop(std::hint::black_box(megabyte));
        }
    };
    std::thread::Builder::new().name("lazuli-memory".to_owned()).spawn(release)?;
    Ok(alive)
}

fn serve(mut config: Config) -> Result<ExitCode, Failure> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into())));
    config.warnings.extend(config::unknown_variables(variables));
    // Only root may be able to read the key and to open the file of the log, so both come before the server becomes another user. That
    // comes before the first thread is started, which would stay root.
    let user = user::to_become(config.user, config.location.as_deref())?;
    let tls = load_tls(&config)?;
    config.warnings.extend(tls.as_ref().and_then(|tls| tls.warning.clone()));
    let file = config.debug.as_deref().map(log::open).transpose()?;
    if let Some(Err(error)) = user.map(|user| user::take_on(user, config.location.as_deref())) {
        // In a container, root may lack the capability to become another user. The server runs as root then.
        match config.user {
            Some(User::Owner) => config.warnings.push(format!("{error}: the server stays root")),
            _ => return Err(format!("--user: {error}; --user 0 stays root").into()),
        }
    }
    let logger = Logger::start(&config.log, Stream::Stdout, file)?;
    let _release = release_memory()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve_until_stopped(&config, tls, &logger));
    // Open connections and unread bodies do not delay the end.
    runtime.shutdown_background();
    logger.end();
    outcome
}

async fn serve_until_stopped(config: &Config, tls: Option<ServerTls>, logger: &Logger) -> Result<ExitCode, Failure> {
    config.warnings.iter().for_each(|warning| logger.complain(warning));
    let stop = stop_requested()?;
    let stdin_closed = config.stop_with_stdin.then(stdin_closed).transpose()?;
    let progress = Progress::shown(|line| tracing::info!("{line}"));
    let emulator = Emulator::start_with(config, tls, Environment::real(), &progress).await?;
    announce(config, &emulator, logger);
    notify_ready();
    match stdin_closed {
        Some(closed) => tokio::select! {
            () = stop => {}
            () = closed => {}
        },
        None => stop.await,
    }
    announce_stop(config, &emulator, logger);
    Ok(ExitCode::SUCCESS)
}

/// Handles the signals that end a program from now on. The future completes with the first of them.
#[cfg(unix)]
fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Handles Ctrl-C, Ctrl-Break, and the end of the console, the session or the system from now on. The future completes with the first
/// of them.
#[cfg(windows)]
fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
    let (mut interrupt, mut interrupt_all) = (ctrl_c()?, ctrl_break()?);
    let (mut close, mut logoff, mut shutdown) = (ctrl_close()?, ctrl_logoff()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = interrupt_all.recv() => {}
            _ = close.recv() => {}
            _ = logoff.recv() => {}
            _ = shutdown.recv() => {}
        }
    })
}

/// Reads standard input from now on, and ignores what it holds. The future completes when it is closed.
fn stdin_closed() -> io::Result<impl Future<Output = ()>> {
    let (closed, is_closed) = tokio::sync::oneshot::channel();
    let read = move || {
        _ = io::copy(&mut io::stdin(), &mut io::sink());
        _ = closed.send(());
    };
    std::thread::Builder::new().name("lazuli-stdin".to_owned()).spawn(read)?;
    Ok(async { _ = is_closed.await })
}

/// Reports to systemd that the server is ready, if the unit has `Type=notify`.
#[cfg(target_os = "linux")]
fn notify_ready() {
    if let Err(error) = sd_notify::notify(&[sd_notify::NotifyState::Ready]) {
        tracing::warn!("systemd does not learn that the server is ready: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn notify_ready() {}

/// Prints the ready lines. Tools made for Azurite wait for its lines.
fn announce(config: &Config, emulator: &Emulator, logger: &Logger) {
    let azurite = config.program != ProgramName::Lazuli;
    for address in emulator.addresses() {
        let (name, url) = (address.kind.name(), address.url());
        match azurite {
            false => logger.say(&format!("Lazuli {name} service is listening at {url}")),
            true if address.kind == ServiceKind::File => {}
            true => {
                logger.say(&format!("Azurite {name} service is starting at {url}"));
                logger.say(&format!("Azurite {name} service is successfully listening at {url}"));
            }
        }
        let (host, port) = (&address.host, address.port);
        match (config.program, address.kind) {
            (ProgramName::AzuriteBlob, ServiceKind::Blob) | (ProgramName::AzuriteQueue, ServiceKind::Queue) => {
                logger.say(&format!("Azurite {name} service successfully listens on {url}"));
            }
            (ProgramName::AzuriteTable, ServiceKind::Table) => {
                logger.say(&format!("Azurite {name} service successfully started on {host}:{port}"));
            }
            _ => {}
        }
    }
    if let Some(address) = emulator.data_lake() {
        logger.say(&format!(
            "{} Data Lake service is listening at {}",
            if azurite { "Azurite" } else { "Lazuli" },
            address.url()
        ));
    }
    if let Some(address) = emulator.websites() {
        logger.say(&format!("{} Web service is listening at {}", if azurite { "Azurite" } else { "Lazuli" }, address.url()));
    }
    if let Some(file) = &config.config_file {
        logger.say(&format!("Settings are read from {}", file.display()));
    }
    if !azurite {
        let account = emulator.account();
        let of = if account == WELL_KNOWN_ACCOUNT { String::new() } else { format!(" of {account}") };
        logger.say(&format!("Connection string{of}: {}", emulator.connection_string()));
        for account in config.accounts.iter().filter(|account| account.hns) {
            if let Some(url) = emulator.endpoint(ServiceKind::DataLake, &account.name) {
                logger.say(&format!("Data Lake endpoint of {}: {url}", account.name));
            }
        }
        if let Some(address) = emulator.addresses().first() {
            logger.say(&format!("Console: {}/_lazuli/", address.url()));
        }
        if matches!(config.tls, Tls::Automatic { .. }) {
            logger.say(
                "https is served at the same ports: lazuli run, lazuli env and lazuli trust make clients trust its certificate",
            );
        }
        match &config.location {
            Some(place) => {
                logger.say(&format!("Data is kept in {}", place.display()));
                if !MAKES_HOLES {
                    logger.say(NO_HOLES);
                }
            }
            None => logger.say("Data is kept in memory and is lost when the server stops"),
        }
    }
    emulator.recovered().iter().for_each(|sentence| logger.complain(sentence));
}

fn announce_stop(config: &Config, emulator: &Emulator, logger: &Logger) {
    if config.program == ProgramName::Lazuli {
        return;
    }
    for address in emulator.addresses().iter().filter(|address| address.kind != ServiceKind::File) {
        logger.say(&format!("Azurite {} service is closing...", address.kind.name()));
        logger.say(&format!("Azurite {} service successfully closed", address.kind.name()));
    }
}
