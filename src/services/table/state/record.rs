//! The stored form of a table: a record of its properties, and one of each entity.
//!
//! The forms never change. A record that needs another form gets a new version, and both are read.

use crate::rules::table::entity::{Entity, Key};
use crate::rules::time::Timestamp;
use crate::services::table::state::Table;
use crate::store::changes::{Changes, diff};
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use imbl::OrdMap;
use std::sync::Arc;

/// The version of the forms.
const FORM: u8 = 1;

/// The first byte of the keys: of the table, of an entity.
const TABLE: u8 = b't';
const ENTITY: u8 = b'e';

impl Persist for Table {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        if before.is_none_or(|before| before.policies != after.policies) {
            to.put(&[TABLE], FORM, &(&after.name, &after.policies));
        }
        for (key, _, entity) in diff(before.map(|before| &before.entities), Some(&after.entities)) {
            match entity {
                Some(entity) => to.put(&key_of(key), FORM, entity),
                None => to.delete(&key_of(key)),
            }
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        let record = records.get(&[TABLE]).ok_or_else(|| CorruptRecord("a table without its properties".to_owned()))?;
        let (name, policies) = record.read(FORM)?;
        let mut table = Table { name, policies, entities: OrdMap::new(), latest: Timestamp::default() };
        for (key, record) in records.under(&[ENTITY]) {
            let entity: Entity = record.read(FORM)?;
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
