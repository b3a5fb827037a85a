//! The values of queries, and their conversions.

use crate::rules::blob::query::dates::DateTime;
use crate::rules::wire_name::{WireName, wire_enum};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value of a row or of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A member that a JSON document does not have: null, and omitted from the answer.
    Missing,
    Null,
    /// `BOOLEAN`
    Bool(bool),
    /// `INT`
    Int(i64),
    /// `FLOAT`
    Float(f64),
    /// `STRING`
    Text(String),
    /// `TIMESTAMP`
    Time(DateTime),
    /// An object or an array, which can only be copied to the answer.
    Json(serde_json::Value),
}

wire_enum! {
    /// A type that a value can be cast to, in the order of their precedence.
    Kind {
        String "STRING",
        Boolean "BOOLEAN",
        /// An integer of 64 bits.
        Int "INT",
        /// A number of double precision.
        Float "FLOAT",
        Timestamp "TIMESTAMP",
    }
}

/// An error in a row, as the answer reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// Whether it ends the query.
    pub fatal: bool,
    pub name: &'static str,
    pub message: Cow<'static, str>,
}

impl RowError {
    /// The input is not in the stated format (recorded).
    pub const INPUT: RowError = RowError::new(true, "InternalError", "Internal parse exception.");
    /// The rows of the answer do not fit the declared columns.
    #[cfg(feature = "arrow")]
    pub const OUTPUT: RowError = RowError::new(true, "InternalError", "Internal output exception.");
    /// A row does not have the selected column (recorded).
    pub const ORDINAL: RowError = RowError::new(false, "InvalidColumnOrdinal", "Column ordinal does not exist in row.");
    /// A column is selected by a name that the header does not have.
    pub const COLUMN: RowError = RowError::new(true, "InvalidColumnName", "Column name does not exist in header.");
    /// A value cannot be converted to the type that the query needs.
    pub const CONVERSION: RowError = RowError::new(false, "InvalidTypeConversion", "Invalid type conversion.");
    /// A pattern of timestamps has unknown letters.
    pub const PATTERN: RowError = RowError::new(true, "InvalidDateFormat", "Invalid date format.");
    /// A number is too large, or divided by zero.
    pub const ARITHMETIC: RowError = RowError::new(false, "ArithmeticError", "Arithmetic overflow or division by zero.");

    const fn new(fatal: bool, name: &'static str, message: &'static str) -> RowError {
        RowError { fatal, name, message: Cow::Borrowed(message) }
    }

    /// A byte of JSON that does not continue it, at this offset in its record. Any of these tokens would (recorded since 2020-02-10;
    /// several tokens as in the tests of azure-storage-blob for .NET).
    pub fn unexpected(byte: u8, offset: usize, expected: &[char]) -> RowError {
        let expected = match expected {
            [token] => format!("token '{token}'"),
            tokens => {
                let tokens: Vec<String> = tokens.iter().map(|token| format!("'{token}'")).collect();
                format!("tokens {}", tokens.join(", or "))
            }
        };
        let message = format!("Unexpected token '{}' at [byte: {offset}]. Expecting {expected}. ", char::from(byte));
        RowError { fatal: true, name: "ParseError", message: message.into() }
    }
}

impl Value {
    /// A field of delimited text.
    pub fn of_bytes(field: &[u8]) -> Value {
        Value::Text(String::from_utf8_lossy(field).into_owned())
    }

