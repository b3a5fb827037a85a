//! The text of `docs/configuration.md`, which a test writes from the table of flags.

use crate::client_variables::{CLIENT_VARIABLES, OTHER_SIGN_IN};
use crate::config::flags::{Flag, SECTIONS, VARIABLES};

/// The parts of `docs/configuration.md` before and after the tables.
const INTRODUCTION: &str = include_str!("introduction.md");
const DETAILS: &str = include_str!("details.md");

/// The text of `docs/configuration.md`.
pub(super) fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for section in SECTIONS {
        text +=
            &format!("\n## {}\n\n| Flag | In Azurite | Variable | Default | Meaning |\n|---|---|---|---|---|\n", section.title);
        for flag in section.flags() {
            text += &row(flag);
        }
    }
    text += "\n## Variables of Azurite\n\n| Variable | Meaning |\n|---|---|\n";
    for variable in VARIABLES {
        text += &format!("| `{}` | {} |\n", variable.name, variable.meaning);
    }
    text += "\n## Variables of clients\n\n`lazuli run` sets these variables, and `lazuli env` prints them.\n\n| Variable | Meaning |\n|---|---|\n";
    for variable in CLIENT_VARIABLES {
        text += &format!("| `{}` | {} |\n", variable.name, variable.meaning);
    }
    let removed: Vec<String> = OTHER_SIGN_IN.iter().map(|name| format!("`{name}`")).collect();
    text += &format!(
        "\nIf the server issues tokens, both remove variables with which clients would sign in elsewhere, unless they set them: {}. \
         `AZURE_CLIENT_ID` is kept: it chooses the principal.\n",
        removed.join(", ")
    );
    text + DETAILS
}

fn row(flag: &Flag) -> String {
    let code = |text: &str| format!("`{text}`");
    let word = flag.word().map_or(String::new(), |word| format!(" {word}"));
    let short = flag.short.map_or(String::new(), |letter| format!("`-{letter}`, "));
    format!(
        "| {short}`--{}{word}` | {} | {} | {} | {} |\n",
        flag.name,
        flag.azurite.map_or(String::new(), |name| format!("`--{name}`")),
        flag.variable().as_deref().map_or(String::new(), code),
        flag.default.map_or(String::new(), code),
        flag.meaning,
    )
}
