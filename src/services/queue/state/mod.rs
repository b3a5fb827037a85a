//! The state of a queue.
//!
//! Messages are indexed by id, by the time at which they become visible, and by the time at which they expire. With these three indexes
//! no operation iterates over messages that do not concern it: neither invisible ones, nor expired ones that are not removed yet.

mod record;

use crate::rules::auth::sas::Policy;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::rules::queue::message::{Message, Receipt};
use crate::rules::time::Timestamp;
use crate::store::timeline::Timeline;
use imbl::OrdMap;
use std::sync::Arc;
use uuid::Uuid;

/// The most expired messages that one write removes. It is more than one, so that their number falls.
const MAX_SWEPT: usize = 16;

/// A queue and all its messages: one cell of the store.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    pub metadata: Metadata,
    pub policies: Arc<[Policy]>,
    messages: OrdMap<Uuid, Arc<Message>>,
    /// The messages by the time at which they become visible.
    by_visibility: Timeline<Uuid>,
    /// The messages by the time at which they expire.
    by_expiry: Timeline<Uuid>,
    /// The last number of a message or a receipt.
    numbers: u64,
}

/// A message to put.
#[derive(Debug)]
pub struct NewMessage {
    pub id: Uuid,
    pub text: Arc<str>,
    pub visible: Timestamp,
    pub expires: Timestamp,
}

/// A message of another server, to import.
#[derive(Debug)]
pub struct StoredMessage {
    pub id: Uuid,
    pub text: Arc<str>,
    pub inserted: Timestamp,
    pub expires: Timestamp,
    pub visible: Timestamp,
    pub dequeued: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(metadata: Metadata) -> Queue {
        Queue { metadata, ..Queue::default() }
    }

    /// The number of messages, visible or not.
    pub fn count(&self, now: Timestamp) -> usize {
        self.by_expiry.count_after(now)
    }

    /// The first visible messages.
    pub fn peek(&self, count: usize, now: Timestamp) -> impl Iterator<Item = &Message> {
        self.by_visibility.lasting(now).filter_map(|(_, id)| self.messages.get(id).map(|message| &**message)).take(count)
    }

    /// Puts a message behind those that become visible at the same time.
    pub fn put(&mut self, new: NewMessage, now: Timestamp) -> Arc<Message> {
        self.sweep(now);
        let number = self.number();
        let receipt = Receipt { number, visible: new.visible };
        let NewMessage { id, text, visible, expires } = new;
        self.add(Message { id, order: number, text, inserted: now, expires, visible, dequeued: 0, receipt })
    }

    /// Imports a message. Returns false if its id is in use. Pop receipts of the other server are not valid here.
    pub fn restore(&mut self, stored: StoredMessage) -> bool {
        if self.messages.contains_key(&stored.id) {
            return false;
        }
        let number = self.number();
        let StoredMessage { id, text, inserted, expires, visible, dequeued } = stored;
        let receipt = Receipt { number, visible };
        self.add(Message { id, order: number, text, inserted, expires, visible, dequeued, receipt });
        true
    }

    /// Returns the first visible messages, and makes them invisible until `visible`.
    pub fn get(&mut self, count: usize, visible: Timestamp, now: Timestamp) -> Vec<Arc<Message>> {
        self.sweep(now);
        let first: Vec<Uuid> = self.by_visibility.lasting(now).map(|(_, id)| *id).take(count).collect();
        let messages = first.into_iter().filter_map(|id| {
            let number = self.number();
            let message = self.messages.get(&id)?.after_get(visible, number);
            Some(self.change(message))
        });
        messages.collect()
    }

    /// Makes a message invisible until `visible`, and replaces its text if one is given.
    ///
    /// # Errors
    /// 404 MessageNotFound if there is no such message or the receipt is stale; 400 if it would expire before it is visible.
    pub fn update(
        &mut self,
        id: Uuid,
        receipt: &str,
        visible: Timestamp,
        text: Option<Arc<str>>,
        now: Timestamp,
    ) -> Result<Arc<Message>, StorageError> {
        self.sweep(now);
        let number = self.number();
        let updated = self.message(id, receipt, now)?.after_update(visible, text, number)?;
        Ok(self.change(updated))
    }

    /// Deletes a message.
    ///
    /// # Errors
    /// 404 MessageNotFound if there is no such message or the receipt is stale.
    pub fn delete(&mut self, id: Uuid, receipt: &str, now: Timestamp) -> Result<(), StorageError> {
        self.sweep(now);
        self.message(id, receipt, now)?;
        self.drop(id);
        Ok(())
    }

    /// Deletes all messages, and returns the queue with them: freeing a million messages takes time, and should happen outside of the lock.
    #[must_use = "dropping it frees the messages"]
    pub fn clear(&mut self) -> Queue {
        let empty = Queue { policies: self.policies.clone(), numbers: self.numbers, ..Queue::new(self.metadata.clone()) };
        std::mem::replace(self, empty)
    }

    /// The message of this id, if the receipt is its current one.
    fn message(&self, id: Uuid, receipt: &str, now: Timestamp) -> Result<&Message, StorageError> {
        let message = self.messages.get(&id).filter(|message| !message.is_expired(now)).ok_or(ErrorCode::MessageNotFound)?;
        message.check(receipt)?;
        Ok(message)
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn add(&mut self, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        self.by_visibility.insert((message.visible, message.order), message.expires, message.id);
        self.by_expiry.insert((message.expires, message.order), message.expires, message.id);
        self.messages.insert(message.id, message.clone());
        message
    }

    /// Replaces a message. Its expiry is the same.
    fn change(&mut self, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        if let Some(before) = self.messages.insert(message.id, message.clone()) {
            self.by_visibility.remove((before.visible, before.order));
        }
        self.by_visibility.insert((message.visible, message.order), message.expires, message.id);
        message
    }

    fn drop(&mut self, id: Uuid) -> Option<Arc<Message>> {
        let message = self.messages.remove(&id)?;
        self.by_visibility.remove((message.visible, message.order));
        self.by_expiry.remove((message.expires, message.order));
        Some(message)
    }

    /// Removes some expired messages, to free their memory.
    fn sweep(&mut self, now: Timestamp) {
        for _ in 0..MAX_SWEPT {
            match self.by_expiry.first() {
                Some(((end, _), id)) if end <= now => {
                    let id = *id;
                    self.drop(id);
                }
                _ => return,
            }
        }
    }
}
