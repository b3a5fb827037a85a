//! The service version of a request (`x-ms-version`): a date that some rules depend on.
//!
//! Every well-formed version is accepted, so that future SDKs work. A rule that changed with a version compares it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::fmt::Write;

/// A service version, ordered by its date.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version(u32);

impl Version {
    /// The default version of anonymous requests, unless the properties of the service name another one.
    pub const V2009_09_19: Version = Version(20090919);
    /// Entity tags are quoted.
    pub const V2011_08_18: Version = Version(20110818);
    /// Several conditional headers on reads; response header overrides in a SAS.
    pub const V2013_08_15: Version = Version(20130815);
    /// An empty Content-Length is signed as nothing, not as `0`; the canonicalized resource of a SAS names its service.
    pub const V2015_02_21: Version = Version(20150221);
    /// 100 MiB blocks, 256 MiB Put Blob, public access in the container list.
    pub const V2016_05_31: Version = Version(20160531);
    /// `x-ms-error-code` on failures; the lease state after a deletion.
    pub const V2017_07_29: Version = Version(20170729);
    /// Bearer tokens; `x-ms-creation-time` and Creation-Time.
    pub const V2017_11_09: Version = Version(20171109);
    /// Static websites, Put Block From URL.
    pub const V2018_03_28: Version = Version(20180328);
    /// CRC64, customer-provided keys, encryption scopes.
    pub const V2019_02_02: Version = Version(20190202);
    /// Whether an account has a hierarchical namespace, in its information.
    pub const V2019_07_07: Version = Version(20190707);
    /// Bearer challenges, tags, versions, 4000 MiB blocks, 5000 MiB Put Blob.
    pub const V2019_12_12: Version = Version(20191212);
    /// Directory SAS; last access times.
    pub const V2020_02_10: Version = Version(20200210);
    /// Find Blobs by Tags returns all tags of the expression, not a single value.
    pub const V2020_04_08: Version = Version(20200408);
    /// The owner, the group and the permissions of a path, in the Blob API.
    pub const V2020_06_12: Version = Version(20200612);
    /// The lease of a deleted blob is not reported.
    pub const V2020_08_04: Version = Version(20200804);
    /// Immutability with versioning; lists of directories contain file ids; the kind of a path, in the Blob API.
    pub const V2020_10_02: Version = Version(20201002);
    /// Names that XML does not allow are percent-encoded, with `Encoded="true"`.
    pub const V2021_02_12: Version = Version(20210212);
    /// The SMB properties of files are optional.
    pub const V2021_06_08: Version = Version(20210608);
    /// Names of files that XML does not allow are percent-encoded, with `Encoded="true"`.
    pub const V2021_12_02: Version = Version(20211202);
    /// Dots at the end of the names of files can be significant.
    pub const V2022_11_02: Version = Version(20221102);
    /// The access control list of a path, in the Blob API.
    pub const V2023_11_03: Version = Version(20231103);
    /// ExtendedErrorDetail in errors.
    pub const V2024_08_04: Version = Version(20240804);
    /// The error of a copy's source has its own elements.
    pub const V2024_11_04: Version = Version(20241104);
    /// Structured messages, as the body of a request or a response.
    pub const V2025_01_05: Version = Version(20250105);
    /// `startFrom` on List Blobs, and the smart tier.
    pub const V2026_02_06: Version = Version(20260206);
    /// User delegation keys for users of another tenant.
    pub const V2026_04_06: Version = Version(20260406);
    /// Create File with content.
    pub const V2026_06_06: Version = Version(20260606);
    /// Get Blob returns the access tier.
    pub const V2026_10_06: Version = Version(20261006);

    /// Parses a date: `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Version> {
        let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *text.as_bytes() else {
            return None;
        };
        let (year, month, day) = (number(&[y0, y1, y2, y3])?, number(&[m0, m1])?, number(&[d0, d1])?);
        let is_date = year >= 2009 && (1..=12).contains(&month) && (1..=31).contains(&day);
        is_date.then_some(Version(year * 10000 + month * 100 + day))
    }

    /// Returns true if it is the version of this date, or a later one.
    pub fn is_since(self, date: &str) -> bool {
        Version::parse(date).is_some_and(|first| self >= first)
    }
}

/// The number that these ASCII digits write.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

impl TryFrom<String> for Version {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Version, &'static str> {
        Version::parse(&text).ok_or("not a service version")
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.to_string()
    }
}

impl fmt::Display for Version {
    /// Writes the digits one by one: every response contains a version, and padded numbers are slow to format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, place) in [10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1].into_iter().enumerate() {
            if index == 4 || index == 6 {
                f.write_char('-')?;
            }
            f.write_char(char::from(b'0' + (self.0 / place % 10) as u8))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_and_nothing_else() {
        assert_eq!(Version::parse("2019-12-12"), Some(Version::V2019_12_12));
        assert_eq!(Version::parse("2030-01-01").map(|v| v.to_string()).as_deref(), Some("2030-01-01"));
        for text in
            ["", "foobar", "2019-12-1", "2019-13-12", "2019-12-32", "2019/12/12", "1999-01-01", "2019-12-12 ", "２019-12-1"]
        {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        assert!(Version::V2019_12_12 > Version::V2019_02_02);
    }
}
