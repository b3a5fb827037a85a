//! An Arrow answer: the values of a query, each converted to the declared type of its column.

use crate::rules::blob::arrow::{Cell, Column, Kind, Stream};
use crate::rules::blob::query::value::{Kind as Type, RowError, Value};

/// The most rows of a batch.
const BATCH: usize = 4096;

/// The rows of a batch, and the stream of the answer.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// `None` before the first write.
    stream: Option<Stream>,
}

impl Table {
    /// An empty batch.
    pub fn new(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new(), stream: None }
    }

    /// Adds a row by the positions of its values. A value without a column is omitted, a column without a value is null.
    ///
    /// # Errors
    /// An error for a value that cannot be converted to the type of its column.
    pub fn add(&mut self, values: Vec<Value>) -> Result<(), RowError> {
        let cells = values.into_iter().zip(&self.columns).map(|(value, column)| cell(value, column.kind));
        self.rows.push(cells.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Returns true if the batch is full.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= BATCH
    }

    /// The next part of the stream: the schema at the start, the rows that were added, the end after the `last`.
    ///
    /// # Errors
    /// An error for values that Arrow cannot hold.
    pub fn write(&mut self, last: bool) -> Result<Vec<u8>, RowError> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(Stream::new(self.columns.clone(), []).map_err(|_| RowError::OUTPUT)?),
        };
        if !self.rows.is_empty() {
            stream.write(&std::mem::take(&mut self.rows)).map_err(|_| RowError::OUTPUT)?;
        }
        if last {
            stream.finish().map_err(|_| RowError::OUTPUT)?;
        }
        Ok(stream.take())
    }
}

fn cell(value: Value, kind: Kind) -> Result<Cell, RowError> {
    // An empty field of delimited text is not a number.
    if kind != Kind::Text && matches!(&value, Value::Text(text) if text.trim().is_empty()) {
        return Ok(Cell::Null);
    }
    let wanted = match kind {
        Kind::Text | Kind::Decimal(..) => Type::String,
        Kind::Int => Type::Int,
        Kind::Float => Type::Float,
        Kind::Bool => Type::Boolean,
        Kind::Time => Type::Timestamp,
        Kind::Map => return Err(RowError::CONVERSION),
    };
    let value = if wanted == Type::String && !value.is_null() { Value::Text(value.into_text()) } else { value.cast(wanted)? };
    Ok(match value {
        Value::Missing | Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(truth),
        Value::Int(number) => Cell::Int(number),
        Value::Float(number) => Cell::Float(number),
        Value::Time(moment) => Cell::Time(moment.at.unix_millis()),
        Value::Text(text) => match kind {
            Kind::Decimal(precision, _) => Cell::Decimal(decimal(text.trim(), precision).ok_or(RowError::CONVERSION)?),
            _ => Cell::Text(text),
        },
        Value::Json(json) => Cell::Text(json.to_string()),
    })
}

/// The digits of a decimal number as written, not adjusted to the scale of the column. The stream that
/// `test_quick_query_output_in_arrow_format` of azure-storage-blob for Python records (`expected_result`) holds the field `400` as the
/// integer 400 in a column of precision 4 and scale 2, which reads as 4.00.
fn decimal(text: &str, precision: u8) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i128 = [whole, fraction].concat().parse().ok()?;
    let digits = number.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
    (digits <= precision.into()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_digits() {
        for (text, wanted) in [
            ("400", Some(400)),
            ("12.34", Some(1234)),
            ("-12.5", Some(-125)),
            ("0.05", Some(5)),
            (".5", Some(5)),
            ("+000000.1", Some(1)),
            ("0", Some(0)),
            ("1234567", None),
            ("1e3", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(decimal(text, 6), wanted, "{text}");
        }
    }

    #[test]
    fn values_become_what_their_columns_hold() {
        let text = |text: &str| Value::Text(text.into());
        for (value, kind, wanted) in [
            (text("7"), Kind::Int, Ok(Cell::Int(7))),
            (text(""), Kind::Int, Ok(Cell::Null)),
            (text("x"), Kind::Int, Err(RowError::CONVERSION)),
            (text("x"), Kind::Text, Ok(Cell::Text("x".into()))),
            (text("1970-01-01T00:00:01Z"), Kind::Time, Ok(Cell::Time(1000))),
            (Value::Int(3), Kind::Decimal(6, 2), Ok(Cell::Decimal(3))),
            (Value::Null, Kind::Bool, Ok(Cell::Null)),
            (text("TRUE"), Kind::Bool, Ok(Cell::Bool(true))),
        ] {
            assert_eq!(cell(value.clone(), kind), wanted, "{value:?} {kind:?}");
        }
    }
}
