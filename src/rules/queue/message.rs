//! Messages of a queue: visibility, expiry, pop receipts, and the parameters of the operations.
//!
//! A message is never locked: Get Messages makes it invisible for a while and returns a pop receipt, which is valid until the message is
//! returned or updated again, even after it has become visible. Sources: "Put Message", "Get Messages" and "Update Message" in the REST
//! reference; refusals as recorded.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::guid;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use uuid::Uuid;

/// The most bytes of a text, in UTF-8.
pub const TEXT: u64 = 64 << 10;
/// The most messages that one request returns.
pub const BATCH: u64 = 32;
/// The longest visibility timeout and the default time to live, in seconds.
pub const WEEK: u64 = 7 * 24 * 60 * 60;
/// The longest visibility timeout of Get Messages before 2011-08-18, in seconds.
const TWO_HOURS: u64 = 2 * 60 * 60;
/// The default visibility timeout of Get Messages, in seconds.
const DEFAULT_TIMEOUT: u64 = 30;

/// The longest time to live in seconds, according to the refusals of the service. It accepts more: the live tests of the .NET library put
/// messages that live for 922337203685 seconds.
const LONGEST: u64 = i32::MAX as u64;

/// A message.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The key of its record, which does not repeat it.
    #[serde(skip)]
    pub id: Uuid,
    /// Its place among messages that become visible at the same time: the order in which they were put.
    pub order: u64,
    pub text: Arc<str>,
    pub inserted: Timestamp,
    /// [`Timestamp::NEVER`] if it does not expire.
    pub expires: Timestamp,
    pub visible: Timestamp,
    /// How often Get Messages returned it.
    pub dequeued: u64,
    pub receipt: Receipt,
}

impl Message {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires <= now
    }

    /// The message after Get Messages, invisible until `visible`.
    pub fn after_get(&self, visible: Timestamp, number: u64) -> Message {
        Message { visible, dequeued: self.dequeued + 1, receipt: Receipt { number, visible }, ..self.clone() }
    }

    /// The message after Update Message, invisible until `visible`, with another text if one is given.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue if it would become visible after it expires.
    pub fn after_update(&self, visible: Timestamp, text: Option<Arc<str>>, number: u64) -> Result<Message, StorageError> {
        if visible > self.expires {
            let reason = "The visibility timeout of a message cannot be set to a value later than the expiry time.";
            return Err(StorageError::invalid_query("visibilitytimeout", visible.rfc1123(), reason));
        }
        let text = text.unwrap_or_else(|| self.text.clone());
        Ok(Message { visible, text, receipt: Receipt { number, visible }, ..self.clone() })
    }

    /// Checks that a receipt is the current one.
    ///
    /// # Errors
    /// 404 MessageNotFound for a stale receipt (recorded).
    pub fn check(&self, receipt: &str) -> Result<(), StorageError> {
        if self.receipt.text() == receipt {
            Ok(())
        } else {
            Err(ErrorCode::MessageNotFound.with_reason("the pop receipt is stale"))
        }
    }
}

/// A pop receipt. Every change of a message creates one, and no two of a queue are equal.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The number of the change that created it.
    pub number: u64,
    pub visible: Timestamp,
}

impl Receipt {
    /// The first bytes of receipts of the real service: from Put and Get, and from Update.
    const VERSIONS: [u8; 2] = [2, 3];
    /// Their lengths in bytes.
    const LENGTHS: [usize; 2] = [20, 24];

    /// The receipt on the wire: base64 of a version, a number and a Windows file time, like those of the real service.
    pub fn text(self) -> String {
        let mut bytes = [0; Receipt::LENGTHS[0]];
        bytes[0] = Receipt::VERSIONS[0];
        bytes[4..12].copy_from_slice(&self.number.to_le_bytes());
        bytes[12..].copy_from_slice(&self.visible.file_time().to_le_bytes());
        STANDARD.encode(bytes)
    }

