//! The values of the command line, the environment, the file and the defaults, merged into one [`Draft`].
//!
//! A flag outranks its variable, a variable the file, the file the default; `--blob-host` outranks `--host` where both come from the same
//! layer. A value that another one replaces is not parsed.

use crate::config::ConfigErrorKind;
use crate::config::arguments::Argument;
use crate::config::draft::Draft;
use crate::config::file::ConfigFile;
use crate::config::flags::{Flag, FlagKind, Set, VARIABLES, flags};
use std::path::Path;

/// Where a value comes from; a later layer outranks an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Default,
    File,
    Variable,
    Argument,
}

/// Whose defaults hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    /// Those of the table.
    Serve,
    /// Of a server beside a command: it listens at free ports, so that several can run at once, issues tokens, and logs warnings only.
    Run,
}

/// A value, and the function that parses it into the draft.
struct Setting {
    layer: Layer,
    /// The name of the flag or variable that was given, for messages; that of a setting is after its file.
    name: String,
    value: String,
    set: Set,
}

/// Fills a draft from the command line, the environment, a file and the defaults.
///
/// # Errors
/// [`ConfigErrorKind::InvalidValue`].
pub(super) fn merge(
    arguments: &[Argument],
    env: &dyn Fn(&str) -> Option<String>,
    file: &ConfigFile,
    defaults: Defaults,
) -> Result<Draft, ConfigErrorKind> {
    let env = |name: &str| env(name).filter(|value| !value.is_empty());
    let given = |flag: &Flag| argument(flag, arguments).or_else(|| variable(flag, &env));

    let azurite = VARIABLES.iter().filter_map(|variable| {
        let replaced = flags().any(|flag| variable.yields_to == Some(flag.name) && given(flag).is_some());
        let value = env(variable.name).filter(|_| !replaced)?;
        Some(Setting { layer: Layer::Variable, name: variable.name.to_owned(), value, set: variable.set })
    });
    let ours = flags().filter_map(|flag| given(flag).or_else(|| of_file(flag, file)).or_else(|| default(flag, defaults)));

    let mut settings: Vec<Setting> = azurite.chain(ours).collect();
    settings.sort_by_key(|setting| setting.layer);
    let mut draft = Draft::default();
    for Setting { name, value, set, .. } in settings {
        set(&mut draft, &value).map_err(|reason| ConfigErrorKind::InvalidValue { flag: name, reason })?;
    }
    Ok(draft)
}

/// The value on the command line: the last one, or all of them joined by `;` for a flag that takes several.
fn argument(flag: &Flag, arguments: &[Argument]) -> Option<Setting> {
    let all: Vec<&Argument> = arguments.iter().filter(|argument| argument.flag.name == flag.name).collect();
    let last = all.last()?;
    let value = match flag.kind {
        FlagKind::Values(_) => all.iter().map(|argument| argument.value.as_str()).collect::<Vec<_>>().join(";"),
        _ => last.value.clone(),
    };
    Some(Setting { layer: Layer::Argument, name: last.name.clone(), value, set: flag.set })
}

fn variable(flag: &Flag, env: &dyn Fn(&str) -> Option<String>) -> Option<Setting> {
    let name = flag.variable()?;
    let value = env(&name)?;
    Some(Setting { layer: Layer::Variable, name, value, set: flag.set })
}

fn of_file(flag: &Flag, file: &ConfigFile) -> Option<Setting> {
    let setting = file.settings.iter().find(|setting| setting.flag.name == flag.name)?;
    let name = format!("{}: {}", file.path.as_deref().unwrap_or(Path::new("")).display(), flag.name);
    Some(Setting { layer: Layer::File, name, value: setting.value.clone(), set: flag.set })
}

fn default(flag: &Flag, defaults: Defaults) -> Option<Setting> {
    let value = match (defaults, flag.name) {
        (Defaults::Run, "blob-port" | "queue-port" | "table-port" | "file-port") => "0",
        (Defaults::Run, "log") => "warn",
        (Defaults::Run, "oauth") => "local",
        (Defaults::Run, "silent") => "true",
        _ => flag.default?,
    };
    Some(Setting { layer: Layer::Default, name: flag.name.to_owned(), value: value.to_owned(), set: flag.set })
}
