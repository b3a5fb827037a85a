//! An Azurite workspace: dumps of LokiJS databases, and the extents with the contents of their documents.

use crate::import::error::{DatabaseProblem, ImportError, ItemError};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The id of an extent of zeros, which is not on disk.
const ZEROS: &str = "*ZERO*";

/// A document of a collection, such as a blob, a message or an entity.
pub type Document = Value;

/// The collections of a database, by name.
type Collections = Vec<(String, Vec<Document>)>;

/// The database of one service.
#[derive(Debug, Default)]
pub struct Database {
    collections: Collections,
    /// The file names of the extents, by id.
    extents: HashMap<String, String>,
    /// The folder of the extents.
    folder: PathBuf,
}

/// The databases of a workspace. One that is missing is empty.
#[derive(Debug)]
pub struct Workspace {
    pub blob: Database,
    pub queue: Database,
    pub table: Database,
}

impl Workspace {
    /// Reads the databases, without the contents.
    ///
    /// # Errors
    /// When there is no database, or one of them cannot be read.
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

impl Workspace {
    /// The number of documents.
    pub fn documents(&self) -> u64 {
        let collections = [&self.blob, &self.queue, &self.table].into_iter().flat_map(|database| &database.collections);
        collections.map(|(_, documents)| documents.len() as u64).sum()
    }
}

impl Database {
    fn open(place: &Path, service: &str, folder: Option<&str>) -> Result<Option<Database>, ImportError> {
        let Some(collections) = collections_of(&place.join(format!("__azurite_db_{service}__.json")))? else { return Ok(None) };
        let mut database = Database { collections, ..Database::default() };
        if let Some(folder) = folder {
            database.folder = place.join(folder);
            let extents = collections_of(&place.join(format!("__azurite_db_{service}_extent__.json")))?;
            let extents = extents.iter().flatten().flat_map(|(_, documents)| documents);
            let file = |extent: &Document| Some((text(extent, "id")?.to_owned(), text(extent, "path")?.to_owned()));
            database.extents = extents.filter_map(file).collect();
        }
        Ok(Some(database))
    }

    /// The documents of a collection, which may be missing.
    pub fn collection(&self, name: &str) -> &[Document] {
        self.collections.iter().find(|(known, _)| known == name).map_or(&[], |(_, documents)| documents)
    }

    /// The names of the collections.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().map(|(name, _)| name.as_str())
    }

    /// Reads the bytes to which the `persistency` of a document points. `None` if they are missing.
    ///
    /// # Errors
    /// When their file is not a regular file.
    pub fn content(&self, document: &Document) -> Result<Option<Vec<u8>>, ItemError> {
        let Some(pointer) = document.get("persistency") else { return Ok(None) };
        let (Some(id), Some(offset), Some(count)) = (text(pointer, "id"), number(pointer, "offset"), number(pointer, "count"))
        else {
            return Ok(None);
        };
        let name = self.extents.get(id).map_or(id, String::as_str);
        // An extent is a file of the folder, whatever path the database has.
        if count == 0 || Path::new(name).file_name() != Some(name.as_ref()) {
            return Ok((count == 0).then(Vec::new));
        }
        let path = self.folder.join(name);
        // Reading a pipe could block, and a link may lead anywhere.
        match path.symlink_metadata() {
            Ok(metadata) if !metadata.is_file() => {
                Err(ItemError::NotImported(format!("{} is not a regular file", path.display())))
            }
            _ => Ok(read_range(&path, offset, count)),
        }
    }
}

/// Reads a range of a file. `None` if the file does not have all of it.
fn read_range(path: &Path, offset: u64, count: u64) -> Option<Vec<u8>> {
    let mut file = open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if offset.checked_add(count)? > length {
        return None;
    }
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == count).then_some(bytes)
}

/// Returns true if a pointer is to zeros.
pub fn is_zeros(pointer: &Value) -> bool {
    text(pointer, "id") == Some(ZEROS)
}

/// A member that is a non-empty string.
pub fn text<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A member that is a string, or else the empty string.
pub fn string<'a>(document: &'a Value, name: &str) -> &'a str {
    text(document, name).unwrap_or_default()
}

/// A member that is a non-negative integer.
pub fn number(document: &Value, name: &str) -> Option<u64> {
    document.get(name)?.as_u64()
}

/// The elements of an array, which may be missing.
pub fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Bytes that JavaScript wrote as numbers: `{"type":"Buffer","data":[1,2]}`, or an object with indexes.
pub fn buffer(document: &Value, name: &str) -> Option<Vec<u8>> {
    let value = document.get(name)?;
    let byte = |value: &Value| value.as_u64().and_then(|number| u8::try_from(number).ok());
    match value.get("data").and_then(Value::as_array) {
        Some(bytes) => bytes.iter().map(byte).collect(),
        None => value.as_object()?.values().map(byte).collect(),
    }
}

/// Reads the collections of a dump. `None` if there is no such file.
fn collections_of(path: &Path) -> Result<Option<Collections>, ImportError> {
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

#[expect(clippy::disallowed_methods, reason = "this is the module that reads another program's files")]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}
