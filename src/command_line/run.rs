//! `lazuli run`: a server, and a command that finds it by its variables.

use crate::authority::{AuthorityErrorKind, TrustFiles};
use crate::command_line::env::{NO_FOLDER, inherited, write_trust_files};
use crate::command_line::{Failure, release_memory};
use crate::config::{Config, Tls};
use crate::emulator::client::settings_of_server;
use crate::emulator::{Emulator, load_tls, tls_folder};
use crate::environment::Environment;
use crate::http::tls::ServerTls;
use crate::log::{Logger, Stream};
use crate::progress::Progress;
use crate::store::disk::folder::TLS_FOLDER;
use crate::{launch, log};
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::process::Command;

/// Runs a server and a command, and returns the exit status of the command.
pub fn run(mut config: Config, program: &OsString, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let tls = load_tls(&config)?;
    config.warnings.extend(tls.as_ref().and_then(|tls| tls.warning.clone()));
    let mut temporary = TemporaryFolder::default();
    let trust = trust_files(&mut config, &mut temporary)?;
    let file = config.debug.as_deref().map(log::open).transpose()?;
    let logger = Logger::start(&config.log, Stream::Stderr, file)?;
    let _release = release_memory()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(run_beside_server(&config, tls, trust, &logger, program, arguments));
    runtime.shutdown_background();
    logger.end();
    outcome
}

async fn run_beside_server(
    config: &Config,
    tls: Option<ServerTls>,
    trust: Option<TrustFiles>,
    logger: &Logger,
    program: &OsString,
    arguments: &[OsString],
) -> Result<ExitCode, Failure> {
    config.warnings.iter().for_each(|warning| logger.complain(warning));
    let progress = Progress::shown(|line| tracing::info!("{line}"));
    let emulator = Emulator::start_with(config, tls, Environment::real(), &progress).await?;
    emulator.recovered().iter().for_each(|sentence| tracing::info!("{sentence}"));
    let settings = settings_of_server(&emulator, config, trust).ok_or("the first account has no key")?;
    let mut command = Command::new(program);
    command.args(arguments).envs(settings.variables(&inherited));
    for name in settings.removed_variables(&inherited) {
        tracing::info!("the command does not inherit {name}: it would sign in with it elsewhere");
        command.env_remove(name);
    }
    let ended = launch::run(command).await;
    emulator.stop().await;
    Ok(ExitCode::from(match ended {
        Ok(status) => status,
        Err(error) => {
            logger.complain(&error.to_string());
            error.status()
        }
    }))
}

/// Writes the files that make the command trust the server. Where the folder of the authority cannot be used, the server has one in a
/// temporary folder.
fn trust_files(config: &mut Config, temporary: &mut TemporaryFolder) -> Result<Option<TrustFiles>, Failure> {
    let own = tls_folder(config);
    let Tls::Automatic { folder: configured, .. } = &mut config.tls else { return Ok(None) };
    let reason = match own.as_deref().map(write_trust_files) {
        Some(Ok((_, files))) => return Ok(Some(files)),
        Some(Err(error)) => match error.0 {
            AuthorityErrorKind::Folder { .. } | AuthorityErrorKind::CannotWrite { .. } => error.to_string(),
            _ => return Err(error.into()),
        },
        None => NO_FOLDER.to_owned(),
    };
    let folder = temporary.path().join(TLS_FOLDER);
    let (_, files) = write_trust_files(&folder)?;
    *configured = Some(folder);
    config.warnings.push(format!("https uses a certificate authority of this run only: {reason}"));
    Ok(Some(files))
}

/// A folder for one run. It is deleted on drop.
#[derive(Debug, Default)]
struct TemporaryFolder(Option<PathBuf>);

impl TemporaryFolder {
    /// The path of the folder, which may not exist yet.
    fn path(&mut self) -> &PathBuf {
        self.0.get_or_insert_with(|| {
            let unique = RandomState::new().hash_one(std::process::id());
            std::env::temp_dir().join(format!("lazuli-run-{}-{unique:016x}", std::process::id()))
        })
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            _ = std::fs::remove_dir_all(path);
        }
    }
}
