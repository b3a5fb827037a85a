//! The recorded reads of blobs, in accounts that track them.

use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::BlobKey;
use std::ptr;
use std::sync::Arc;

impl Blob {
    /// When it was last read or written; `None` for a state without such a time. Only current block blobs have one (recorded: append
    /// blobs in the same account have none).
    pub fn last_access(&self, at: VersionSelector) -> Option<Timestamp> {
        let tracked = at == VersionSelector::Base && matches!(self.body, Body::Block { .. });
        tracked.then(|| self.read.or_written(self.last_modified))
    }
}

impl Container {
    /// Returns true if a read of this blob has to be recorded: the blob has not changed since, and its last recorded read is old.
    pub fn must_record_read(&self, name: &str, read: &Blob, now: Timestamp) -> bool {
        self.unread(name, read, now).is_some()
    }

    /// Records that this blob was read, which affects neither its modification time nor its ETag.
    ///
    /// # Errors
    /// 404 BlobNotFound when another request has recorded it, or has changed the blob in the meantime.
    pub fn record_read(&mut self, name: &str, read: &Blob, now: Timestamp) -> Result<(), StorageError> {
        let (key, blob) = self.unread(name, read, now).ok_or(ErrorCode::BlobNotFound)?;
        self.insert(key, Blob { read: LastAccess::at(now), ..Blob::clone(&blob) });
        Ok(())
    }

    fn unread(&self, name: &str, read: &Blob, now: Timestamp) -> Option<(BlobKey, Arc<Blob>)> {
        let (key, blob) = self.blobs.get_key_value(&BlobKey::base(self.place(name, now).ok()?))?;
        let is_same = ptr::eq(Arc::as_ptr(blob), read) && blob.last_access(key.at).is_some();
        (is_same && blob.read.misses(now)).then(|| (key.clone(), blob.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::rules::auth::permissions::PublicAccess;
    use crate::rules::encryption::{DefaultEncryption, Encryption};
    use crate::rules::lake::access::Caller;
    use crate::rules::metadata::Metadata;
    use crate::rules::retention::RetentionPolicy;
    use crate::services::blob::last_access;
    use crate::services::blob::path_properties::NewPath;
    use crate::services::blob::state::admission::Claimed;
    use crate::services::blob::state::key::Place;
    use crate::services::shared::content_headers::ContentHeaders;
    use crate::store::Store;
    use crate::store::cell::Cell;
    use crate::store::content::Content;

    fn account(access_tracking: bool) -> Account {
        Account { name: "one".into(), access_tracking, ..Account::default() }
    }

    fn put(container: &mut Container, name: &str, body: Body, now: Timestamp) {
        let claimed = Claimed {
            name: name.into(),
            place: Some(Place::flat(name)),
            current: None,
            encryption: Encryption::Service,
            path: NewPath::by(&Caller::SuperUser),
        };
        container.create(claimed, now, RetentionPolicy::default(), |new| new.blob(body, ContentHeaders::default())).unwrap();
    }

    fn blob(cell: &Cell<Container>, name: &str) -> Arc<Blob> {
        cell.read().blobs[&BlobKey::base(Place::flat(name))].clone()
    }

    #[tokio::test]
    async fn a_read_that_is_not_recorded_writes_nothing() {
        const DAY: u64 = 24 * 60 * 60;
        let start = Timestamp::from_unix(1_000_000, 0);
        let mut container = Container::new(start, Metadata::default(), PublicAccess::Private, DefaultEncryption::default());
        let block = || Body::Block { content: Content::default(), blocks: Arc::default() };
        put(&mut container, "block", block(), start);
        put(&mut container, "page", Body::Page { content: Default::default(), sequence: 0 }, start);
        let latest = container.latest;
        let cell = Store::MEMORY.cell(container, ErrorCode::ContainerNotFound);

        for (tracking, name, seconds, recorded) in [
            (false, "block", 0, false),
            (true, "page", 0, false),
            (true, "block", 1, true),
            (true, "block", 2, false),
            (true, "block", DAY, false),
            (false, "block", DAY + 1, false),
            (true, "block", DAY + 1, true),
        ] {
            let (before, read) = (cell.read(), blob(&cell, name));
            last_access::record(&cell, &account(tracking), name, &read, start.after_seconds(seconds)).await;
            assert_eq!(!Arc::ptr_eq(&before, &cell.read()), recorded, "{name} {seconds}");
        }
        let read = blob(&cell, "block");
        assert_eq!((read.last_access(VersionSelector::Base), cell.read().latest), (Some(start.after_seconds(DAY + 1)), latest));

        // A read that started before the blob was overwritten is not a read of the new blob.
        cell.write(|container| {
            put(container, "block", block(), start.after_seconds(3 * DAY));
            Ok(())
        })
        .await
        .unwrap();
        let before = cell.read();
        last_access::record(&cell, &account(true), "block", &read, start.after_seconds(4 * DAY)).await;
        assert!(Arc::ptr_eq(&before, &cell.read()));
    }
}
