//! `lazuli.toml`: the flags of a server in a file, by their names without the dashes.

use crate::config::arguments::distance;
use crate::config::error::{ConfigErrorKind, FileError};
use crate::config::flags::{Flag, FlagKind, flags};
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file that is read from the working directory if no other is named.
pub const DEFAULT: &str = "lazuli.toml";
/// The flag that names another file. A file cannot name a file.
const CONFIG: &str = "config";

/// A flag in a file, and its value as text.
pub(super) struct FileSetting {
    pub(super) flag: &'static Flag,
    pub(super) value: String,
}

/// The settings of a file.
#[derive(Default)]
pub(super) struct ConfigFile {
    /// The file; `None` if there is none.
    pub(super) path: Option<PathBuf>,
    pub(super) settings: Vec<FileSetting>,
}

/// Reads the file that was named, or the default one if it exists.
///
/// # Errors
/// [`ConfigErrorKind::File`].
pub(super) fn read(named: Option<&str>, default: Option<&Path>) -> Result<ConfigFile, ConfigErrorKind> {
    let Some(path) = named.map(Path::new).or(default) else { return Ok(ConfigFile::default()) };
    #[expect(clippy::disallowed_methods, reason = "the configuration is read here")]
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => return Ok(ConfigFile::default()),
        text => text.map_err(FileError::from),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let settings = text.and_then(|text| parse(&text, folder));
    let settings = settings.map_err(|reason| ConfigErrorKind::File { path: path.to_owned(), reason })?;
    Ok(ConfigFile { path: Some(path.to_owned()), settings })
}

/// Reads the settings of a file. Paths are relative to its folder.
fn parse(text: &str, folder: &Path) -> Result<Vec<FileSetting>, FileError> {
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| FileError::Malformed(error.to_string().trim_end().to_owned()))?;
    table.iter().map(|(key, value)| setting(key, value, folder)).collect()
}

fn setting(key: &str, value: &Value, folder: &Path) -> Result<FileSetting, FileError> {
    if value.is_table() {
        return Err(FileError::Section(key.to_owned()));
    }
    let flag = settings().find(|flag| flag.name == key).ok_or_else(|| unknown(key))?;
    let text = match (flag.kind, value) {
        (FlagKind::Switch, Value::Boolean(on)) => Some(on.to_string()),
        (FlagKind::Value(_), Value::Integer(number)) => Some(number.to_string()),
        (FlagKind::Value("DIR" | "FILE"), Value::String(path)) if !path.is_empty() => {
            Some(folder.join(path).to_string_lossy().into_owned())
        }
        (FlagKind::Value(_) | FlagKind::Values(_), Value::String(text)) => Some(text.clone()),
        (FlagKind::Values(_), Value::Array(values)) => {
            values.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|texts| texts.join(";"))
        }
        _ => None,
    };
    let value = text.filter(|text| !text.is_empty()).ok_or(FileError::WrongType { key: flag.name, expected: expected(flag) })?;
    Ok(FileSetting { flag, value })
}

fn expected(flag: &Flag) -> &'static str {
    match flag.kind {
        FlagKind::Switch => "true or false",
        FlagKind::Values(_) => "an array of texts",
        _ => "a text or a whole number",
    }
}

/// The flags that a file can have: those that have a variable.
pub(super) fn settings() -> impl Iterator<Item = &'static Flag> {
    flags().filter(|flag| flag.variable().is_some() && flag.name != CONFIG)
}

