//! Page blobs: pages of 512 bytes, and the sequence number by which concurrent writers coordinate.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges::InclusiveRange;
use crate::rules::text::{header, optional_header};

/// The size of a page in bytes. Sizes and ranges of page blobs are multiples of it.
pub const PAGE: u64 = 512;
/// The largest size of a page blob in bytes: 8 TiB.
pub const MAX_SIZE: u64 = 8 << 40;
/// The most bytes of a Put Page that writes: 4 MiB. There is no limit for clearing.
pub const MAX_WRITE: u64 = 4 << 20;
/// The largest sequence number.
pub const MAX_SEQUENCE: u64 = i64::MAX as u64;

/// Parses `x-ms-blob-content-length`.
///
/// # Errors
/// 400 InvalidHeaderValue unless it is a multiple of a page and at most 8 TiB (recorded).
pub fn read_size(text: &str) -> Result<u64, StorageError> {
    let size = |text: &str| text.trim().parse().ok().filter(|size: &u64| size.is_multiple_of(PAGE) && *size <= MAX_SIZE);
    header("x-ms-blob-content-length", text, size)
}

/// Checks the range of a page write, which must cover whole pages of the blob.
///
/// # Errors
/// 416 InvalidPageRange for a range that does not start and end with a page, or that ends after the blob.
pub fn check_range(span: InclusiveRange, size: u64) -> Result<(), StorageError> {
    if span.is_aligned(PAGE) && span.end < size { Ok(()) } else { Err(ErrorCode::InvalidPageRange.into()) }
}

/// The change of a sequence number by Set Blob Properties (`x-ms-sequence-number-action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sets the larger of the current number and this one.
    Max(u64),
    /// Sets this number.
    Update(u64),
    /// Adds one.
    Increment,
}

impl Action {
    /// Parses the action and its number, which an increment must not have.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue or MissingRequiredHeader.
    pub fn read(action: &str, number: Option<&str>) -> Result<Action, StorageError> {
        let named = |name: &str| action.eq_ignore_ascii_case(name);
        if named("increment") {
            return match number {
                None => Ok(Action::Increment),
                Some(number) => Err(StorageError::invalid_header("x-ms-blob-sequence-number", number)),
            };
        }
        if !named("max") && !named("update") {
            return Err(StorageError::invalid_header("x-ms-sequence-number-action", action));
        }
        let number = number.ok_or_else(|| StorageError::missing_header("x-ms-blob-sequence-number"))?;
        let number = read_sequence("x-ms-blob-sequence-number", number)?;
        Ok(if named("max") { Action::Max(number) } else { Action::Update(number) })
    }

    /// The new number.
    ///
    /// # Errors
    /// 409 SequenceNumberIncrementTooLarge when the current number is the largest.
    pub fn apply(self, current: u64) -> Result<u64, StorageError> {
        match self {
            Action::Max(number) => Ok(current.max(number)),
            Action::Update(number) => Ok(number),
            Action::Increment if current >= MAX_SEQUENCE => Err(ErrorCode::SequenceNumberIncrementTooLarge.into()),
            Action::Increment => Ok(current + 1),
        }
    }
}

/// Parses a sequence number: 0 to 2⁶³ − 1.
///
/// # Errors
/// 400 InvalidHeaderValue, also for a negative number (recorded).
pub fn read_sequence(name: &str, text: &str) -> Result<u64, StorageError> {
    header(name, text, sequence_number)
}

fn sequence_number(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|number| *number <= MAX_SEQUENCE)
}

/// The conditions on the sequence number (`x-ms-if-sequence-number-…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceConditions {
    /// Less than or equal to this.
    pub le: Option<u64>,
    /// Less than this.
    pub lt: Option<u64>,
    /// Equal to this.
    pub eq: Option<u64>,
}

