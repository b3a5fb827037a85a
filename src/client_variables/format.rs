//! Variables as shells and other programs read them.

/// Who reads the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// POSIX shells, and fish.
    Sh,
    PowerShell,
    /// The command prompt of Windows, in a batch file.
    Cmd,
    /// A file `.env`.
    Dotenv,
    /// Lines without any quotes: `docker run --env-file`, `$GITHUB_ENV`, systemd.
    Plain,
}

impl Format {
    /// The format of the shell that is customary on this system.
    pub fn of_system() -> Format {
        if cfg!(windows) { Format::PowerShell } else { Format::Sh }
    }

    /// The line that sets a variable. `None` for a value with a line break in a format where its second line would set another variable.
    pub fn line(self, name: &str, value: &str) -> Option<String> {
        if matches!(self, Format::Cmd | Format::Plain) && value.contains(['\r', '\n']) {
            return None;
        }
        Some(match self {
            Format::Sh => format!("export {name}='{}'", value.replace('\'', r"'\''")),
            Format::PowerShell => format!("$env:{name} = '{}'", power_shell(value)),
            Format::Cmd => format!("set \"{name}={}\"", value.replace('%', "%%")),
            Format::Dotenv => format!("{name}={}", dotenv(value)),
            Format::Plain => format!("{name}={value}"),
        })
    }

    /// The line that removes a variable; `None` for files, which cannot remove any.
    pub fn removing_line(self, name: &str) -> Option<String> {
        match self {
            Format::Sh => Some(format!("unset {name}")),
            Format::PowerShell => Some(format!("Remove-Item Env:{name}")),
            Format::Cmd => Some(format!("set \"{name}=\"")),
            Format::Dotenv | Format::Plain => None,
        }
    }
}

/// A value between apostrophes for PowerShell, which takes typographic ones for the end too.
fn power_shell(value: &str) -> String {
    let is_end = |c: char| matches!(c, '\'' | '\u{2018}'..='\u{201b}');
    value.chars().flat_map(|c| std::iter::repeat_n(c, if is_end(c) { 2 } else { 1 })).collect()
}

/// A value as the common readers of `.env` agree on it. Between apostrophes they read it as it is; without quotes, all do if it has only
/// these characters.
fn dotenv(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=;,".contains(c);
    match value.chars().all(is_plain) {
        true => value.to_owned(),
        false if !value.contains('\'') => format!("'{value}'"),
        false => format!("\"{}\"", value.replace('\\', r"\\").replace('"', "\\\"").replace('$', r"\$")),
    }
}
