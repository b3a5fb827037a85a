//! A seed in a folder.
//!
//! | path | what it is |
//! |---|---|
//! | `containers/NAME/…` | the blobs of a container, with their paths below it |
//! | `shares/NAME/…` | the files of a share |
//! | `queues/NAME.json` | a queue: an array of messages, or an object as in a document |
//! | `tables/NAME.json` | the entities of a table, in an array |
//! | `seed.json` | a document, whose entries are added to those of the folder |
//! | `accounts/NAME/…` | the same for another account |

use crate::seed::document::{AccountSeed, ContainerSeed, Content, FileSeed, Seed, ShareSeed};
use crate::seed::error::SeedError;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads a seed from a folder.
///
/// # Errors
/// [`SeedError`] for a file that cannot be read, or that nothing here describes.
pub fn read(folder: &Path) -> Result<Seed, SeedError> {
    let mut seed: Seed = match folder.join(DOCUMENT) {
        path if path.exists() => {
            Seed::parse(&bytes(&path)?).map_err(|error| SeedError::Malformed { path, reason: error.to_string() })?
        }
        _ => Seed::default(),
    };
    let mut first = AccountSeed {
        containers: std::mem::take(&mut seed.containers),
        queues: std::mem::take(&mut seed.queues),
        tables: std::mem::take(&mut seed.tables),
        shares: std::mem::take(&mut seed.shares),
    };
    for (name, path) in entries(folder)? {
        match name.as_str() {
            DOCUMENT => {}
            "accounts" => {
                for (account, path) in entries(&path)? {
                    add_account(seed.accounts.entry(account).or_default(), &path)?;
                }
            }
            _ => add_resources(&mut first, &name, &path)?,
        }
    }
    let AccountSeed { containers, queues, tables, shares } = first;
    Ok(Seed { containers, queues, tables, shares, ..seed })
}

const DOCUMENT: &str = "seed.json";

/// Adds the folder of an account.
fn add_account(account: &mut AccountSeed, folder: &Path) -> Result<(), SeedError> {
    entries(folder)?.into_iter().try_for_each(|(name, path)| add_resources(account, &name, &path))
}

/// Adds `containers`, `shares`, `queues` or `tables`.
fn add_resources(account: &mut AccountSeed, name: &str, path: &Path) -> Result<(), SeedError> {
    match name {
        "containers" => {
            for (name, path) in entries(path)? {
                let ContainerSeed { blobs, .. } = account.containers.entry(name).or_default();
                add_files(blobs, "", &path, &mut Vec::new())?;
            }
        }
        "shares" => {
            for (name, path) in entries(path)? {
                let ShareSeed { files, .. } = account.shares.entry(name).or_default();
                add_files(files, "", &path, &mut Vec::new())?;
            }
        }
        "queues" => {
            for (name, path) in documents(path)? {
                account.queues.insert(name, json(&path)?);
            }
        }
        "tables" => {
            for (name, path) in documents(path)? {
                account.tables.insert(name, json(&path)?);
            }
        }
        _ => return Err(SeedError::UnknownEntry(path.to_owned())),
    }
    Ok(())
}

/// Adds the files of a folder and of those in it, unless the document has a content for them. `above` are the folders that it is in.
fn add_files(
    files: &mut BTreeMap<String, FileSeed>,
    prefix: &str,
    folder: &Path,
    above: &mut Vec<PathBuf>,
) -> Result<(), SeedError> {
    // A link can lead to a folder above.
    let place = fs::canonicalize(folder).map_err(|error| SeedError::CannotRead { path: folder.to_owned(), error })?;
    if above.contains(&place) {
        return Err(SeedError::Loop(folder.to_owned()));
    }
    above.push(place);
    for (name, path) in entries(folder)? {
        let name = format!("{prefix}{name}");
        match path.is_dir() {
            true => add_files(files, &format!("{name}/"), &path, above)?,
            false => {
                files.entry(name).or_default().content.get_or_insert(Content::Path(path));
            }
        }
    }
    above.pop();
    Ok(())
}

/// The entries of a folder in the order of their names, without hidden ones.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, SeedError> {
    let unreadable = |error| SeedError::CannotRead { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().into_string().map_err(|_| SeedError::UnknownEntry(entry.path()))?;
        if !name.starts_with('.') {
            check_kind(&entry.path())?;
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Refuses what is neither a file nor a directory: a read of a pipe or a device may never end.
fn check_kind(path: &Path) -> Result<(), SeedError> {
    let kind = fs::metadata(path).map_err(|error| SeedError::CannotRead { path: path.to_owned(), error })?;
    if kind.is_file() || kind.is_dir() { Ok(()) } else { Err(SeedError::Special(path.to_owned())) }
}

/// The JSON files of a folder, by their names without the extension.
fn documents(folder: &Path) -> Result<Vec<(String, PathBuf)>, SeedError> {
    let named = entries(folder)?.into_iter().map(|(name, path)| match name.strip_suffix(".json") {
        Some(name) => Ok((name.to_owned(), path)),
        None => Err(SeedError::UnknownEntry(path)),
    });
    named.collect()
}

fn bytes(path: &Path) -> Result<Vec<u8>, SeedError> {
    check_kind(path)?;
    #[expect(clippy::disallowed_methods, reason = "seeds are read here")]
    fs::read(path).map_err(|error| SeedError::CannotRead { path: path.to_owned(), error })
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, SeedError> {
    serde_json::from_slice(&bytes(path)?)
        .map_err(|error| SeedError::Malformed { path: path.to_owned(), reason: error.to_string() })
}
