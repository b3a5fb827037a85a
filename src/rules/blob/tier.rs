//! Access tiers: the price of a blob, and whether it can be read immediately.
//!
//! The rehydration of an archived blob takes hours. No timer ends it: every request compares its end with the current time.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::{header, optional_header};
use crate::rules::time::Timestamp;
use crate::rules::wire_name::{WireName, wire_enum};
use serde::{Deserialize, Serialize};

/// The tier of a blob.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub enum Tier {
    /// For frequent reads. The default tier of block blobs.
    Hot,
    /// For infrequent reads.
    Cool,
    /// For rare reads; since 2021-12-02.
    Cold,
    /// Cannot be read before it is rehydrated.
    Archive,
    /// Hot, Cool or Cold, as the service sees fit; since 2026-02-06.
    Smart,
    /// The size class of a premium page blob, as an index into `PREMIUM`.
    Premium(u8),
}

/// The size classes of premium page blobs, smallest first: each has twice the size of the one before, and P4 has 32 GiB.
const PREMIUM: [&str; 11] = ["P4", "P6", "P10", "P15", "P20", "P30", "P40", "P50", "P60", "P70", "P80"];
/// The index of P10, the smallest class of a page blob for which no class was set.
const P10: u8 = 2;

/// The tiers that a blob supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierSupport {
    /// Hot to Archive: block blobs.
    Standard,
    /// Size classes: page blobs.
    Premium,
    /// None: append blobs.
    None,
    /// All tiers, if the type of the blob is not known yet.
    Any,
}

/// The stored number of a tier: size classes begin at 16.
impl From<Tier> for u8 {
    fn from(tier: Tier) -> u8 {
        match tier {
            Tier::Hot => 0,
            Tier::Cool => 1,
            Tier::Cold => 2,
            Tier::Archive => 3,
            Tier::Smart => 4,
            Tier::Premium(class) => 16 + class,
        }
    }
}

impl From<u8> for Tier {
    fn from(number: u8) -> Tier {
        match number {
            1 => Tier::Cool,
            2 => Tier::Cold,
            3 => Tier::Archive,
            4 => Tier::Smart,
            16.. => Tier::Premium(number - 16),
            _ => Tier::Hot,
        }
    }
}

impl Tier {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Hot => "Hot",
            Tier::Cool => "Cool",
            Tier::Cold => "Cold",
            Tier::Archive => "Archive",
            Tier::Smart => "Smart",
            Tier::Premium(class) => PREMIUM.get(usize::from(class)).copied().unwrap_or_default(),
        }
    }

    /// The size class of a premium page blob for which none was set. The live tests of azure-storage-blob for Python find P10 on a blob
    /// of 1 KiB.
    pub fn inferred(size: u64) -> Tier {
        let classes = (P10..).zip(PREMIUM.iter().skip(usize::from(P10))).map(|(class, _)| Tier::Premium(class));
        classes.clone().find(|class| class.holds(size)).or(classes.last()).unwrap_or(Tier::Premium(P10))
    }

    /// Returns true if a blob of this size fits into the tier.
    pub fn holds(self, size: u64) -> bool {
        match self {
            Tier::Premium(class) => size <= (32 << 30) << class,
            Tier::Hot | Tier::Cool | Tier::Cold | Tier::Archive | Tier::Smart => true,
        }
    }

    /// Checks that this is one of the supported tiers.
    ///
    /// # Errors
    /// 400 AccessTierNotSupportedForBlobType for a tier of another type of blob (recorded).
    pub fn check(self, kept: TierSupport) -> Result<(), StorageError> {
        match (kept, self) {
            (TierSupport::Standard, Tier::Premium(_))
            | (TierSupport::Premium, Tier::Hot | Tier::Cool | Tier::Cold | Tier::Archive | Tier::Smart)
            | (TierSupport::None, _) => Err(ErrorCode::AccessTierNotSupportedForBlobType.into()),
            _ => Ok(()),
        }
    }

    /// The tier that a smart tier currently uses (`x-ms-smart-access-tier`). The service chooses a cooler one for a blob that is not read
    /// for a month; this server does not, and always reports the first.
    pub const fn beneath(self) -> Option<Tier> {
        match self {
            Tier::Smart => Some(Tier::Hot),
            _ => None,
        }
    }

    /// Parses `x-ms-access-tier` for a blob that supports these tiers.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for an unknown tier; 400 AccessTierNotSupportedForBlobType for one of another type of blob (both recorded).
    pub fn read(text: &str, kept: TierSupport) -> Result<Tier, StorageError> {
        let standard = [Tier::Hot, Tier::Cool, Tier::Cold, Tier::Archive, Tier::Smart];
        let premium = (0u8..).zip(PREMIUM).map(|(class, _)| Tier::Premium(class));
        let known = |text: &str| standard.into_iter().chain(premium).find(|tier| tier.name().eq_ignore_ascii_case(text));
        let tier = header("x-ms-access-tier", text, known)?;
        tier.check(kept)?;
        Ok(tier)
    }
}

