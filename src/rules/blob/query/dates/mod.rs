//! The timestamps of queries: parsing of ISO 8601, arithmetic, parts, and formatting by a pattern.
//!
//! A timestamp keeps the offset of its text. Two are compared independently of their offsets; a part (its hour, its day) is that of the
//! text.

use crate::rules::text::digits;
use crate::rules::time::Timestamp;
use crate::rules::wire_name::wire_enum;
use chrono::{Datelike, Duration, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

wire_enum! {
    /// A part of a timestamp.
    Part {
        Year "year",
        Month "month",
        Day "day",
        Hour "hour",
        Minute "minute",
        Second "second",
        /// The hours of its offset, which can only be extracted.
        TimezoneHour "timezone_hour",
        /// The minutes of its offset beyond the hours, which can only be extracted.
        TimezoneMinute "timezone_minute",
    }
}

impl Part {
    /// Returns true if it can be added to a timestamp.
    pub fn is_measure(self) -> bool {
        !matches!(self, Part::TimezoneHour | Part::TimezoneMinute)
    }
}

/// A time, and its offset from UTC in minutes, east is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    pub at: Timestamp,
    offset: i32,
}

impl DateTime {
    /// A time with offset zero.
    pub fn utc(at: Timestamp) -> DateTime {
        DateTime { at, offset: 0 }
    }

    /// Parses the forms of W3C's profile of ISO 8601: `2007`, `2007-01`, `2007-01-02`, each also followed by a `T`, and a full date
    /// with `T03:04`, `T03:04:05` or `T03:04:05.006`, then `Z`, `+05:30` or nothing, which is `Z`.
    pub fn parse(text: &str) -> Option<DateTime> {
        let (date, time) = text.split_once(['T', 't']).unwrap_or((text, ""));
        let mut parts = date.split('-');
        let year = exact_digits(parts.next()?, 4)?;
        let month = parts.next().map(|part| exact_digits(part, 2));
        let day = parts.next().map(|part| exact_digits(part, 2));
        let whole = day.is_some();
        let date = NaiveDate::from_ymd_opt(year as i32, month.unwrap_or(Some(1))?, day.unwrap_or(Some(1))?)?;
        if parts.next().is_some() || (!whole && !time.is_empty()) {
            return None;
        }
        if time.is_empty() {
            return DateTime::local(date.into(), 0);
        }
        let (time, offset) = match time.find(['Z', 'z', '+', '-']) {
            Some(at) => (&time[..at], zone(&time[at..])?),
            None => (time, 0),
        };
        let mut parts = time.splitn(3, ':');
        let (hour, minute) = (exact_digits(parts.next()?, 2)?, exact_digits(parts.next()?, 2)?);
        let (second, fraction) = match parts.next() {
            None => (0, 0),
            Some(second) => {
                let (second, fraction) = second.split_once('.').map_or((second, None), |(second, rest)| (second, Some(rest)));
                (exact_digits(second, 2)?, fraction.map_or(Some(0), nanoseconds)?)
            }
        };
        DateTime::local(date.and_time(NaiveTime::from_hms_nano_opt(hour, minute, second, fraction)?), offset)
    }

    /// Adds a number of parts, which may be negative. A day that the month does not have becomes its last day. `None` outside the years 1
    /// to 9999.
    pub fn add(self, part: Part, quantity: i64) -> Option<DateTime> {
        let civil = self.civil();
        let months = |count: Option<i64>| {
            let count: i64 = count?;
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            if count < 0 { civil.checked_sub_months(months) } else { civil.checked_add_months(months) }
        };
        let moved = match part {
            Part::Year => months(quantity.checked_mul(12)),
            Part::Month => months(Some(quantity)),
            Part::Day => civil.checked_add_signed(Duration::try_days(quantity)?),
            Part::Hour => civil.checked_add_signed(Duration::try_hours(quantity)?),
            Part::Minute => civil.checked_add_signed(Duration::try_minutes(quantity)?),
            Part::Second => civil.checked_add_signed(Duration::try_seconds(quantity)?),
            Part::TimezoneHour | Part::TimezoneMinute => None,
        }?;
        DateTime::local(moved, self.offset)
    }

    /// The number of whole parts from this time to another one; negative if that is earlier.
    pub fn until(self, other: DateTime, part: Part) -> i64 {
        if other.at < self.at {
            return -other.until(self, part);
        }
        let months = || {
            let (from, to) = (DateTime::utc(self.at).civil(), DateTime::utc(other.at).civil());
            let months = i64::from(to.year() - from.year()) * 12 + i64::from(to.month()) - i64::from(from.month());
            months - i64::from((to.day(), to.time()) < (from.day(), from.time()))
        };
        let seconds = self.at.seconds_apart(other.at) as i64;
        match part {
            Part::Year => months() / 12,
            Part::Month => months(),
            Part::Day => seconds / 86_400,
            Part::Hour => seconds / 3_600,
            Part::Minute => seconds / 60,
            Part::Second => seconds,
            Part::TimezoneHour | Part::TimezoneMinute => 0,
        }
    }