    /// Checks that a text is well-formed.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue (recorded).
    pub fn check_form(text: &str) -> Result<(), StorageError> {
        let bytes = STANDARD.decode(text).unwrap_or_default();
        let formed = Receipt::VERSIONS
            .iter()
            .zip(Receipt::LENGTHS)
            .any(|(version, length)| bytes.len() == length && bytes.starts_with(&[*version, 0, 0, 0]));
        if formed { Ok(()) } else { Err(StorageError::invalid_query("popreceipt", text, "Invalid pop receipt format")) }
    }
}

/// Reads the id of a message from a path.
///
/// # Errors
/// 404 MessageNotFound unless it is a GUID: no message has such an id.
pub fn id(text: &str) -> Result<Uuid, StorageError> {
    guid(text).ok_or_else(|| ErrorCode::MessageNotFound.with_reason(format!("{text:?} is not a GUID")))
}

/// Reads `numofmessages`. The default is 1.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue for less than 1 or more than 32, InvalidQueryParameterValue unless it is a number.
pub fn count(text: Option<&str>) -> Result<usize, StorageError> {
    Ok(number("numofmessages", text, 1..=BATCH)?.unwrap_or(1) as usize)
}

/// Reads the `visibilitytimeout` of Get Messages: when the messages become visible again.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue or InvalidQueryParameterValue.
pub fn visible_after_get(text: Option<&str>, now: Timestamp, version: Version) -> Result<Timestamp, StorageError> {
    let most = if version < Version::V2011_08_18 { TWO_HOURS } else { WEEK };
    Ok(now.after_seconds(number("visibilitytimeout", text, 1..=most)?.unwrap_or(DEFAULT_TIMEOUT)))
}

/// Reads the `visibilitytimeout` of Update Message: when the message becomes visible again.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue or InvalidQueryParameterValue.
pub fn visible_after_update(text: &str, now: Timestamp) -> Result<Timestamp, StorageError> {
    Ok(now.after_seconds(number("visibilitytimeout", Some(text), 0..=WEEK)?.unwrap_or(0)))
}

/// Reads the `visibilitytimeout` and the `messagettl` of Put Message: when the new message becomes visible, and when it expires.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue or InvalidQueryParameterValue, the latter also for a message that would expire before it is visible.
pub fn put_times(
    visibility: Option<&str>,
    ttl: Option<&str>,
    now: Timestamp,
    version: Version,
) -> Result<(Timestamp, Timestamp), StorageError> {
    let timeout = number("visibilitytimeout", visibility, 0..=WEEK)?.unwrap_or(0);
    let visible = now.after_seconds(timeout);
    let unlimited = version >= Version::V2017_07_29;
    if unlimited && ttl.is_some_and(|ttl| ttl.trim() == "-1") {
        return Ok((visible, Timestamp::NEVER));
    }
    let longer = ttl.filter(|_| unlimited).and_then(|ttl| ttl.trim().parse().ok()).filter(|lives| *lives > LONGEST);
    let most = if unlimited { LONGEST } else { WEEK };
    let lives = longer.map_or_else(|| number("messagettl", ttl, 1..=most), |lives| Ok(Some(lives)))?.unwrap_or(WEEK);
    if lives <= timeout {
        let reason = "messagettl must be greater than visibilitytimeout";
        return Err(StorageError::invalid_query("visibilitytimeout", timeout.to_string(), reason));
    }
    Ok((visible, now.after_seconds(lives)))
}