impl SequenceConditions {
    /// Parses the headers; `find` returns the text of a header.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue.
    pub fn read<'a>(find: impl Fn(&'static str) -> Option<&'a str>) -> Result<SequenceConditions, StorageError> {
        let one = |name: &'static str| optional_header(name, find(name).filter(|text| !text.is_empty()), sequence_number);
        Ok(SequenceConditions {
            le: one("x-ms-if-sequence-number-le")?,
            lt: one("x-ms-if-sequence-number-lt")?,
            eq: one("x-ms-if-sequence-number-eq")?,
        })
    }

    /// Checks the conditions against the blob's number.
    ///
    /// # Errors
    /// 412 SequenceNumberConditionNotMet.
    pub fn hold(self, current: u64) -> Result<(), StorageError> {
        let met = self.le.is_none_or(|number| current <= number)
            && self.lt.is_none_or(|number| current < number)
            && self.eq.is_none_or(|number| current == number);
        if met { Ok(()) } else { Err(ErrorCode::SequenceNumberConditionNotMet.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ranges::exact;

    #[test]
    fn sizes_and_ranges_are_whole_pages() {
        for (text, size) in [
            ("0", Some(0)),
            ("512", Some(512)),
            ("513", None),
            ("-512", None),
            ("8796093022208", Some(8 << 40)),
            ("8796093022720", None),
            ("", None),
        ] {
            assert_eq!(read_size(text).ok(), size, "{text}");
        }
        for (text, verdict) in [
            ("bytes=0-511", Some("ok")),
            ("bytes=512-1023", Some("ok")),
            ("bytes=0-1023", Some("ok")),
            ("bytes=0-510", Some("InvalidPageRange")),
            ("bytes=1-512", Some("InvalidPageRange")),
            ("bytes=512-1535", Some("InvalidPageRange")),
            ("bytes=0-", None),
            ("0-511", None),
            ("", None),
        ] {
            let check = |span| check_range(span, 1024).map_or_else(|error| error.code().name(), |()| "ok");
            assert_eq!(exact(text).map(check), verdict, "{text}");
        }
    }

    #[test]
    fn actions_change_sequence_numbers() {
        for (action, number, current, result) in [
            ("max", Some("5"), 3, Ok(5)),
            ("max", Some("5"), 7, Ok(7)),
            ("update", Some("5"), 7, Ok(5)),
            ("Increment", None, 7, Ok(8)),
            ("increment", None, MAX_SEQUENCE, Err("SequenceNumberIncrementTooLarge")),
            ("increment", Some("1"), 7, Err("InvalidHeaderValue")),
            ("update", None, 7, Err("MissingRequiredHeader")),
            ("update", Some("-1"), 7, Err("InvalidHeaderValue")),
            ("update", Some("9223372036854775808"), 7, Err("InvalidHeaderValue")),
            ("double", Some("1"), 7, Err("InvalidHeaderValue")),
        ] {
            let seen = Action::read(action, number).and_then(|action| action.apply(current)).map_err(|error| error.code().name());
            assert_eq!(seen, result, "{action} {number:?} on {current}");
        }
    }

    #[test]
    fn sequence_conditions_hold_together() {
        let read =
            |name: &'static str, value: &'static str| SequenceConditions::read(move |header| (header == name).then_some(value));
        for (name, value, current, holds) in [
            ("x-ms-if-sequence-number-le", "5", 5, true),
            ("x-ms-if-sequence-number-le", "5", 6, false),
            ("x-ms-if-sequence-number-lt", "5", 4, true),
            ("x-ms-if-sequence-number-lt", "5", 5, false),
            ("x-ms-if-sequence-number-eq", "5", 5, true),
            ("x-ms-if-sequence-number-eq", "5", 4, false),
        ] {
            assert_eq!(read(name, value).unwrap().hold(current).is_ok(), holds, "{name} {value} on {current}");
        }
        assert!(read("x-ms-if-sequence-number-eq", "-1").is_err());
    }
}
