//! The properties of the copy that created a blob, and their headers and elements.

use crate::operation::Reply;
use crate::operation::xml::Writer;
use crate::rules::time::Timestamp;
use crate::services::shared::copying::guid;
pub use crate::services::shared::copying::{Outcome, Progress};
use serde::{Deserialize, Serialize};

/// The last copy to a blob, complete or not.
#[derive(Clone, Debug)]
pub struct BlobCopy {
    pub id: [u8; 16],
    /// The source's URL, without its signature.
    pub source: String,
    /// The source's size in bytes.
    pub total: u64,
    pub progress: Progress,
    /// Its place among incremental copies, if it is one.
    pub incremental: Option<IncrementalCopy>,
}

/// An incremental copy of a snapshot.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncrementalCopy {
    /// The source without its snapshot: account, container, blob.
    pub of: [String; 3],
    /// When the source was created: to overwrite it creates another.
    pub created: Timestamp,
    /// The source's snapshot.
    pub snapshot: Timestamp,
    /// The snapshot of the destination that holds the copy.
    pub destination: Timestamp,
}

impl BlobCopy {
    /// A copy that was complete at once.
    pub fn whole(id: [u8; 16], source: String, bytes: u64, at: Timestamp) -> BlobCopy {
        BlobCopy { id, source, total: bytes, progress: Progress::whole(bytes, at), incremental: None }
    }

    pub fn is_pending(&self) -> bool {
        self.progress.is_pending()
    }

    /// The same copy after its end.
    pub fn over(&self, at: Timestamp, outcome: Outcome) -> BlobCopy {
        BlobCopy { progress: self.progress.over(at, outcome), ..self.clone() }
    }

    /// The value of `x-ms-copy-status`.
    pub fn status(&self) -> &'static str {
        self.progress.status()
    }

    /// The time of the snapshot that an incremental copy created.
    fn destination(&self) -> Option<String> {
        self.incremental.as_ref().map(|increment| increment.destination.iso())
    }

    /// Adds its headers.
    pub(super) fn describe(&self, reply: Reply) -> Reply {
        self.progress
            .describe(reply, self.id, &self.source, self.total)
            .with_some("x-ms-incremental-copy", self.incremental.as_ref().map(|_| "true"))
            .with_some("x-ms-copy-destination-snapshot", self.destination())
    }

    /// Writes its elements in a list of blobs.
    pub(super) fn write(&self, xml: &mut Writer) {
        xml.leaf("CopyId", guid(self.id)).leaf("CopySource", &self.source).leaf("CopyStatus", self.status());
        xml.leaf("CopyProgress", self.progress.of(self.total));
        xml.leaf_some("CopyCompletionTime", self.progress.ended());
        xml.leaf_some("CopyStatusDescription", self.progress.description());
        xml.leaf_some("IncrementalCopy", self.incremental.as_ref().map(|_| "true"));
        xml.leaf_some("CopyDestinationSnapshot", self.destination());
    }
}

/// The URL of a copy's source without its signature. The signed parameters stay (recorded).
pub fn without_signature(url: &str) -> String {
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let is_signature = |part: &&str| part.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case("sig"));
    let left: Vec<&str> = query.split('&').filter(|part| !is_signature(part)).collect();
    if left.is_empty() { path.to_owned() } else { format!("{path}?{}", left.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_url_of_a_source_has_no_signature() {
        for (url, stored) in [
            ("http://a/b", "http://a/b"),
            ("http://a/b?sig=s", "http://a/b"),
            (
                "http://a/b?se=2020-08-22T23%3A33%3A21Z&sp=rt&sr=b&sig=yWlD%3D",
                "http://a/b?se=2020-08-22T23%3A33%3A21Z&sp=rt&sr=b",
            ),
            ("http://a/b?snapshot=t&Sig=s&sp=r", "http://a/b?snapshot=t&sp=r"),
            ("http://a/b?versionid=t&signal=1", "http://a/b?versionid=t&signal=1"),
        ] {
            assert_eq!(without_signature(url), stored, "{url}");
        }
    }
}