wire_enum! {
    /// The priority of a rehydration (`x-ms-rehydrate-priority`).
    /// Stored in this form: fields and variants keep their order.
    #[derive(Default, Serialize, Deserialize)]
    RehydratePriority {
        /// It takes fifteen hours.
        #[default]
        Standard "Standard",
        /// It takes an hour.
        High "High",
    }
}

impl RehydratePriority {
    /// Parses the header.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue.
    pub fn read(text: &str) -> Result<RehydratePriority, StorageError> {
        header("x-ms-rehydrate-priority", text, RehydratePriority::parse)
    }

    const fn seconds(self) -> u64 {
        match self {
            RehydratePriority::Standard => 15 * 3600,
            RehydratePriority::High => 3600,
        }
    }
}

/// The tier of a blob.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentTier {
    pub tier: Tier,
    /// When it last changed.
    pub since: Timestamp,
    /// The rehydration of an archived blob.
    pub rehydration: Option<Rehydration>,
}

/// The conditions of Delete Blob on the last change of the tier (`x-ms-access-tier-if-…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeConditions {
    /// It changed after this second.
    modified_since: Option<Timestamp>,
    /// It did not change after this second.
    unmodified_since: Option<Timestamp>,
}

impl ChangeConditions {
    /// Parses the two headers.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed date.
    pub fn read(modified_since: Option<&str>, unmodified_since: Option<&str>) -> Result<ChangeConditions, StorageError> {
        let date = |name, text| optional_header(name, text, |text| Timestamp::parse_http(text.trim()));
        Ok(ChangeConditions {
            modified_since: date("x-ms-access-tier-if-modified-since", modified_since)?,
            unmodified_since: date("x-ms-access-tier-if-unmodified-since", unmodified_since)?,
        })
    }

    /// Checks the time of the last change.
    ///
    /// # Errors
    /// 412 ConditionNotMet.
    pub fn hold(self, changed: Timestamp) -> Result<(), StorageError> {
        let changed = changed.to_second();
        let met =
            self.modified_since.is_none_or(|since| changed > since) && self.unmodified_since.is_none_or(|since| changed <= since);
        if met { Ok(()) } else { Err(ErrorCode::ConditionNotMet.into()) }
    }
}

/// A change from the archive tier to another one.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rehydration {
    /// The tier at its end.
    pub to: Tier,
    pub priority: RehydratePriority,
    /// When it ends.
    pub until: Timestamp,
}

impl Rehydration {
    /// `x-ms-archive-status`.
    pub fn status(self) -> String {
        format!("rehydrate-pending-to-{}", self.to.name().to_ascii_lowercase())
    }
}

impl CurrentTier {
    /// A tier that is set now.
    pub const fn new(tier: Tier, now: Timestamp) -> CurrentTier {
        CurrentTier { tier, since: now, rehydration: None }
    }

