//! Checksums of a body: the MD5 and the CRC64 of the client, and those that the server computes.
//!
//! Both are written as base64. The CRC64 is that of NVMe (reflected polynomial 0x9A6C9329AC4BC9B5, all ones before and after), in
//! little-endian order. They are of the body of the request (recorded): the checksum of Put Block List is that of its XML, not of the blob.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::optional_header;
use crate::rules::versions::Version;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crc_fast::CrcAlgorithm::Crc64Nvme;
use md5::Digest as _;
use std::fmt;

/// The MD5 of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Md5(pub [u8; 16]);

impl Md5 {
    pub fn of(bytes: &[u8]) -> Md5 {
        Md5(md5::Md5::digest(bytes).into())
    }

    /// Parses the base64 of 16 bytes.
    pub fn parse(base64: &str) -> Option<Md5> {
        STANDARD.decode(base64).ok()?.try_into().ok().map(Md5)
    }
}

impl fmt::Display for Md5 {
    /// In base64, the form in headers and XML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

/// The CRC64 of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Crc64(pub u64);

impl Crc64 {
    pub fn of(bytes: &[u8]) -> Crc64 {
        Crc64(crc_fast::checksum(Crc64Nvme, bytes))
    }

    /// The CRC64 of two concatenated slices. For short ones this is much faster than [`Crc64::combine`].
    pub fn of_both(first: &[u8], second: &[u8]) -> Crc64 {
        let mut digest = crc_fast::Digest::new(Crc64Nvme);
        digest.update(first);
        digest.update(second);
        Crc64(digest.finalize())
    }

    /// Parses the base64 of 8 bytes.
    pub fn parse(base64: &str) -> Option<Crc64> {
        STANDARD.decode(base64).ok()?.try_into().ok().map(u64::from_le_bytes).map(Crc64)
    }

    /// The CRC64 of two concatenated slices, from their CRC64s and the length of the second in bytes.
    pub fn combine(first: Crc64, second: Crc64, second_length: u64) -> Crc64 {
        Crc64(crc_fast::checksum_combine(Crc64Nvme, first.0, second.0, second_length))
    }
}

impl fmt::Display for Crc64 {
    /// In base64, the form in headers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0.to_le_bytes()))
    }
}

/// The checksums of a body that are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChecksumKinds {
    /// This is the slow one.
    pub md5: bool,
    pub crc64: bool,
}

/// The computed checksums of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    pub md5: Option<Md5>,
    pub crc64: Option<Crc64>,
}

impl Digests {
    /// The checksums of these kinds.
    pub fn only(self, wanted: ChecksumKinds) -> Digests {
        Digests { md5: self.md5.filter(|_| wanted.md5), crc64: self.crc64.filter(|_| wanted.crc64) }
    }
}

/// Computes checksums of a body piece by piece.
#[derive(Clone, Debug)]
pub struct Hasher {
    md5: Option<md5::Md5>,
    crc64: Option<crc_fast::Digest>,
}

impl Hasher {
    pub fn new(wanted: ChecksumKinds) -> Hasher {
        Hasher { md5: wanted.md5.then(md5::Md5::new), crc64: wanted.crc64.then(|| crc_fast::Digest::new(Crc64Nvme)) }
    }

    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        if let Some(md5) = &mut self.md5 {
            md5.update(piece);
        }
        if let Some(crc64) = &mut self.crc64 {
            crc64.update(piece);
        }
    }

    /// The checksums of all pieces.
    pub fn finish(self) -> Digests {
        Digests { md5: self.md5.map(|md5| Md5(md5.finalize().into())), crc64: self.crc64.map(|crc64| Crc64(crc64.finalize())) }
    }
}

/// The checksum of a body in the headers of its request: its MD5, its CRC64, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestChecksums {
    /// `Content-MD5`
    pub md5: Option<Md5>,
    /// `x-ms-content-crc64`
    pub crc64: Option<Crc64>,
}

