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
    serde_json::from_slice(&text).map(Some).map_err(|_| unexpected(&text))
}

/// The error of invalid JSON: the first structural byte that is not one of those expected there. Other errors, such as invalid literals in an
/// object, have no recorded text.
fn unexpected(text: &[u8]) -> RowError {
    const RECORD: &[char] = &['{', '['];
    let end_of_scalar = |from: usize| {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",:{}[]\"".contains(byte);
        let length = text.get(from..).unwrap_or_default().iter().position(ends);
        length.map_or(text.len(), |length| from + length)
    };
    let is_scalar = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|scalar| serde_json::from_slice::<serde_json::Value>(scalar).is_ok())
    };
    // What each open object or array expects next.
    let mut open: Vec<(u8, Expected)> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        let offset = at;
        at += 1;
        if byte.is_ascii_whitespace() {
            continue;
        }
        let depth = open.len();
        let expected = open.last().map(|(_, expected)| *expected);
        let refused = |tokens: &[char]| RowError::unexpected(byte, offset, tokens);
        let close = |kind: u8| if kind == b'{' { '}' } else { ']' };
        match (expected, byte, open.last_mut()) {
            (Some(Expected::Key), b'"', Some((_, next))) => {
                *next = Expected::Colon;
                at = end_of_string(text, at);
            }
            (Some(Expected::Key), ..) => return refused(&['"']),
            (Some(Expected::Colon), b':', Some((_, next))) => *next = Expected::Value,
            (Some(Expected::Colon), ..) => return refused(&[':']),
            (Some(Expected::End), b',', Some((kind, next))) => {
                *next = if *kind == b'{' { Expected::Key } else { Expected::Value };
            }
            (Some(Expected::End), b'}' | b']', Some((kind, _))) if char::from(byte) == close(*kind) => _ = open.pop(),
            (Some(Expected::End), _, Some((kind, _))) => return refused(&[',', close(*kind)]),
            (_, b'{' | b'[', _) => {
                if let Some((_, next)) = open.last_mut() {
                    *next = Expected::End;
                }
                open.push((byte, if byte == b'{' { Expected::Key } else { Expected::Value }));
            }
            (_, b'"', next) => {
                if let Some((_, next)) = next {
                    *next = Expected::End;
                }
                at = end_of_string(text, at);
            }
            (_, _, next) => {
                let end = end_of_scalar(offset);
                match next {
                    Some((_, next)) if is_scalar(offset, end) => *next = Expected::End,
                    None if depth == 0 && is_scalar(offset, end) => {}
                    None => return refused(RECORD),
                    Some(_) => return RowError::INPUT,
                }
                at = end;
            }
        }
    }
    RowError::INPUT
}

/// What may follow in an object or an array.
#[derive(Clone, Copy)]
enum Expected {
    Key,
    Colon,
    Value,
    /// A comma or the end.
    End,
}

/// The offset behind a string that begins before this offset.
fn end_of_string(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => at += 1,
            _ => {}
        }
    }
    at
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
