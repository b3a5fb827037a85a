//! What a share can be told when it is made, and later: how large it may grow, which tier and protocols it has, and what a premium
//! share is provisioned with.

use super::fault::Fault;
use super::time::Timestamp;
use super::version::Version;

/// GiB of a share, at most.
const MAX_QUOTA: u64 = 102_400;
/// GiB of a standard share that was told nothing.
const STANDARD_QUOTA: u32 = 5120;
/// GiB of a premium share that was told nothing, as recorded.
const PREMIUM_QUOTA: u32 = 100;

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
fn word<T: Copy>(header: &'static str, text: &str, words: &[(T, &str)]) -> Result<T, Fault> {
    let found = words.iter().find(|(_, word)| word.eq_ignore_ascii_case(text)).map(|(value, _)| *value);
    found.ok_or_else(|| Fault::header(header, text))
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
    /// 400 InvalidHeaderValue for what is malformed or out of range.
    pub fn make(find: impl Fn(&'static str) -> Option<String>, now: Timestamp) -> Result<Settings, Fault> {
        let protocol =
            find("x-ms-enabled-protocols").map(|text| word("x-ms-enabled-protocols", &text, &PROTOCOLS)).transpose()?;
        let premium = protocol.is_some();
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
    /// 400 InvalidHeaderValue for what is malformed, out of range, or for another protocol.
    pub fn revise(self, find: impl Fn(&'static str) -> Option<String>, now: Timestamp) -> Result<Settings, Fault> {
        let number = |header| {
            let read = |text: String| match text.parse::<u64>() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(Fault::header(header, text)),
            };
            find(header).map(read).transpose()
        };
        let flag = |header| find(header).map(|text| word(header, &text, &[(true, "true"), (false, "false")])).transpose();
        let quota = match number("x-ms-share-quota")? {
            Some(gib) if gib > MAX_QUOTA => return Err(Fault::header("x-ms-share-quota", gib.to_string())),
            Some(gib) => gib as u32,
            None => self.quota,
        };
        let tier = find("x-ms-access-tier").map(|text| word("x-ms-access-tier", &text, &TIERS)).transpose()?;
        let root_squash = find("x-ms-root-squash").map(|text| word("x-ms-root-squash", &text, &SQUASHES)).transpose()?;
        let nfs = self.protocol == Some(Protocol::Nfs);
        if let Some(squash) = root_squash.filter(|_| !nfs) {
            return Err(Fault::header("x-ms-root-squash", squash.name()));
        }
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
            provisioned_iops: number("x-ms-share-provisioned-iops")?.or(self.provisioned_iops),
            provisioned_mibps: number("x-ms-share-provisioned-bandwidth-mibps")?.or(self.provisioned_mibps),
        })
    }

    /// Whether it is a premium share, which is told what it is provisioned with.
    pub fn is_premium(self) -> bool {
        self.tier == Tier::Premium
    }

    /// Operations a second that it can count on: recorded, 500 with 100 GiB.
    pub fn iops(self) -> u64 {
        self.provisioned_iops.unwrap_or(400 + u64::from(self.quota))
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

    fn make(headers: &[(&str, &str)]) -> Result<Settings, Fault> {
        let find = |name: &'static str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Settings::make(find, Timestamp::default())
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
            let fault = make(&[(header, value)]).unwrap_err();
            assert_eq!((fault.code().name(), fault.details()[0].1.as_str()), ("InvalidHeaderValue", header), "{value}");
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
