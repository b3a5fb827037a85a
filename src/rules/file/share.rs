//! The settings of a share: its quota, tier and protocol, and what a premium share is provisioned with.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::optional_header;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::{WireName, wire_enum};
use serde::{Deserialize, Serialize};

/// The largest quota, in GiB.
const MAX_QUOTA: u64 = 102_400;
/// The default quota of a standard share, in GiB.
const STANDARD_QUOTA: u32 = 5120;
/// The default quota of a premium share, in GiB (recorded).
const PREMIUM_QUOTA: u32 = 100;
// The bounds of provisioned operations and MiB per second: from the minimum of HDD to the maximum of SSD shares, according to the
// documentation of azure-storage-file-share for Java. This server does not know the media of a share.
const MIN_IOPS: u64 = 500;
const MAX_IOPS: u64 = 100_000;
const MIN_MIBPS: u64 = 60;
const MAX_MIBPS: u64 = 10_340;

wire_enum! {
    /// Stored in this form: fields and variants keep their order.
    #[derive(Serialize, Deserialize)]
    Tier {
        TransactionOptimized "TransactionOptimized",
        Hot "Hot",
        Cool "Cool",
        /// On solid state disks.
        Premium "Premium",
    }
}

wire_enum! {
    /// The protocol of a share besides REST.
    /// Stored in this form: fields and variants keep their order.
    #[derive(Serialize, Deserialize)]
    Protocol {
        Smb "SMB",
        /// Only for premium shares.
        Nfs "NFS",
    }
}

wire_enum! {
    /// Which users an NFS share maps to the anonymous user.
    /// Stored in this form: fields and variants keep their order.
    #[derive(Serialize, Deserialize)]
    RootSquash {
        None "NoRootSquash",
        Root "RootSquash",
        All "AllSquash",
    }
}

/// The settings of a share.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// In GiB.
    pub quota: u32,
    pub tier: Tier,
    /// When the tier last changed.
    pub tier_since: Timestamp,
    /// The protocol, if the request that created the share names one.
    pub protocol: Option<Protocol>,
    /// Only for NFS shares.
    pub root_squash: Option<RootSquash>,
    /// Whether an NFS client finds the snapshots below the root directory.
    pub snapshot_directory: Option<bool>,
    pub paid_bursting: Option<bool>,
    /// The limit of paid bursting, in operations per second.
    pub bursting_iops: Option<u64>,
    /// The limit of paid bursting, in MiB per second.
    pub bursting_mibps: Option<u64>,
    pub provisioned_iops: Option<u64>,
    pub provisioned_mibps: Option<u64>,
}

/// The settings that a request names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingsInput {
    quota: Option<u32>,
    tier: Option<Tier>,
    protocol: Option<Protocol>,
    root_squash: Option<RootSquash>,
    snapshot_directory: Option<bool>,
    paid_bursting: Option<bool>,
    bursting_iops: Option<u64>,
    bursting_mibps: Option<u64>,
    provisioned_iops: Option<u64>,
    provisioned_mibps: Option<u64>,
}

impl SettingsInput {
    /// Parses the headers. `header` returns the value of a header that is present and not empty.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a value that is malformed or out of range.
    pub fn parse<'a>(header: impl Fn(&'static str) -> Option<&'a str>) -> Result<SettingsInput, StorageError> {
        let number = |name: &'static str, max: u64| {
            optional_header(name, header(name), |text| text.parse().ok().filter(|number| (1..=max).contains(number)))
        };
        let flag = |name: &'static str| optional_header(name, header(name), bool::parse);
        Ok(SettingsInput {
            protocol: optional_header("x-ms-enabled-protocols", header("x-ms-enabled-protocols"), Protocol::parse)?,
            quota: number("x-ms-share-quota", MAX_QUOTA)?.map(|gib| gib as u32),
            tier: optional_header("x-ms-access-tier", header("x-ms-access-tier"), Tier::parse)?,
            root_squash: optional_header("x-ms-root-squash", header("x-ms-root-squash"), RootSquash::parse)?,
            snapshot_directory: flag("x-ms-enable-snapshot-virtual-directory-access")?,
            paid_bursting: flag("x-ms-share-paid-bursting-enabled")?,
            bursting_iops: number("x-ms-share-paid-bursting-max-iops", u64::MAX)?,
            bursting_mibps: number("x-ms-share-paid-bursting-max-bandwidth-mibps", u64::MAX)?,
            provisioned_iops: number("x-ms-share-provisioned-iops", u64::MAX)?,
            provisioned_mibps: number("x-ms-share-provisioned-bandwidth-mibps", u64::MAX)?,
        })
    }
}

