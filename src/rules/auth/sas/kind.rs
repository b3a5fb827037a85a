//! The kinds of shared access signatures, and what they limit.

use crate::rules::auth::permissions::Permissions;
use crate::rules::auth::sas::parameters::wrong_level;
use crate::rules::error::StorageError;
use crate::rules::time::Timestamp;
use std::net::Ipv4Addr;

/// The kinds of signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SasKind {
    /// For services, signed with an account key.
    Account {
        /// Of `bqtf` (`ss`).
        services: Permissions,
        /// The resource levels, of `sco` (`srt`).
        types: Permissions,
    },
    /// For one resource, signed with an account key.
    Service { resource: SignedResource },
    /// For one resource, signed with a user delegation key, which is valid for this time.
    UserDelegation { resource: SignedResource, key_start: Timestamp, key_expiry: Timestamp },
}

/// The resource of a service SAS (`sr`; queues and tables have no such parameter).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedResource {
    /// A container and everything in it.
    Container,
    Blob,
    /// A snapshot of a blob, and not the blob.
    Snapshot,
    /// A version of a blob, and not the blob.
    BlobVersion,
    /// A directory and everything below it; its name has this many segments (`sdd`).
    Directory {
        depth: u32,
    },
    /// A share and everything in it.
    Share,
    File,
    Queue,
    /// A table, or a range of its keys (`spk`, `srk`, `epk`, `erk`).
    Table,
}

impl SignedResource {
    /// The letters that a signature of this resource may have, in the orders that they may come in: JavaScript's SDK puts the
    /// later letters `y` and `f` at the end.
    pub const fn permission_orders(self) -> &'static [&'static str] {
        match self {
            SignedResource::Share | SignedResource::File => &["rcwdl"],
            SignedResource::Queue => &["raup"],
            SignedResource::Table => &["raud"],
            _ => &["racwdxyltfmeopi", "racwdxltmeopiyf"],
        }
    }

    /// The part of the name of a blob or file that is signed: all, none, or the segments of a directory. A signature for something
    /// within a container does not give access to the container itself.
    ///
    /// # Errors
    /// 403 AuthenticationFailed.
    pub fn signed_name(self, name: Option<&str>) -> Result<Option<&str>, StorageError> {
        use SignedResource::{Container, Directory, Queue, Share, Table};
        let depth = match self {
            Container | Share | Queue | Table | Directory { depth: 0 } => return Ok(None),
            Directory { depth } => depth as usize,
            _ => return name.map(Some).ok_or_else(wrong_level),
        };
        let name = name.ok_or_else(wrong_level)?;
        let mut ends = name.match_indices('/').map(|(end, _)| end).chain([name.len()]);
        let end = ends.nth(depth - 1).ok_or_else(wrong_level)?;
        Ok(name.get(..end))
    }
}

/// The protocols that a signature may be used by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Only HTTPS.
    Https,
    /// HTTPS or HTTP.
    Any,
}

/// The addresses that a signature may be used from: an inclusive range of IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpRange {
    pub first: Ipv4Addr,
    pub last: Ipv4Addr,
}

impl Protocol {
    pub fn parse(text: &str) -> Option<Protocol> {
        match text {
            "https" => Some(Protocol::Https),
            "https,http" => Some(Protocol::Any),
            _ => None,
        }
    }
}

impl IpRange {
    pub fn parse(text: &str) -> Option<IpRange> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = IpRange { first: first.parse().ok()?, last: last.parse().ok()? };
        (range.first <= range.last).then_some(range)
    }
}
