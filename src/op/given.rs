//! Fields of a request, read as declared: required or optional by their type, refused by name when malformed.

use super::Call;
use crate::rules::{fault::Fault, lease, time::Timestamp};
use std::borrow::Cow;

/// A field that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it stands.
    pub place: Place,
    /// Its name there, in lower case.
    pub name: &'static str,
    /// Whether the operation refuses to go without it.
    pub required: bool,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A request header.
    Header,
    /// A query parameter.
    Query,
}

/// A value read from text on the wire.
pub trait Read: Sized {
    /// The value, or `None` when the text is not one.
    fn read(text: &str) -> Option<Self>;
}

impl Read for String {
    fn read(text: &str) -> Option<String> {
        Some(text.to_owned())
    }
}

impl Read for u64 {
    fn read(text: &str) -> Option<u64> {
        text.trim().parse().ok()
    }
}

impl Read for bool {
    fn read(text: &str) -> Option<bool> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("true") {
            Some(true)
        } else if text.eq_ignore_ascii_case("false") {
            Some(false)
        } else {
            None
        }
    }
}

impl Read for Timestamp {
    fn read(text: &str) -> Option<Timestamp> {
        Timestamp::parse_http(text)
    }
}

impl Read for lease::Id {
    fn read(text: &str) -> Option<lease::Id> {
        lease::Id::parse(text)
    }
}

impl Read for lease::Term {
    fn read(text: &str) -> Option<lease::Term> {
        lease::Term::parse(text)
    }
}

/// A field of a request: required, or optional where its type is an `Option`.
pub trait Given: Sized {
    /// Whether the request must carry it.
    const REQUIRED: bool;

    /// Reads it.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader or MissingRequiredQueryParameter when it must be there and is not; 400 InvalidHeaderValue or
    /// InvalidQueryParameterValue when it is there and malformed.
    fn given(call: &Call, place: Place, name: &'static str) -> Result<Self, Fault>;
}

impl<T: Read> Given for T {
    const REQUIRED: bool = true;

    fn given(call: &Call, place: Place, name: &'static str) -> Result<T, Fault> {
        let text = find(call, place, name).ok_or_else(|| match place {
            Place::Header => Fault::missing_header(name),
            Place::Query => Fault::missing_query(name),
        })?;
        read(place, name, &text)
    }
}

impl<T: Read> Given for Option<T> {
    const REQUIRED: bool = false;

    fn given(call: &Call, place: Place, name: &'static str) -> Result<Option<T>, Fault> {
        find(call, place, name).map(|text| read(place, name, &text)).transpose()
    }
}

/// The text of a field. An empty one counts as absent, as it does for the service.
fn find<'a>(call: &'a Call, place: Place, name: &str) -> Option<Cow<'a, str>> {
    let text = match place {
        Place::Header => call.header(name),
        Place::Query => call.query.get(name).map(Cow::Borrowed),
    };
    text.filter(|text| !text.is_empty())
}

fn read<T: Read>(place: Place, name: &'static str, text: &str) -> Result<T, Fault> {
    T::read(text).ok_or_else(|| match place {
        Place::Header => Fault::header(name, text),
        Place::Query => Fault::query(name, text, "Value is not in the correct format."),
    })
}
