//! What the queue service stores, and the one door to it.
//!
//! The messages of a queue are kept by id, along the time at which they become visible, and along the time at which they are over.
//! With these three no operation walks over messages that it does not touch: not those that are invisible, and not those that are over
//! and not yet cleared away. The fields are private here, and `ops` is a sibling of this module, not its child.

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

/// Messages that are over which one write clears away, at most. More than one, so that they get fewer.
const SWEPT: usize = 16;

/// A queue and all its messages: one cell of the store.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    metadata: Metadata,
    policies: Arc<[Policy]>,
    messages: OrdMap<Uuid, Arc<Message>>,
    /// The messages in the order in which they become visible.
    line: Timeline<Uuid>,
    /// The messages in the order in which they are over.
    ends: Timeline<Uuid>,
    /// Numbers given to messages and receipts; the next is higher.
    numbers: u64,
}

/// What is put: a message without what the queue adds.
#[derive(Debug)]
pub struct NewMessage {
    /// An id that no other message has.
    pub id: Uuid,
    /// The text.
    pub text: Arc<str>,
    /// From when on it can be taken.
    pub visible: Timestamp,
    /// From when on it is no more.
    pub expires: Timestamp,
}

/// A message that another server kept.
#[derive(Debug)]
pub struct StoredMessage {
    /// Its id.
    pub id: Uuid,
    /// The text.
    pub text: Arc<str>,
    /// When it was put.
    pub inserted: Timestamp,
    /// From when on it is no more.
    pub expires: Timestamp,
    /// From when on it can be taken.
    pub visible: Timestamp,
    /// How often it was taken.
    pub dequeued: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(metadata: Metadata) -> Queue {
        Queue { metadata, ..Queue::default() }
    }

    /// Its metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Replaces its metadata.
    pub fn set_metadata(&mut self, metadata: Metadata) {
        self.metadata = metadata;
    }

    /// Its stored access policies.
    pub fn policies(&self) -> &Arc<[Policy]> {
        &self.policies
    }

    /// Replaces its stored access policies.
    pub fn set_policies(&mut self, policies: Arc<[Policy]>) {
        self.policies = policies;
    }

    /// How many messages there are, visible or not.
    pub fn count(&self, now: Timestamp) -> usize {
        self.ends.count_after(now)
    }

    /// The first so many messages that are visible.
    pub fn peek(&self, count: usize, now: Timestamp) -> impl Iterator<Item = &Message> {
        self.line.lasting(now).filter_map(|(_, id)| self.messages.get(id).map(|message| &**message)).take(count)
    }

    /// Puts a message at the end of those that become visible when it does.
    pub fn put(&mut self, new: NewMessage, now: Timestamp) -> Arc<Message> {
        self.sweep(now);
        let number = self.number();
        let receipt = Receipt { number, visible: new.visible };
        let NewMessage { id, text, visible, expires } = new;
        self.add(Message { id, order: number, text, inserted: now, expires, visible, dequeued: 0, receipt })
    }

    /// Puts a message as another server kept it; whether there was none of its id. Whoever took it there does not hold it here.
    pub fn restore(&mut self, kept: StoredMessage) -> bool {
        if self.messages.contains_key(&kept.id) {
            return false;
        }
        let number = self.number();
        let StoredMessage { id, text, inserted, expires, visible, dequeued } = kept;
        let receipt = Receipt { number, visible };
        self.add(Message { id, order: number, text, inserted, expires, visible, dequeued, receipt });
        true
    }

    /// Takes the first so many messages that are visible, and leaves them invisible until `visible`.
    pub fn get(&mut self, count: usize, visible: Timestamp, now: Timestamp) -> Vec<Arc<Message>> {
        self.sweep(now);
        let first: Vec<Uuid> = self.line.lasting(now).map(|(_, id)| *id).take(count).collect();
        let taken = first.into_iter().filter_map(|id| {
            let number = self.number();
            let message = self.messages.get(&id)?.after_get(visible, number);
            Some(self.change(message))
        });
        taken.collect()
    }

    /// Sets a message aside until `visible`, with another text if there is one.
    ///
    /// # Errors
    /// 404 MessageNotFound when it is not there or the receipt is stale; 400 when it would be over before it is visible.
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
        let updated = self.held(id, receipt, now)?.updated(visible, text, number)?;
        Ok(self.change(updated))
    }

    /// Deletes a message.
    ///
    /// # Errors
    /// 404 MessageNotFound when it is not there or the receipt is stale.
    pub fn delete(&mut self, id: Uuid, receipt: &str, now: Timestamp) -> Result<(), StorageError> {
        self.sweep(now);
        self.held(id, receipt, now)?;
        self.drop(id);
        Ok(())
    }

    /// Deletes all messages, and hands out what there was: letting go of a million takes time, and is best done where nobody waits.
    #[must_use = "it is let go of by whoever drops it"]
    pub fn clear(&mut self) -> Queue {
        let empty = Queue { policies: self.policies.clone(), numbers: self.numbers, ..Queue::new(self.metadata.clone()) };
        std::mem::replace(self, empty)
    }

    /// The message of this id, for who holds this receipt.
    fn held(&self, id: Uuid, receipt: &str, now: Timestamp) -> Result<&Message, StorageError> {
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
        self.line.insert((message.visible, message.order), message.expires, message.id);
        self.ends.insert((message.expires, message.order), message.expires, message.id);
        self.messages.insert(message.id, message.clone());
        message
    }

    /// Puts a message in the place of the one that it was. When it is over has not changed.
    fn change(&mut self, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        if let Some(before) = self.messages.insert(message.id, message.clone()) {
            self.line.remove((before.visible, before.order));
        }
        self.line.insert((message.visible, message.order), message.expires, message.id);
        message
    }

    fn drop(&mut self, id: Uuid) -> Option<Arc<Message>> {
        let message = self.messages.remove(&id)?;
        self.line.remove((message.visible, message.order));
        self.ends.remove((message.expires, message.order));
        Some(message)
    }

    /// Clears away some messages that are over. Nobody sees them any more; this gives their memory back.
    fn sweep(&mut self, now: Timestamp) {
        for _ in 0..SWEPT {
            match self.ends.first() {
                Some(((end, _), id)) if end <= now => {
                    let id = *id;
                    self.drop(id);
                }
                _ => return,
            }
        }
    }
}
