//! The output of a running server: its ready lines, its warnings and its log. Writing never waits for a reader ([`lossy`]).

mod error;
mod file;
pub mod lossy;
mod text;

use crate::log::lossy::{LossyWriter, Notice};
pub use error::LogError;
pub use file::open;
use std::io;
use std::io::Write;
use std::time::Duration;
pub use text::ACCESS;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// The format of the log on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One line of text per event.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// The stream of the log and of the ready lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    /// Where standard output is that of another command.
    Stderr,
}

/// The options of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The lowest level that is logged.
    pub level: tracing::Level,
    /// The format on standard output.
    pub format: Format,
    /// Whether requests are not logged.
    pub silent: bool,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions { level: tracing::Level::INFO, format: Format::Text, silent: false }
    }
}

/// How long a server that stops waits for a reader of its last lines.
const LAST_LINES: Duration = Duration::from_millis(300);

/// The streams of a running server.
#[derive(Debug)]
pub struct Logger {
    out: LossyWriter,
    err: LossyWriter,
    file: Option<LossyWriter>,
}

impl Logger {
    /// Starts the threads that write to both streams, and the log: to a stream by the options, and at the level debug to `file`.
    ///
    /// # Errors
    /// [`LogError::Thread`].
    pub fn start(options: &LogOptions, stream: Stream, file: Option<std::fs::File>) -> Result<Logger, LogError> {
        let notice: Notice = match options.format {
            Format::Text => text::dropped,
            Format::Json => |count| {
                format!("{}\n", serde_json::json!({ "level": "WARN", "message": text::dropped_message(count), "dropped": count }))
            },
        };
        let out = match stream {
            Stream::Stdout => LossyWriter::start("stdout", io::stdout(), notice),
            Stream::Stderr => LossyWriter::start("log", io::stderr(), notice),
        };
        let out = out.map_err(LogError::Thread)?;
        let err = LossyWriter::start("stderr", io::stderr(), text::dropped).map_err(LogError::Thread)?;
        let file = file.map(|file| LossyWriter::start("debug", file, text::dropped)).transpose().map_err(LogError::Thread)?;

        let access = if options.silent { LevelFilter::OFF } else { LevelFilter::INFO };
        let filter = Targets::new().with_default(options.level).with_target(ACCESS, access);
        let lines = fmt::layer().with_writer(Lines(out.clone())).with_ansi(false).log_internal_errors(false);
        let lines = match options.format {
            Format::Text => lines.event_format(text::Text).boxed(),
            Format::Json => lines.json().flatten_event(true).with_target(false).with_current_span(false).boxed(),
        };
        let debug = file.clone().map(|file| {
            let lines = fmt::layer().with_writer(Lines(file)).with_ansi(false).log_internal_errors(false);
            lines.event_format(text::Text).with_filter(LevelFilter::DEBUG).boxed()
        });
        // A list, because `tracing` would compute the fields of all events for an optional layer that is absent.
        let layers: Vec<_> = std::iter::once(lines.with_filter(filter).boxed()).chain(debug).collect();
        _ = tracing::subscriber::set_global_default(Registry::default().with(layers));
        // A panic is logged like any event, because the default hook would block on standard error.
        std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
        Ok(Logger { out, err, file })
    }

    /// Writes a line to the stream of the log.
    pub fn say(&self, line: &str) {
        self.out.send(format!("{line}\n").as_bytes());
    }

    /// Writes a line to standard error.
    pub fn complain(&self, line: &str) {
        self.err.send(format!("lazuli: {line}\n").as_bytes());
    }

    /// Waits until the last lines are written, but at most `LAST_LINES` for each stream.
    pub fn end(&self) {
        for lines in [&self.out, &self.err].into_iter().chain(&self.file) {
            lines.flush(LAST_LINES);
        }
    }
}

/// Makes `tracing` write its lines to a stream.
struct Lines(LossyWriter);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = LossyWriter;

    fn make_writer(&'a self) -> LossyWriter {
        self.0.clone()
    }
}

/// Writes a line to standard output while no server runs.
pub fn say(line: &str) {
    _ = writeln!(io::stdout(), "{line}");
}

/// Writes a line to standard error while no server runs.
pub fn complain(line: &str) {
    _ = writeln!(io::stderr(), "lazuli: {line}");
}
