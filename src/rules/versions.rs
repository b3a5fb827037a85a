//! The service version a request asks for (`x-ms-version`): a date that some rules turn on.
//!
//! Any well-formed version is served, so that tomorrow's SDK works today; a rule that changed with a version asks for it here.

use std::fmt;
use std::fmt::Write;

/// A service version, ordered by its date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u32);

impl Version {
    /// The version of an anonymous request that names none, unless the service's properties say otherwise.
    pub const V2009_09_19: Version = Version(20090919);
    /// Entity tags are quoted.
    pub const V2011_08_18: Version = Version(20110818);
    /// Several conditional headers on reads; response header overrides in a SAS.
    pub const V2013_08_15: Version = Version(20130815);
    /// An empty Content-Length is signed as nothing, not as `0`; the canonicalized resource of a SAS names its service.
    pub const V2015_02_21: Version = Version(20150221);
    /// Account SAS; protocol and address in every SAS.
    pub const V2015_04_05: Version = Version(20150405);
    /// `x-ms-blob-content-md5` on ranged reads.
    pub const V2015_12_11: Version = Version(20151211);
    /// 100 MiB blocks, 256 MiB Put Blob, public access in the container list.
    pub const V2016_05_31: Version = Version(20160531);
    /// `x-ms-error-code` on failures; lease state without the lease's help on delete.
    pub const V2017_07_29: Version = Version(20170729);
    /// Bearer tokens; `x-ms-creation-time` and Creation-Time.
    pub const V2017_11_09: Version = Version(20171109);
    /// Static websites, Put Block From URL.
    pub const V2018_03_28: Version = Version(20180328);
    /// User delegation keys; sr and snapshot in a SAS's string-to-sign.
    pub const V2018_11_09: Version = Version(20181109);
    /// CRC64, customer-provided keys, encryption scopes.
    pub const V2019_02_02: Version = Version(20190202);
    /// Whether an account has a hierarchical namespace, in its information.
    pub const V2019_07_07: Version = Version(20190707);
    /// Bearer challenges, tags, versions, 4000 MiB blocks, 5000 MiB Put Blob.
    pub const V2019_12_12: Version = Version(20191212);
    /// Directory SAS; last access times.
    pub const V2020_02_10: Version = Version(20200210);
    /// Finding blobs by tags tells all tags asked about, not a single value.
    pub const V2020_04_08: Version = Version(20200408);
    /// Nothing is said of the lease of a deleted blob.
    pub const V2020_08_04: Version = Version(20200804);
    /// Immutability with versioning; lists of directories tell file ids.
    pub const V2020_10_02: Version = Version(20201002);
    /// Encryption scope in a SAS's string-to-sign.
    pub const V2020_12_06: Version = Version(20201206);
    /// Names that XML cannot hold come percent-encoded, marked `Encoded="true"`.
    pub const V2021_02_12: Version = Version(20210212);
    /// The SMB properties of files need not be said.
    pub const V2021_06_08: Version = Version(20210608);
    /// Names of files that XML cannot hold come percent-encoded, marked `Encoded="true"`.
    pub const V2021_12_02: Version = Version(20211202);
    /// Dots at the end of the names of files can be kept.
    pub const V2022_11_02: Version = Version(20221102);
    /// ExtendedErrorDetail on refusals.
    pub const V2024_08_04: Version = Version(20240804);
    /// The refusal of a copy's source is told apart.
    pub const V2024_11_04: Version = Version(20241104);
    /// Structured messages, as the body of a request or of an answer.
    pub const V2025_01_05: Version = Version(20250105);
    /// `startFrom` on List Blobs, and the smart tier.
    pub const V2026_02_06: Version = Version(20260206);
    /// User delegation keys for users of another tenant.
    pub const V2026_04_06: Version = Version(20260406);
    /// Files are made with their first bytes.
    pub const V2026_06_06: Version = Version(20260606);
    /// Get Blob tells the access tier.
    pub const V2026_10_06: Version = Version(20261006);

    /// Reads `YYYY-MM-DD`; `None` when it is not such a date.
    pub fn parse(text: &str) -> Option<Version> {
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        let number = |range: std::ops::Range<usize>| {
            let digits = text.get(range)?;
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten()
        };
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        (year >= 2009 && (1..=12).contains(&month) && (1..=31).contains(&day))
            .then_some(Version(year * 10000 + month * 100 + day))
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