impl Settings {
    /// The settings of a new share. A share whose request names a protocol is premium, as in all recordings.
    ///
    /// # Errors
    /// As [`Settings::apply`].
    pub fn create(input: SettingsInput, premium: bool, now: Timestamp) -> Result<Settings, StorageError> {
        let is_nfs = input.protocol == Some(Protocol::Nfs);
        let premium = premium || input.protocol.is_some();
        let defaults = Settings {
            quota: if premium { PREMIUM_QUOTA } else { STANDARD_QUOTA },
            tier: if premium { Tier::Premium } else { Tier::TransactionOptimized },
            tier_since: now,
            protocol: input.protocol,
            root_squash: is_nfs.then_some(RootSquash::None),
            snapshot_directory: is_nfs.then_some(true),
            paid_bursting: None,
            bursting_iops: None,
            bursting_mibps: None,
            provisioned_iops: None,
            provisioned_mibps: None,
        };
        defaults.apply(input, now)
    }

    /// The settings after a request. The protocol of an existing share does not change.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for provisioned IOPS or bandwidth out of range, and for root squash of a share that is not served over
    /// NFS; 400 UnsupportedHeader for provisioned IOPS or bandwidth of a share that is not premium.
    pub fn apply(self, input: SettingsInput, now: Timestamp) -> Result<Settings, StorageError> {
        if let Some(squash) = input.root_squash.filter(|_| self.protocol != Some(Protocol::Nfs)) {
            return Err(StorageError::invalid_header("x-ms-root-squash", squash.name()));
        }
        let tier = input.tier.unwrap_or(self.tier);
        let provisioned = |header, number: Option<u64>, min: u64, max: u64| match number {
            Some(_) if tier != Tier::Premium => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", header)),
            Some(number) if !(min..=max).contains(&number) => Err(StorageError::invalid_header(header, number.to_string())),
            number => Ok(number),
        };
        let iops = provisioned("x-ms-share-provisioned-iops", input.provisioned_iops, MIN_IOPS, MAX_IOPS)?;
        let mibps = provisioned("x-ms-share-provisioned-bandwidth-mibps", input.provisioned_mibps, MIN_MIBPS, MAX_MIBPS)?;
        Ok(Settings {
            quota: input.quota.unwrap_or(self.quota),
            tier,
            tier_since: if tier == self.tier { self.tier_since } else { now },
            protocol: self.protocol,
            root_squash: input.root_squash.or(self.root_squash),
            snapshot_directory: input.snapshot_directory.or(self.snapshot_directory),
            paid_bursting: input.paid_bursting.or(self.paid_bursting),
            bursting_iops: input.bursting_iops.or(self.bursting_iops),
            bursting_mibps: input.bursting_mibps.or(self.bursting_mibps),
            provisioned_iops: iops.or(self.provisioned_iops),
            provisioned_mibps: mibps.or(self.provisioned_mibps),
        })
    }

    pub fn is_premium(self) -> bool {
        self.tier == Tier::Premium
    }

    /// Returns true if the operations or the bandwidth are provisioned, not only the size. Then responses report all three.
    pub fn is_provisioned(self) -> bool {
        self.is_premium() && (self.provisioned_iops.is_some() || self.provisioned_mibps.is_some())
    }

    /// The baseline of operations per second: 500 for 100 GiB (recorded). If only the bandwidth is provisioned, the number that the
    /// reference recommends for SSD shares.
    pub fn iops(self) -> u64 {
        let inferred = 400 + u64::from(self.quota);
        let recommended = (3000 + u64::from(self.quota)).min(MAX_IOPS);
        self.provisioned_iops.unwrap_or(if self.is_provisioned() { recommended } else { inferred })
    }

