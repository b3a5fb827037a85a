//! The records of a cell, as a start finds them.

use crate::store::changes::Changes;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// The records of a cell, by key.
#[derive(Clone, Debug, Default)]
pub struct Records(pub(super) BTreeMap<Vec<u8>, Vec<u8>>);

/// A record that cannot be read, because it is malformed or of a newer version.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CorruptRecord(pub String);

impl Records {
    /// The records whose keys begin with a prefix: the rest of the key, and the record.
    pub fn under<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = (&'a [u8], Record<'a>)> {
        let from = self.0.range(prefix.to_vec()..);
        from.map_while(move |(key, value)| Some((key.strip_prefix(prefix)?, Record(value))))
    }

    /// The record under a key.
    pub fn get(&self, key: &[u8]) -> Option<Record<'_>> {
        self.0.get(key).map(|value| Record(value))
    }

    /// Writes all records unchanged.
    pub(super) fn write_to(&self, to: &mut Changes<'_>) {
        self.0.iter().for_each(|(key, value)| to.put_encoded(key, value));
    }
}

/// The value of a record: a version, and the encoded fields.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    /// The version of the encoding.
    pub fn version(&self) -> u8 {
        self.0.first().copied().unwrap_or_default()
    }

    /// Decodes a record that has only one version.
    ///
    /// # Errors
    /// When it has another version, or is malformed.
    pub fn read<T: Deserialize<'a>>(&self, version: u8) -> Result<T, CorruptRecord> {
        match self.version() == version {
            true => self.parse(),
            false => Err(self.newer()),
        }
    }

    /// Decodes the value. `T` must be the type of the record's version.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T, CorruptRecord> {
        postcard::from_bytes(self.0.get(1..).unwrap_or_default())
            .map_err(|error| CorruptRecord(format!("a record of {} bytes: {error}", self.0.len())))
    }

    /// The error for a record of an unknown version.
    pub fn newer(&self) -> CorruptRecord {
        CorruptRecord(format!("a record of form {}, which is of a newer version of Lazuli", self.version()))
    }
}
