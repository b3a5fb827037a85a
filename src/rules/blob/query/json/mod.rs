//! A stream of JSON values, with or without separators.

use crate::rules::blob::query::evaluate::{InputRow, lookup};
use crate::rules::blob::query::input::{Input, LONGEST};
use crate::rules::blob::query::sql::Step;
use crate::rules::blob::query::value::{RowError, Value};
use bytes::Bytes;

/// Parses the next value; `None` at the end.
///
/// # Errors
/// An error for invalid JSON, or a value that is too long.
pub fn read<I: Iterator<Item = Bytes>>(input: &mut Input<I>, separator: &[u8]) -> Result<Option<serde_json::Value>, RowError> {
    let between = |byte: u8| byte.is_ascii_whitespace() || separator.contains(&byte);
    while input.peek().is_some_and(between) {
        input.next();
    }
    let Some(first) = input.next() else { return Ok(None) };
    let mut text = vec![first];
    let opens = |byte| u32::from(byte == b'{' || byte == b'[');
    let (mut depth, mut quoted) = (opens(first), first == b'"');
    // A value without an end mark, such as a number, ends before the first byte that cannot be a part of it.
    let bare = depth == 0 && !quoted;
    while depth > 0 || quoted || bare {
        if bare && input.peek().is_none_or(|byte| between(byte) || b"{[\"".contains(&byte)) {
            break;
        }
        let byte = input.next().filter(|_| text.len() < LONGEST).ok_or(RowError::INPUT)?;
        text.push(byte);
        match byte {
            b'\\' if quoted => text.extend(input.next()),
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => depth += opens(byte),
        }
    }
    serde_json::from_slice(&text).map(Some).map_err(|_| RowError::INPUT)
}

/// The rows of a value: the values at the end of the query's path. `[*]` at its start is the value itself.
pub fn rows(value: serde_json::Value, path: &[Step]) -> Vec<serde_json::Value> {
    let path = path.strip_prefix(&[Step::Each]).unwrap_or(path);
    path.iter().fold(vec![value], |rows, step| {
        let within = |row: serde_json::Value| match (step, row) {
            (Step::Each, serde_json::Value::Array(elements)) => elements,
            (step, row) => lookup(&row, std::slice::from_ref(step)).cloned().into_iter().collect(),
        };
        rows.into_iter().flat_map(within).collect()
    })
}

impl InputRow for serde_json::Value {
    fn field(&self, path: &[Step]) -> Result<Value, RowError> {
        Ok(lookup(self, path).map_or(Value::Missing, Value::of_json))
    }
}

#[cfg(test)]
mod tests;
