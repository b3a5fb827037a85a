//! Blob storage: containers, and the blobs in them.
//!
//! `body` is what a blob is made of, `state` is what is stored in a container and the one door to it, `blobs` finds the container, `wire` has its XML and headers, `ops`
//! a room for each operation, and `service` the face that all this shows to the wire.

mod blobs;
mod body;
pub mod ops;
mod service;
mod state;
mod wire;

pub use blobs::Blobs;

mod stub {
    use super::state::Container;
    use crate::store::{
        Store,
        journal::{Changes, Recorded, Records, Unreadable},
    };
    impl Recorded for Container {
        fn changes(_: Option<&Self>, _: &Self, _: &mut Changes<'_>) {}
        fn restore(_: &Records, _: &Store) -> Result<Self, Unreadable> {
            Err(Unreadable(String::new()))
        }
    }
    impl Recorded for crate::service::properties::Properties {
        fn changes(_: Option<&Self>, _: &Self, _: &mut Changes<'_>) {}
        fn restore(_: &Records, _: &Store) -> Result<Self, Unreadable> {
            Ok(Self::default())
        }
    }
}