    /// A value of a JSON document.
    pub fn of_json(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(truth) => Value::Bool(*truth),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) => Value::Int(whole),
                None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => Value::Json(json.clone()),
        }
    }

    /// The value in a JSON document.
    pub fn into_json(self) -> serde_json::Value {
        match self {
            Value::Missing | Value::Null => serde_json::Value::Null,
            Value::Bool(truth) => truth.into(),
            Value::Int(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Json(json) => json,
            Value::Text(_) | Value::Time(_) => self.into_text().into(),
        }
    }

    /// The value as text, which is empty for null.
    pub fn into_text(self) -> String {
        match self {
            Value::Missing | Value::Null => String::new(),
            Value::Bool(truth) => truth.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Text(text) => text,
            Value::Time(moment) => moment.at.iso(),
            Value::Json(json) => json.to_string(),
        }
    }

    /// Returns true if it is null or missing.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Missing | Value::Null)
    }

    /// Converts the value to another type; null stays null.
    pub fn cast(self, kind: Kind) -> Result<Value, RowError> {
        let cast = match (kind, self) {
            (_, Value::Missing | Value::Null) => Some(Value::Null),
            (Kind::String, value) => Some(Value::Text(value.into_text())),
            (kind, value) if value.kind() == Ok(kind) => Some(value),
            (Kind::Boolean, Value::Int(number)) => Some(Value::Bool(number != 0)),
            (Kind::Boolean, Value::Float(number)) => Some(Value::Bool(number != 0.0)),
            (Kind::Boolean, Value::Text(text)) => match text.trim() {
                "1" => Some(Value::Bool(true)),
                "0" => Some(Value::Bool(false)),
                text => bool::parse(text).map(Value::Bool),
            },
            (Kind::Int, Value::Bool(truth)) => Some(Value::Int(truth.into())),
            (Kind::Int, Value::Float(number)) => whole(number).map(Value::Int),
            (Kind::Int, Value::Text(text)) => text.trim().parse().ok().map(Value::Int),
            (Kind::Float, Value::Bool(truth)) => Some(Value::Float(truth.into())),
            (Kind::Float, Value::Int(number)) => Some(Value::Float(number as f64)),
            (Kind::Float, Value::Text(text)) => real(&text).map(Value::Float),
            (Kind::Timestamp, Value::Text(text)) => DateTime::parse(text.trim()).map(Value::Time),
            _ => None,
        };
        cast.ok_or(RowError::CONVERSION)
    }

    /// The value as a number, an integer if possible.
    pub fn number(self) -> Result<Value, RowError> {
        match self {
            Value::Int(_) | Value::Float(_) => Ok(self),
            Value::Text(text) => match text.trim().parse() {
                Ok(whole) => Ok(Value::Int(whole)),
                Err(_) => real(&text).map(Value::Float).ok_or(RowError::CONVERSION),
            },
            other => other.cast(Kind::Int),
        }
    }

    /// The value as a boolean; `None` for null.
    pub fn truth(self) -> Result<Option<bool>, RowError> {
        match self.cast(Kind::Boolean)? {
            Value::Bool(truth) => Ok(Some(truth)),
            _ => Ok(None),
        }
    }

    /// Compares two values after a conversion to the type of higher precedence; `None` if either is null.
    pub fn compare(self, other: Value) -> Result<Option<Ordering>, RowError> {
        if self.is_null() || other.is_null() {
            return Ok(None);
        }
        let kind = self.kind()?.max(other.kind()?);
        let (one, other) = match kind {
            Kind::Int | Kind::Float => (self.number()?, other.number()?),
            _ => (self.cast(kind)?, other.cast(kind)?),
        };
        Ok(match (one, other) {
            (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(&other)),
            (Value::Int(one), Value::Int(other)) => Some(one.cmp(&other)),
            (Value::Text(one), Value::Text(other)) => Some(one.cmp(&other)),
            (Value::Time(one), Value::Time(other)) => Some(one.at.cmp(&other.at)),
            (one, other) => match (one.cast(Kind::Float)?, other.cast(Kind::Float)?) {
                (Value::Float(one), Value::Float(other)) => one.partial_cmp(&other),
                _ => None,
            },
        })
    }

    fn kind(&self) -> Result<Kind, RowError> {
        match self {
            Value::Bool(_) => Ok(Kind::Boolean),
            Value::Int(_) => Ok(Kind::Int),
            Value::Float(_) => Ok(Kind::Float),
            Value::Text(_) => Ok(Kind::String),
            Value::Time(_) => Ok(Kind::Timestamp),
            Value::Missing | Value::Null | Value::Json(_) => Err(RowError::CONVERSION),
        }
    }
}

/// The integer part of a number, if it fits into 64 bits.
fn whole(number: f64) -> Option<i64> {
    let number = number.trunc();
    (number >= -(2f64.powi(63)) && number < 2f64.powi(63)).then_some(number as i64)
}

/// A finite number: `inf` and `NaN` are not numbers here.
fn real(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
