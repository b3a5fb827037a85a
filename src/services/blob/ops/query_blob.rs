//! Query Blob Contents: the rows of a blob's text that a query selects, as a stream of Avro records.

use crate::operation::xml::Element;
use crate::operation::{EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector, StateQuery, xml};
#[cfg(feature = "arrow")]
use crate::rules::blob::arrow::Column;
#[cfg(feature = "arrow")]
use crate::rules::blob::arrow::Kind;
use crate::rules::blob::query;
#[cfg(feature = "arrow")]
use crate::rules::blob::query::parquet::Lines;
use crate::rules::blob::query::{Dialect, ErrorDetail, Format, Output, Run, Task};
#[cfg(not(feature = "arrow"))]
use crate::rules::error::ErrorCode;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::READ;
#[cfg(feature = "arrow")]
use crate::services::blob::state::Blob;
use crate::services::blob::wire::DescribedPart;
use crate::services::blob::{last_access, wire};
#[cfg(feature = "arrow")]
use bytes::Bytes;
#[cfg(feature = "arrow")]
use std::ops::Range;

pub(super) static QUERY_BLOB: Operation<Blobs> = operation!(
    query_blob,
    StateQuery,
    OperationSpec {
        name: "Query Blob Contents",
        methods: &["POST"],
        selectors: &[Selector::Query("comp", "query")],
        encryption: EncryptionCheck::Read,
        ..READ
    }
);

/// The largest query document, in bytes.
const LIMIT: u64 = 256 << 10;
/// Headers of Get Blob that describe its bytes, not the answer to a query.
const BYTE_HEADERS: [&str; 6] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "x-ms-blob-content-md5",
    "x-ms-server-encrypted",
];

async fn query_blob(blobs: &Blobs, mut request: Request, _: StateQuery) -> Result<Reply, StorageError> {
    let (task, contents) = read_task(&request.body.bytes(LIMIT).await?, request.version)?;
    let container = blobs.resource(&request)?;
    let blob = container.read().admit(&request)?;
    blob.check_readable(request.now)?;
    // Blobs of every type can be queried: the reference excludes none, and there is no evidence of a refusal.
    let mut reply = wire::describe(Reply::new(request.spec.status), &blob, DescribedPart::Range, &request)
        .with("content-type", "avro/binary");
    for name in BYTE_HEADERS {
        reply.headers.remove(name);
    }
    if blob.path.is_some() {
        // Recorded of a hierarchical namespace, and of no other.
        reply = reply.with("x-ms-server-encrypted", "false");
    }
    last_access::record(&container, &request.account, request.target.blob()?.0, &blob, request.now).await;
    let size = blob.body.len();
    let sync = request.environment.id();
    match contents {
        Contents::Text => {
            let rows = blob.body.slice(0..size).through(|bytes| Run::new(task, bytes, size, request.now, sync));
            Ok(reply.stream(rows, None))
        }
        #[cfg(feature = "arrow")]
        Contents::Parquet => {
            let window = move |start: u64, length: u64| read(&blob, start..start.saturating_add(length).min(size));
            let lines = Lines::new(size, Box::new(window));
            Ok(reply.stream(Run::new(task, lines, size, request.now, sync).map(Ok), None))
        }
    }
}

/// The type of the content, as the request states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    /// Text, in the task's format.
    Text,
    /// A Parquet file, which is read as JSON text.
    #[cfg(feature = "arrow")]
    Parquet,
}

/// A range of a blob's bytes; `None` if they cannot be read.
#[cfg(feature = "arrow")]
fn read(blob: &Blob, range: Range<u64>) -> Option<Bytes> {
    let mut chunks = blob.body.slice(range).map(|chunk| chunk.read().ok());
    let first = chunks.next().unwrap_or(Some(Bytes::new()))?;
    let Some(second) = chunks.next() else { return Some(first) };
    let mut all = first.to_vec();
    all.extend_from_slice(&second?);
    for chunk in chunks {
        all.extend_from_slice(&chunk?);
    }
    Some(all.into())
}

fn read_task(document: &[u8], version: Version) -> Result<(Task, Contents), StorageError> {
    let request = xml::parse(document, "QueryRequest")?;
    let kind = request.need("QueryType")?;
    if kind != "SQL" {
        return Err(StorageError::invalid_xml_node("QueryType", kind));
    }
    let expression = request.need("Expression")?;
    let refusal = |reason| StorageError::invalid_xml_node("Expression", expression).with_reason(reason);
    let query = query::parse(expression).map_err(|error| refusal(error.to_string()))?;
    let (input, contents) = request.child("InputSerialization").map_or_else(|| Ok((delimited(), Contents::Text)), read_input)?;
    let as_read = || match contents {
        Contents::Text => input.clone(),
        // azure-storage-blob for Python gives no output format for Parquet, and its test `test_quick_query_input_in_parquet_format`
        // expects `0,mdifjt55.ea3,mdifjt55.ea3` and a line feed.
        #[cfg(feature = "arrow")]
        Contents::Parquet => delimited(),
    };
    let mut output = request.child("OutputSerialization").map_or_else(|| Ok(Output::Text(as_read())), read_output)?;
    // Up to 2020-02-10 an answer never has a header row (recorded).
    if let Output::Text(Format::Delimited(dialect)) = &mut output {
        dialect.headers &= version > Version::V2020_02_10;
    }
    // The first version does not say why JSON is invalid (recorded).
    // A position in the text that stands for a Parquet file would say nothing about the file.
    let is_text = contents == Contents::Text;
    let errors = if is_text && version > Version::V2019_12_12 { ErrorDetail::Position } else { ErrorDetail::General };
    let task = Task::new(query, input, output).map_err(|error| refusal(error.to_string()))?;
    Ok((task.with_errors(errors), contents))
}

