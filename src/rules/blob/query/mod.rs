//! Query Blob Contents: the rows of a blob's text that a query selects.
//!
//! A [`Run`] reads the chunks of the blob while its answer is sent, a batch at a time: neither the blob nor the answer is completely in
//! memory.

mod avro;
#[cfg(feature = "arrow")]
mod columns;
mod csv;
mod dates;
mod evaluate;
mod format;
mod input;
mod json;
#[cfg(feature = "arrow")]
pub mod parquet;
mod parse;
mod rows;
mod sql;
mod value;

use crate::rules::blob::query::csv::{Fields, NamedFields};
use crate::rules::blob::query::evaluate::{arithmetic, evaluate};
use crate::rules::blob::query::format::{OutputRow, column_name, column_names};
use crate::rules::blob::query::input::Input;
use crate::rules::blob::query::rows::Rows;
use crate::rules::blob::query::sql::{Aggregate, Column, Select, Sign, Step};
use crate::rules::blob::query::value::{Kind, RowError, Value};
use crate::rules::time::Timestamp;
use bytes::Bytes;
pub use csv::Dialect;
pub use format::{Format, Output};
pub use parse::parse;
pub use sql::Query;
use std::cmp::Ordering;
use std::sync::Arc;

/// The bytes of the blob that are read for one batch of the answer.
const READ: u64 = 256 << 10;

/// A query, and the formats of its input and its answer.
#[derive(Clone, Debug)]
pub struct Task {
    query: Query,
    input: Arc<Format>,
    output: Output,
    errors: ErrorDetail,
}

/// What an answer says about invalid JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorDetail {
    /// That it is invalid.
    General,
    /// Where it becomes invalid.
    #[default]
    Position,
}

/// Why a query does not fit the format of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    #[error("delimited text has no path to follow")]
    PathInText,
    #[error("only delimited text can be split")]
    SplitOfJson,
}

impl Task {
    /// Checks that the query and the formats are compatible.
    ///
    /// # Errors
    /// Why they are not.
    pub fn new(query: Query, input: Format, output: Output) -> Result<Task, TaskError> {
        match (&input, &query.select) {
            (Format::Delimited(_), _) if !matches!(query.from[..], [] | [Step::Each]) => Err(TaskError::PathInText),
            (Format::Json(_), Select::Split(_)) => Err(TaskError::SplitOfJson),
            _ => Ok(Task { query, input: input.into(), output, errors: ErrorDetail::default() }),
        }
    }

    /// The task with errors of this detail.
    pub fn with_errors(self, errors: ErrorDetail) -> Task {
        Task { errors, ..self }
    }
}

/// The evaluation of a query: an iterator over the pieces of the answer.
#[derive(Debug)]
pub struct Run<I> {
    task: Task,
    input: Input<I>,
    size: u64,
    now: Timestamp,
    writer: avro::Writer,
    /// The first row, if it has the names of the columns.
    names: Option<Fields>,
    /// The last row; its memory is reused.
    fields: Fields,
    /// The remaining limit of rows.
    left: u64,
    tally: Tally,
    /// The current batch.
    rows: Rows,
    errors: Vec<(RowError, u64)>,
    has_started: bool,
    has_ended: bool,
}

/// The state of an aggregate.
#[derive(Debug, Default)]
struct Tally {
    count: i64,
    value: Option<Value>,
    /// The start of the current batch of `sys.split`.
    start: u64,
}

impl<I: Iterator<Item = Bytes>> Run<I> {
    /// The answer for these chunks, of this total size in bytes.
    pub fn new(task: Task, chunks: I, size: u64, now: Timestamp, sync: [u8; 16]) -> Run<I> {
        Run {
            left: task.query.limit.unwrap_or(u64::MAX),
            rows: Rows::new(&task.output),
            task,
            input: Input::new(chunks),
            size,
            now,
            writer: avro::Writer::new(sync),
            names: None,
            fields: Fields::default(),
            tally: Tally::default(),
            errors: Vec::new(),
            has_started: false,
            has_ended: false,
        }
    }