impl RequestChecksums {
    /// Parses the headers `Content-MD5` and `x-ms-content-crc64`.
    ///
    /// # Errors
    /// 400 BothCrc64AndMd5HeaderPresent for both; 400 InvalidMd5 or InvalidHeaderValue for a malformed one.
    pub fn read(content_md5: Option<&str>, content_crc64: Option<&str>) -> Result<RequestChecksums, StorageError> {
        if content_md5.is_some() && content_crc64.is_some() {
            return Err(ErrorCode::BothCrc64AndMd5HeaderPresent.into());
        }
        let md5 = content_md5.map(|text| Md5::parse(text).ok_or(ErrorCode::InvalidMd5)).transpose()?;
        Ok(RequestChecksums { md5, crc64: optional_header("x-ms-content-crc64", content_crc64, Crc64::parse)? })
    }

    /// The checksums to compute and to return: those of the request, or else the CRC64, or before 2019-02-02 the MD5. Since 2026-10-06 a
    /// request with an MD5 gets both (tests of the SDKs).
    ///
    /// All recorded writes follow this rule but two: Put Blob returns both, and Put Block List always returns the CRC64.
    pub fn wanted(self, version: Version) -> ChecksumKinds {
        let old = version < Version::V2019_02_02;
        let crc64 = self.crc64.is_some() || (self.md5.is_none() && !old) || self.returns_both(version);
        ChecksumKinds { md5: self.md5.is_some() || old, crc64 }
    }

    /// As [`RequestChecksums::wanted`], for an operation that always returns the MD5.
    pub fn wanted_with_md5(self, version: Version) -> ChecksumKinds {
        ChecksumKinds { md5: true, crc64: self.crc64.is_some() || self.returns_both(version) }
    }

    /// The checksums that Put Blob returns: the MD5, and since 2019-02-02 the CRC64 (recorded).
    pub fn wanted_of_blob(self, version: Version) -> ChecksumKinds {
        ChecksumKinds { md5: true, crc64: self.crc64.is_some() || version >= Version::V2019_02_02 }
    }

    fn returns_both(self, version: Version) -> bool {
        self.md5.is_some() && version >= Version::V2026_10_06
    }

