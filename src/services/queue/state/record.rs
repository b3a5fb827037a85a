//! The stored form of a queue: a record of its properties, and one of each message.
//!
//! The forms never change. A record that needs another form gets a new version, and both are read.

use crate::rules::queue::message::Message;
use crate::services::queue::state::Queue;
use crate::store::changes::{Changes, diff};
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use uuid::Uuid;

/// The version of the forms.
const FORM: u8 = 1;

/// The first byte of the keys: of the queue, of a message.
const QUEUE: u8 = b'q';
const MESSAGE: u8 = b'm';

impl Persist for Queue {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        // Clearing a queue starts its records anew, instead of deleting each message.
        let cleared = |before: &&Self| after.messages.is_empty() && before.messages.len() > 1;
        if before.filter(cleared).is_some() {
            to.reset();
        }
        let before = before.filter(|before| !cleared(before));
        let properties = |queue: &Queue| (queue.metadata.clone(), queue.policies.clone());
        if before.is_none_or(|before| properties(before) != properties(after)) {
            to.put(&[QUEUE], FORM, &(&after.metadata, &after.policies));
        }
        for (id, _, message) in diff(before.map(|before| &before.messages), Some(&after.messages)) {
            let key = [&[MESSAGE], &id.as_bytes()[..]].concat();
            match message {
                Some(message) => to.put(&key, FORM, message),
                None => to.delete(&key),
            }
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        let record = records.get(&[QUEUE]).ok_or_else(|| CorruptRecord("a queue without its properties".to_owned()))?;
        let (metadata, policies) = record.read(FORM)?;
        let mut queue = Queue { metadata, policies, ..Queue::default() };
        for (id, record) in records.under(&[MESSAGE]) {
            let id = Uuid::from_slice(id).map_err(|error| CorruptRecord(error.to_string()))?;
            let message = Message { id, ..record.read(FORM)? };
            queue.numbers = queue.numbers.max(message.order).max(message.receipt.number);
            queue.add(message);
        }
        Ok(queue)
    }
}