/// Reads a number within bounds.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue with the bounds, InvalidQueryParameterValue unless it is a number.
fn number(name: &str, text: Option<&str>, bounds: std::ops::RangeInclusive<u64>) -> Result<Option<u64>, StorageError> {
    let Some(text) = text else { return Ok(None) };
    let digits = text.trim();
    let plain = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(StorageError::invalid_query(name, text, "The value is not a number."));
    }
    // A number that overflows is out of any bounds.
    match digits.parse().ok().filter(|number| bounds.contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(StorageError::out_of_range_query(name, text, *bounds.start(), *bounds.end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Version = Version::V2018_03_28;
    const RANGE: &str = "OutOfRangeQueryParameterValue";
    const VALUE: &str = "InvalidQueryParameterValue";

    fn now() -> Timestamp {
        Timestamp::parse_iso("2022-01-06T00:05:38.1234567Z").unwrap()
    }

    /// A time in seconds from now, `never`, or the refusal with its bounds.
    fn outcome(result: Result<Timestamp, StorageError>) -> String {
        match result {
            Ok(Timestamp::NEVER) => "never".to_owned(),
            Ok(at) => now().seconds_until(at).to_string(),
            Err(error) => {
                let bounds: Vec<&str> = error.details().iter().skip(2).map(|(_, value)| value.as_str()).collect();
                format!("{} {}", error.code().name(), bounds.join(" "))
            }
        }
    }

    #[test]
    fn a_count_is_from_1_to_32() {
        for (text, expected) in [(None, Ok(1)), (Some("1"), Ok(1)), (Some("32"), Ok(32)), (Some(" 7 "), Ok(7))] {
            assert_eq!(count(text), expected, "{text:?}");
        }
        for (text, code) in [
            ("0", RANGE),
            ("33", RANGE),
            ("-1", RANGE),
            ("99999999999999999999", RANGE),
            ("x", VALUE),
            ("1.5", VALUE),
            ("-", VALUE),
        ] {
            assert_eq!(count(Some(text)).unwrap_err().code().name(), code, "{text}");
        }
        let error = count(Some("33")).unwrap_err();
        let details: Vec<_> = error.details().iter().map(|(name, value)| (*name, value.as_str())).collect();
        let bounds = [("MinimumAllowed", "1"), ("MaximumAllowed", "32")];
        assert_eq!(details[..2], [("QueryParameterName", "numofmessages"), ("QueryParameterValue", "33")]);
        assert_eq!(details[2..], bounds);
    }

    #[test]
    fn the_timeout_of_get_messages_has_bounds_and_a_default() {
        let old = Version::V2009_09_19;
        for (text, version, expected) in [
            (None, NEW, "30"),
            (Some("1"), NEW, "1"),
            (Some("604800"), NEW, "604800"),
            (Some("0"), NEW, "OutOfRangeQueryParameterValue 1 604800"),
            (Some("604801"), NEW, "OutOfRangeQueryParameterValue 1 604800"),
            (Some("7200"), old, "7200"),
            (Some("7201"), old, "OutOfRangeQueryParameterValue 1 7200"),
            (Some("soon"), NEW, "InvalidQueryParameterValue The value is not a number."),
        ] {
            assert_eq!(outcome(visible_after_get(text, now(), version)), expected, "{text:?} {version}");
        }
    }

    #[test]
    fn the_timeout_of_update_message_has_bounds() {
        for (text, expected) in [
            ("0", "0"),
            ("604800", "604800"),
            ("604801", "OutOfRangeQueryParameterValue 0 604800"),
            ("-1", "OutOfRangeQueryParameterValue 0 604800"),
            ("x", "InvalidQueryParameterValue The value is not a number."),
        ] {
            assert_eq!(outcome(visible_after_update(text, now())), expected, "{text}");
        }
    }

    #[test]
    fn a_message_must_become_visible_before_it_expires() {
        let old = Version::V2016_05_31;
        let later = "InvalidQueryParameterValue messagettl must be greater than visibilitytimeout";
        let week = "OutOfRangeQueryParameterValue 1 604800";
        for (visibility, ttl, version, visible, expires) in [
            (None, None, NEW, "0", "604800"),
            (Some("1"), Some("2"), NEW, "1", "2"),
            (Some("2"), Some("2"), NEW, later, later),
            (Some("604799"), None, NEW, "604799", "604800"),
            (Some("604800"), None, NEW, later, later),
            (Some("604800"), Some("-1"), NEW, "604800", "never"),
            (Some("604801"), Some("-1"), NEW, "OutOfRangeQueryParameterValue 0 604800", "OutOfRangeQueryParameterValue 0 604800"),
            (None, Some("1073741824"), NEW, "0", "1073741824"),
            (None, Some("2147483648"), NEW, "0", "2147483648"),
            (None, Some("922337203685"), NEW, "0", "never"),
            (None, Some("922337203685"), old, week, week),
            (None, Some("0"), NEW, "OutOfRangeQueryParameterValue 1 2147483647", "OutOfRangeQueryParameterValue 1 2147483647"),
            (None, Some("-2"), NEW, "OutOfRangeQueryParameterValue 1 2147483647", "OutOfRangeQueryParameterValue 1 2147483647"),
            (None, Some("604800"), old, "0", "604800"),
            (None, Some("604801"), old, week, week),
            (None, Some("-1"), old, week, week),
        ] {
            let terms = put_times(visibility, ttl, now(), version);
            let seen = (outcome(terms.clone().map(|terms| terms.0)), outcome(terms.map(|terms| terms.1)));
            assert_eq!(seen, (visible.to_owned(), expires.to_owned()), "{visibility:?} {ttl:?} {version}");
        }
    }

    fn message() -> Message {
        let receipt = Receipt { number: 1, visible: now() };
        Message {
            id: Uuid::nil(),
            order: 0,
            text: "text".into(),
            inserted: now(),
            expires: now().after_seconds(100),
            visible: now(),
            dequeued: 0,
            receipt,
        }
    }

    #[test]
    fn a_receipt_is_valid_until_the_next_change() {
        let put = message();
        let got = put.after_get(now().after_seconds(30), 2);
        assert_eq!((got.dequeued, got.visible, &got.text), (1, now().after_seconds(30), &put.text));
        let updated = got.after_update(now(), Some("other".into()), 3).unwrap();
        assert_eq!((updated.dequeued, &*updated.text, updated.expires), (1, "other", put.expires));
        assert_eq!(&*got.after_update(now(), None, 3).unwrap().text, "text");
        let all = [&put, &got, &updated];
        for (at, message) in all.iter().enumerate() {
            for (other, receipt) in all.iter().map(|message| message.receipt.text()).enumerate() {
                Receipt::check_form(&receipt).unwrap();
                let code = message.check(&receipt).err().map(|error| error.code());
                assert_eq!(code, (at != other).then_some(ErrorCode::MessageNotFound), "{at} {other}");
            }
        }
    }

    #[test]
    fn a_message_cannot_become_visible_after_it_expires() {
        let put = message();
        assert!(put.after_update(put.expires, None, 2).is_ok());
        assert_eq!(put.after_update(put.expires.next(), None, 2).unwrap_err().code().name(), VALUE);
        assert!(!put.is_expired(now().after_seconds(99)) && put.is_expired(put.expires));
    }

    /// With receipts of the real service, from Put Message and from Update Message.
    #[test]
    fn receipts_are_checked_for_their_form() {
        for text in ["AgAAAAMAAAAAAAAAOS1PJpEC2AE=", "AwAAAAMAAAAAAAAAU2MDjAUG1QEBAAAA"] {
            assert_eq!(Receipt::check_form(text), Ok(()), "{text}");
        }
        for text in ["", "AAAA", "not base64!", "AgAAAAMAAAAAAAAAOS1PJpEC2AE", "AwAAAAMAAAAAAAAAOS1PJpEC2AE="] {
            assert_eq!(
                Receipt::check_form(text),
                Err(StorageError::invalid_query("popreceipt", text, "Invalid pop receipt format")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_message_id_is_a_guid() {
        assert_eq!(id("7A72F8BD-e409-4ef8-a6a8-defea9e8bdaf").unwrap().to_string(), "7a72f8bd-e409-4ef8-a6a8-defea9e8bdaf");
        for text in ["", "x", "7a72f8bde4094ef8a6a8defea9e8bdaf", "{7a72f8bd-e409-4ef8-a6a8-defea9e8bdaf}"] {
            assert_eq!(id(text).unwrap_err().code(), ErrorCode::MessageNotFound, "{text}");
        }
    }
}
