//! The stored form of a queue: a record of its properties, and one of each message.
//!
//! The forms never change. A record that needs another form gets a new version, and both are read.

use crate::rules::metadata::Metadata;
use crate::rules::queue::message::{Message, Receipt};
use crate::rules::time::Timestamp;
use crate::services::queue::state::Queue;
use crate::services::shared::record::{Pairs, StoredPolicy, pairs, policies, policy};
use crate::store::changes::{Changes, diff};
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use uuid::Uuid;

/// The version of the forms.
const FORM: u8 = 1;

/// The first byte of the keys: of the queue, of a message.
const QUEUE: u8 = b'q';
const MESSAGE: u8 = b'm';

#[derive(Serialize, Deserialize)]
struct QueueForm<'a> {
    #[serde(borrow)]
    metadata: Pairs<'a>,
    policies: Vec<StoredPolicy<'a>>,
}

#[derive(Serialize, Deserialize)]
struct MessageForm<'a> {
    order: u64,
    text: &'a str,
    inserted: u64,
    expires: u64,
    visible: u64,
    dequeued: u64,
    /// The number and the time of the receipt.
    receipt: (u64, u64),
}

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
            to.put(&[QUEUE], FORM, &QueueForm { metadata: pairs(&after.metadata), policies: policies(&after.policies) });
        }
        for (id, _, message) in diff(before.map(|before| &before.messages), Some(&after.messages)) {
            let key = [&[MESSAGE], &id.as_bytes()[..]].concat();
            match message {
                Some(message) => to.put(&key, FORM, &MessageForm::of(message)),
                None => to.delete(&key),
            }
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        let record = records.get(&[QUEUE]).ok_or_else(|| CorruptRecord("a queue without its properties".to_owned()))?;
        let QueueForm { metadata, policies } = record.read(FORM)?;
        let mut queue = Queue::new(Metadata::stored(metadata));
        queue.policies = policies.into_iter().map(policy).collect();
        for (id, record) in records.under(&[MESSAGE]) {
            let id = Uuid::from_slice(id).map_err(|error| CorruptRecord(error.to_string()))?;
            let message = record.read::<MessageForm<'_>>(FORM)?.message(id);
            queue.numbers = queue.numbers.max(message.order).max(message.receipt.number);
            queue.add(message);
        }
        Ok(queue)
    }
}

impl MessageForm<'_> {
    fn of(message: &Arc<Message>) -> MessageForm<'_> {
        MessageForm {
            order: message.order,
            text: &message.text,
            inserted: message.inserted.ticks(),
            expires: message.expires.ticks(),
            visible: message.visible.ticks(),
            dequeued: message.dequeued,
            receipt: (message.receipt.number, message.receipt.visible.ticks()),
        }
    }

    fn message(self, id: Uuid) -> Message {
        let (number, visible) = self.receipt;
        Message {
            id,
            order: self.order,
            text: self.text.into(),
            inserted: Timestamp::from_ticks(self.inserted),
            expires: Timestamp::from_ticks(self.expires),
            visible: Timestamp::from_ticks(self.visible),
            dequeued: self.dequeued,
            receipt: Receipt { number, visible: Timestamp::from_ticks(visible) },
        }
    }
}
