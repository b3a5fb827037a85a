//! The ranges of keys for which a filter can be true. A query reads only those of the table.

use crate::rules::comparison::Comparison;
use crate::rules::table::entity::key::{Range, ordinal};
use crate::rules::table::entity::{Key, Value};
use crate::rules::table::odata::{Filter, Operand};
use std::cmp::Ordering;

/// The most ranges of a filter. More are replaced by one that covers them.
const MOST: usize = 128;

/// The ranges of keys outside of which a filter is false, ordered and disjoint.
pub fn ranges(filter: &Filter) -> Vec<Range> {
    let mut ranges: Vec<Range> = fields(filter).into_iter().map(Field::range).filter(|range| !range.is_empty()).collect();
    ranges.sort_by(|one, other| one.from.cmp(&other.from));
    let mut apart: Vec<Range> = Vec::new();
    for range in ranges {
        match apart.last_mut() {
            Some(last) if last.to.as_ref().is_none_or(|to| range.from <= *to) => {
                last.to = last.to.take().zip(range.to).map(|(one, other)| one.max(other));
            }
            _ => apart.push(range),
        }
    }
    apart
}

/// A half-open range of texts.
#[derive(Clone, Debug, PartialEq)]
struct Texts {
    from: String,
    to: Option<String>,
}

/// A rectangle of keys: a range of PartitionKeys, and in each of them the same range of RowKeys.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    partitions: Texts,
    rows: Texts,
}

/// The first text after this one.
fn after(text: &str) -> String {
    format!("{text}\0")
}

fn least(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if ordinal(&one, &other) == Ordering::Greater { other } else { one }),
        (one, other) => one.or(other),
    }
}

impl Texts {
    fn all() -> Texts {
        Texts { from: String::new(), to: None }
    }

    fn of(operator: Comparison, text: &str) -> Texts {
        match operator {
            Comparison::Equal => Texts { from: text.to_owned(), to: Some(after(text)) },
            Comparison::GreaterOrEqual => Texts { from: text.to_owned(), to: None },
            Comparison::Greater => Texts { from: after(text), to: None },
            Comparison::Less => Texts { from: String::new(), to: Some(text.to_owned()) },
            Comparison::LessOrEqual => Texts { from: String::new(), to: Some(after(text)) },
            Comparison::NotEqual => Texts::all(),
        }
    }

    fn and(&self, other: &Texts) -> Texts {
        let from = if ordinal(&self.from, &other.from) == Ordering::Less { &other.from } else { &self.from };
        Texts { from: from.clone(), to: least(self.to.clone(), other.to.clone()) }
    }

    /// The smallest range that covers both.
    fn or(&self, other: &Texts) -> Texts {
        let from = if ordinal(&self.from, &other.from) == Ordering::Less { &self.from } else { &other.from };
        let to = self.to.clone().zip(other.to.clone());
        let to = to.map(|(one, other)| if ordinal(&one, &other) == Ordering::Less { other } else { one });
        Texts { from: from.clone(), to }
    }

    fn is_empty(&self) -> bool {
        self.to.as_ref().is_some_and(|to| ordinal(to, &self.from) != Ordering::Greater)
    }

    fn is_one(&self) -> bool {
        self.to.as_deref() == Some(&*after(&self.from))
    }
}

impl Field {
    fn all() -> Field {
        Field { partitions: Texts::all(), rows: Texts::all() }
    }

    fn and(&self, other: &Field) -> Field {
        Field { partitions: self.partitions.and(&other.partitions), rows: self.rows.and(&other.rows) }
    }

    fn or(&self, other: &Field) -> Field {
        Field { partitions: self.partitions.or(&other.partitions), rows: self.rows.or(&other.rows) }
    }

    fn is_empty(&self) -> bool {
        self.partitions.is_empty() || self.rows.is_empty()
    }

    /// The smallest range that covers the field. Its keys are contiguous only within one partition.
    fn range(self) -> Range {
        let from = Key::new(&self.partitions.from, &self.rows.from);
        let to = match self.rows.to {
            Some(row) if self.partitions.to.as_deref() == Some(&*after(&self.partitions.from)) => {
                Some(Key::new(&self.partitions.from, &row))
            }
            _ => self.partitions.to.map(|partition| Key::new(&partition, "")),
        };
        Range { from, to }
    }
}

/// The fields in which a filter can be true.
fn fields(filter: &Filter) -> Vec<Field> {
    match filter {
        Filter::Or(parts) => limit(parts.iter().flat_map(fields).collect()),
        Filter::And(parts) => parts.iter().fold(vec![Field::all()], |so_far, part| {
            let part = fields(part);
            // Each factor covers the product, so a large product is not computed.
            if so_far.len().saturating_mul(part.len()) > MOST {
                return if part.len() < so_far.len() { part } else { so_far };
            }
            let both = so_far.iter().flat_map(|one| part.iter().map(|other| one.and(other)));
            both.filter(|field| !field.is_empty()).collect()
        }),
        Filter::Compare(Operand::Property(name), operator, Operand::Constant(constant)) => vec![of(name, *operator, constant)],
        Filter::Compare(Operand::Constant(constant), operator, Operand::Property(name)) => {
            vec![of(name, operator.flipped(), constant)]
        }
        Filter::Is(false) => Vec::new(),
        Filter::Not(_) | Filter::Compare(..) | Filter::Is(_) => vec![Field::all()],
    }
}

/// Replaces fields by one that covers them if there are too many. Single partitions and rows stay separate if possible.
fn limit(fields: Vec<Field>) -> Vec<Field> {
    let crowded = fields.len() > MOST && !fields.iter().all(|field| field.partitions.is_one() && field.rows.is_one());
    match (crowded, fields.split_first()) {
        (true, Some((first, rest))) => vec![rest.iter().fold(first.clone(), |one, other| one.or(other))],
        _ => fields,
    }
}

fn of(name: &str, operator: Comparison, constant: &Value) -> Field {
    match (name, constant) {
        ("PartitionKey", Value::String(text)) => Field { partitions: Texts::of(operator, text), ..Field::all() },
        ("RowKey", Value::String(text)) => Field { rows: Texts::of(operator, text), ..Field::all() },
        _ => Field::all(),
    }
}