    /// A part of it, in its own offset.
    pub fn part(self, part: Part) -> i64 {
        let civil = self.civil();
        match part {
            Part::Year => civil.year().into(),
            Part::Month => civil.month().into(),
            Part::Day => civil.day().into(),
            Part::Hour => civil.hour().into(),
            Part::Minute => civil.minute().into(),
            Part::Second => civil.second().into(),
            Part::TimezoneHour => (self.offset / 60).into(),
            Part::TimezoneMinute => (self.offset % 60).into(),
        }
    }

    /// Formats it by a pattern: runs of letters are replaced by its parts; `'…'` and other characters are copied. `None` for unknown
    /// letters.
    pub fn write(self, pattern: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix('\'') {
                let (text, after) = after.split_once('\'')?;
                out.push_str(if text.is_empty() { "'" } else { text });
                rest = after;
                continue;
            }
            let run = rest.find(|c| c != first).filter(|_| first.is_ascii_alphabetic());
            let length = run.unwrap_or(if first.is_ascii_alphabetic() { rest.len() } else { first.len_utf8() });
            let (piece, after) = rest.split_at(length);
            if first.is_ascii_alphabetic() {
                out.push_str(&self.piece(piece)?);
            } else {
                out.push_str(piece);
            }
            rest = after;
        }
        Some(out)
    }

    fn piece(self, piece: &str) -> Option<String> {
        let format = match piece {
            "yy" => "%y",
            "y" | "yyyy" => "%Y",
            "M" => "%-m",
            "MM" => "%m",
            "MMM" => "%b",
            "MMMM" => "%B",
            "d" => "%-d",
            "dd" => "%d",
            "a" => "%p",
            "h" => "%-I",
            "hh" => "%I",
            "H" => "%-H",
            "HH" => "%H",
            "m" => "%-M",
            "mm" => "%M",
            "s" => "%-S",
            "ss" => "%S",
            "S" | "SS" | "SSS" => "%9f",
            "X" | "XX" | "XXX" | "XXXX" | "XXXXX" if self.offset == 0 => return Some("Z".to_owned()),
            "X" | "x" => return Some(self.zone(None)),
            "XX" | "XXXX" | "xx" | "xxxx" => return Some(self.zone(Some(""))),
            "XXX" | "XXXXX" | "xxx" | "xxxxx" => return Some(self.zone(Some(":"))),
            _ => return None,
        };
        let text = self.civil().format(format).to_string();
        Some(match piece {
            "S" | "SS" | "SSS" => text[..piece.len()].to_owned(),
            // In capitals, as in the reference.
            "MMM" => text.to_uppercase(),
            _ => text,
        })
    }

    /// The offset: its hours, a separator, its minutes.
    fn zone(self, separator: Option<&str>) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (self.offset.abs() / 60, self.offset.abs() % 60);
        match separator {
            None => format!("{sign}{hours:02}"),
            Some(separator) => format!("{sign}{hours:02}{separator}{minutes:02}"),
        }
    }

    /// The date and time in its own offset.
    fn civil(self) -> NaiveDateTime {
        let utc = self.at.civil();
        utc.checked_add_signed(Duration::minutes(self.offset.into())).unwrap_or(utc)
    }

    /// The time of a date and time in this offset.
    fn local(civil: NaiveDateTime, offset: i32) -> Option<DateTime> {
        let utc = civil.checked_sub_signed(Duration::minutes(offset.into()))?;
        (1..=9999).contains(&utc.year()).then(|| DateTime { at: Timestamp::from_civil(utc), offset })
    }
}

/// A number with exactly this many digits.
fn exact_digits(text: &str, count: usize) -> Option<u32> {
    Some(text).filter(|text| text.len() == count).and_then(digits)
}

/// The nanoseconds of a decimal fraction, truncated.
fn nanoseconds(fraction: &str) -> Option<u32> {
    let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{fraction:0<9.9}").parse().ok()).flatten()
}

/// The minutes of `Z`, `+05:30` or `-08:00`.
fn zone(text: &str) -> Option<i32> {
    if text.eq_ignore_ascii_case("Z") {
        return Some(0);
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes) = (exact_digits(hours, 2)?, exact_digits(minutes, 2)?);
    let offset = (hours * 60 + minutes) as i32;
    (hours < 24 && minutes < 60).then_some(if text.starts_with('-') { -offset } else { offset })
}

#[cfg(test)]
mod tests;
