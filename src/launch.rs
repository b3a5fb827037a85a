//! The command of `lazuli run`: a process that gets the signals that the server gets.

use std::ffi::OsString;
use std::io;
use std::io::ErrorKind;
use std::process::ExitStatus;
use thiserror::Error;
use tokio::process::{Child, Command};

/// Why a command does not run.
#[derive(Debug, Error)]
pub enum LaunchError {
    #[error("{} cannot be run: {error}", .program.display())]
    Start { program: OsString, error: io::Error },
    #[error("the command cannot be waited for: {0}")]
    Wait(io::Error),
}

impl LaunchError {
    /// The exit status that shells have for this error.
    pub fn status(&self) -> u8 {
        match self {
            LaunchError::Start { error, .. } if error.kind() == ErrorKind::NotFound => 127,
            LaunchError::Start { .. } => 126,
            LaunchError::Wait(_) => 1,
        }
    }
}

/// Runs a command, and returns its exit status.
///
/// # Errors
/// [`LaunchError`].
pub async fn run(mut command: Command) -> Result<u8, LaunchError> {
    let program = command.as_std().get_program().to_owned();
    let failed = |error| LaunchError::Start { program: program.clone(), error };
    let mut signals = Signals::listen().map_err(failed)?;
    let mut child = command.spawn().map_err(failed)?;
    loop {
        tokio::select! {
            ended = child.wait() => return ended.map(status).map_err(LaunchError::Wait),
            signal = signals.next() => forward(&child, signal),
        }
    }
}

/// The exit status of a command as a shell reports it: 128 and the signal that killed it.
#[cfg(unix)]
fn status(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let number = status.code().or_else(|| Some(128 + status.signal()?));
    number.and_then(|number| u8::try_from(number).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn status(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The signals that end a program, which the command gets instead of this process.
#[cfg(unix)]
struct Signals(Vec<(tokio::signal::unix::Signal, rustix::process::Signal)>);

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        let all = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
        let ignored = ignored_signals();
        let listen = |number: Signal| Ok((signal(SignalKind::from_raw(number.as_raw()))?, number));
        let heard = all.into_iter().filter(|number| ignored & (1 << (number.as_raw() - 1)) == 0);
        heard.map(listen).collect::<io::Result<_>>().map(Signals)
    }

    /// The next signal.
    async fn next(&mut self) -> rustix::process::Signal {
        std::future::poll_fn(|context| {
            let mut arrived =
                self.0.iter_mut().filter_map(|(signal, number)| signal.poll_recv(context).is_ready().then_some(*number));
            arrived.next().map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

/// The signals that this process ignores, a bit each: SIGHUP under `nohup`. A command inherits that, but only if there is no handler for
/// them here.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system tells it in a file")]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn ignored_signals() -> u64 {
    0
}

/// Sends a signal to the command. A key such as Ctrl-C has already sent it to all processes in the foreground of the terminal; a second one
/// would end most test runners before they have cleaned up.
#[cfg(unix)]
fn forward(child: &Child, signal: rustix::process::Signal) {
    use rustix::process::{Pid, Signal, kill_process};
    if matches!(signal, Signal::INT | Signal::QUIT) && is_in_foreground() {
        return;
    }
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(Err(error)) = id.map(|id| kill_process(id, signal)) {
        tracing::warn!("the signal is not forwarded to the command: {error}");
    }
}

/// Returns true if this process is in the foreground of its terminal.
#[cfg(unix)]
fn is_in_foreground() -> bool {
    let terminal = std::fs::OpenOptions::new().read(true).open("/dev/tty");
    let foreground = terminal.ok().and_then(|terminal| rustix::termios::tcgetpgrp(terminal).ok());
    foreground == Some(rustix::process::getpgrp())
}

/// The key Ctrl-C, which the system sends to the command, too. This process waits for the command.
#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak);

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals(tokio::signal::windows::ctrl_c()?, tokio::signal::windows::ctrl_break()?))
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}

#[cfg(not(unix))]
fn forward(_: &Child, (): ()) {}
