//! The formats of rows, and how a row is written in each.

#[cfg(feature = "arrow")]
use crate::rules::blob::arrow;
use crate::rules::blob::query::csv;
use crate::rules::blob::query::csv::{Dialect, NamedFields};
use crate::rules::blob::query::evaluate::InputRow;
use crate::rules::blob::query::sql::{Column, Expr, Step};
use crate::rules::blob::query::value::Value;

/// The format of rows as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fields between separators.
    Delimited(Dialect),
    /// JSON values with this separator.
    Json(Vec<u8>),
}

/// The format of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// As text.
    Text(Format),
    /// As an Apache Arrow stream of these columns.
    #[cfg(feature = "arrow")]
    Arrow(Vec<arrow::Column>),
}

/// A row that the answer can have unchanged.
pub trait OutputRow: InputRow {
    /// Writes it as text.
    fn write(&self, out: &mut Vec<u8>, format: &Format);

    /// The values of all its columns, in order.
    #[cfg(feature = "arrow")]
    fn values(&self) -> Vec<Value>;
}

impl OutputRow for NamedFields<'_> {
    fn write(&self, out: &mut Vec<u8>, format: &Format) {
        match format {
            Format::Delimited(dialect) => csv::write(out, self.fields.iter(), dialect),
            Format::Json(separator) => {
                let members = self.fields.iter().enumerate().map(|(at, field)| (self.name(at), Value::of_bytes(field)));
                write_members(out, members, separator);
            }
        }
    }

    #[cfg(feature = "arrow")]
    fn values(&self) -> Vec<Value> {
        self.fields.iter().map(Value::of_bytes).collect()
    }
}

impl OutputRow for serde_json::Value {
    fn write(&self, out: &mut Vec<u8>, format: &Format) {
        match (self, format) {
            (serde_json::Value::Object(_), Format::Json(separator)) => {
                out.extend_from_slice(self.to_string().as_bytes());
                out.extend_from_slice(separator);
            }
            _ => write_values(out, std::iter::once(column_name(0)), values(self), format),
        }
    }

    #[cfg(feature = "arrow")]
    fn values(&self) -> Vec<Value> {
        values(self)
    }
}

/// The values of the members of an object, or another value.
fn values(json: &serde_json::Value) -> Vec<Value> {
    match json {
        serde_json::Value::Object(members) => members.values().map(Value::of_json).collect(),
        other => vec![Value::of_json(other)],
    }
}

/// Writes a row of these values. Their names are only written as JSON.
pub fn write_values(out: &mut Vec<u8>, names: impl Iterator<Item = String>, values: Vec<Value>, format: &Format) {
    match format {
        Format::Delimited(dialect) => {
            let texts: Vec<String> = values.into_iter().map(Value::into_text).collect();
            csv::write(out, texts.iter().map(String::as_bytes), dialect);
        }
        Format::Json(separator) => write_members(out, names.zip(values), separator),
    }
}

/// The names of the columns of the answer: those in the query, or by their positions.
pub fn column_names(columns: &[Column]) -> impl Iterator<Item = String> {
    columns.iter().enumerate().map(|(at, column)| match (&column.name, &column.value) {
        (Some(name), _) => name.clone(),
        (None, Expr::Field(path)) => match path.last() {
            Some(Step::Name(name, _)) => name.clone(),
            _ => column_name(at),
        },
        (None, _) => column_name(at),
    })
}

/// The name of a column by its position, counted from 0.
pub fn column_name(at: usize) -> String {
    format!("_{}", at + 1)
}

fn write_members(out: &mut Vec<u8>, members: impl Iterator<Item = (String, Value)>, separator: &[u8]) {
    out.push(b'{');
    for (at, (name, value)) in members.filter(|(_, value)| *value != Value::Missing).enumerate() {
        out.extend_from_slice(if at == 0 { b"" } else { b"," });
        out.extend_from_slice(format!("{}:{}", serde_json::Value::String(name), value.into_json()).as_bytes());
    }
    out.push(b'}');
    out.extend_from_slice(separator);
}
