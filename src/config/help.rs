//! The text of `--help`, written from the table of flags.

use crate::client_variables::CLIENT_VARIABLES;
use crate::config::flags::{Flag, SECTIONS, VARIABLES, flags};

/// The column of the descriptions in `--help`.
const MARGIN: usize = 42;
/// The longest line of `--help`, in characters.
const WIDTH: usize = 116;

/// A command of the program, which has a help of its own: `lazuli run --help`.
pub(super) struct Topic {
    /// The name of its flag.
    pub(super) name: &'static str,
    usage: &'static str,
    /// The flags that it is used with.
    pub(super) flags: &'static [&'static str],
    /// Whether it sets or prints the variables of clients.
    has_variables: bool,
}

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "run",
        usage: "lazuli run [FLAG]... -- COMMAND [ARGUMENT]...",
        flags: &["credential", "oauth", "identity", "account", "tls", "location", "control", "log"],
        has_variables: true,
    },
    Topic {
        name: "env",
        usage: "lazuli env [FLAG]...",
        flags: &["format", "oauth", "credential", "identity", "account", "tls", "location"],
        has_variables: true,
    },
    Topic { name: "trust", usage: "lazuli trust [--undo] [--location DIR]", flags: &["undo", "location"], has_variables: false },
    Topic {
        name: "import",
        usage: "lazuli import --from-azurite DIR --location DIR",
        flags: &["from-azurite", "location", "durability"],
        has_variables: false,
    },
    Topic { name: "check", usage: "lazuli --check --location DIR", flags: &["location"], has_variables: false },
];

/// The text of `--help`. For a command that is given with it, it is about that command.
pub(super) fn help(given: impl Fn(&str) -> bool) -> String {
    TOPICS.iter().find(|topic| given(topic.name)).map_or_else(help_of_all, help_of)
}

fn help_of(topic: &Topic) -> String {
    let flag = |name: &str| flags().find(|flag| flag.name == name);
    let mut text = format!("Usage: {}\n\n", topic.usage);
    text += &flag(topic.name).map_or(String::new(), |flag| paragraph(flag.meaning));
    text.push('\n');
    for flag in topic.flags.iter().filter_map(|name| flag(name)) {
        text += &entry(flag);
    }
    if topic.has_variables {
        text += "\nThe other flags are those of the server: lazuli --help\n\nThe variables:\n\n";
        for variable in CLIENT_VARIABLES {
            text += &columns(variable.name, variable.meaning);
        }
    }
    text
}

fn help_of_all() -> String {
    let mut text =
        concat!("Lazuli ", env!("CARGO_PKG_VERSION"), ": an Azure Storage server for development and tests\n\n").to_owned();
    text += "Usage: lazuli [FLAG]...\n";
    for topic in TOPICS {
        text += &format!("       {}\n", topic.usage);
    }
    text += "\nWithout flags it serves the account devstoreaccount1 on 127.0.0.1 and keeps data in memory. Ctrl-C stops it.\n";
    for section in SECTIONS {
        text += &format!("\n{}\n", section.title);
        for flag in section.flags() {
            text += &entry(flag);
        }
    }
    text += "\nEvery flag of a server has a variable, such as LAZULI_BLOB_PORT for --blob-port. The flag takes precedence.\n\
             Azurite's flags (--blobPort) work too, and so do these variables of Azurite:\n\n";
    for variable in VARIABLES {
        text += &columns(variable.name, variable.meaning);
    }
    text += "\nVariables of clients, which run sets and env prints:\n\n";
    for variable in CLIENT_VARIABLES {
        text += &columns(variable.name, variable.meaning);
    }
    text
}

fn entry(flag: &Flag) -> String {
    let short = flag.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
    let word = flag.word().map_or(String::new(), |word| format!(" {word}"));
    let default = flag.default.map_or(String::new(), |value| format!(" [default: {value}]"));
    columns(&format!("{short}--{}{word}", flag.name), &format!("{}{default}", flag.meaning))
}

/// A sentence, wrapped.
fn paragraph(sentence: &str) -> String {
    wrapped(String::new(), 0, sentence)
}

/// A term and its description in two columns, with the description wrapped.
fn columns(term: &str, meaning: &str) -> String {
    wrapped(format!("  {term:<width$}", width = MARGIN - 2), MARGIN, meaning)
}

/// A line, continued with these words, and wrapped. The lines below it begin at the column `margin`.
fn wrapped(mut text: String, margin: usize, words: &str) -> String {
    let mut column = text.len();
    for word in words.split(' ') {
        if column > margin && column + 1 + word.len() > WIDTH {
            text = format!("{}\n{:margin$}", text.trim_end(), "");
            column = margin;
        }
        text += word;
        text.push(' ');
        column += word.len() + 1;
    }
    format!("{}\n", text.trim_end())
}
