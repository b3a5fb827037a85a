//! Access tiers: how a blob is priced, and whether it can be read at once.

use super::fault::Fault;

/// The tier of a block blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Read often. What an account gives a block blob that names no tier.
    Hot,
    /// Read now and then.
    Cool,
    /// Read seldom; since 2021-12-02.
    Cold,
    /// Not readable until it is rehydrated.
    Archive,
}

impl Tier {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Hot => "Hot",
            Tier::Cool => "Cool",
            Tier::Cold => "Cold",
            Tier::Archive => "Archive",
        }
    }

    /// Reads `x-ms-access-tier` for a block blob.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for an unknown tier, as recorded; the same for a tier of page blobs, which a block blob cannot take.
    pub fn read(text: &str) -> Result<Tier, Fault> {
        [Tier::Hot, Tier::Cool, Tier::Cold, Tier::Archive]
            .into_iter()
            .find(|tier| tier.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| Fault::header("x-ms-access-tier", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_in_any_case_and_nothing_else() {
        for (text, tier) in [
            ("Hot", Some(Tier::Hot)),
            ("archive", Some(Tier::Archive)),
            ("COLD", Some(Tier::Cold)),
            ("P4", None),
            ("", None),
            ("Hott", None),
        ] {
            assert_eq!(Tier::read(text).ok(), tier, "{text}");
        }
    }
}