/// The format of text if the request states none.
fn delimited() -> Format {
    Format::Delimited(Dialect::default())
}

fn read_input(serialization: &Element) -> Result<(Format, Contents), StorageError> {
    let format = format_of(serialization)?;
    match format.need("Type")? {
        #[cfg(feature = "arrow")]
        "parquet" => Ok((Format::Json(b"\n".into()), Contents::Parquet)),
        #[cfg(not(feature = "arrow"))]
        kind @ ("parquet" | "arrow") => Err(absent(kind)),
        _ => Ok((read_format(format)?, Contents::Text)),
    }
}

fn read_output(serialization: &Element) -> Result<Output, StorageError> {
    let format = format_of(serialization)?;
    match format.need("Type")? {
        #[cfg(feature = "arrow")]
        "arrow" => read_schema(format).map(Output::Arrow),
        #[cfg(not(feature = "arrow"))]
        kind @ ("parquet" | "arrow") => Err(absent(kind)),
        _ => read_format(format).map(Output::Text),
    }
}

#[cfg(not(feature = "arrow"))]
fn absent(kind: &str) -> StorageError {
    let refusal = ErrorCode::UnsupportedXmlNode.with_detail("XmlNodeName", "Type").with_detail("XmlNodeValue", kind);
    refusal.with_reason("this build reads no Parquet and writes no Arrow (cargo feature `arrow`)")
}

fn format_of(serialization: &Element) -> Result<&Element, StorageError> {
    serialization.child("Format").ok_or_else(|| StorageError::invalid_xml("Format is missing."))
}

fn read_format(format: &Element) -> Result<Format, StorageError> {
    match format.need("Type")? {
        "delimited" => format.child("DelimitedTextConfiguration").map_or(Ok(delimited()), read_dialect),
        "json" => {
            let separator = format.child("JsonTextConfiguration").and_then(|json| separator(json, "RecordSeparator"));
            Ok(Format::Json(separator.unwrap_or_else(|| b"\n".into())))
        }
        other => Err(StorageError::invalid_xml_node("Type", other)),
    }
}

/// The columns of an Arrow answer.
#[cfg(feature = "arrow")]
fn read_schema(format: &Element) -> Result<Vec<Column>, StorageError> {
    let configuration =
        format.child("ArrowConfiguration").ok_or_else(|| StorageError::invalid_xml("ArrowConfiguration is missing."))?;
    let schema = configuration.child("Schema").ok_or_else(|| StorageError::invalid_xml("Schema is missing."))?;
    let read = |(at, field): (usize, &Element)| {
        let number = |name, default: u8| match field.text_of(name).filter(|text| !text.is_empty()) {
            None => Ok(default),
            Some(text) => text.parse::<u8>().map_err(|_| StorageError::invalid_xml_node(name, text)),
        };
        let kind = match field.need("Type")? {
            "int64" => Kind::Int,
            "bool" => Kind::Bool,
            "timestamp[ms]" => Kind::Time,
            "string" => Kind::Text,
            "double" => Kind::Float,
            "decimal" => match (number("Precision", 38)?, number("Scale", 0)?) {
                (precision @ 1..=38, scale) if scale <= precision => Kind::Decimal(precision, scale as i8),
                (1..=38, scale) => return Err(StorageError::invalid_xml_node("Scale", scale.to_string())),
                (precision, _) => return Err(StorageError::invalid_xml_node("Precision", precision.to_string())),
            },
            other => return Err(StorageError::invalid_xml_node("Type", other)),
        };
        let name = field.text_of("Name").filter(|name| !name.is_empty()).map_or_else(|| format!("_{}", at + 1), str::to_owned);
        Ok(Column { name, kind })
    };
    schema.children.iter().filter(|child| child.name == "Field").enumerate().map(read).collect()
}

fn read_dialect(delimited: &Element) -> Result<Format, StorageError> {
    let default = Dialect::default();
    let headers = match delimited.text_of("HasHeaders") {
        None | Some("") => false,
        Some(text) => text.to_ascii_lowercase().parse().map_err(|_| StorageError::invalid_xml_node("HasHeaders", text))?,
    };
    Ok(Format::Delimited(Dialect {
        column: separator(delimited, "ColumnSeparator").unwrap_or(default.column),
        quote: if delimited.child("FieldQuote").is_some() { byte(delimited, "FieldQuote")? } else { default.quote },
        record: separator(delimited, "RecordSeparator").unwrap_or(default.record),
        escape: byte(delimited, "EscapeChar")?,
        headers,
    }))
}

/// A separator with its white space; `None` if it is empty.
fn separator(of: &Element, name: &str) -> Option<Vec<u8>> {
    of.child(name).map(|child| child.text.clone().into_bytes()).filter(|text| !text.is_empty())
}

/// An element with at most one character.
fn byte(of: &Element, name: &str) -> Result<Option<u8>, StorageError> {
    match of.child(name).map_or("", |child| &child.text).as_bytes() {
        [] => Ok(None),
        [byte] => Ok(Some(*byte)),
        other => Err(StorageError::invalid_xml_node(name, String::from_utf8_lossy(other))),
    }
}
