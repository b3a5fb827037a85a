//! Entities: their keys and properties, their limits, and writes.

pub mod etag;
pub mod key;
mod read;
pub mod value;
mod write;

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
pub use key::Key;
pub use read::{members, read};
use serde::{Deserialize, Serialize};
pub use value::{Type, Value};
pub use write::{Change, Write};

/// The most properties besides PartitionKey, RowKey and Timestamp.
const MOST_PROPERTIES: usize = 252;
/// The longest name of a property, in UTF-16 code units.
const LONGEST_NAME: usize = 255;
/// The largest value of a property, in bytes: strings are UTF-16.
const LARGEST_VALUE: usize = 64 << 10;
/// The largest entity, in bytes as the service counts.
const LARGEST: usize = 1 << 20;

/// An entity without its keys. It is immutable; a write creates another.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// The time of the last write, from which the entity tag is derived.
    pub timestamp: Timestamp,
    /// In the order in which they were sent.
    pub properties: Properties,
}

/// Properties by name.
pub type Properties = Box<[(Box<str>, Value)]>;

impl Entity {
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.properties.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }
}

/// The length of a text in UTF-16 code units.
pub fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn check_name(name: &str) -> Result<(), StorageError> {
    if utf16(name) > LONGEST_NAME {
        return Err(ErrorCode::PropertyNameTooLong.into());
    }
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c == '_' || c.is_alphabetic());
    if !first || !letters.all(|c| c == '_' || c.is_alphanumeric()) {
        return Err(ErrorCode::PropertyNameInvalid.with_reason(format!("{name:?} is not an identifier")));
    }
    Ok(())
}

/// The size of a value in bytes, as the service counts.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 4 + 2 * utf16(text),
        Value::Binary(bytes) => 4 + bytes.len(),
        Value::Guid(_) => 16,
        Value::Int64(_) | Value::Double(_) | Value::DateTime(_) => 8,
        Value::Int32(_) => 4,
        Value::Boolean(_) => 1,
    }
}

/// Checks the number of properties and the size. The service reports an entity that is too large before a value that is.
fn check_size(key: &Key, properties: &[(Box<str>, Value)]) -> Result<(), StorageError> {
    if properties.len() > MOST_PROPERTIES {
        return Err(ErrorCode::TooManyProperties.into());
    }
    let keys = 4 + 2 * (utf16(key.partition()) + utf16(key.row()));
    let total = properties.iter().fold(keys, |total, (name, value)| total + 8 + 2 * utf16(name) + size(value));
    if total > LARGEST {
        return Err(ErrorCode::EntityTooLarge.into());
    }
    match properties.iter().find(|(_, value)| size(value) > LARGEST_VALUE + 4) {
        Some((name, _)) => Err(ErrorCode::PropertyValueTooLarge.with_reason(name.to_string())),
        None => Ok(()),
    }
}