fn unknown(key: &str) -> FileError {
    let wanted = key.to_ascii_lowercase().replace('_', "-");
    let near = |flag: &Flag| (distance(&wanted, flag.name), flag.name);
    let nearest = settings().map(near).filter(|(distance, _)| distance * 2 <= wanted.len()).min_by_key(|(distance, _)| *distance);
    FileError::UnknownKey { key: key.to_owned(), nearest: nearest.map(|(_, name)| name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Command;
    use crate::config::tests::{config, refusal};
    use std::ffi::OsString;

    fn texts(text: &str) -> Result<Vec<(&'static str, String)>, String> {
        let settings = parse(text, Path::new("folder")).map_err(|error| error.to_string())?;
        Ok(settings.into_iter().map(|setting| (setting.flag.name, setting.value)).collect())
    }

    #[test]
    fn settings_are_flags() {
        let text =
            "blob-port = 1\nlocation = 'data'\ncontrol = true\nlog = \"debug\"\naccount = ['one,hns', 'two']\ncert = '/c.pem'\n";
        let location = Path::new("folder").join("data").to_string_lossy().into_owned();
        assert_eq!(
            texts(text).unwrap(),
            [
                ("account", "one,hns;two".to_owned()),
                ("blob-port", "1".to_owned()),
                ("cert", "/c.pem".to_owned()),
                ("control", "true".to_owned()),
                ("location", location),
                ("log", "debug".to_owned()),
            ]
        );
        assert_eq!(texts("").unwrap(), []);
    }

    #[test]
    fn errors_name_the_key() {
        for (text, reason) in [
            ("blob_port = 1", "\"blob_port\" is not a setting; did you mean blob-port?"),
            ("contrl = true", "\"contrl\" is not a setting; did you mean control?"),
            ("nonsense-of-any-kind = 1", "docs/configuration.md lists them all"),
            ("config = 'other.toml'", "\"config\" is not a setting"),
            ("help = true", "\"help\" is not a setting"),
            ("control = 'yes'", "control has to be true or false"),
            ("account = [1]", "account has to be an array of texts"),
            ("location = ''", "location has to be a text"),
            ("blob-port = 1.5", "blob-port has to be a text or a whole number"),
            ("[blob]\nport = 1", "[blob] is a section, and settings have none"),
            ("blob-port", "TOML parse error"),
            ("blob-port = 1\nblob-port = 2", "duplicate key"),
        ] {
            let error = texts(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this test writes a file of settings")]
    fn a_file_is_read_before_variables_and_flags() {
        let folder = std::env::temp_dir().join(format!("lazuli-config-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("settings.toml");
        std::fs::write(&path, "blob-port = 1\nqueue-port = 1\ntable-port = 1\ncontrol = true\nlocation = 'data'\n").unwrap();
        let named = path.to_str().unwrap();
        for (args, env) in [
            (&["--config", named, "--blob-port=3"][..], &[("LAZULI_QUEUE_PORT", "2"), ("LAZULI_BLOB_PORT", "2")][..]),
            (&["--blob-port=3"], &[("LAZULI_QUEUE_PORT", "2"), ("LAZULI_CONFIG", named)]),
        ] {
            let read = config(args, env);
            let ports = [&read.blob, &read.queue, &read.table, &read.file].map(|endpoint| endpoint.as_ref().unwrap().port);
            assert_eq!((ports, read.control, read.config_file.as_deref()), ([3, 2, 1, 10003], true, Some(path.as_path())));
            assert_eq!(read.location, Some(folder.join("data")), "paths are relative to the file");
        }
        let command = |default: &Path| crate::config::read([OsString::from("lazuli")], &|_| None, Some(default));
        assert!(matches!(command(&path), Ok(Command::Serve(config)) if config.control));
        assert!(matches!(command(&folder.join("absent.toml")), Ok(Command::Serve(config)) if config.config_file.is_none()));
        let absent = folder.join("absent.toml");
        assert!(refusal(&["--config", absent.to_str().unwrap()], &[]).contains("absent.toml: it cannot be read: "));
        for (text, reason) in [
            ("blob-prt = 1", "settings.toml: \"blob-prt\" is not a setting; did you mean blob-port?"),
            ("blob-port = 70000", "settings.toml: blob-port: \"70000\" is not a port"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = refusal(&["--config", named], &[]);
            assert!(error.ends_with(reason) || error.contains(reason), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