    /// The provisioned or recommended MiB per second; `None` if only the size is provisioned.
    pub fn mibps(self) -> Option<u64> {
        let recommended = (100 + u64::from(self.quota).div_ceil(10)).clamp(MIN_MIBPS, MAX_MIBPS);
        self.is_provisioned().then(|| self.provisioned_mibps.unwrap_or(recommended))
    }

    /// The operations per second of included bursts: three times the baseline, at least 10,000.
    pub fn burst_iops(self) -> u64 {
        (self.iops() * 3).clamp(10_000, 102_400).max(self.iops())
    }

    /// The most burst credits that the share accumulates: enough for an hour.
    pub fn burst_credits(self) -> u64 {
        (self.burst_iops() - self.iops()) * 3600
    }

    /// The limit of writes in MiB per second: 44 for 100 GiB (recorded).
    pub fn ingress(self) -> u64 {
        40 + (u64::from(self.quota) * 4).div_ceil(100)
    }

    /// The limit of reads in MiB per second: 66 for 100 GiB (recorded).
    pub fn egress(self) -> u64 {
        60 + (u64::from(self.quota) * 6).div_ceil(100)
    }

    /// Returns true if responses of this version report the lease, and the tier of a share that is not premium.
    pub fn reports_tier(version: Version) -> bool {
        version >= Version::V2020_02_10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(headers: &[(&str, &'static str)], premium: bool) -> Result<Settings, StorageError> {
        let header = |name: &'static str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        Settings::create(SettingsInput::parse(header)?, premium, Timestamp::default())
    }

    #[test]
    fn only_premium_shares_are_provisioned_and_within_bounds() {
        let (iops, mibps) = (("x-ms-share-provisioned-iops", "4000"), ("x-ms-share-provisioned-bandwidth-mibps", "125"));
        for header in [iops, mibps] {
            let error = create(&[header], false).unwrap_err();
            assert_eq!((error.code().name(), error.details()[0].1.as_str()), ("UnsupportedHeader", header.0));
        }
        let plain = create(&[], true).unwrap();
        assert_eq!((plain.quota, plain.iops(), plain.mibps(), plain.is_provisioned()), (100, 500, None, false));
        let headers = [
            ("x-ms-share-provisioned-iops", "10240"),
            ("x-ms-share-provisioned-bandwidth-mibps", "125"),
            ("x-ms-share-quota", "32"),
        ];
        let both = create(&headers, true).unwrap();
        assert_eq!(
            (both.quota, both.iops(), both.mibps(), both.burst_iops(), both.burst_credits()),
            (32, 10_240, Some(125), 30_720, 73_728_000)
        );
        let one = create(&[mibps], true).unwrap();
        assert_eq!((one.iops(), one.mibps(), one.burst_iops()), (3100, Some(125), 10_000));
        for (header, value) in [("x-ms-share-provisioned-iops", "499"), ("x-ms-share-provisioned-bandwidth-mibps", "10341")] {
            let error = create(&[(header, value)], true).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidHeaderValue, "{header}");
        }
    }

    #[test]
    fn defaults_depend_on_the_protocol() {
        let plain = create(&[], false).unwrap();
        assert_eq!((plain.quota, plain.tier.name(), plain.protocol), (5120, "TransactionOptimized", None));
        let premium = create(&[("x-ms-enabled-protocols", "NFS"), ("x-ms-root-squash", "AllSquash")], false).unwrap();
        assert_eq!((premium.quota, premium.iops(), premium.ingress(), premium.egress()), (100, 500, 44, 66));
        assert_eq!(premium.root_squash.map(RootSquash::name), Some("AllSquash"));
    }

    #[test]
    fn values_out_of_range_are_refused() {
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
            let error = create(&[(header, value)], false).unwrap_err();
            assert_eq!((error.code().name(), error.details()[0].1.as_str()), ("InvalidHeaderValue", header), "{value}");
        }
    }

    #[test]
    fn only_another_tier_changes_the_change_time() {
        let later = Timestamp::from_unix(1_000, 0);
        let tier = |tier| SettingsInput { tier: Some(tier), ..SettingsInput::default() };
        let plain = create(&[], false).unwrap();
        assert_eq!(plain.apply(tier(Tier::TransactionOptimized), later).unwrap().tier_since, plain.tier_since);
        assert_eq!(plain.apply(tier(Tier::Hot), later).unwrap().tier_since, later);
    }
}
