//! The rows of a batch, in the format of the answer.

#[cfg(feature = "arrow")]
use crate::rules::blob::query::columns::Table;
use crate::rules::blob::query::csv;
use crate::rules::blob::query::csv::Fields;
use crate::rules::blob::query::format::{Format, Output, OutputRow, column_names, write_values};
use crate::rules::blob::query::sql::Select;
use crate::rules::blob::query::value::{RowError, Value};

/// The size in bytes at which a batch is sent.
const WRITTEN: usize = 64 << 10;

/// Rows in the format of the answer.
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
    /// An empty batch.
    pub fn new(output: &Output) -> Rows {
        let form = match output {
            Output::Text(format) => Form::Text(format.clone()),
            #[cfg(feature = "arrow")]
            Output::Arrow(columns) => Form::Table(Box::new(Table::new(columns.clone()))),
        };
        Rows { bytes: Vec::new(), form }
    }

    /// Adds the header with the names of the columns, if the answer has one.
    pub fn begin(&mut self, names: &Fields, select: &Select) {
        let dialect = match &self.form {
            Form::Text(Format::Delimited(dialect)) if dialect.headers => dialect,
            _ => return,
        };
        match select {
            Select::All => csv::write(&mut self.bytes, names.iter(), dialect),
            Select::Columns(columns) => {
                let names: Vec<String> = column_names(columns).collect();
                csv::write(&mut self.bytes, names.iter().map(String::as_bytes), dialect);
            }
            Select::Total(..) | Select::Split(_) => {}
        }
    }

    /// Adds a row of the blob unchanged.
    ///
    /// # Errors
    /// An error for a value that cannot be converted to the type of its column.
    pub fn add(&mut self, row: &impl OutputRow) -> Result<(), RowError> {
        match &mut self.form {
            Form::Text(format) => row.write(&mut self.bytes, format),
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.add(row.values())?,
        }
        Ok(())
    }

    /// Adds a row of these values.
    ///
    /// # Errors
    /// An error for a value that cannot be converted to the type of its column.
    pub fn add_values(&mut self, names: impl Iterator<Item = String>, values: Vec<Value>) -> Result<(), RowError> {
        match &mut self.form {
            Form::Text(format) => write_values(&mut self.bytes, names, values, format),
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.add(values)?,
        }
        Ok(())
    }

    /// Returns true if the batch should be sent.
    pub fn is_full(&self) -> bool {
        match &self.form {
            Form::Text(_) => self.bytes.len() >= WRITTEN,
            #[cfg(feature = "arrow")]
            Form::Table(table) => table.is_full(),
        }
    }

    /// Encodes all rows that were added; `last` ends the answer.
    ///
    /// # Errors
    /// An error for rows that the format of the answer cannot hold.
    pub fn end_batch(&mut self, last: bool) -> Result<(), RowError> {
        match &mut self.form {
            // They are encoded as they are added, and the end has no mark.
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

    /// Removes the bytes of the batch after they were sent.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}