    /// Compares the checksum of the request with those of its body. A checksum that was not computed is a mismatch.
    ///
    /// # Errors
    /// 400 Md5Mismatch or Crc64Mismatch with both values.
    pub fn check(self, found: Digests) -> Result<(), StorageError> {
        if let Some(claimed) = self.md5.filter(|_| self.md5 != found.md5) {
            return Err(ErrorCode::Md5Mismatch
                .with_detail("UserSpecifiedMd5", claimed.to_string())
                .with_detail("ServerCalculatedMd5", found.md5.map(|md5| md5.to_string()).unwrap_or_default()));
        }
        if let Some(claimed) = self.crc64.filter(|_| self.crc64 != found.crc64) {
            return Err(ErrorCode::Crc64Mismatch
                .with_detail("UserSpecifiedCrc", claimed.to_string())
                .with_detail("ServerCalculatedCrc", found.crc64.map(|crc64| crc64.to_string()).unwrap_or_default()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies (base64) and the `x-ms-content-crc64` with which the real service answered them; the last is a block list.
    const RECORDED: [(&str, &str); 22] = [
        ("YWE=", "uc/omEqj/Go="),
        ("QUFB", "Cc/2Kr4DuKg="),
        ("YWJj", "6/rBP7vK5QU="),
        ("dGVzdA==", "Q7G6/s6+u/k="),
        ("YWJjZGU=", "ExJGZ9Dkswo="),
        ("YmxvY2sgMA==", "qG0Ez70es10="),
        ("QUFBQkJCQ0ND", "DTngHrtvLQU="),
        ("aGVsbG8gd29ybGQ=", "vo7q9sPVKY0="),
        ("dGhpcyBpcyB0ZXN0IGRhdGE=", "6Ms0uXDyNv0="),
        ("c291cmNlIGJsb2IgZGF0YQ==", "hZmqWo4qMrE="),
        ("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=", "qGP+EWoNERo="),
        ("aGVsbG8g5ZWK6b2E5LiC54ub54ucIHdvcmxk", "UXe8nST0QoA="),
        ("//5KVUSfAk7bctxy", "Fe1AKjwjEik="),
        ("BD7ELrTILVU1LBtdUldBHg==", "aUVnNEcTuyE="),
        ("DFYPDSi2uBWW1zeFEn32MA==", "cIhoS44UvH8="),
        ("EFY0idx9LvR/kkngrfenGQ==", "ztzm9x99xdc="),
        ("JlL5nngJIE5MGGH5EdkBUw==", "aM8zSvzLpCw="),
        ("KTnK08MH0RgDQ4l//KdkQw==", "lZUJhTFM3Yw="),
        ("UZ8A+loX7mfF3cF1MfcAPw==", "ejVCx7i75Zs="),
        ("iT7+Pe/CR1ms0jun8iVnbg==", "6V/42auDvp4="),
        ("mWN8QqSMci5Ywa7+VOmocw==", "sCi2QTl6eRg="),
        (
            "PD94bWwgdmVyc2lvbj0nMS4wJyBlbmNvZGluZz0ndXRmLTgnPz4KPEJsb2NrTGlzdD48TGF0ZXN0Pk1RPT08L0xhdGVzdD48L0Jsb2NrTGlzdD4=",
            "iEgKfcNWGmY=",
        ),
    ];

    const ALL: ChecksumKinds = ChecksumKinds { md5: true, crc64: true };

    #[test]
    fn crc64_is_that_of_the_real_service() {
        for (body, recorded) in RECORDED {
            let body = STANDARD.decode(body).unwrap();
            assert_eq!(Crc64::of(&body).to_string(), recorded, "{body:?}");
            assert_eq!(Crc64::parse(recorded), Some(Crc64::of(&body)));
            for at in 0..=body.len() {
                let (first, second) = body.split_at(at);
                let combined = Crc64::combine(Crc64::of(first), Crc64::of(second), second.len() as u64);
                assert_eq!(combined.to_string(), recorded, "{body:?} in two at {at}");
                assert_eq!(Crc64::of_both(first, second), combined);
                let mut hasher = Hasher::new(ALL);
                hasher.update(first);
                hasher.update(second);
                assert_eq!(hasher.finish(), Digests { md5: Some(Md5::of(&body)), crc64: Some(Crc64::of(&body)) });
            }
        }
        assert_eq!(Crc64::of(b"").to_string(), "AAAAAAAAAAA=");
        assert_eq!(Crc64::of(&[7; 100_000]), Crc64::combine(Crc64::of(&[7; 99_999]), Crc64::of(&[7]), 1));
    }

    #[test]
    fn md5_is_that_of_the_real_service() {
        assert_eq!(Md5::of(b"").to_string(), "1B2M2Y8AsgTpgAmY7PhCfg==");
        assert_eq!(Md5::of(b"hello world").to_string(), "XrY7u+Ae7tCTyyK7j1rNww==");
        assert_eq!(Md5::of(b"hello world this wont work").to_string(), "jZ0KWGQraqYHX42NEbH9Vg==");
        assert_eq!(Md5::parse("XrY7u+Ae7tCTyyK7j1rNww=="), Some(Md5::of(b"hello world")));
    }

    #[test]
    fn computes_only_what_is_wanted() {
        for md5 in [false, true] {
            for crc64 in [false, true] {
                let digests = Hasher::new(ChecksumKinds { md5, crc64 }).finish();
                assert_eq!((digests.md5.is_some(), digests.crc64.is_some()), (md5, crc64));
            }
        }
    }

    #[test]
    fn reads_claims() {
        let (md5, crc64) = ("XrY7u+Ae7tCTyyK7j1rNww==", "vo7q9sPVKY0=");
        assert_eq!(RequestChecksums::read(None, None), Ok(RequestChecksums::default()));
        assert_eq!(RequestChecksums::read(Some(md5), None).unwrap().md5, Some(Md5::of(b"hello world")));
        assert_eq!(RequestChecksums::read(None, Some(crc64)).unwrap().crc64, Some(Crc64::of(b"hello world")));
        for (md5, crc64, error) in [
            (Some(md5), Some(crc64), ErrorCode::BothCrc64AndMd5HeaderPresent.into()),
            (Some(crc64), None, ErrorCode::InvalidMd5.into()),
            (Some("XrY7u+Ae7tCTyyK7j1rNww"), None, ErrorCode::InvalidMd5.into()),
            (Some(""), None, ErrorCode::InvalidMd5.into()),
            (None, Some(md5), StorageError::invalid_header("x-ms-content-crc64", md5)),
            (None, Some("?"), StorageError::invalid_header("x-ms-content-crc64", "?")),
        ] {
            assert_eq!(RequestChecksums::read(md5, crc64), Err(error));
        }
    }

    #[test]
    fn answers_as_recorded() {
        let old = Version::parse("2018-11-09").unwrap();
        let (md5, crc64) = (Some(Md5([0; 16])), Some(Crc64(0)));
        for (claimed, version, wanted) in [
            (RequestChecksums { md5: None, crc64: None }, old, ChecksumKinds { md5: true, crc64: false }),
            (RequestChecksums { md5, crc64: None }, old, ChecksumKinds { md5: true, crc64: false }),
            (RequestChecksums { md5: None, crc64: None }, Version::V2019_02_02, ChecksumKinds { md5: false, crc64: true }),
            (RequestChecksums { md5, crc64: None }, Version::V2019_02_02, ChecksumKinds { md5: true, crc64: false }),
            (RequestChecksums { md5: None, crc64 }, Version::V2019_02_02, ChecksumKinds { md5: false, crc64: true }),
        ] {
            assert_eq!(claimed.wanted(version), wanted, "{claimed:?} {version}");
            let with_md5 = ChecksumKinds { md5: true, crc64: claimed.crc64.is_some() };
            assert_eq!(claimed.wanted_with_md5(version), with_md5, "{claimed:?} {version}");
            let of_blob = ChecksumKinds { md5: true, crc64: version >= Version::V2019_02_02 };
            assert_eq!(claimed.wanted_of_blob(version), of_blob, "{claimed:?} {version}");
        }
        let newer = Version::V2026_10_06;
        let claimed = RequestChecksums { md5, crc64: None };
        assert_eq!((claimed.wanted(newer), claimed.wanted_with_md5(newer)), (ALL, ALL));
        assert_eq!(RequestChecksums::default().wanted(newer), ChecksumKinds { md5: false, crc64: true });
        assert_eq!(RequestChecksums::default().wanted_with_md5(newer), ChecksumKinds { md5: true, crc64: false });
    }

    #[test]
    fn checks_claims() {
        let found = Digests { md5: Some(Md5::of(b"hello world this wont work")), crc64: Some(Crc64::of(b"abc")) };
        assert_eq!(RequestChecksums::default().check(found), Ok(()));
        assert_eq!(RequestChecksums { md5: found.md5, crc64: None }.check(found), Ok(()));
        assert_eq!(RequestChecksums { md5: None, crc64: found.crc64 }.check(found), Ok(()));
        let md5 = ErrorCode::Md5Mismatch
            .with_detail("UserSpecifiedMd5", "XrY7u+Ae7tCTyyK7j1rNww==")
            .with_detail("ServerCalculatedMd5", "jZ0KWGQraqYHX42NEbH9Vg==");
        assert_eq!(RequestChecksums { md5: Some(Md5::of(b"hello world")), crc64: None }.check(found), Err(md5));
        let crc64 = ErrorCode::Crc64Mismatch
            .with_detail("UserSpecifiedCrc", "Q7G6/s6+u/k=")
            .with_detail("ServerCalculatedCrc", "6/rBP7vK5QU=");
        let claimed = RequestChecksums { md5: None, crc64: Some(Crc64::of(b"test")) };
        assert_eq!(claimed.check(found), Err(crc64));
        assert_eq!(claimed.check(Digests::default()).unwrap_err().code(), ErrorCode::Crc64Mismatch);
    }
}
