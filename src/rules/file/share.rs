//! What a share can be told when it is made, and later: how large it may grow, which tier and protocols it has, and what a premium
//! share is provisioned with.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;

/// GiB of a share, at most.
const MAX_QUOTA: u64 = 102_400;
/// GiB of a standard share that was told nothing.
const STANDARD_QUOTA: u32 = 5120;
/// GiB of a premium share that was told nothing, as recorded.
const PREMIUM_QUOTA: u32 = 100;
/// The bounds of provisioned operations and MiB a second: from the least of hard disks to the most of solid state disks, as the
/// documentation of azure-storage-file-share for Java has them. Which disks a share is on is not told here.
const LEAST_IOPS: u64 = 500;
const MOST_IOPS: u64 = 100_000;
const LEAST_MIBPS: u64 = 60;
const MOST_MIBPS: u64 = 10_340;

/// The tiers of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// For many small transactions.
    TransactionOptimized,
    /// For sharing among people.
    Hot,
    /// For archives.
    Cool,
    /// On solid state disks.
    Premium,
}

/// The protocols by which a share is served besides REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SMB.
    Smb,
    /// NFS, which premium shares only have.
    Nfs,
}

/// Whom a share that is served over NFS takes for nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSquash {
    /// Nobody.
    NoRootSquash,
    /// Root.
    RootSquash,
    /// Everybody.
    AllSquash,
}

/// Reads one of a few words, in any case, or refuses the header.
fn word<T: Copy>(header: &'static str, text: &str, words: &[(T, &str)]) -> Result<T, StorageError> {
    let found = words.iter().find(|(_, word)| word.eq_ignore_ascii_case(text)).map(|(value, _)| *value);
    found.ok_or_else(|| StorageError::invalid_header(header, text))
}

const TIERS: [(Tier, &str); 4] =
    [(Tier::TransactionOptimized, "TransactionOptimized"), (Tier::Hot, "Hot"), (Tier::Cool, "Cool"), (Tier::Premium, "Premium")];
const PROTOCOLS: [(Protocol, &str); 2] = [(Protocol::Smb, "SMB"), (Protocol::Nfs, "NFS")];
const SQUASHES: [(RootSquash, &str); 3] =
    [(RootSquash::NoRootSquash, "NoRootSquash"), (RootSquash::RootSquash, "RootSquash"), (RootSquash::AllSquash, "AllSquash")];

fn name<T: PartialEq>(value: &T, words: &'static [(T, &'static str)]) -> &'static str {
    words.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word)
}

impl Tier {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        name(&self, &TIERS)
    }
}

impl Protocol {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        name(&self, &PROTOCOLS)
    }
}

impl RootSquash {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        name(&self, &SQUASHES)
    }
}

/// What a share was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many GiB it may hold.
    pub quota: u32,
    /// Its tier.
    pub tier: Tier,
    /// When it got that tier.
    pub tier_since: Timestamp,
    /// Its protocol, where that was said.
    pub protocol: Option<Protocol>,
    /// Whom it takes for nobody; only where it is served over NFS.
    pub root_squash: Option<RootSquash>,
    /// Whether its snapshots can be reached below its root, over NFS.
    pub snapshot_directory: Option<bool>,
    /// Whether it may burst for money.
    pub paid_bursting: Option<bool>,
    /// Up to how many operations a second, for money.
    pub bursting_iops: Option<u64>,
    /// Up to how many MiB a second, for money.
    pub bursting_mibps: Option<u64>,
    /// How many operations a second it was given.
    pub provisioned_iops: Option<u64>,
    /// How many MiB a second it was given.
    pub provisioned_mibps: Option<u64>,
}

/// The headers that tell a share anything.
pub const HEADERS: [&str; 10] = [
    "x-ms-share-quota",
    "x-ms-access-tier",
    "x-ms-enabled-protocols",
    "x-ms-root-squash",
    "x-ms-enable-snapshot-virtual-directory-access",
    "x-ms-share-paid-bursting-enabled",
    "x-ms-share-paid-bursting-max-iops",
    "x-ms-share-paid-bursting-max-bandwidth-mibps",
    "x-ms-share-provisioned-iops",
    "x-ms-share-provisioned-bandwidth-mibps",
];

