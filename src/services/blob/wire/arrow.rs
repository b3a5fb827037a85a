//! The answer of List Blobs as an Apache Arrow stream: a row for each blob and each prefix.
//!
//! The columns are named as the elements of the XML, and the marker is in the schema's metadata, as azure-storage-blob for Python 12.31
//! reads them. The rows are made from the XML, so that both formats always have the same values.

use crate::operation::xml::{Element, Writer};
use crate::operation::{Request, xml};
use crate::rules::blob::arrow::{Cell, Column, Kind, Stream};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::listing::Position;
use crate::rules::time::Timestamp;
use crate::services::blob::wire::listing::{Include, Line, write_listed};
use arrow_schema::ArrowError;

/// The columns, in the order of the elements. Metadata and tags follow where they are included.
const COLUMNS: [(&str, Kind); 46] = [
    ("Name", Kind::Text),
    ("ResourceType", Kind::Text),
    ("Snapshot", Kind::Text),
    ("VersionId", Kind::Text),
    ("IsCurrentVersion", Kind::Bool),
    ("HasVersionsOnly", Kind::Bool),
    ("Deleted", Kind::Bool),
    ("Creation-Time", Kind::Time),
    ("Last-Modified", Kind::Time),
    ("Expiry-Time", Kind::Time),
    ("Etag", Kind::Text),
    ("Content-Length", Kind::Int),
    ("Content-Type", Kind::Text),
    ("Content-Encoding", Kind::Text),
    ("Content-Language", Kind::Text),
    ("Content-CRC64", Kind::Text),
    ("Content-MD5", Kind::Text),
    ("Cache-Control", Kind::Text),
    ("Content-Disposition", Kind::Text),
    ("LastAccessTime", Kind::Time),
    ("x-ms-blob-sequence-number", Kind::Int),
    ("BlobType", Kind::Text),
    ("AccessTier", Kind::Text),
    ("AccessTierInferred", Kind::Bool),
    ("SmartAccessTier", Kind::Text),
    ("ArchiveStatus", Kind::Text),
    ("RehydratePriority", Kind::Text),
    ("AccessTierChangeTime", Kind::Time),
    ("LeaseStatus", Kind::Text),
    ("LeaseState", Kind::Text),
    ("LeaseDuration", Kind::Text),
    ("CopyId", Kind::Text),
    ("CopySource", Kind::Text),
    ("CopyStatus", Kind::Text),
    ("CopyProgress", Kind::Text),
    ("CopyCompletionTime", Kind::Time),
    ("CopyStatusDescription", Kind::Text),
    ("IncrementalCopy", Kind::Bool),
    ("CopyDestinationSnapshot", Kind::Text),
    ("ServerEncrypted", Kind::Bool),
    ("CustomerProvidedKeySha256", Kind::Text),
    ("EncryptionScope", Kind::Text),
    ("Sealed", Kind::Bool),
    ("DeletedTime", Kind::Time),
    ("RemainingRetentionDays", Kind::Int),
    ("TagCount", Kind::Int),
];

/// The columns of a list that includes immutability policies or legal holds.
const PROTECTION: [(&str, Kind); 3] =
    [("ImmutabilityPolicyUntilDate", Kind::Time), ("ImmutabilityPolicyMode", Kind::Text), ("LegalHold", Kind::Bool)];

/// A page of a list, with the marker of the next one.
///
/// # Errors
/// 500 InternalError for values that Arrow cannot hold.
pub(in crate::services::blob) fn arrow_list(
    lines: &[Line<'_>],
    next: Option<Position>,
    include: Include,
    request: &Request,
) -> Result<Vec<u8>, StorageError> {
    let next = next.map(|next| next.marker()).unwrap_or_default();
    let mut columns: Vec<(&str, Kind)> = COLUMNS.to_vec();
    if include.policy || include.hold {
        columns.extend(PROTECTION);
    }
    let maps = [("Metadata", include.metadata), ("Tags", include.tags)];
    columns.extend(maps.iter().filter(|(_, included)| *included).map(|(name, _)| (*name, Kind::Map)));
    let cells: Vec<Vec<Cell>> =
        lines.iter().map(|line| cells(line, &columns, include, request)).collect::<Result<_, StorageError>>()?;
    let named = columns.iter().map(|(name, kind)| Column { name: (*name).to_owned(), kind: *kind }).collect();
    let written = || -> Result<Vec<u8>, ArrowError> {
        let mut stream = Stream::new(named, [("NextMarker".to_owned(), next)])?;
        if !cells.is_empty() {
            stream.write(&cells)?;
        }
        stream.finish()?;
        Ok(stream.take())
    };
    written().map_err(|error| ErrorCode::InternalError.with_reason(error.to_string()))
}

fn cells(line: &Line<'_>, columns: &[(&str, Kind)], include: Include, request: &Request) -> Result<Vec<Cell>, StorageError> {
    let (name, kind, blob) = match line {
        Line::Prefix(prefix, _) => (prefix.as_str(), Some("blobprefix"), Element::default()),
        Line::Blob(name, listed) => {
            let mut xml = Writer::new();
            write_listed(&mut xml, name, *listed, include, request);
            (&**name, None, xml::parse(xml.finish().as_bytes(), "Blob")?)
        }
    };
    let empty = Element::default();
    let properties = blob.child("Properties").unwrap_or(&empty);
    let cell = |(column, holds): &(&str, Kind)| match (*column, holds) {
        // A name in XML may be encoded; a name in Arrow is not.
        ("Name", _) => Cell::Text(name.to_owned()),
        ("ResourceType", _) => kind.map_or(Cell::Null, |kind| Cell::Text(kind.to_owned())),
        ("Tags", _) => blob.child("Tags").map_or(Cell::Null, tags),
        (_, Kind::Map) => blob.child(column).map_or(Cell::Null, |map| {
            Cell::Map(map.children.iter().map(|member| (member.name.clone(), member.text.clone())).collect())
        }),
        (_, holds) => {
            let text = blob.child(column).or_else(|| properties.child(column)).map(|leaf| leaf.text.as_str());
            text.filter(|text| !text.is_empty()).map_or(Cell::Null, |text| read(text, *holds))
        }
    };
    Ok(columns.iter().map(cell).collect())
}

fn tags(tags: &Element) -> Cell {
    let set = tags.child("TagSet").map_or(&[][..], |set| &set.children);
    let text = |tag: &Element, name| tag.child(name).map(|leaf| leaf.text.clone()).unwrap_or_default();
    Cell::Map(set.iter().map(|tag| (text(tag, "Key"), text(tag, "Value"))).collect())
}

fn read(text: &str, kind: Kind) -> Cell {
    let read = match kind {
        Kind::Int => text.parse().ok().map(Cell::Int),
        Kind::Bool => text.parse().ok().map(Cell::Bool),
        Kind::Time => Timestamp::parse_http(text).map(|time| Cell::Time(time.unix_millis())),
        Kind::Text | Kind::Float | Kind::Decimal(..) | Kind::Map => Some(Cell::Text(text.to_owned())),
    };
    read.unwrap_or_default()
}