    /// The tier at this time: a rehydration may have ended.
    pub fn seen(self, now: Timestamp) -> CurrentTier {
        match self.rehydration {
            Some(way) if now >= way.until => CurrentTier::new(way.to, way.until),
            _ => self,
        }
    }

    /// The tier after Set Blob Tier. `rehydration` is set if it has not changed yet.
    ///
    /// # Errors
    /// 409 BlobBeingRehydrated for another tier than that of the current rehydration; 409 CannotChangeToLowerTier for a smaller size
    /// class.
    pub fn set(
        before: Option<CurrentTier>,
        tier: Tier,
        priority: RehydratePriority,
        now: Timestamp,
    ) -> Result<CurrentTier, StorageError> {
        let Some(before) = before.map(|placed| placed.seen(now)) else { return Ok(CurrentTier::new(tier, now)) };
        match (before.rehydration, before.tier, tier) {
            (Some(way), _, goal) if way.to != goal => Err(ErrorCode::BlobBeingRehydrated.into()),
            (Some(way), ..) => {
                let until = way.until.min(now.after_seconds(priority.seconds()));
                let priority = if priority == RehydratePriority::High { priority } else { way.priority };
                Ok(CurrentTier { rehydration: Some(Rehydration { to: way.to, priority, until }), ..before })
            }
            (None, Tier::Archive, goal) if goal != Tier::Archive => {
                let until = now.after_seconds(priority.seconds());
                Ok(CurrentTier { rehydration: Some(Rehydration { to: goal, priority, until }), ..before })
            }
            (None, Tier::Premium(had), Tier::Premium(wanted)) if wanted < had => Err(ErrorCode::CannotChangeToLowerTier.into()),
            _ => Ok(CurrentTier::new(tier, now)),
        }
    }

