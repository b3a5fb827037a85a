//! Delimited text: parsing and writing of rows of fields.
//!
//! The `csv` crate supports neither separators of several bytes nor the position of each row in the blob.

use crate::rules::blob::query::evaluate::{InputRow, is_called};
use crate::rules::blob::query::input::{Input, LONGEST};
use crate::rules::blob::query::sql::{Quoted, Step};
use crate::rules::blob::query::value::{RowError, Value};
use bytes::Bytes;

/// The separators of fields and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between fields.
    pub column: Vec<u8>,
    /// Around a field that contains any of these.
    pub quote: Option<u8>,
    /// After each row.
    pub record: Vec<u8>,
    /// Before a character that is taken literally.
    pub escape: Option<u8>,
    /// Whether the first row has the names of the columns. An answer only has them if the input does.
    pub headers: bool,
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect { column: b",".into(), quote: Some(b'"'), record: b"\n".into(), escape: None, headers: false }
    }
}

/// The fields of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    /// The number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field, counted from 0.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        let start = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        self.bytes.get(start..*self.ends.get(at)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Parses the next row; returns false at the end.
    ///
    /// # Errors
    /// An error for a row that is too long, or that ends inside quotes.
    pub fn read<I: Iterator<Item = Bytes>>(&mut self, input: &mut Input<I>, dialect: &Dialect) -> Result<bool, RowError> {
        self.bytes.clear();
        self.ends.clear();
        if input.peek().is_none() {
            return Ok(false);
        }
        // Whether the position is inside quotes, and where a separator can start at the earliest.
        let (mut quoted, mut free) = (false, 0);
        while let Some(byte) = input.next() {
            if self.bytes.len() >= LONGEST {
                return Err(RowError::INPUT);
            }
            let begins = self.bytes.len() == self.ends.last().copied().unwrap_or(0) && free == self.bytes.len();
            if Some(byte) == dialect.quote && (quoted || begins) {
                if quoted && input.peek() == Some(byte) {
                    input.next();
                    self.bytes.push(byte);
                } else {
                    quoted = !quoted;
                    // The next byte is not at the start of a field.
                    free = if quoted { usize::MAX } else { self.bytes.len() };
                }
            } else if Some(byte) == dialect.escape {
                self.bytes.push(input.next().unwrap_or(byte));
                free = if quoted { usize::MAX } else { self.bytes.len() };
            } else {
                self.bytes.push(byte);
                if quoted {
                    continue;
                }
                if self.separated(&dialect.record, free) {
                    // A line can also end in CR LF.
                    if dialect.record == b"\n" && self.bytes.len() > free && self.bytes.last() == Some(&b'\r') {
                        self.bytes.pop();
                    }
                    self.ends.push(self.bytes.len());
                    return Ok(true);
                }
                if self.separated(&dialect.column, free) {
                    self.ends.push(self.bytes.len());
                    free = self.bytes.len();
                }
            }
        }
        if quoted {
            return Err(RowError::INPUT);
        }
        self.ends.push(self.bytes.len());
        Ok(true)
    }

    /// Removes a separator from the end, if there is one.
    fn separated(&mut self, separator: &[u8], free: usize) -> bool {
        let found = self.bytes.get(free..).is_some_and(|tail| tail.ends_with(separator)) && !separator.is_empty();
        if found {
            self.bytes.truncate(self.bytes.len() - separator.len());
        }
        found
    }
}

/// A row with the names of its columns, if they have any.
#[derive(Debug)]
pub struct NamedFields<'a> {
    /// The names.
    pub names: Option<&'a Fields>,
    /// The fields.
    pub fields: &'a Fields,
}

impl NamedFields<'_> {
    /// The name of a column, counted from 0.
    pub fn name(&self, at: usize) -> String {
        let name = self.names.and_then(|names| names.get(at));
        name.map_or_else(|| format!("_{}", at + 1), |name| String::from_utf8_lossy(name).into_owned())
    }

    fn position(&self, name: &str, quoted: Quoted) -> Option<usize> {
        let named = |known: &[u8]| std::str::from_utf8(known).is_ok_and(|known| is_called(known, name, quoted));
        let ordinal = || name.strip_prefix('_')?.parse::<usize>().ok()?.checked_sub(1);
        self.names.and_then(|names| names.iter().position(named)).or_else(ordinal)
    }
}

impl InputRow for NamedFields<'_> {
    fn field(&self, path: &[Step]) -> Result<Value, RowError> {
        let [Step::Name(name, quoted)] = path else { return Err(RowError::COLUMN) };
        let position = self.position(name, *quoted).ok_or(RowError::COLUMN)?;
        self.fields.get(position).map(Value::of_bytes).ok_or(RowError::ORDINAL)
    }
}

/// Writes a row.
pub fn write<'a>(out: &mut Vec<u8>, fields: impl Iterator<Item = &'a [u8]>, dialect: &Dialect) {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            out.extend_from_slice(&dialect.column);
        }
        write_field(out, field, dialect);
    }
    out.extend_from_slice(&dialect.record);
}

fn write_field(out: &mut Vec<u8>, field: &[u8], dialect: &Dialect) {
    let holds = |part: &[u8]| !part.is_empty() && field.windows(part.len()).any(|window| window == part);
    let special = |byte: &u8| Some(*byte) == dialect.quote || Some(*byte) == dialect.escape;
    let quote = match dialect.quote {
        Some(quote) if holds(&dialect.column) || holds(&dialect.record) || field.iter().any(special) => quote,
        _ => return out.extend_from_slice(field),
    };
    out.push(quote);
    for byte in field {
        if special(byte) {
            out.push(dialect.escape.unwrap_or(quote));
        }
        out.push(*byte);
    }
    out.push(quote);
}

#[cfg(test)]
mod tests;
