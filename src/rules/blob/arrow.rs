//! Rows as an Apache Arrow IPC stream, in columns of one type each.
//!
//! Two operations can answer with such a stream: Query Blob Contents, and List Blobs from 2026-10-06 on.

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Decimal128Builder, Float64Builder, Int64Builder, MapBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The type of a column. Every cell may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `string`
    Text,
    /// `int64`
    Int,
    /// `double`
    Float,
    /// `bool`
    Bool,
    /// `timestamp[ms]`, without a time zone: UTC.
    Time,
    /// `decimal`: the number of digits, and of those after the point.
    Decimal(u8, i8),
    /// A map from text to text.
    Map,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// A value of a row. A value whose type is not that of its column is written as null.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    #[default]
    Null,
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// Milliseconds since 1970.
    Time(i64),
    /// A decimal number, in units of its last digit.
    Decimal(i128),
    Map(Vec<(String, String)>),
}

/// The writer of a stream: the schema, then batches of rows, then the end.
pub struct Stream {
    columns: Vec<Column>,
    schema: SchemaRef,
    writer: StreamWriter<Vec<u8>>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl Stream {
    /// Starts a stream of these columns, with `metadata` in its schema.
    ///
    /// # Errors
    /// An error for a decimal column with a precision that Arrow does not support.
    pub fn new(columns: Vec<Column>, metadata: impl IntoIterator<Item = (String, String)>) -> Result<Stream, ArrowError> {
        let fields: Fields = columns.iter().map(|column| Field::new(&column.name, data_type(column.kind), true)).collect();
        for column in &columns {
            if let Kind::Decimal(precision, scale) = column.kind {
                Decimal128Builder::new().with_precision_and_scale(precision, scale)?;
            }
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata.into_iter().collect::<HashMap<_, _>>()));
        let writer = StreamWriter::try_new(Vec::new(), &schema)?;
        Ok(Stream { columns, schema, writer })
    }

    /// Adds a batch of rows. The missing cells of a row are null.
    ///
    /// # Errors
    /// An error for values that Arrow cannot hold, such as text of more than 2 GiB in one column.
    pub fn write(&mut self, rows: &[Vec<Cell>]) -> Result<(), ArrowError> {
        let columns = self.columns.iter().enumerate();
        let arrays = columns.map(|(at, column)| array(column.kind, rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Null))));
        let arrays = arrays.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
        self.writer.write(&batch)
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn finish(&mut self) -> Result<(), ArrowError> {
        self.writer.finish()
    }

    /// Removes and returns the bytes that were written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.get_mut())
    }
}

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Int => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Bool => DataType::Boolean,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, None),
        Kind::Decimal(precision, scale) => DataType::Decimal128(precision, scale),
        Kind::Map => map_builder().finish().data_type().clone(),
    }
}

fn map_builder() -> MapBuilder<StringBuilder, StringBuilder> {
    MapBuilder::new(None, StringBuilder::new(), StringBuilder::new())
}

fn array<'a>(kind: Kind, cells: impl Iterator<Item = &'a Cell>) -> Result<ArrayRef, ArrowError> {
    /// Fills a builder with the cells of its type.
    macro_rules! fill {
        ($builder:expr, $cell:ident) => {{
            let mut builder = $builder;
            for cell in cells {
                builder.append_option(if let Cell::$cell(value) = cell { Some(value.clone()) } else { None });
            }
            Ok(ArrayBuilder::finish(&mut builder))
        }};
    }
    match kind {
        Kind::Text => fill!(StringBuilder::new(), Text),
        Kind::Int => fill!(Int64Builder::new(), Int),
        Kind::Float => fill!(Float64Builder::new(), Float),
        Kind::Bool => fill!(BooleanBuilder::new(), Bool),
        Kind::Time => fill!(TimestampMillisecondBuilder::new(), Time),
        Kind::Decimal(precision, scale) => fill!(Decimal128Builder::new().with_precision_and_scale(precision, scale)?, Decimal),
        Kind::Map => {
            let mut builder = map_builder();
            for cell in cells {
                let pairs = if let Cell::Map(pairs) = cell { Some(pairs) } else { None };
                for (key, value) in pairs.into_iter().flatten() {
                    builder.keys().append_value(key);
                    builder.values().append_value(value);
                }
                builder.append(pairs.is_some())?;
            }
            Ok(ArrayBuilder::finish(&mut builder))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_ipc::reader::StreamReader;

    #[test]
    fn what_is_written_is_read_back() {
        let kinds = [Kind::Text, Kind::Int, Kind::Float, Kind::Bool, Kind::Time, Kind::Decimal(18, 2), Kind::Map];
        let columns = kinds.iter().enumerate().map(|(at, kind)| Column { name: format!("c{at}"), kind: *kind }).collect();
        let mut stream = Stream::new(columns, [("NextMarker".to_owned(), "m".to_owned())]).unwrap();
        let row = vec![
            Cell::Text("é".into()),
            Cell::Int(-1),
            Cell::Float(1.5),
            Cell::Bool(true),
            Cell::Time(1000),
            Cell::Decimal(1234),
            Cell::Map(vec![("k".into(), "v".into())]),
        ];
        stream.write(&[row, vec![Cell::Int(1)]]).unwrap();
        stream.write(&[]).unwrap();
        stream.finish().unwrap();
        let bytes = stream.take();
        let reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
        assert_eq!(reader.schema().metadata()["NextMarker"], "m");
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 0]);
        for (at, column) in batches[0].columns().iter().enumerate() {
            assert_eq!((column.is_null(0), column.is_null(1)), (false, true), "column {at}");
        }
        assert!(stream.take().is_empty());
        assert!(Stream::new(vec![Column { name: "d".into(), kind: Kind::Decimal(99, 0) }], []).is_err());
    }
}
