//! Last access time tracking, for accounts that ask for it: which reads are kept, and what a reader is told of the last.

use crate::account::Account;
use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::state::{Admitted, Blob, Container};
use crate::store::cell::Cell;

/// Keeps that a blob's content was read: by a client, or by a copy. Most reads of a day write nothing, and wait for no writer; nor does
/// any in an account that does not track them.
pub(super) async fn keep(container: &Cell<Container>, account: &Account, name: &str, read: &Blob, now: Timestamp) {
    if account.access_tracking && container.read().misses_read(name, read, now) {
        // It was read, whatever has become of it meanwhile.
        _ = container.write(|container| container.keep_read(name, read, now)).await;
    }
}

/// Adds when a blob was last read or written. Recorded: the read that is answered does not count yet.
pub(super) fn describe(reply: Reply, blob: &Admitted, request: &Request) -> Reply {
    reply.with_some("x-ms-last-access-time", last_access(blob.at(), blob, request))
}

/// Writes what a listing tells.
pub(super) fn write(xml: &mut Writer, at: VersionSelector, blob: &Blob, request: &Request) {
    xml.leaf_some("LastAccessTime", last_access(at, blob, request));
}

fn last_access(at: VersionSelector, blob: &Blob, request: &Request) -> Option<String> {
    let told = request.account.access_tracking && request.version >= Version::V2020_02_10;
    blob.last_access(at).filter(|_| told).map(Timestamp::rfc1123)
}
