//! Evaluation of expressions, with three-valued logic for nulls.

use crate::rules::blob::query::dates::{DateTime, Part};
use crate::rules::blob::query::sql::{Expr, Function, Quoted, Sign, Step};
use crate::rules::blob::query::value::{Kind, RowError, Value};
use crate::rules::time::Timestamp;
use std::cmp::Ordering;

/// A row of the input.
pub trait InputRow {
    /// The value at the end of a path.
    ///
    /// # Errors
    /// An error in the row or in the path.
    fn field(&self, path: &[Step]) -> Result<Value, RowError>;
}

/// The value of an expression for a row.
///
/// # Errors
/// An error in the row.
pub fn evaluate(expr: &Expr, row: &dyn InputRow, now: Timestamp) -> Result<Value, RowError> {
    let value_of = |expr: &Expr| evaluate(expr, row, now);
    match expr {
        Expr::Value(value) => Ok(value.clone()),
        Expr::Field(path) => row.field(path),
        Expr::Not(inner) => Ok(truth(value_of(inner)?.truth()?.map(|truth| !truth))),
        Expr::Negate(inner) => arithmetic(Value::Int(0), Sign::Minus, value_of(inner)?),
        Expr::All(parts) => connect(parts.iter().map(value_of), false),
        Expr::Any(parts) => connect(parts.iter().map(value_of), true),
        Expr::Chain(first, rest) => {
            rest.iter().try_fold(value_of(first)?, |left, (sign, right)| arithmetic(left, *sign, value_of(right)?))
        }
        Expr::Compare(left, how, right) => Ok(truth(value_of(left)?.compare(value_of(right)?)?.map(|order| how.holds(order)))),
        Expr::Between(inner, low, high) => {
            let inner = value_of(inner)?;
            let above = inner.clone().compare(value_of(low)?)?.map(Ordering::is_ge);
            let below = inner.compare(value_of(high)?)?.map(Ordering::is_le);
            connect([above, below].into_iter().map(|part| Ok(truth(part))), false)
        }
        Expr::In(inner, values) => {
            let inner = value_of(inner)?;
            let equal = |value: &Expr| Ok(truth(inner.clone().compare(value_of(value)?)?.map(Ordering::is_eq)));
            connect(values.iter().map(equal), true)
        }
        Expr::Like(inner, pattern, escape) => {
            let escape = escape.as_deref().map(|escape| text(value_of(escape)?)).transpose()?.flatten();
            match (text(value_of(inner)?)?, text(value_of(pattern)?)?) {
                (Some(inner), Some(pattern)) => {
                    Ok(Value::Bool(like(&inner, &pattern, escape.and_then(|escape| escape.chars().next()))))
                }
                _ => Ok(Value::Null),
            }
        }
        Expr::IsNull(inner) => Ok(Value::Bool(value_of(inner)?.is_null())),
        Expr::IsMissing(inner) => Ok(Value::Bool(value_of(inner)? == Value::Missing)),
        Expr::Cast(inner, kind) => value_of(inner)?.cast(*kind),
        Expr::DateAdd(part, quantity, moment) => date_add(*part, value_of(quantity)?, value_of(moment)?),
        Expr::DateDiff(part, from, to) => Ok(match (moment(value_of(from)?)?, moment(value_of(to)?)?) {
            (Some(from), Some(to)) => Value::Int(from.until(to, *part)),
            _ => Value::Null,
        }),
        Expr::Extract(part, of) => Ok(moment(value_of(of)?)?.map_or(Value::Null, |moment| Value::Int(moment.part(*part)))),
        Expr::Function(function, given) => {
            let given = given.iter().map(value_of).collect::<Result<Vec<_>, _>>()?;
            call(*function, given, now)
        }
    }
}

/// The value of a JSON document at the end of a path.
pub fn lookup<'a>(json: &'a serde_json::Value, path: &[Step]) -> Option<&'a serde_json::Value> {
    path.iter().try_fold(json, |at, step| match step {
        Step::Name(name, quoted) => at.as_object()?.iter().find(|(key, _)| is_called(key, name, *quoted)).map(|(_, value)| value),
        Step::Index(index) => at.get(index),
        Step::Each => None,
    })
}

/// Returns true if this is the name of the step: case-insensitive, unless the query quotes it.
pub fn is_called(name: &str, step: &str, quoted: Quoted) -> bool {
    match quoted {
        Quoted::Yes => name == step,
        Quoted::No => name.eq_ignore_ascii_case(step),
    }
}

fn truth(truth: Option<bool>) -> Value {
    truth.map_or(Value::Null, Value::Bool)
}

/// AND, or OR if `decisive` is true: the first part with the decisive value decides; otherwise a null makes the result null.
fn connect(parts: impl Iterator<Item = Result<Value, RowError>>, decisive: bool) -> Result<Value, RowError> {
    let mut open = false;
    for part in parts {
        match part?.truth()? {
            Some(truth) if truth == decisive => return Ok(Value::Bool(decisive)),
            Some(_) => {}
            None => open = true,
        }
    }
    Ok(if open { Value::Null } else { Value::Bool(!decisive) })
}

fn date_add(part: Part, quantity: Value, to: Value) -> Result<Value, RowError> {
    match (quantity.cast(Kind::Int)?, moment(to)?) {
        (Value::Int(quantity), Some(moment)) => moment.add(part, quantity).map(Value::Time).ok_or(RowError::ARITHMETIC),
        _ => Ok(Value::Null),
    }
}

fn moment(value: Value) -> Result<Option<DateTime>, RowError> {
    match value.cast(Kind::Timestamp)? {
        Value::Time(moment) => Ok(Some(moment)),
        _ => Ok(None),
    }
}