impl Settings {
    /// Those of a new share. Who names a protocol has a premium account, as all recordings have it.
    ///
    /// # Errors
    /// As of [`Settings::revise`].
    pub fn make(find: impl Fn(&'static str) -> Option<String>, premium: bool, now: Timestamp) -> Result<Settings, StorageError> {
        let protocol =
            find("x-ms-enabled-protocols").map(|text| word("x-ms-enabled-protocols", &text, &PROTOCOLS)).transpose()?;
        let premium = premium || protocol.is_some();
        let fresh = Settings {
            quota: if premium { PREMIUM_QUOTA } else { STANDARD_QUOTA },
            tier: if premium { Tier::Premium } else { Tier::TransactionOptimized },
            tier_since: now,
            protocol,
            root_squash: (protocol == Some(Protocol::Nfs)).then_some(RootSquash::NoRootSquash),
            snapshot_directory: (protocol == Some(Protocol::Nfs)).then_some(true),
            paid_bursting: None,
            bursting_iops: None,
            bursting_mibps: None,
            provisioned_iops: None,
            provisioned_mibps: None,
        };
        fresh.revise(find, now)
    }

    /// These, and what a request says over them. A protocol is not changed once the share is there.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for what is malformed, out of range, or for another protocol; 400 UnsupportedHeader for provisioned IOPS
    /// or bandwidth of a share that is not premium.
    pub fn revise(self, find: impl Fn(&'static str) -> Option<String>, now: Timestamp) -> Result<Settings, StorageError> {
        let number = |header| {
            let read = |text: String| match text.parse::<u64>() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(StorageError::invalid_header(header, text)),
            };
            find(header).map(read).transpose()
        };
        let flag = |header| find(header).map(|text| word(header, &text, &[(true, "true"), (false, "false")])).transpose();
        let quota = match number("x-ms-share-quota")? {
            Some(gib) if gib > MAX_QUOTA => return Err(StorageError::invalid_header("x-ms-share-quota", gib.to_string())),
            Some(gib) => gib as u32,
            None => self.quota,
        };
        let tier = find("x-ms-access-tier").map(|text| word("x-ms-access-tier", &text, &TIERS)).transpose()?;
        let root_squash = find("x-ms-root-squash").map(|text| word("x-ms-root-squash", &text, &SQUASHES)).transpose()?;
        let nfs = self.protocol == Some(Protocol::Nfs);
        if let Some(squash) = root_squash.filter(|_| !nfs) {
            return Err(StorageError::invalid_header("x-ms-root-squash", squash.name()));
        }
        let provisioned = |header, least: u64, most: u64| match number(header)? {
            Some(_) if tier.unwrap_or(self.tier) != Tier::Premium => {
                Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", header))
            }
            Some(number) if !(least..=most).contains(&number) => Err(StorageError::invalid_header(header, number.to_string())),
            number => Ok(number),
        };
        Ok(Settings {
            quota,
            tier: tier.unwrap_or(self.tier),
            tier_since: if tier.is_some_and(|tier| tier != self.tier) { now } else { self.tier_since },
            protocol: self.protocol,
            root_squash: root_squash.or(self.root_squash),
            snapshot_directory: flag("x-ms-enable-snapshot-virtual-directory-access")?.or(self.snapshot_directory),
            paid_bursting: flag("x-ms-share-paid-bursting-enabled")?.or(self.paid_bursting),
            bursting_iops: number("x-ms-share-paid-bursting-max-iops")?.or(self.bursting_iops),
            bursting_mibps: number("x-ms-share-paid-bursting-max-bandwidth-mibps")?.or(self.bursting_mibps),
            provisioned_iops: provisioned("x-ms-share-provisioned-iops", LEAST_IOPS, MOST_IOPS)?.or(self.provisioned_iops),
            provisioned_mibps: provisioned("x-ms-share-provisioned-bandwidth-mibps", LEAST_MIBPS, MOST_MIBPS)?
                .or(self.provisioned_mibps),
        })
    }

    /// Whether it is a premium share, which is told what it is provisioned with.
    pub fn is_premium(self) -> bool {
        self.tier == Tier::Premium
    }

    /// Whether its operations or its bandwidth were provisioned, and not only its size. Then all of it is told.
    pub fn is_provisioned(self) -> bool {
        self.is_premium() && (self.provisioned_iops.is_some() || self.provisioned_mibps.is_some())
    }

    /// Operations a second that it can count on: recorded, 500 with 100 GiB. Where only the bandwidth was provisioned, what the reference
    /// recommends for solid state disks.
    pub fn iops(self) -> u64 {
        let inferred = 400 + u64::from(self.quota);
        let recommended = (3000 + u64::from(self.quota)).min(MOST_IOPS);
        self.provisioned_iops.unwrap_or(if self.is_provisioned() { recommended } else { inferred })
    }

    /// MiB a second that it can count on, where that or the operations were provisioned.
    pub fn mibps(self) -> Option<u64> {
        let recommended = (100 + u64::from(self.quota).div_ceil(10)).clamp(LEAST_MIBPS, MOST_MIBPS);
        self.is_provisioned().then(|| self.provisioned_mibps.unwrap_or(recommended))
    }

    /// Operations a second while it bursts: three times as many, 10,000 at least.
    pub fn burst_iops(self) -> u64 {
        (self.iops() * 3).clamp(10_000, 102_400).max(self.iops())
    }

    /// How many operations it can save up: an hour of bursting.
    pub fn burst_credits(self) -> u64 {
        (self.burst_iops() - self.iops()) * 3600
    }

    /// MiB a second that can be written: recorded, 44 with 100 GiB.
    pub fn ingress(self) -> u64 {
        40 + (u64::from(self.quota) * 4).div_ceil(100)
    }

    /// MiB a second that can be read: recorded, 66 with 100 GiB.
    pub fn egress(self) -> u64 {
        60 + (u64::from(self.quota) * 6).div_ceil(100)
    }

    /// Whether a version tells the tier of a share that is not premium, and its lease.
    pub fn tells_tier(version: Version) -> bool {
        version >= Version::V2020_02_10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(headers: &[(&str, &str)]) -> Result<Settings, StorageError> {
        let find = |name: &'static str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Settings::make(find, false, Timestamp::default())
    }

    #[test]
    fn provisioned_shares_are_told_all_of_it_or_refused() {
        let (iops, mibps) = (("x-ms-share-provisioned-iops", "4000"), ("x-ms-share-provisioned-bandwidth-mibps", "125"));
        for header in [iops, mibps] {
            let error = make(&[header]).unwrap_err();
            assert_eq!((error.code().name(), error.details()[0].1.as_str()), ("UnsupportedHeader", header.0));
        }
        let find = |wanted: &'static [(&str, &str)]| {
            move |name: &'static str| wanted.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let premium = |headers| Settings::make(find(headers), true, Timestamp::default());
        let plain = premium(&[]).unwrap();
        assert_eq!((plain.quota, plain.iops(), plain.mibps(), plain.is_provisioned()), (100, 500, None, false));
        let both = premium(&[
            ("x-ms-share-provisioned-iops", "10240"),
            ("x-ms-share-provisioned-bandwidth-mibps", "125"),
            ("x-ms-share-quota", "32"),
        ]);
        let both = both.unwrap();
        assert_eq!(
            (both.quota, both.iops(), both.mibps(), both.burst_iops(), both.burst_credits()),
            (32, 10_240, Some(125), 30_720, 73_728_000)
        );
        let one = premium(&[("x-ms-share-provisioned-bandwidth-mibps", "125")]).unwrap();
        assert_eq!((one.iops(), one.mibps(), one.burst_iops()), (3100, Some(125), 10_000));
        for (header, value) in [("x-ms-share-provisioned-iops", "499"), ("x-ms-share-provisioned-bandwidth-mibps", "10341")] {
            let ask = move |name: &'static str| (name == header).then(|| value.to_owned());
            assert_eq!(
                Settings::make(ask, true, Timestamp::default()).unwrap_err().code(),
                ErrorCode::InvalidHeaderValue,
                "{header}"
            );
        }
    }

    #[test]
    fn shares_that_were_told_little_or_much() {
        let plain = make(&[]).unwrap();
        assert_eq!((plain.quota, plain.tier.name(), plain.protocol), (5120, "TransactionOptimized", None));
        let premium = make(&[("x-ms-enabled-protocols", "NFS"), ("x-ms-root-squash", "AllSquash")]).unwrap();
        assert_eq!((premium.quota, premium.iops(), premium.ingress(), premium.egress()), (100, 500, 44, 66));
        assert_eq!(premium.root_squash.map(RootSquash::name), Some("AllSquash"));
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        for (header, value) in [
            ("x-ms-share-quota", "0"),
            ("x-ms-share-quota", "102401"),
            ("x-ms-share-quota", "many"),
            ("x-ms-share-quota", "-1"),
            ("x-ms-access-tier", "Archive"),
            ("x-ms-enabled-protocols", "AFP"),
            ("x-ms-root-squash", "AllSquash"),
            ("x-ms-share-paid-bursting-enabled", "perhaps"),
            ("x-ms-share-provisioned-iops", "0"),
        ] {
            let error = make(&[(header, value)]).unwrap_err();
            assert_eq!((error.code().name(), error.details()[0].1.as_str()), ("InvalidHeaderValue", header), "{value}");
        }
    }

    #[test]
    fn a_tier_remembers_since_when() {
        let later = Timestamp::from_unix(1_000, 0);
        let tier = |text: &'static str| move |name: &'static str| (name == "x-ms-access-tier").then(|| text.to_owned());
        let plain = make(&[]).unwrap();
        assert_eq!(plain.revise(tier("TransactionOptimized"), later).unwrap().tier_since, plain.tier_since);
        assert_eq!(plain.revise(tier("hot"), later).unwrap().tier_since, later);
    }
}
