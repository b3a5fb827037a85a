//! Fields of a request, read as declared: required or optional by their type, refused by name when malformed.

use crate::operation::Request;
use crate::rules::error::StorageError;
use crate::rules::lease;
use crate::rules::time::Timestamp;
use std::borrow::Cow;

/// A field that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it stands.
    pub place: FieldLocation,
    /// Its name there, in lower case.
    pub name: &'static str,
    /// Whether the operation refuses to go without it.
    pub required: bool,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLocation {
    /// A request header.
    Header,
    /// A query parameter.
    Query,
}

/// A value read from text on the wire.
pub trait FromText: Sized {
    /// The value, or `None` when the text is not one.
    fn from_text(text: &str) -> Option<Self>;
}

impl FromText for String {
    fn from_text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }
}

impl FromText for u64 {
    fn from_text(text: &str) -> Option<u64> {
        text.trim().parse().ok()
    }
}

impl FromText for bool {
    fn from_text(text: &str) -> Option<bool> {
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

impl FromText for Timestamp {
    fn from_text(text: &str) -> Option<Timestamp> {
        Timestamp::parse_http(text)
    }
}

impl FromText for lease::LeaseId {
    fn from_text(text: &str) -> Option<lease::LeaseId> {
        lease::LeaseId::parse(text)
    }
}

impl FromText for lease::LeaseDuration {
    fn from_text(text: &str) -> Option<lease::LeaseDuration> {
        lease::LeaseDuration::parse(text)
    }
}

/// A field of a request: required, or optional where its type is an `Option`.
pub trait FromField: Sized {
    /// Whether the request must carry it.
    const REQUIRED: bool;

    /// Reads it.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader or MissingRequiredQueryParameter when it must be there and is not; 400 InvalidHeaderValue or
    /// InvalidQueryParameterValue when it is there and malformed.
    fn from_field(request: &Request, place: FieldLocation, name: &'static str) -> Result<Self, StorageError>;
}

impl<T: FromText> FromField for T {
    const REQUIRED: bool = true;

    fn from_field(request: &Request, place: FieldLocation, name: &'static str) -> Result<T, StorageError> {
        let text = find(request, place, name).ok_or_else(|| match place {
            FieldLocation::Header => StorageError::missing_header(name),
            FieldLocation::Query => StorageError::missing_query(name),
        })?;
        read(place, name, &text)
    }
}

impl<T: FromText> FromField for Option<T> {
    const REQUIRED: bool = false;

    fn from_field(request: &Request, place: FieldLocation, name: &'static str) -> Result<Option<T>, StorageError> {
        find(request, place, name).map(|text| read(place, name, &text)).transpose()
    }
}

/// The text of a field. An empty one counts as absent, as it does for the service.
fn find<'a>(request: &'a Request, place: FieldLocation, name: &str) -> Option<Cow<'a, str>> {
    let text = match place {
        FieldLocation::Header => request.header(name),
        FieldLocation::Query => request.query.get(name).map(Cow::Borrowed),
    };
    text.filter(|text| !text.is_empty())
}

fn read<T: FromText>(place: FieldLocation, name: &'static str, text: &str) -> Result<T, StorageError> {
    T::from_text(text).ok_or_else(|| match place {
        FieldLocation::Header => StorageError::invalid_header(name, text),
        FieldLocation::Query => StorageError::invalid_query(name, text, "Value is not in the correct format."),
    })
}