/// One operation of arithmetic: the result of integers is an integer, as in T-SQL, and that of null is null. A number that is added to a
/// timestamp is a number of days.
pub fn arithmetic(left: Value, sign: Sign, right: Value) -> Result<Value, RowError> {
    match (&left, sign, &right) {
        (Value::Time(_), Sign::Plus, _) => return date_add(Part::Day, right, left),
        (_, Sign::Plus, Value::Time(_)) => return date_add(Part::Day, left, right),
        _ => {}
    }
    match (left.number()?, right.number()?) {
        (Value::Int(left), Value::Int(right)) => match sign {
            Sign::Plus => left.checked_add(right),
            Sign::Minus => left.checked_sub(right),
            Sign::Times => left.checked_mul(right),
            Sign::Over => left.checked_div(right),
            Sign::Modulo => left.checked_rem(right),
        }
        .map(Value::Int)
        .ok_or(RowError::ARITHMETIC),
        (left, right) => match (left.cast(Kind::Float)?, right.cast(Kind::Float)?) {
            (Value::Float(left), Value::Float(right)) => {
                let result = match sign {
                    Sign::Plus => left + right,
                    Sign::Minus => left - right,
                    Sign::Times => left * right,
                    Sign::Over => left / right,
                    Sign::Modulo => left % right,
                };
                if result.is_finite() { Ok(Value::Float(result)) } else { Err(RowError::ARITHMETIC) }
            }
            _ => Ok(Value::Null),
        },
    }
}

fn text(value: Value) -> Result<Option<String>, RowError> {
    match value.cast(Kind::String)? {
        Value::Text(text) => Ok(Some(text)),
        _ => Ok(None),
    }
}

fn call(function: Function, given: Vec<Value>, now: Timestamp) -> Result<Value, RowError> {
    let mut given = given.into_iter();
    if function == Function::Coalesce {
        return Ok(given.find(|value| !value.is_null()).unwrap_or(Value::Null));
    }
    let first = given.next().unwrap_or(Value::Null);
    match function {
        Function::UtcNow => Ok(Value::Time(DateTime::utc(now))),
        Function::NullIf => {
            let equal = first.clone().compare(given.next().unwrap_or(Value::Null))?.is_some_and(Ordering::is_eq);
            Ok(if equal { Value::Null } else { first })
        }
        Function::ToTimestamp => first.cast(Kind::Timestamp),
        Function::ToString => {
            let pattern = text(given.next().unwrap_or(Value::Null))?;
            match (moment(first)?, pattern) {
                (Some(moment), Some(pattern)) => moment.write(&pattern).map(Value::Text).ok_or(RowError::PATTERN),
                _ => Ok(Value::Null),
            }
        }
        _ => Ok(text(first)?.map(|first| call_text(function, &first, given)).transpose()?.unwrap_or(Value::Null)),
    }
}

/// The value of a function whose first argument is this text.
fn call_text(function: Function, first: &str, mut rest: impl Iterator<Item = Value>) -> Result<Value, RowError> {
    Ok(match function {
        Function::CharLength => Value::Int(first.chars().count() as i64),
        Function::Lower => Value::Text(first.to_lowercase()),
        Function::Upper => Value::Text(first.to_uppercase()),
        Function::Substring => {
            let start = rest.next().unwrap_or(Value::Null).cast(Kind::Int)?;
            let length = rest.next().unwrap_or(Value::Int(i64::MAX)).cast(Kind::Int)?;
            let (Value::Int(start), Value::Int(length)) = (start, length) else { return Ok(Value::Null) };
            let end = start.saturating_add(length.max(0)).max(0) as usize;
            let start = start.max(0) as usize;
            Value::Text(first.chars().take(end).skip(start).collect())
        }
        _ => {
            let these = text(rest.next().unwrap_or_else(|| Value::Text(" ".to_owned())))?;
            let Some(these) = these else { return Ok(Value::Null) };
            let these = |c: char| these.contains(c);
            let trimmed = match function {
                Function::TrimLeading => first.trim_start_matches(these),
                Function::TrimTrailing => first.trim_end_matches(these),
                _ => first.trim_matches(these),
            };
            Value::Text(trimmed.to_owned())
        }
    })
}

/// Returns true if a text matches a pattern: `%` for any characters, `_` for one, and the character after `escape` literally.
fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
    enum Piece {
        Any,
        One,
        This(char),
    }
    let mut rest = pattern.chars();
    let pieces = std::iter::from_fn(|| {
        rest.next().map(|c| match c {
            c if Some(c) == escape => Piece::This(rest.next().unwrap_or(c)),
            '%' => Piece::Any,
            '_' => Piece::One,
            c => Piece::This(c),
        })
    });
    let pieces: Vec<Piece> = pieces.collect();
    let text: Vec<char> = text.chars().collect();
    // Where to continue if the last `%` has to match more.
    let (mut at, mut piece, mut back) = (0, 0, None);
    loop {
        (at, piece) = match (pieces.get(piece), text.get(at)) {
            (None, None) => return true,
            (Some(Piece::Any), _) => {
                back = Some((at, piece + 1));
                (at, piece + 1)
            }
            (Some(Piece::One), Some(_)) => (at + 1, piece + 1),
            (Some(Piece::This(expected)), Some(c)) if c == expected => (at + 1, piece + 1),
            _ => match back {
                Some((from, after)) if from < text.len() => {
                    back = Some((from + 1, after));
                    (from + 1, after)
                }
                _ => return false,
            },
        };
    }
}

#[cfg(test)]
mod tests;
