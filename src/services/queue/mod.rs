//! Queue Storage: queues, and the messages in them.
//!
//! `state` is what a queue stores, `queues` finds the queue of a request, `inputs` parses what the operations on messages read, `wire`
//! writes messages in XML, `ops` has the operations, and `service` parses paths. The rules of
//! messages are in `rules::queue::message`.

mod inputs;
pub mod ops;
mod queues;
mod service;
mod state;
mod wire;

pub use queues::Queues;
pub use state::StoredMessage;
