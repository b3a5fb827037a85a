//! Filters as text that [`super::parse()`] parses to the same filter.

use crate::rules::table::entity::{Value, value};
use crate::rules::table::odata::{Filter, Operand};
use std::fmt;
use std::fmt::{Display, Formatter, Write};

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Filter::And(parts) => joined(f, parts, " and "),
            Filter::Or(parts) => joined(f, parts, " or "),
            Filter::Not(part) => write!(f, "not ({part})"),
            Filter::Compare(left, operator, right) => write!(f, "{left} {} {right}", operator.word()),
            Filter::Is(flag) => write!(f, "{flag}"),
        }
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Filter], word: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { word })?;
        match part {
            Filter::And(_) | Filter::Or(_) => write!(f, "({part})")?,
            _ => write!(f, "{part}")?,
        }
    }
    Ok(())
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Property(name) => f.write_str(name),
            Operand::Constant(constant) => literal(f, constant),
        }
    }
}

fn literal(f: &mut Formatter<'_>, constant: &Value) -> fmt::Result {
    match constant {
        Value::String(text) => write!(f, "'{}'", text.replace('\'', "''")),
        Value::Int32(number) => write!(f, "{number}"),
        Value::Int64(number) => write!(f, "{number}L"),
        Value::Double(number) if number.is_infinite() => f.write_str(if *number > 0.0 { "INF" } else { "-INF" }),
        Value::Double(number) => f.write_str(&value::double_text(*number)),
        Value::Boolean(flag) => write!(f, "{flag}"),
        Value::DateTime(date) => write!(f, "datetime'{}'", value::date_text(*date)),
        Value::Guid(guid) => write!(f, "guid'{guid}'"),
        Value::Binary(bytes) => {
            f.write_str("X'")?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            f.write_char('\'')
        }
    }
}