    /// The tier of a copy: the one that the request names, or none. An archived blob can only be copied to another tier, and the copy is
    /// then rehydrated.
    ///
    /// # Errors
    /// 409 BlobArchived for an archived source whose copy would be archived too.
    pub fn copied(
        source: Option<CurrentTier>,
        named: Option<CurrentTier>,
        priority: RehydratePriority,
        now: Timestamp,
    ) -> Result<Option<CurrentTier>, StorageError> {
        if source.is_none_or(|source| source.seen(now).tier != Tier::Archive) {
            return Ok(named);
        }
        match named {
            Some(CurrentTier { tier, .. }) if tier != Tier::Archive => {
                CurrentTier::set(Some(CurrentTier::new(Tier::Archive, now)), tier, priority, now).map(Some)
            }
            _ => Err(ErrorCode::BlobArchived.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_the_last_change() {
        let changed = Timestamp::parse_http("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let (before, after) = ("Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:38 GMT");
        for (modified, unmodified, met) in [
            (None, None, true),
            (Some(before), None, true),
            (Some("Sun, 06 Nov 1994 08:49:37 GMT"), None, false),
            (Some(after), None, false),
            (None, Some(before), false),
            (None, Some("Sun, 06 Nov 1994 08:49:37 GMT"), true),
            (None, Some(after), true),
            (Some(before), Some(after), true),
            (Some(before), Some(before), false),
        ] {
            let conditions = ChangeConditions::read(modified, unmodified).unwrap();
            assert_eq!(conditions.hold(changed).is_ok(), met, "{modified:?} {unmodified:?}");
        }
        assert_eq!(ChangeConditions::read(Some("soon"), None).unwrap_err().code(), ErrorCode::InvalidHeaderValue);
    }

    #[test]
    fn a_size_class_is_inferred_from_p10_on() {
        const GIB: u64 = 1 << 30;
        for (size, class) in [
            (0, "P10"),
            (1024, "P10"),
            (128 * GIB, "P10"),
            (128 * GIB + 512, "P15"),
            (1024 * GIB, "P30"),
            (8192 * GIB, "P60"),
            (u64::MAX, "P80"),
        ] {
            assert_eq!(Tier::inferred(size).name(), class, "{size}");
        }
        assert!(Tier::Premium(0).holds(32 * GIB) && !Tier::Premium(0).holds(32 * GIB + 512));
    }

    #[test]
    fn reads_the_tiers_of_a_type_in_any_case() {
        for (text, kept, expected) in [
            ("Hot", TierSupport::Standard, Ok(Tier::Hot)),
            ("archive", TierSupport::Standard, Ok(Tier::Archive)),
            ("COLD", TierSupport::Standard, Ok(Tier::Cold)),
            ("smart", TierSupport::Standard, Ok(Tier::Smart)),
            ("Smart", TierSupport::Premium, Err("AccessTierNotSupportedForBlobType")),
            ("P4", TierSupport::Premium, Ok(Tier::Premium(0))),
            ("p80", TierSupport::Premium, Ok(Tier::Premium(10))),
            ("P4", TierSupport::Standard, Err("AccessTierNotSupportedForBlobType")),
            ("Hot", TierSupport::Premium, Err("AccessTierNotSupportedForBlobType")),
            ("Hot", TierSupport::None, Err("AccessTierNotSupportedForBlobType")),
            ("", TierSupport::Standard, Err("InvalidHeaderValue")),
            ("Hott", TierSupport::Standard, Err("InvalidHeaderValue")),
            ("P5", TierSupport::Premium, Err("InvalidHeaderValue")),
        ] {
            assert_eq!(Tier::read(text, kept).map_err(|error| error.code().name()), expected, "{text} {kept:?}");
        }
    }

    #[test]
    fn a_copy_leaves_the_archive_as_slowly() {
        let now = Timestamp::from_unix(1_000_000, 0);
        let [archived, cool, hot] = [Tier::Archive, Tier::Cool, Tier::Hot].map(|tier| Some(CurrentTier::new(tier, now)));
        let copied = |source, named| CurrentTier::copied(source, named, RehydratePriority::High, now);
        for named in [None, hot, archived] {
            assert_eq!([copied(None, named), copied(cool, named)], [Ok(named), Ok(named)]);
        }
        for named in [None, archived] {
            assert_eq!(copied(archived, named).unwrap_err().code(), ErrorCode::BlobArchived);
        }
        let waking = copied(archived, hot).unwrap().unwrap();
        assert_eq!((waking.tier, waking.rehydration.unwrap().to), (Tier::Archive, Tier::Hot));
        assert_eq!(waking.seen(now.after_seconds(3600)), CurrentTier::new(Tier::Hot, now.after_seconds(3600)));
    }

    #[test]
    fn rehydration_takes_hours() {
        let now = Timestamp::from_unix(1_000_000, 0);
        let archived = CurrentTier::new(Tier::Archive, now);
        let waking = CurrentTier::set(Some(archived), Tier::Cool, RehydratePriority::Standard, now).unwrap();
        assert_eq!((waking.tier, waking.rehydration.unwrap().status()), (Tier::Archive, "rehydrate-pending-to-cool".to_owned()));
        assert_eq!(waking.seen(now.after_seconds(15 * 3600 - 1)).tier, Tier::Archive);
        let woken = waking.seen(now.after_seconds(15 * 3600));
        assert_eq!((woken.tier, woken.rehydration), (Tier::Cool, None));
        let hurried = CurrentTier::set(Some(waking), Tier::Cool, RehydratePriority::High, now).unwrap();
        assert_eq!(hurried.seen(now.after_seconds(3600)).tier, Tier::Cool);
        let other = CurrentTier::set(Some(waking), Tier::Hot, RehydratePriority::Standard, now);
        assert_eq!(other.unwrap_err().code(), ErrorCode::BlobBeingRehydrated);
        let smaller =
            CurrentTier::set(Some(CurrentTier::new(Tier::Premium(3), now)), Tier::Premium(1), RehydratePriority::Standard, now);
        assert_eq!(smaller.unwrap_err().code(), ErrorCode::CannotChangeToLowerTier);
    }
}
