//! The expiry of blobs, in accounts with a hierarchical namespace. There is no timer: every request compares the expiry with its time.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;

/// The expiry in a request (`x-ms-expiry-option`, `x-ms-expiry-time`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryOption {
    Never,
    /// Milliseconds from now.
    FromNow(u64),
    /// Milliseconds from the creation of the blob.
    FromCreation(u64),
    Absolute(Timestamp),
}

impl ExpiryOption {
    /// Parses the headers.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader for an option without its time; 400 InvalidHeaderValue for an unknown option, a time that the option
    /// does not have, or a malformed one (recorded: without naming the header).
    pub fn read(option: &str, time: Option<&str>) -> Result<ExpiryOption, StorageError> {
        let invalid = || StorageError::from(ErrorCode::InvalidHeaderValue);
        let time = time.filter(|text| !text.is_empty());
        let needed = || time.ok_or_else(|| StorageError::missing_header("x-ms-expiry-time"));
        let milliseconds = || needed()?.trim().parse().map_err(|_| invalid());
        match option.trim().to_ascii_lowercase().as_str() {
            "neverexpire" if time.is_some() => Err(invalid()),
            "neverexpire" => Ok(ExpiryOption::Never),
            "relativetonow" => Ok(ExpiryOption::FromNow(milliseconds()?)),
            "relativetocreation" => Ok(ExpiryOption::FromCreation(milliseconds()?)),
            "absolute" => Timestamp::parse_http(needed()?).map(ExpiryOption::Absolute).ok_or_else(invalid),
            _ => Err(StorageError::invalid_header("x-ms-expiry-option", option)),
        }
    }

    /// When a blob with this creation time expires; `None` if never.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a past time.
    pub fn at(self, created: Timestamp, now: Timestamp) -> Result<Option<Timestamp>, StorageError> {
        const TICKS: u64 = 10_000;
        let after = |from: Timestamp, ms: u64| Timestamp::from_ticks(from.ticks().saturating_add(ms.saturating_mul(TICKS)));
        let at = match self {
            ExpiryOption::Never => return Ok(None),
            ExpiryOption::FromNow(ms) => after(now, ms),
            ExpiryOption::FromCreation(ms) => after(created, ms),
            ExpiryOption::Absolute(at) => at,
        };
        if at > now { Ok(Some(at)) } else { Err(ErrorCode::InvalidHeaderValue.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_their_times() {
        let created = Timestamp::from_unix(1_000_000, 0);
        let now = created.after_seconds(10);
        let date = now.after_seconds(60).rfc1123();
        let (missing, invalid) = (Err("MissingRequiredHeader"), Err("InvalidHeaderValue"));
        for (option, time, expected) in [
            ("NeverExpire", None, Ok(None)),
            ("neverexpire", Some("1000"), invalid),
            ("RelativeToNow", Some("1000"), Ok(Some(now.after_seconds(1)))),
            ("RelativeToNow", Some("0"), invalid),
            ("RelativeToNow", Some("-1"), invalid),
            ("RelativeToNow", Some("18446744073709551615"), Ok(Some(Timestamp::NEVER))),
            ("RelativeToNow", None, missing),
            ("RelativeToNow", Some(""), missing),
            ("RelativeToNow", Some(&*date), invalid),
            ("RELATIVETOCREATION", Some("60000"), Ok(Some(created.after_seconds(60)))),
            ("RelativeToCreation", Some("10000"), invalid),
            ("Absolute", Some(&*date), Ok(Some(now.after_seconds(60)))),
            ("Absolute", Some("1000"), invalid),
            ("Absolute", Some("Wed, 29 Sep 1999 09:53:03 GMT"), Ok(Some(Timestamp::from_unix(938_598_783, 0)))),
            ("Absolute", Some("Thu, 01 Jan 1970 00:00:00 GMT"), invalid),
            ("Absolute", None, missing),
            ("Tomorrow", None, invalid),
        ] {
            let got =
                ExpiryOption::read(option, time).and_then(|option| option.at(created, now)).map_err(|error| error.code().name());
            assert_eq!(got, expected, "{option} {time:?}");
        }
    }
}
