//! The rows of an answer that wait to be sent, in the format of the answer.

#[cfg(feature = "arrow")]
use crate::rules::blob::query::columns::Table;
use crate::rules::blob::query::csv::Fields;
use crate::rules::blob::query::sql::{Column, Select};
use crate::rules::blob::query::value::{QueryError, Value};
use crate::rules::blob::query::{Answered, Format, Output, column_name, csv, write_value, write_values};

/// How large a batch's rows may grow before the batch is sent, in bytes.
const WRITTEN: usize = 64 << 10;

/// Rows, and how they are written.
#[derive(Debug)]
pub struct Rows {
    bytes: Vec<u8>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Text(Format),
    #[cfg(feature = "arrow")]
    Table(Box<Table>),
}

impl Rows {
    /// No rows yet.
    pub fn new(output: &Output) -> Rows {
        let form = match output {
            Output::Text(format) => Form::Text(format.clone()),
            #[cfg(feature = "arrow")]
            Output::Arrow(columns) => Form::Table(Box::new(Table::new(columns.clone()))),
        };
        Rows { bytes: Vec::new(), form }
    }

    /// Begins an answer with the names of its columns, where it is to have a header.
    pub fn begin(&mut self, names: &Fields, select: &Select) {
        let dialect = match &self.form {
            Form::Text(Format::Delimited(dialect)) if dialect.headers => dialect,
            _ => return,
        };
        match select {
            Select::All => csv::write(&mut self.bytes, names.iter(), dialect),
            Select::Columns(columns) => {
                let names: Vec<String> = columns.iter().enumerate().map(column_name).collect();
                csv::write(&mut self.bytes, names.iter().map(String::as_bytes), dialect);
            }
            Select::Total(..) | Select::Split(_) => {}
        }
    }

    /// Adds a row as it is in the blob.
    ///
    /// # Errors
    /// A value that cannot become what its column holds.
    pub fn add(&mut self, row: &impl Answered) -> Result<(), QueryError> {
        match &mut self.form {
            Form::Text(format) => row.write(&mut self.bytes, format),
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.add(row.values())?,
        }
        Ok(())
    }

    /// Adds a row of the columns that a query selects.
    ///
    /// # Errors
    /// A value that cannot become what its column holds.
    pub fn add_values(&mut self, columns: &[Column], values: Vec<Value>) -> Result<(), QueryError> {
        match &mut self.form {
            Form::Text(format) => write_values(&mut self.bytes, columns, values, format),
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.add(values)?,
        }
        Ok(())
    }

    /// Adds a row of one value, which has no name.
    ///
    /// # Errors
    /// A value that cannot become what its column holds.
    pub fn add_value(&mut self, value: Value) -> Result<(), QueryError> {
        match &mut self.form {
            Form::Text(format) => write_value(&mut self.bytes, value, format),
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.add(vec![value])?,
        }
        Ok(())
    }

    /// Whether the batch should be sent before more rows are added.
    pub fn is_full(&self) -> bool {
        match &self.form {
            Form::Text(_) => self.bytes.len() >= WRITTEN,
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.is_full(),
        }
    }

    /// Makes bytes of all rows that were added; `last` ends the answer.
    ///
    /// # Errors
    /// Rows that the format of the answer cannot hold.
    pub fn end_batch(&mut self, last: bool) -> Result<(), QueryError> {
        match &mut self.form {
            // Written as they were added, and no end is marked.
            Form::Text(_) => _ = last,
            #[cfg(feature = "arrow")]
            Form::Table(table) => self.bytes.extend(table.write(last)?),
        }
        Ok(())
    }

    /// The bytes of the batch.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the bytes of the batch, once they are sent.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}
