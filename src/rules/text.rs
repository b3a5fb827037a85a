//! Pieces of text that several parsers share.

use crate::rules::error::StorageError;
use std::str::FromStr;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// Parses a number of digits only: `from_str` of the integers also accepts a sign.
pub fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A GUID in its usual form of 36 characters.
pub fn guid(text: &str) -> Option<Uuid> {
    Some(text).filter(|text| text.len() == Hyphenated::LENGTH).and_then(|text| Uuid::try_parse(text).ok())
}

/// The value of the first pair with this name, in any letter case.
pub fn lookup<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The text inside the quotes at the start of `text`, with doubled quotes reduced, and the rest after them.
pub fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text.strip_prefix(quote)?;
    loop {
        let (part, after) = rest.split_once(quote)?;
        inner.push_str(part);
        let Some(more) = after.strip_prefix(quote) else { return Some((inner, after)) };
        inner.push(quote);
        rest = more;
    }
}

/// One operand, or the join of several that are separated by an operator, which `next` consumes.
///
/// # Errors
/// Those of the operands.
pub fn chain<P, T, E>(
    parser: &mut P,
    next: impl Fn(&mut P) -> bool,
    join: impl Fn(Vec<T>) -> T,
    operand: impl Fn(&mut P) -> Result<T, E>,
) -> Result<T, E> {
    let first = operand(parser)?;
    if !next(parser) {
        return Ok(first);
    }
    let mut operands = vec![first, operand(parser)?];
    while next(parser) {
        operands.push(operand(parser)?);
    }
    Ok(join(operands))
}

/// Parses the value of a header.
///
/// # Errors
/// 400 InvalidHeaderValue.
pub fn header<T>(name: &str, text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, StorageError> {
    parse(text).ok_or_else(|| StorageError::invalid_header(name, text))
}

/// Parses the value of a header that may be absent.
///
/// # Errors
/// 400 InvalidHeaderValue.
pub fn optional_header<T>(
    name: &str,
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, StorageError> {
    text.map(|text| header(name, text, parse)).transpose()
}
