//! The text of `--help`, written from the table of flags.

use crate::client_variables::CLIENT_VARIABLES;
use crate::config::flags::{Flag, SECTIONS, VARIABLES};

/// The column of the descriptions in `--help`.
const MARGIN: usize = 42;
/// The longest line of `--help`, in characters.
const WIDTH: usize = 116;

/// The text of `--help`.
pub(super) fn help() -> String {
    let mut text =
        concat!("Lazuli ", env!("CARGO_PKG_VERSION"), ": an Azure Storage server for development and tests\n\n").to_owned();
    text += "Usage: lazuli [FLAG]...\n       lazuli run [FLAG]... -- COMMAND [ARGUMENT]...\n       lazuli env [FLAG]...\n       \
             lazuli trust [--undo] [--location DIR]\n       lazuli import --from-azurite DIR --location DIR\n       lazuli --check --location DIR\n\n\
             Without flags it serves the account devstoreaccount1 on 127.0.0.1 and keeps data in memory. Ctrl-C stops it.\n";
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

/// A term and its description in two columns, with the description wrapped.
fn columns(term: &str, meaning: &str) -> String {
    let mut text = format!("  {term:<width$}", width = MARGIN - 2);
    let mut column = text.len();
    for word in meaning.split(' ') {
        if column > MARGIN && column + 1 + word.len() > WIDTH {
            text = format!("{}\n{:MARGIN$}", text.trim_end(), "");
            column = MARGIN;
        }
        text += word;
        text.push(' ');
        column += word.len() + 1;
    }
    format!("{}\n", text.trim_end())
}
