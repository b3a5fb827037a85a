//! Times. Rules get them as arguments, and never read a clock.
//!
//! Azure counts ticks of 100 ns since the year 1. Entity tags and names of snapshots are such ticks, so this program has no other
//! representation of time.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Timelike};
use serde::{Deserialize, Serialize};

/// Ticks in a second.
pub const TICKS_PER_SECOND: u64 = 10_000_000;
/// Ticks between 0001-01-01 and 1970-01-01, UTC.
const UNIX_EPOCH_TICKS: u64 = 621_355_968_000_000_000;
/// Ticks of 9999-12-31T23:59:59.9999999Z, the last time that can be written.
const LAST_TICKS: u64 = 3_155_378_975_999_999_999;

/// A time: ticks of 100 ns since 0001-01-01T00:00:00Z.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "u64")]
pub struct Timestamp(u64);

impl From<u64> for Timestamp {
    fn from(ticks: u64) -> Timestamp {
        Timestamp::from_ticks(ticks)
    }
}

impl Timestamp {
    /// The last time that the service can write, which means "never".
    pub const NEVER: Timestamp = Timestamp(LAST_TICKS);

    /// 1601-01-01T00:00:00Z, where the file times of Windows begin.
    pub const WINDOWS_EPOCH: Timestamp = Timestamp(504_911_232_000_000_000);

    /// The time of these ticks, at most [`Timestamp::NEVER`].
    pub const fn from_ticks(ticks: u64) -> Timestamp {
        Timestamp(if ticks > LAST_TICKS { LAST_TICKS } else { ticks })
    }

    /// The time of these seconds since 1970, and ticks within the second.
    pub const fn from_unix(seconds: i64, ticks: u32) -> Timestamp {
        let whole = (UNIX_EPOCH_TICKS as i64).saturating_add(seconds.saturating_mul(TICKS_PER_SECOND as i64));
        Timestamp::from_ticks(if whole < 0 { 0 } else { whole as u64 + ticks as u64 })
    }

    /// Whole seconds since 1970.
    pub const fn unix_seconds(self) -> i64 {
        (self.0 as i64 - UNIX_EPOCH_TICKS as i64).div_euclid(TICKS_PER_SECOND as i64)
    }

    /// Ticks since 0001-01-01.
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// The file time of Windows: ticks since 1601, or 0 before.
    pub const fn file_time(self) -> u64 {
        self.0.saturating_sub(Timestamp::WINDOWS_EPOCH.0)
    }

    /// The time this number of seconds later.
    pub const fn after_seconds(self, seconds: u64) -> Timestamp {
        Timestamp::from_ticks(self.0.saturating_add(seconds.saturating_mul(TICKS_PER_SECOND)))
    }

    /// The time one tick later.
    pub const fn next(self) -> Timestamp {
        Timestamp::from_ticks(self.0.saturating_add(1))
    }

    /// Milliseconds since 1970.
    pub const fn unix_millis(self) -> i64 {
        (self.0 / (TICKS_PER_SECOND / 1000)) as i64 - (UNIX_EPOCH_TICKS / (TICKS_PER_SECOND / 1000)) as i64
    }

    /// Seconds until `later`, rounded up; 0 if it is not later.
    pub const fn seconds_until(self, later: Timestamp) -> u64 {
        later.0.saturating_sub(self.0).div_ceil(TICKS_PER_SECOND)
    }

    /// The time without its fraction of a second, as in HTTP dates.
    pub const fn to_second(self) -> Timestamp {
        Timestamp(self.0 - self.0 % TICKS_PER_SECOND)
    }

    /// The seconds between two times, rounded down.
    pub const fn seconds_apart(self, other: Timestamp) -> u64 {
        self.0.abs_diff(other.0) / TICKS_PER_SECOND
    }

    pub(in crate::rules) fn civil(self) -> NaiveDateTime {
        let seconds = (self.0 / TICKS_PER_SECOND) as i64 - (UNIX_EPOCH_TICKS / TICKS_PER_SECOND) as i64;
        let nanos = (self.0 % TICKS_PER_SECOND) as u32 * 100;
        DateTime::from_timestamp(seconds, nanos).map_or(NaiveDateTime::MIN, |time| time.naive_utc())
    }

    /// `Thu, 09 May 2019 00:45:05 GMT`, the form of date headers.
    pub fn rfc1123(self) -> String {
        const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let at = self.civil();
        let day = DAYS[at.weekday().num_days_from_monday() as usize % 7];
        let month = MONTHS[at.month0() as usize % 12];
        let mut text = DateWriter(String::with_capacity(29));
        text.word(day).word(", ").digits::<2>(at.day()).word(" ").word(month).word(" ").digits::<4>(at.year() as u32);
        text.word(" ").digits::<2>(at.hour()).word(":").digits::<2>(at.minute()).word(":").digits::<2>(at.second()).word(" GMT");
        text.0
    }

