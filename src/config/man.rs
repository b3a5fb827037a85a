//! The man page, written from the table of flags.

use crate::client_variables::CLIENT_VARIABLES;
use crate::config::flags::{Flag, FlagKind, SECTIONS, VARIABLES};

/// The parts before the flags, and after the variables.
const HEAD: &str = include_str!("man_head.roff");
const TAIL: &str = include_str!("man_tail.roff");

/// The longest line, in characters.
const WIDTH: usize = 79;

/// The man page, in troff with the macros of man(7).
pub(super) fn page() -> String {
    let mut text = format!(".TH LAZULI 1 \"\" \"Lazuli {}\" \"User Commands\"\n{HEAD}", env!("CARGO_PKG_VERSION"));
    text += ".SH OPTIONS\n";
    for section in SECTIONS {
        text += &format!(".SS \"{}\"\n", escaped(section.title));
        section.flags().for_each(|flag| text += &entry(flag));
    }
    text += ".SH ENVIRONMENT\nEvery option above except the commands has a variable,\nwhich counts where the option is not given:\n\
             .B LAZULI_BLOB_PORT\nfor\n.BR \\-\\-blob\\-port .\nThese variables of Azurite are read, too:\n";
    for variable in VARIABLES {
        text += &format!(".TP\n.B {}\n{}", escaped(variable.name), paragraph(&format!("{}.", variable.meaning)));
    }
    text += ".PP\nThese variables are set by\n.B run\nand printed by\n.BR env :\n";
    for variable in CLIENT_VARIABLES {
        text += &format!(".TP\n.B {}\n{}", escaped(variable.name), paragraph(&format!("{}.", variable.meaning)));
    }
    text + TAIL
}

fn entry(flag: &Flag) -> String {
    let short = flag.short.map_or(String::new(), |letter| format!("\\fB\\-{letter}\\fR, "));
    let word = flag.word().map_or(String::new(), |word| format!(" \\fI{}\\fR", escaped(word)));
    let default = flag.default.map_or(String::new(), |value| format!(" The default is {value}."));
    let azurite = flag.azurite.filter(|name| *name != flag.name).map_or(String::new(), |name| format!(" In Azurite: --{name}."));
    let again = if matches!(flag.kind, FlagKind::Values(_)) { " \\&..." } else { "" };
    let text = paragraph(&format!("{}.{default}{azurite}", flag.meaning));
    format!(".TP\n{short}\\fB\\-\\-{}\\fR{word}{again}\n{text}", escaped(flag.name))
}

/// Text in lines that are not longer than `WIDTH`, except where a word is.
fn paragraph(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ').map(escaped) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if line.len() + 1 + word.len() <= WIDTH => *line = format!("{line} {word}"),
            _ => lines.push(word),
        }
    }
    lines.join("\n") + "\n"
}

/// Text as troff prints it, wherever it stands in a line: a minus is one that can be copied to a shell.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
