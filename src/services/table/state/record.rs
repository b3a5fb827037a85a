//! The stored form of a table: a record of its properties, and one of each entity.
//!
//! The forms never change. A record that needs another form gets a new version, and both are read.

use crate::rules::table::entity::{Entity, Key, Value};
use crate::rules::time::Timestamp;
use crate::services::shared::record::{StoredPolicy, policies, policy};
use crate::services::table::state::Table;
use crate::store::changes::{Changes, diff};
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use uuid::Uuid;

/// The version of the forms.
const FORM: u8 = 1;

/// The first byte of the keys: of the table, of an entity.
const TABLE: u8 = b't';
const ENTITY: u8 = b'e';

#[derive(Serialize, Deserialize)]
struct TableForm<'a> {
    name: &'a str,
    #[serde(borrow)]
    policies: Vec<StoredPolicy<'a>>,
}

#[derive(Serialize, Deserialize)]
struct EntityForm<'a> {
    timestamp: u64,
    #[serde(borrow)]
    properties: Vec<(&'a str, ValueForm<'a>)>,
}

#[derive(Serialize, Deserialize)]
enum ValueForm<'a> {
    String(&'a str),
    Int32(i32),
    Int64(i64),
    Double(f64),
    Boolean(bool),
    DateTime(u64),
    Guid([u8; 16]),
    Binary(#[serde(with = "serde_bytes")] &'a [u8]),
}

impl Persist for Table {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        if before.is_none_or(|before| before.policies != after.policies) {
            to.put(&[TABLE], FORM, &TableForm { name: &after.name, policies: policies(&after.policies) });
        }
        for (key, _, entity) in diff(before.map(|before| &before.entities), Some(&after.entities)) {
            match entity {
                Some(entity) => to.put(&key_of(key), FORM, &EntityForm::of(entity)),
                None => to.delete(&key_of(key)),
            }
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        let record = records.get(&[TABLE]).ok_or_else(|| CorruptRecord("a table without its properties".to_owned()))?;
        let TableForm { name, policies } = record.read(FORM)?;
        let mut table = Table::new(name);
        table.policies = policies.into_iter().map(policy).collect();
        for (key, record) in records.under(&[ENTITY]) {
            let entity = record.read::<EntityForm<'_>>(FORM)?.entity();
            table.latest = table.latest.max(entity.timestamp);
            table.entities.insert(read_key(key)?, Arc::new(entity));
        }
        Ok(table)
    }
}

/// The key of an entity's record: both keys, and the offset of the second in four bytes.
fn key_of(key: &Key) -> Vec<u8> {
    let split = key.partition().len() as u32;
    [&[ENTITY], key.partition().as_bytes(), key.row().as_bytes(), &split.to_be_bytes()].concat()
}

fn read_key(key: &[u8]) -> Result<Key, CorruptRecord> {
    let read = || {
        let (texts, split) = key.split_last_chunk()?;
        let (partition, row) = std::str::from_utf8(texts).ok()?.split_at_checked(u32::from_be_bytes(*split) as usize)?;
        Some(Key::new(partition, row))
    };
    read().ok_or_else(|| CorruptRecord(format!("a malformed key of an entity, of {} bytes", key.len())))
}

impl EntityForm<'_> {
    fn of(entity: &Arc<Entity>) -> EntityForm<'_> {
        let properties = entity.properties.iter().map(|(name, value)| (&**name, ValueForm::of(value))).collect();
        EntityForm { timestamp: entity.timestamp.ticks(), properties }
    }

    fn entity(self) -> Entity {
        let properties = self.properties.into_iter().map(|(name, value)| (name.into(), value.value())).collect();
        Entity { timestamp: Timestamp::from_ticks(self.timestamp), properties }
    }
}

impl ValueForm<'_> {
    fn of(value: &Value) -> ValueForm<'_> {
        match value {
            Value::String(text) => ValueForm::String(text),
            Value::Int32(number) => ValueForm::Int32(*number),
            Value::Int64(number) => ValueForm::Int64(*number),
            Value::Double(number) => ValueForm::Double(*number),
            Value::Boolean(flag) => ValueForm::Boolean(*flag),
            Value::DateTime(time) => ValueForm::DateTime(time.ticks()),
            Value::Guid(guid) => ValueForm::Guid(*guid.as_bytes()),
            Value::Binary(bytes) => ValueForm::Binary(bytes),
        }
    }

    fn value(self) -> Value {
        match self {
            ValueForm::String(text) => Value::String(text.into()),
            ValueForm::Int32(number) => Value::Int32(number),
            ValueForm::Int64(number) => Value::Int64(number),
            ValueForm::Double(number) => Value::Double(number),
            ValueForm::Boolean(flag) => Value::Boolean(flag),
            ValueForm::DateTime(ticks) => Value::DateTime(Timestamp::from_ticks(ticks)),
            ValueForm::Guid(bytes) => Value::Guid(Uuid::from_bytes(bytes)),
            ValueForm::Binary(bytes) => Value::Binary(bytes.into()),
        }
    }
}
