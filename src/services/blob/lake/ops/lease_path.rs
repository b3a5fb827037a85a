//! Lease Path: acquire, renew, change, release, break. It is the lease of Lease Blob, with another URL.

use crate::operation::{Operation, Selector};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::lease_blob::LeasedBlob;
use crate::services::shared::lease;
use crate::services::shared::lease::LeaseInput;

/// Declares an operation: the action `I` on the lease of a path.
pub(super) const fn operation<I: LeaseInput>(name: &'static str) -> Operation<Blobs> {
    let mut operation = lease::operation::<LeasedBlob, I>(name);
    operation.spec.methods = &["POST"];
    operation.spec.selectors = const { &[Selector::Header("x-ms-lease-action", I::ACTION)] };
    operation
}
