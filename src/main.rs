//! Arguments in, server out.

use lazuli::config::{Command, Config, ConfigError, ProgramName, WELL_KNOWN_ACCOUNT};
use lazuli::environment::Environment;
use lazuli::http::tls;
use lazuli::http::tls::{ServerTls, TlsError};
use lazuli::log::{LogError, Logger, complain, say};
use lazuli::operation::ServiceKind;
use lazuli::store::disk::Durability;
use lazuli::user::{User, UserError};
use lazuli::{Emulator, StartError, config, log, user};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often memory is given back to the system.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// Why the program ends without having done what it was asked for.
#[derive(Debug, Error)]
enum MainError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    User(#[from] UserError),
    /// The server was started as root and cannot become the user of `--user`.
    #[error("--user: {0}; --user 0 stays root")]
    StaysRoot(UserError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("{0}")]
    Import(String),
    /// The system refuses a thread or a signal handler.
    #[error(transparent)]
    System(#[from] io::Error),
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let program = arguments.first().map_or(ProgramName::Lazuli, |program| ProgramName::of(program));
    let outcome = match config::read(arguments, &|name| std::env::var(name).ok()) {
        Err(mistake) => Err(mistake.into()),
        Ok(Command::Print(text)) => {
            say(text.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Health(config)) => Ok(healthy(&config)),
        Ok(Command::Check(location)) => Ok(check(&location)),
        Ok(Command::Import { from, to, durability }) => import(&from, &to, durability),
        Ok(Command::Serve(config)) => serve(config),
    };
    outcome.unwrap_or_else(|error| {
        complain(&error.to_string());
        ExitCode::from(program.failure())
    })
}

fn healthy(config: &Config) -> ExitCode {
    match lazuli::health::ask(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// What a location holds goes to stdout, what is wrong with it to stderr.
fn check(location: &Path) -> ExitCode {
    let checked = lazuli::check::check(location);
    checked.found.iter().for_each(|line| say(line));
    checked.wrong.iter().for_each(|line| complain(line));
    if !checked.wrong.is_empty() {
        return ExitCode::FAILURE;
    }
    say("No damage found");
    ExitCode::SUCCESS
}

fn import(from: &Path, to: &Path, durability: Durability) -> Result<ExitCode, MainError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let imported =
        runtime.block_on(lazuli::import::azurite(from, to, durability, Environment::real())).map_err(MainError::Import)?;
    say(&format!("Brought over to {}: {}", to.display(), imported.brought));
    imported.left.iter().for_each(|line| complain(line));
    Ok(if imported.left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Gives memory that became free back to the system, also while nobody asks for anything, until what this returns is dropped.
///
/// The allocator looks at what has been free for a while only when somebody takes whole megabytes from it. So somebody does, once a
/// second: that costs microseconds where there is nothing to give back.
fn keep_house() -> io::Result<Sender<()>> {
    let (alive, ended) = channel::<()>();
    let house = move || {
        while ended.recv_timeout(HOUSEKEEPING) == Err(RecvTimeoutError::Timeout) {
            let mut megabyte = Vec::<u8>::with_capacity(1 << 20);
            megabyte.push(1);
            drop(std::hint::black_box(megabyte));
        }
    };
    std::thread::Builder::new().name("lazuli-memory".to_owned()).spawn(house)?;
    Ok(alive)
}

fn serve(mut config: Config) -> Result<ExitCode, MainError> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into())));
    config.warnings.extend(config::strangers(variables));
    // Only root may be able to read the key and to open the file, so both come before the server gives that up; and that comes before
    // there is a second thread, which would stay root.
    let user = user::to_become(config.user, config.location.as_deref())?;
    let tls = config.tls.as_ref().map(|tls| tls::load(&tls.cert, &tls.key)).transpose()?;
    config.warnings.extend(tls.as_ref().and_then(|tls| tls.warning.clone()));
    let file = config.debug.as_deref().map(log::open).transpose()?;
    if let Some(Err(error)) = user.map(|user| user::take_on(user, config.location.as_deref())) {
        // A container whose root has no rights to give up is as good.
        match config.user {
            Some(User::Owner) => config.warnings.push(format!("{error}: the server stays root")),
            _ => return Err(MainError::StaysRoot(error)),
        }
    }
    let voice = Logger::start(&config.log_options(), file)?;
    let _house = keep_house()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(run(&config, tls, &voice));
    // Open connections and unread bodies do not hold up the end.
    runtime.shutdown_background();
    voice.end();
    outcome
}

async fn run(config: &Config, tls: Option<ServerTls>, voice: &Logger) -> Result<ExitCode, MainError> {
    config.warnings.iter().for_each(|warning| voice.complain(warning));
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let emulator = Emulator::start_with(config, tls, Environment::real()).await?;
    announce(config, &emulator, voice);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    farewell(config, &emulator, voice);
    Ok(ExitCode::SUCCESS)
}

/// The lines that people, and the tools made for Azurite, wait for.
fn announce(config: &Config, emulator: &Emulator, voice: &Logger) {
    let azurite = config.program != ProgramName::Lazuli;
    for address in emulator.addresses() {
        let (name, url) = (address.kind.name(), address.url());
        match azurite {
            false => voice.say(&format!("Lazuli {name} service is listening at {url}")),
            true if address.kind == ServiceKind::File => {}
            true => {
                voice.say(&format!("Azurite {name} service is starting at {url}"));
                voice.say(&format!("Azurite {name} service is successfully listening at {url}"));
            }
        }
        let (host, port) = (&address.host, address.port);
        match (config.program, address.kind) {
            (ProgramName::AzuriteBlob, ServiceKind::Blob) | (ProgramName::AzuriteQueue, ServiceKind::Queue) => {
                voice.say(&format!("Azurite {name} service successfully listens on {url}"));
            }
            (ProgramName::AzuriteTable, ServiceKind::Table) => {
                voice.say(&format!("Azurite {name} service successfully started on {host}:{port}"));
            }
            _ => {}
        }
    }
    if let Some(address) = emulator.websites() {
        voice.say(&format!("{} Web service is listening at {}", if azurite { "Azurite" } else { "Lazuli" }, address.url()));
    }
    if !azurite {
        voice.say(&connection_string(config, emulator));
        match &config.location {
            Some(place) => voice.say(&format!("Data is kept in {}", place.display())),
            None => voice.say("Data is kept in memory and is lost when the server stops"),
        }
    }
    emulator.recovered().iter().for_each(|sentence| voice.complain(sentence));
}

/// What a client needs to connect as the first account.
fn connection_string(config: &Config, emulator: &Emulator) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let Some(account) = config.accounts.first() else { return String::new() };
    let scheme = emulator.addresses().first().map_or("http", |address| address.scheme);
    let mut text =
        format!("DefaultEndpointsProtocol={scheme};AccountName={};AccountKey={};", account.name, STANDARD.encode(&account.key));
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        if let Some(url) = emulator.url(kind, &account.name) {
            text.push_str(&format!("{}Endpoint={url};", kind.name()));
        }
    }
    if account.name == WELL_KNOWN_ACCOUNT {
        format!("Connection string: {text}")
    } else {
        format!("Connection string of {}: {text}", account.name)
    }
}

fn farewell(config: &Config, emulator: &Emulator, voice: &Logger) {
    if config.program == ProgramName::Lazuli {
        return;
    }
    for address in emulator.addresses().iter().filter(|address| address.kind != ServiceKind::File) {
        voice.say(&format!("Azurite {} service is closing...", address.kind.name()));
        voice.say(&format!("Azurite {} service successfully closed", address.kind.name()));
    }
}