    /// Reads a batch; returns true if there is more to read.
    fn batch(&mut self) -> bool {
        let until = self.input.position() + READ;
        while self.input.position() < until && !self.rows.is_full() {
            if self.left == 0 {
                return false;
            }
            let position = self.input.position();
            match self.record(position) {
                Ok(true) => {}
                Ok(false) => {
                    if let Err(error) = self.total() {
                        self.errors.push((error, position));
                    }
                    return false;
                }
                Err(error) => {
                    let is_fatal = error.fatal;
                    self.errors.push((error, position));
                    if is_fatal {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Reads the next record and adds its rows; returns false at the end.
    fn record(&mut self, position: u64) -> Result<bool, RowError> {
        let input = self.task.input.clone();
        match &*input {
            Format::Delimited(dialect) => {
                let mut fields = std::mem::take(&mut self.fields);
                let more = fields.read(&mut self.input, dialect)?;
                if more && dialect.headers && self.names.is_none() {
                    self.rows.begin(&fields, &self.task.query.select);
                    self.names = Some(fields);
                    return Ok(true);
                }
                if more {
                    let names = self.names.take();
                    let done = self.row(&NamedFields { names: names.as_ref(), fields: &fields });
                    self.names = names;
                    self.fields = fields;
                    done?;
                }
                Ok(more)
            }
            Format::Json(separator) => {
                let value = json::read(&mut self.input, separator).map_err(|error| match self.task.errors {
                    ErrorDetail::General => RowError::INPUT,
                    ErrorDetail::Position => error,
                })?;
                let Some(value) = value else { return Ok(false) };
                for row in json::rows(value, &self.task.query.from) {
                    match self.row(&row) {
                        Err(error) if !error.fatal => self.errors.push((error, position)),
                        done => done?,
                    }
                }
                Ok(true)
            }
        }
    }

    /// Adds a row, if the query selects it.
    fn row(&mut self, row: &impl OutputRow) -> Result<(), RowError> {
        let query = &self.task.query;
        if let Some(filter) = &query.filter
            && evaluate(filter, row, self.now)?.truth()? != Some(true)
        {
            return Ok(());
        }
        if self.left == 0 {
            return Ok(());
        }
        match &query.select {
            Select::All => self.rows.add(row)?,
            Select::Columns(columns) => {
                let value_of = |column: &Column| evaluate(&column.value, row, self.now);
                let values = columns.iter().map(value_of).collect::<Result<Vec<_>, _>>()?;
                self.rows.add_values(column_names(columns), values)?;
            }
            Select::Total(how, of) => {
                let value = of.as_ref().map(|of| evaluate(of, row, self.now)).transpose()?;
                return self.tally.add(*how, value);
            }
            Select::Split(least) => {
                let size = self.input.position() - self.tally.start;
                if size < *least {
                    return Ok(());
                }
                self.tally.start = self.input.position();
                self.rows.add_values(std::iter::once(column_name(0)), vec![Value::Int(size as i64)])?;
            }
        }
        self.left -= 1;
        Ok(())
    }

    /// Adds the result of the aggregate.
    fn total(&mut self) -> Result<(), RowError> {
        let value = match &self.task.query.select {
            Select::Total(Aggregate::Count, _) => Value::Int(self.tally.count),
            Select::Total(Aggregate::Average, _) => match self.tally.value.take() {
                Some(sum) => arithmetic(sum.cast(Kind::Float)?, Sign::Over, Value::Int(self.tally.count))?,
                None => Value::Null,
            },
            Select::Total(..) => self.tally.value.take().unwrap_or(Value::Null),
            Select::Split(_) if self.size > self.tally.start => Value::Int((self.size - self.tally.start) as i64),
            Select::All | Select::Columns(_) | Select::Split(_) => return Ok(()),
        };
        self.rows.add_values(std::iter::once(column_name(0)), vec![value])
    }
}

impl Tally {
    /// Adds a row to the aggregate; without a value, the row itself is counted.
    fn add(&mut self, how: Aggregate, value: Option<Value>) -> Result<(), RowError> {
        let Some(value) = value else {
            self.count += 1;
            return Ok(());
        };
        if value.is_null() {
            return Ok(());
        }
        self.value = Some(match (how, self.value.take()) {
            (Aggregate::Count, _) => Value::Null,
            (Aggregate::Sum | Aggregate::Average, None) => value.number()?,
            (Aggregate::Min | Aggregate::Max, None) => value,
            (Aggregate::Sum | Aggregate::Average, Some(sum)) => {
                self.value = Some(sum.clone());
                arithmetic(sum, Sign::Plus, value)?
            }
            (Aggregate::Min | Aggregate::Max, Some(best)) => {
                self.value = Some(best.clone());
                let wanted = if how == Aggregate::Min { Ordering::Less } else { Ordering::Greater };
                if value.clone().compare(best.clone())? == Some(wanted) { value } else { best }
            }
        });
        self.count += 1;
        Ok(())
    }
}

impl<I: Iterator<Item = Bytes>> Iterator for Run<I> {
    type Item = Bytes;

    /// The next batch: its rows, the errors in other rows, the progress; and finally the end.
    fn next(&mut self) -> Option<Bytes> {
        if self.has_ended {
            return None;
        }
        let mut more = self.batch();
        if let Err(error) = self.rows.end_batch(!more) {
            self.errors.push((error, self.input.position()));
            more = false;
        }
        // The first batch has a record of rows, even without rows (recorded).
        if !self.has_started || !self.rows.bytes().is_empty() {
            self.writer.data(self.rows.bytes());
            self.rows.clear();
        }
        for (error, position) in self.errors.drain(..) {
            self.writer.error(&error, position);
        }
        // Rows of a Parquet file are longer as text than in the file.
        self.writer.progress(if more { self.input.position().min(self.size) } else { self.size }, self.size);
        self.has_started = true;
        self.has_ended = !more;
        if !more {
            self.writer.end(self.size);
        }
        Some(self.writer.take().into())
    }
}

#[cfg(test)]
mod tests;
