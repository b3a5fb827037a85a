//! An Azurite workspace as it lies on disk: dumps of LokiJS databases, and the extents that their documents point into.

use crate::import::error::{DatabaseProblem, ImportError};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The id of an extent that is zeros, and nowhere on disk.
const ZEROS: &str = "*ZERO*";

/// A document of a collection: what Azurite says of one blob, message or entity.
pub type Document = Value;

/// The collections of a database, by name.
type Collections = Vec<(String, Vec<Document>)>;

/// What should be a file of contents is something else.
#[derive(Debug, Error)]
#[error("{} is not a regular file", .0.display())]
pub struct NotAFile(PathBuf);

/// A database of one service: its collections by name.
#[derive(Debug, Default)]
pub struct Database {
    collections: Collections,
    extents: HashMap<String, String>,
    folder: PathBuf,
}

/// The databases that were found.
#[derive(Debug)]
pub struct Workspace {
    /// Containers and blobs.
    pub blob: Database,
    /// Queues and messages.
    pub queue: Database,
    /// Tables and entities.
    pub table: Database,
}

impl Workspace {
    /// Reads the databases; contents are read when they are asked for.
    ///
    /// # Errors
    /// One sentence: there is none, or one is not what Azurite writes.
    pub fn open(place: &Path) -> Result<Workspace, ImportError> {
        place.read_dir().map_err(|error| ImportError::Workspace { workspace: place.to_owned(), error })?;
        let blob = Database::open(place, "blob", Some("__blobstorage__"))?;
        let queue = Database::open(place, "queue", Some("__queuestorage__"))?;
        let table = Database::open(place, "table", None)?;
        if blob.is_none() && queue.is_none() && table.is_none() {
            return Err(ImportError::NoWorkspace(place.to_owned()));
        }
        let [blob, queue, table] = [blob, queue, table].map(Option::unwrap_or_default);
        Ok(Workspace { blob, queue, table })
    }
}

impl Database {
    fn open(place: &Path, service: &str, folder: Option<&str>) -> Result<Option<Database>, ImportError> {
        let Some(collections) = collections(&place.join(format!("__azurite_db_{service}__.json")))? else { return Ok(None) };
        let mut database = Database { collections, ..Database::default() };
        if let Some(folder) = folder {
            database.folder = place.join(folder);
            let found = collections_of_extents(place, service)?;
            let path = |extent: &Document| Some((text(extent, "id")?.to_owned(), text(extent, "path")?.to_owned()));
            database.extents = found.iter().filter_map(path).collect();
        }
        Ok(Some(database))
    }

    /// The documents of a collection; none when it is not there.
    pub fn collection(&self, name: &str) -> &[Document] {
        self.collections.iter().find(|(known, _)| known == name).map_or(&[], |(_, documents)| documents)
    }

    /// The names of the collections.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().map(|(name, _)| name.as_str())
    }

    /// The bytes that a document points to as its `persistency`; `None` when they are not there.
    ///
    /// # Errors
    /// One sentence: what should be their file is none.
    pub fn bytes(&self, pointer: &Value) -> Result<Option<Vec<u8>>, NotAFile> {
        let (Some(id), Some(offset), Some(count)) = (text(pointer, "id"), number(pointer, "offset"), number(pointer, "count"))
        else {
            return Ok(None);
        };
        let name = self.extents.get(id).map_or(id, String::as_str);
        // An extent is a file of its folder, whatever the database says.
        if count == 0 || Path::new(name).file_name() != Some(name.as_ref()) {
            return Ok((count == 0).then(Vec::new));
        }
        let place = self.folder.join(name);
        // A pipe would be waited for, and a link may lead anywhere.
        match place.symlink_metadata() {
            Ok(about) if !about.is_file() => Err(NotAFile(place)),
            _ => Ok(part(&place, offset, count)),
        }
    }
}

/// So many bytes of a file from a place on; nothing if they are not there.
fn part(place: &Path, offset: u64, count: u64) -> Option<Vec<u8>> {
    let mut file = open(place).ok()?;
    let length = file.metadata().ok()?.len();
    if offset.checked_add(count)? > length {
        return None;
    }
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == count).then_some(bytes)
}
/// Whether a pointer is to zeros.
pub fn is_zeros(pointer: &Value) -> bool {
    text(pointer, "id") == Some(ZEROS)
}

/// A member that is a text, and not an empty one.
pub fn text<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A member that is a whole number from 0 on.
pub fn number(document: &Value, name: &str) -> Option<u64> {
    document.get(name)?.as_u64()
}

/// The members of a list; none when there is no list.
pub fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Bytes that JavaScript wrote down as numbers: `{"type":"Buffer","data":[1,2]}`, or as an object of places.
pub fn buffer(document: &Value, name: &str) -> Option<Vec<u8>> {
    let value = document.get(name)?;
    let byte = |value: &Value| value.as_u64().and_then(|number| u8::try_from(number).ok());
    match value.get("data").and_then(Value::as_array) {
        Some(bytes) => bytes.iter().map(byte).collect(),
        None => value.as_object()?.values().map(byte).collect(),
    }
}

fn collections_of_extents(place: &Path, service: &str) -> Result<Vec<Document>, ImportError> {
    let found = collections(&place.join(format!("__azurite_db_{service}_extent__.json")))?;
    Ok(found.into_iter().flatten().flat_map(|(_, documents)| documents).collect())
}

/// The collections of a dump; `None` when there is no such file.
fn collections(path: &Path) -> Result<Option<Collections>, ImportError> {
    read_collections(path).map_err(|problem| ImportError::Database { path: path.to_owned(), problem })
}

fn read_collections(path: &Path) -> Result<Option<Collections>, DatabaseProblem> {
    let mut bytes = Vec::new();
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(DatabaseProblem::NotAFile);
    }
    match open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened?.read_to_end(&mut bytes)?,
    };
    let mut dump: Value = serde_json::from_slice(&bytes)?;
    let Some(Value::Array(collections)) = dump.get_mut("collections").map(Value::take) else {
        return Err(DatabaseProblem::NotADatabase);
    };
    let named = collections.into_iter().map(|mut collection| {
        let name = text(&collection, "name")?.to_owned();
        match collection.get_mut("data").map(Value::take)? {
            Value::Array(documents) => Some((name, documents)),
            _ => None,
        }
    });
    named.collect::<Option<Vec<_>>>().map(Some).ok_or(DatabaseProblem::NotADatabase)
}

#[expect(clippy::disallowed_methods, reason = "this is the room that reads another program's files")]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}
