//! Queue storage: queues, and the messages in them.
//!
//! `state` is what is stored in a queue and the one door to it, `queues` finds the queue, `wire` has the XML of messages, `ops` a room
//! for each operation, and `service` the face that all this shows to the wire. What a message decides is in `rules::message`.

pub mod ops;
mod queues;
mod service;
mod state;
mod wire;

pub use queues::Queues;
pub use state::StoredMessage;