    /// `2019-05-09T00:53:01.3826986Z`, the form of snapshots, versions and policies.
    pub fn iso(self) -> String {
        let at = self.civil();
        let mut text = DateWriter(String::with_capacity(28));
        text.digits::<4>(at.year() as u32).word("-").digits::<2>(at.month()).word("-").digits::<2>(at.day()).word("T");
        text.digits::<2>(at.hour()).word(":").digits::<2>(at.minute()).word(":").digits::<2>(at.second());
        text.word(".").digits::<7>((self.0 % TICKS_PER_SECOND) as u32).word("Z");
        text.0
    }

    /// `2019-05-09T00:53:01Z`, the form of user delegation keys.
    pub fn iso_to_second(self) -> String {
        let mut text = self.iso();
        text.truncate("2019-05-09T00:53:01".len());
        text.push('Z');
        text
    }

    /// Parses an HTTP date: RFC 1123, or the two obsolete forms of RFC 9110 §5.6.7.
    pub fn parse_http(text: &str) -> Option<Timestamp> {
        let text = text.trim();
        let from = |format: &str| NaiveDateTime::parse_from_str(text, format).ok();
        let civil = from("%a, %d %b %Y %H:%M:%S GMT")
            .or_else(|| from("%A, %d-%b-%y %H:%M:%S GMT"))
            .or_else(|| from("%a %b %e %H:%M:%S %Y"))
            .or_else(|| DateTime::parse_from_rfc2822(text).ok().map(|at| at.naive_utc()))?;
        Some(Timestamp::from_civil(civil))
    }

    /// Parses the ISO 8601 forms of policies and signatures: a date, or a date and a time with minutes, seconds or up to seven digits of a
    /// fraction, in UTC.
    pub fn parse_iso(text: &str) -> Option<Timestamp> {
        if !text.contains('T')
            && let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d")
        {
            return Some(Timestamp::from_civil(date.and_hms_opt(0, 0, 0)?));
        }
        if let Ok(at) = DateTime::parse_from_rfc3339(text) {
            return Some(Timestamp::from_civil(at.naive_utc()));
        }
        let civil = NaiveDateTime::parse_from_str(text.strip_suffix('Z').unwrap_or(text), "%Y-%m-%dT%H:%M").ok()?;
        Some(Timestamp::from_civil(civil))
    }

    pub(in crate::rules) fn from_civil(civil: NaiveDateTime) -> Timestamp {
        let at = civil.and_utc();
        Timestamp::from_unix(at.timestamp(), at.timestamp_subsec_nanos().min(999_999_999) / 100)
    }
}

/// Writes a date. Every response has one or more, and `format!` is much slower.
struct DateWriter(String);

impl DateWriter {
    fn word(&mut self, word: &str) -> &mut DateWriter {
        self.0.push_str(word);
        self
    }

    /// A number with this many digits.
    fn digits<const COUNT: u32>(&mut self, number: u32) -> &mut DateWriter {
        self.0.extend((0..COUNT).rev().map(|place| char::from(b'0' + (number / 10_u32.pow(place) % 10) as u8)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_the_service_writes() {
        let at = Timestamp::parse_iso("2019-05-09T00:53:01.3826986Z").unwrap();
        assert_eq!(at.iso(), "2019-05-09T00:53:01.3826986Z");
        assert_eq!(at.iso_to_second(), "2019-05-09T00:53:01Z");
        assert_eq!(at.rfc1123(), "Thu, 09 May 2019 00:53:01 GMT");
        assert_eq!(Timestamp::NEVER.rfc1123(), "Fri, 31 Dec 9999 23:59:59 GMT");
        assert_eq!(Timestamp::from_ticks(0).iso(), "0001-01-01T00:00:00.0000000Z");
        assert_eq!(Timestamp::from_ticks(u64::MAX), Timestamp::NEVER);
    }

    #[test]
    fn reads_every_form_that_clients_send() {
        for (text, iso) in [
            ("2021-01-02", "2021-01-02T00:00:00.0000000Z"),
            ("2021-01-02T03:04Z", "2021-01-02T03:04:00.0000000Z"),
            ("2021-01-02T03:04:05Z", "2021-01-02T03:04:05.0000000Z"),
            ("2021-01-02T03:04:05.1234567Z", "2021-01-02T03:04:05.1234567Z"),
            ("2021-01-02T03:04:05+01:00", "2021-01-02T02:04:05.0000000Z"),
        ] {
            assert_eq!(Timestamp::parse_iso(text).unwrap().iso(), iso, "{text}");
        }
        for text in ["", "tomorrow", "2021-13-01", "2021-01-02T25:00:00Z", "20210102"] {
            assert_eq!(Timestamp::parse_iso(text), None, "{text}");
        }
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(Timestamp::parse_http(text).unwrap().iso(), "1994-11-06T08:49:37.0000000Z", "{text}");
        }
        assert_eq!(Timestamp::parse_http("1994"), None);
    }

    #[test]
    fn counts_seconds_upwards() {
        let at = Timestamp::from_unix(100, 5);
        assert_eq!(at.seconds_until(at.after_seconds(15)), 15);
        assert_eq!(at.seconds_until(Timestamp::from_unix(115, 6)), 16);
        assert_eq!(at.after_seconds(1).seconds_until(at), 0);
        assert_eq!(at.to_second(), Timestamp::from_unix(100, 0));
    }
}
