//! Query Blob Contents: the rows of a blob's text that a query asks for, as a stream of Avro records.

use super::super::accessed;
use super::super::blobs::Blobs;
use super::super::wire::{self, Part};
use crate::op::xml::{self, Element};
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::query::{self, Dialect, Format, Run, Task};
use crate::rules::{condition::Accepts, lease::Guard, version::Version};

pub(super) static QUERY_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Query Blob Contents",
        methods: &["POST"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "query")],
        takes: &[ENCRYPTED, STATE],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

/// The largest query document, in bytes.
const LIMIT: u64 = 256 << 10;
/// Headers of Get Blob that are about its bytes, not about the answer to a query.
const OF_THE_BYTES: [&str; 6] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "x-ms-blob-content-md5",
    "x-ms-server-encrypted",
];

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let task = read_task(&call.body.bytes(LIMIT).await?, call.version)?;
    let container = blobs.container(&call)?;
    let blob = container.read().admit(&call)?;
    blob.check_readable(call.now)?;
    // Of whichever type: the reference names none, and there is no evidence of a refusal. An append blob's lines are rows like any others.
    let mut reply = wire::describe(Reply::new(call.row.status), &blob, Part::Range, &call).with("content-type", "avro/binary");
    for name in OF_THE_BYTES {
        reply.headers.remove(name);
    }
    accessed::keep(&container, &call.account, call.blob(), &blob, call.now).await;
    let size = blob.body.len();
    let sync = call.world.id();
    let rows = blob.body.slice(0..size).through(|bytes| Run::new(task, bytes, size, call.now, sync));
    Ok(reply.stream(rows, None))
}

fn read_task(document: &[u8], version: Version) -> Result<Task, Fault> {
    let request = xml::parse(document, "QueryRequest")?;
    let kind = request.need("QueryType")?;
    if kind != "SQL" {
        return Err(Fault::xml_node("QueryType", kind));
    }
    let expression = request.need("Expression")?;
    let refusal = |why| Fault::xml_node("Expression", expression).because(why);
    let query = query::parse(expression).map_err(refusal)?;
    let input = request.child("InputSerialization").map_or(Ok(Format::Delimited(Dialect::default())), read_format)?;
    let mut output = request.child("OutputSerialization").map_or_else(|| Ok(input.clone()), read_format)?;
    // Recorded in 2019-12-12: an answer has no header, whatever is asked.
    if let Format::Delimited(dialect) = &mut output {
        dialect.headers &= version > Version::V2019_12_12;
    }
    Task::new(query, input, output).map_err(refusal)
}

fn read_format(serialization: &Element) -> Result<Format, Fault> {
    let format = serialization.child("Format").ok_or_else(|| Fault::xml("Format is missing."))?;
    match format.need("Type")? {
        "delimited" => {
            format.child("DelimitedTextConfiguration").map_or(Ok(Dialect::default()), read_dialect).map(Format::Delimited)
        }
        "json" => {
            let separator = format.child("JsonTextConfiguration").and_then(|json| separator(json, "RecordSeparator"));
            Ok(Format::Json(separator.unwrap_or_else(|| b"\n".into())))
        }
        other @ ("parquet" | "arrow") => Err(Code::UnsupportedXmlNode.with("XmlNodeName", "Type").with("XmlNodeValue", other)),
        other => Err(Fault::xml_node("Type", other)),
    }
}

fn read_dialect(delimited: &Element) -> Result<Dialect, Fault> {
    let default = Dialect::default();
    let headers = match delimited.text_of("HasHeaders") {
        None | Some("") => false,
        Some(text) => text.to_ascii_lowercase().parse().map_err(|_| Fault::xml_node("HasHeaders", text))?,
    };
    Ok(Dialect {
        column: separator(delimited, "ColumnSeparator").unwrap_or(default.column),
        quote: if delimited.child("FieldQuote").is_some() { byte(delimited, "FieldQuote")? } else { default.quote },
        record: separator(delimited, "RecordSeparator").unwrap_or(default.record),
        escape: byte(delimited, "EscapeChar")?,
        headers,
    })
}

/// A separator as it is written, spaces and line ends included; none if it is empty.
fn separator(of: &Element, name: &str) -> Option<Vec<u8>> {
    of.child(name).map(|child| child.text.clone().into_bytes()).filter(|text| !text.is_empty())
}

/// A single character, if there is one.
fn byte(of: &Element, name: &str) -> Result<Option<u8>, Fault> {
    match of.child(name).map_or("", |child| &child.text).as_bytes() {
        [] => Ok(None),
        [byte] => Ok(Some(*byte)),
        other => Err(Fault::xml_node(name, String::from_utf8_lossy(other))),
    }
}
