//! Last access time tracking: the recording of reads, and the last access time in answers.

use crate::account::Account;
use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::state::{Admitted, Blob, Container};
use crate::store::cell::Cell;

/// Records a read of a blob's content, by a client or by a copy, if the account tracks reads. Few reads of a day have to be recorded; the
/// others neither write nor wait for a writer.
pub(super) async fn record(container: &Cell<Container>, account: &Account, name: &str, read: &Blob, now: Timestamp) {
    if account.access_tracking && container.read().must_record_read(name, read, now) {
        // The read is answered even if the blob has changed in the meantime.
        _ = container.write(|container| container.record_read(name, read, now)).await;
    }
}

/// Adds when a blob was last read or written, before this read (recorded).
pub(super) fn describe(reply: Reply, blob: &Admitted, request: &Request) -> Reply {
    reply.with_some("x-ms-last-access-time", last_access(blob.at(), blob, request))
}

/// Writes the element of a listing.
pub(super) fn write(xml: &mut Writer, at: VersionSelector, blob: &Blob, request: &Request) {
    xml.leaf_some("LastAccessTime", last_access(at, blob, request));
}

fn last_access(at: VersionSelector, blob: &Blob, request: &Request) -> Option<String> {
    let is_reported = request.account.access_tracking && request.version >= Version::V2020_02_10;
    blob.last_access(at).filter(|_| is_reported).map(Timestamp::rfc1123)
}
