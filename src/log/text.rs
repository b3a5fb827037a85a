//! The text format of the log: the time, the level and the message. The line of a request is composed of the event's fields, which
//! the JSON format has one by one.

use std::fmt;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The target of the event that each request logs.
pub const ACCESS: &str = "lazuli::access";

/// Formats events as text.
pub struct Text;

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut line: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        SystemTime.format_time(&mut line)?;
        write!(line, " {:>5} ", event.metadata().level())?;
        if event.metadata().target() == ACCESS {
            let mut access = Access::default();
            event.record(&mut access);
            write!(line, "{access}")?;
        } else {
            context.format_fields(line.by_ref(), event)?;
        }
        writeln!(line)
    }
}

/// The message in place of dropped lines.
pub fn dropped_message(count: u64) -> String {
    format!("{count} lines were dropped here, because nobody read them")
}

/// The line in place of dropped lines.
pub fn dropped(count: u64) -> String {
    let mut time = String::new();
    _ = SystemTime.format_time(&mut Writer::new(&mut time));
    format!("{time}  WARN {}\n", dropped_message(count))
}

/// The fields of a request's event.
#[derive(Default)]
struct Access {
    fields: Vec<(&'static str, String)>,
}

impl Access {
    fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

impl Visit for Access {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.push((field.name(), format!("{value:?}")));
    }
}

/// `Blob PUT /devstoreaccount1/c/b 404 Put Blob ContainerNotFound, 0.214 ms, 7e7fac1d-… (the reason)`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |name| self.get(name).unwrap_or("-");
        if let Some(message) = self.get("message") {
            return f.write_str(message);
        }
        let part = if self.get("part").is_some() { "part " } else { "" };
        write!(f, "{} {part}{} {} {} {}", word("service"), word("method"), word("uri"), word("status"), word("operation"))?;
        if let Some(code) = self.get("code") {
            write!(f, ": {code}")?;
        }
        write!(f, ", {} ms, {}", word("milliseconds"), word("request_id"))?;
        match self.get("reason") {
            Some(reason) => write!(f, " ({reason})"),
            None => Ok(()),
        }
    }
}
