//! Evaluation of filters.
//!
//! Only values of the same type are compared: a text never equals a number. Only an Int32 constant is also compared with an Int64 or a
//! Double property (microsoft/AzureStorageExplorer#5346 and #6866). A comparison with a property that does not exist is false, even `ne`.

use crate::rules::comparison::Comparison;
use crate::rules::table::entity::Value;
use crate::rules::table::entity::key::ordinal;
use crate::rules::table::odata::{Filter, Operand};
use crate::rules::time::Timestamp;
use std::cmp::Ordering;
use uuid::Uuid;

/// What a filter is evaluated for.
pub trait Record {
    /// The value of a property, if it exists.
    fn field(&self, name: &str) -> Option<ValueRef<'_>>;
}

/// A borrowed value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// A text.
    String(&'a str),
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// A floating-point number.
    Double(f64),
    /// True or false.
    Boolean(bool),
    /// A time.
    DateTime(Timestamp),
    /// A GUID.
    Guid(&'a Uuid),
    /// Bytes.
    Binary(&'a [u8]),
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> ValueRef<'a> {
        match value {
            Value::String(text) => ValueRef::String(text),
            Value::Int32(number) => ValueRef::Int32(*number),
            Value::Int64(number) => ValueRef::Int64(*number),
            Value::Double(number) => ValueRef::Double(*number),
            Value::Boolean(flag) => ValueRef::Boolean(*flag),
            Value::DateTime(date) => ValueRef::DateTime(*date),
            Value::Guid(guid) => ValueRef::Guid(guid),
            Value::Binary(bytes) => ValueRef::Binary(bytes),
        }
    }
}

impl Filter {
    /// The most comparisons of an evaluation.
    pub fn comparisons(&self) -> usize {
        match self {
            Filter::And(parts) | Filter::Or(parts) => parts.iter().map(Filter::comparisons).sum(),
            Filter::Not(part) => part.comparisons(),
            Filter::Is(_) | Filter::Compare(..) => 1,
        }
    }

    /// Returns true if it is true of a record.
    pub fn holds(&self, record: &impl Record) -> bool {
        match self {
            Filter::And(parts) => parts.iter().all(|part| part.holds(record)),
            Filter::Or(parts) => parts.iter().any(|part| part.holds(record)),
            Filter::Not(part) => !part.holds(record),
            Filter::Is(flag) => *flag,
            Filter::Compare(left @ Operand::Constant(_), operator, right @ Operand::Property(_)) => {
                compare(right, operator.flipped(), left, record)
            }
            Filter::Compare(left, operator, right) => compare(left, *operator, right, record),
        }
    }
}

fn look<'a>(operand: &'a Operand, record: &'a impl Record) -> Option<ValueRef<'a>> {
    match operand {
        Operand::Property(name) => record.field(name),
        Operand::Constant(constant) => Some(constant.into()),
    }
}

fn compare(property: &Operand, operator: Comparison, constant: &Operand, record: &impl Record) -> bool {
    let views = look(property, record).zip(look(constant, record));
    views.and_then(|(property, constant)| order(property, constant)).is_some_and(|order| operator.holds(order))
}

/// The order of a property and a constant; `None` if they cannot be compared.
fn order(property: ValueRef<'_>, constant: ValueRef<'_>) -> Option<Ordering> {
    match (property, constant) {
        (ValueRef::String(one), ValueRef::String(other)) => Some(ordinal(one, other)),
        (ValueRef::Int32(one), ValueRef::Int32(other)) => Some(one.cmp(&other)),
        (ValueRef::Int64(one), ValueRef::Int64(other)) => Some(one.cmp(&other)),
        (ValueRef::Int64(one), ValueRef::Int32(other)) => Some(one.cmp(&other.into())),
        (ValueRef::Double(one), ValueRef::Double(other)) => one.partial_cmp(&other),
        (ValueRef::Double(one), ValueRef::Int32(other)) => one.partial_cmp(&other.into()),
        (ValueRef::Boolean(one), ValueRef::Boolean(other)) => Some(one.cmp(&other)),
        (ValueRef::DateTime(one), ValueRef::DateTime(other)) => Some(one.cmp(&other)),
        (ValueRef::Guid(one), ValueRef::Guid(other)) => Some(one.cmp(other)),
        (ValueRef::Binary(one), ValueRef::Binary(other)) => Some(one.cmp(other)),
        _ => None,
    }
}
