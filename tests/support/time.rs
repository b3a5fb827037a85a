//! Dates as requests and answers write them, apart from the server's own code.

use chrono::{DateTime, NaiveDateTime, TimeDelta, TimeZone, Utc};
use std::time::SystemTime;

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        Timestamp(time.into())
    }
}

impl From<Timestamp> for SystemTime {
    fn from(timestamp: Timestamp) -> SystemTime {
        timestamp.0.into()
    }
}

impl Timestamp {
    /// The moment this many seconds after the beginning of 1970.
    pub fn from_unix(seconds: i64) -> Timestamp {
        Timestamp(Utc.timestamp_opt(seconds, 0).unwrap())
    }

    /// Parses `Thu, 09 May 2019 00:45:05 GMT`.
    pub fn parse_http(text: &str) -> Option<Timestamp> {
        let date = NaiveDateTime::parse_from_str(text, "%a, %d %b %Y %H:%M:%S GMT").ok()?;
        Some(Timestamp(date.and_utc()))
    }

    /// Parses `2019-05-09T00:53:01.3826986Z`.
    pub fn parse_iso(text: &str) -> Option<Timestamp> {
        Some(Timestamp(DateTime::parse_from_rfc3339(text).ok()?.into()))
    }

    /// `Thu, 09 May 2019 00:45:05 GMT`.
    pub fn rfc1123(self) -> String {
        self.0.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// `2019-05-09T00:53:01.3826986Z`.
    pub fn iso(self) -> String {
        format!("{}.{:07}Z", self.0.format("%Y-%m-%dT%H:%M:%S"), self.0.timestamp_subsec_nanos() / 100)
    }

    /// `2019-05-09T00:53:01Z`.
    pub fn iso_to_second(self) -> String {
        format!("{}Z", self.0.format("%Y-%m-%dT%H:%M:%S"))
    }

    /// The moment this many seconds later.
    pub fn after_seconds(self, seconds: u64) -> Timestamp {
        self.moved(seconds as i64)
    }

    /// The moment this many seconds later, or earlier if they are negative.
    pub fn moved(self, seconds: i64) -> Timestamp {
        Timestamp(self.0 + TimeDelta::seconds(seconds))
    }

    /// The moment without its fraction of a second.
    pub fn to_second(self) -> Timestamp {
        Timestamp::from_unix(self.0.timestamp())
    }

    /// Milliseconds since the beginning of 1970.
    pub fn unix_milliseconds(self) -> i64 {
        self.0.timestamp_millis()
    }
}
