//! Enums whose variants have names on the wire.

/// An enum whose variants have names on the wire.
pub trait WireName: Copy + PartialEq + 'static {
    /// The variants and their names. The first name of a variant is the one that is written.
    const NAMES: &'static [(Self, &'static str)];

    /// The name that is written.
    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }

    /// The variant with this name, in any letter case.
    fn parse(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(variant, _)| *variant)
    }

    /// The variant with exactly this name.
    fn parse_exact(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, name)| *name == text).map(|(variant, _)| *variant)
    }
}

impl WireName for bool {
    const NAMES: &'static [(bool, &'static str)] = &[(true, "true"), (false, "false")];
}

/// Declares an enum with the names of its variants.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $item:ident $($text:literal)+),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$what])* $item),* }

        impl $crate::rules::wire_name::WireName for $name {
            const NAMES: &'static [($name, &'static str)] = &[$($(($name::$item, $text)),+),*];
        }
    };
}

pub(crate) use wire_enum;
