//! Arguments in, server out.

use lazuli::Emulator;
use lazuli::config::{self, Config, Personality, Start, WELL_KNOWN_ACCOUNT};
use lazuli::op::Kind;
use lazuli::store::disk::Durability;
use lazuli::world::World;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often memory is given back to the system.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// The exit status of a mistake in the arguments, and of a start that failed.
const MISTAKE: u8 = 2;

fn main() -> ExitCode {
    let outcome = match config::read(std::env::args_os(), &|name| std::env::var(name).ok()) {
        Err(mistake) => Err(mistake.0),
        Ok(Start::Print(text)) => {
            say(text.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Ok(Start::Health(config)) => Ok(health(&config)),
        Ok(Start::Check(location)) => Ok(check(&location)),
        Ok(Start::Import { from, to, durability }) => import(&from, &to, durability),
        Ok(Start::Serve(config)) => serve(&config),
    };
    outcome.unwrap_or_else(|mistake| {
        complain(&mistake);
        ExitCode::from(MISTAKE)
    })
}

/// What a location holds goes to stdout, what is wrong with it to stderr.
fn check(location: &Path) -> ExitCode {
    let checked = lazuli::check::check(location);
    checked.found.iter().for_each(|line| say(line));
    checked.wrong.iter().for_each(|line| complain(line));
    if !checked.wrong.is_empty() {
        return ExitCode::FAILURE;
    }
    say("It is sound");
    ExitCode::SUCCESS
}

fn import(from: &Path, to: &Path, durability: Durability) -> Result<ExitCode, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let imported = runtime.block_on(lazuli::import::azurite(from, to, durability, World::real()))?;
    say(&format!("Brought over to {}: {}", to.display(), imported.brought));
    imported.left.iter().for_each(|line| complain(line));
    Ok(if imported.left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Gives memory that became free back to the system, also while nobody asks for anything, until what this returns is dropped.
///
/// The allocator looks at what has been free for a while only when somebody takes whole megabytes from it. So somebody does, once a
/// second: that costs microseconds where there is nothing to give back.
fn keep_house() -> std::io::Result<Sender<()>> {
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

fn serve(config: &Config) -> Result<ExitCode, String> {
    log(config);
    let _house = keep_house().map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let outcome = runtime.block_on(run(config));
    // Open connections and unread bodies do not hold up the end.
    runtime.shutdown_background();
    outcome
}

async fn run(config: &Config) -> Result<ExitCode, String> {
    config.warnings.iter().for_each(|warning| complain(warning));
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let emulator = Emulator::start(config, World::real()).await?;
    announce(config, &emulator);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    farewell(config, &emulator);
    Ok(ExitCode::SUCCESS)
}

/// The lines that people, and the tools made for Azurite, wait for.
fn announce(config: &Config, emulator: &Emulator) {
    let azurite = config.personality != Personality::Lazuli;
    for address in emulator.addresses() {
        let (name, url) = (address.kind.name(), address.url());
        match azurite {
            false => say(&format!("Lazuli {name} service is listening at {url}")),
            true if address.kind == Kind::File => {}
            true => {
                say(&format!("Azurite {name} service is starting at {url}"));
                say(&format!("Azurite {name} service is successfully listening at {url}"));
            }
        }
        let (host, port) = (&address.host, address.port);
        match (config.personality, address.kind) {
            (Personality::AzuriteBlob, Kind::Blob) | (Personality::AzuriteQueue, Kind::Queue) => {
                say(&format!("Azurite {name} service successfully listens on {url}"));
            }
            (Personality::AzuriteTable, Kind::Table) => {
                say(&format!("Azurite {name} service successfully started on {host}:{port}"));
            }
            _ => {}
        }
    }
    if let Some(address) = emulator.websites() {
        say(&format!("{} Web service is listening at {}", if azurite { "Azurite" } else { "Lazuli" }, address.url()));
    }
    if !azurite {
        say(&connection_string(config, emulator));
        match &config.location {
            Some(place) => say(&format!("Data is kept in {}", place.display())),
            None => say("Data is kept in memory, and gone when the server ends"),
        }
    }
    emulator.recovered().iter().for_each(|sentence| complain(sentence));
}

/// What a client needs to connect as the first account.
fn connection_string(config: &Config, emulator: &Emulator) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let Some(account) = config.accounts.first() else { return String::new() };
    let scheme = emulator.addresses().first().map_or("http", |address| address.scheme);
    let mut text =
        format!("DefaultEndpointsProtocol={scheme};AccountName={};AccountKey={};", account.name, STANDARD.encode(&account.key));
    for kind in [Kind::Blob, Kind::Queue, Kind::Table, Kind::File] {
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

fn farewell(config: &Config, emulator: &Emulator) {
    if config.personality == Personality::Lazuli {
        return;
    }
    for address in emulator.addresses().iter().filter(|address| address.kind != Kind::File) {
        say(&format!("Azurite {} service is closing...", address.kind.name()));
        say(&format!("Azurite {} service successfully closed", address.kind.name()));
    }
}

fn log(config: &Config) {
    use tracing_subscriber::{EnvFilter, fmt};
    let access = if config.silent { "off" } else { "info" };
    let filter = format!("{level},lazuli::access={access}", level = config.log.to_string().to_lowercase());
    let subscriber = fmt().with_env_filter(EnvFilter::new(filter)).with_target(false).with_ansi(false);
    let subscriber = subscriber.log_internal_errors(false).finish();
    _ = tracing::subscriber::set_global_default(subscriber);
}

/// Asks the server that would be running with these arguments how it is. Over TLS, that it listens has to do.
fn health(config: &Config) -> ExitCode {
    let endpoints = [&config.blob, &config.queue, &config.table, &config.file];
    let Some(endpoint) = endpoints.into_iter().flatten().next() else { return ExitCode::FAILURE };
    let host = match endpoint.host.as_str() {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect((host, endpoint.port))?;
        if config.tls.is_some() {
            return Ok(true);
        }
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /_lazuli/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        Ok(answer == *b"HTTP/1.1 200")
    };
    match ask() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            complain("the server answers, and is not well");
            ExitCode::FAILURE
        }
        Err(error) => {
            complain(&format!("no server answers at {host}:{}: {error}", endpoint.port));
            ExitCode::FAILURE
        }
    }
}

/// Whoever started the server may have gone and closed the other end: that is no reason to end.
fn say(line: &str) {
    _ = writeln!(std::io::stdout(), "{line}");
}

fn complain(line: &str) {
    _ = writeln!(std::io::stderr(), "lazuli: {line}");
}
