//! The input of an operation: the headers and query parameters that it reads. Each operation declares its input as a type, which is
//! parsed after authorization, before the body is read and before any lock is taken.

use crate::operation::{FieldLocation, Input, Request, header_text};
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseDuration, LeaseId};
use crate::rules::time::Timestamp;
use std::ops::Deref;

/// A typed input: a struct that `input!` declares, or a group of fields that several operations share.
pub trait FromRequest: Sized {
    /// All fields that [`FromRequest::from_request`] reads.
    const INPUTS: &'static [Input];

    /// Parses the input.
    ///
    /// # Errors
    /// 400 for a missing or malformed field.
    fn from_request(fields: &Fields<'_>) -> Result<Self, StorageError>;
}

impl FromRequest for () {
    const INPUTS: &'static [Input] = &[];

    fn from_request(_: &Fields<'_>) -> Result<(), StorageError> {
        Ok(())
    }
}

impl<A: FromRequest, B: FromRequest> FromRequest for (A, B) {
    const INPUTS: &'static [Input] = &[Input::Group(A::INPUTS), Input::Group(B::INPUTS)];

    fn from_request(fields: &Fields<'_>) -> Result<(A, B), StorageError> {
        Ok((A::from_request(fields)?, B::from_request(fields)?))
    }
}

/// The fields of a request. Debug builds check that the operation declares each field that is read.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a Request);

impl<'a> Fields<'a> {
    /// The text of a header. `None` when it is absent or empty, as [`header_text`] says.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.check_declared(FieldLocation::Header, name);
        header_text(&self.0.headers, name)
    }

    /// Returns true if the request has this header with a value.
    pub fn has_header(&self, name: &str) -> bool {
        self.header(name).is_some()
    }

    /// The value of a query parameter. `None` when it is absent or empty.
    pub fn query(&self, name: &str) -> Option<&'a str> {
        self.check_declared(FieldLocation::Query, name);
        self.0.query.get(name).filter(|text| !text.is_empty())
    }

    /// The text of a field.
    pub fn text(&self, location: FieldLocation, name: &str) -> Option<&'a str> {
        match location {
            FieldLocation::Header => self.header(name),
            FieldLocation::Query => self.query(name),
        }
    }

    /// Checks in debug builds that the operation declares the field, so that one that does not fails its tests.
    fn check_declared(&self, location: FieldLocation, name: &str) {
        let declared = || Input::find(self.0.spec.inputs, name).is_some_and(|field| field.location == location);
        debug_assert!(declared(), "{} reads {name} and does not declare it", self.0.spec.name);
    }
}

impl Request {
    /// Parses an input of the request's operation.
    ///
    /// # Errors
    /// 400 for a missing or malformed field.
    pub fn parse<I: FromRequest>(&self) -> Result<I, StorageError> {
        I::from_request(&Fields(self))
    }
}

impl Deref for Fields<'_> {
    type Target = Request;

    fn deref(&self) -> &Request {
        self.0
    }
}

/// A value that is parsed from text.
pub trait FromText: Sized {
    /// The reason in the refusal of a malformed query parameter.
    const MALFORMED: &'static str = "Value is not in the correct format.";

    /// Returns the value, or `None` if the text is malformed.
    fn from_text(text: &str) -> Option<Self>;
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

/// Implements [`FromText`] for types that have such a function. After `or` comes [`FromText::MALFORMED`].
macro_rules! from_text {
    ($($kind:ident $(or $malformed:literal)?: $parse:expr;)*) => {
        $(impl $crate::operation::FromText for $kind {
            $(const MALFORMED: &'static str = $malformed;)?
            fn from_text(text: &str) -> Option<$kind> {
                $parse(text)
            }
        })*
    };
}

from_text! {
    String: |text: &str| Some(text.to_owned());
    u64: |text: &str| text.trim().parse().ok();
    Timestamp: Timestamp::parse_http;
    LeaseId: LeaseId::parse;
    LeaseDuration: LeaseDuration::parse;
}

/// The type of a field of an input. An `Option` makes the field optional.
pub trait FromField: Sized {
    /// Whether the field is required.
    const REQUIRED: bool;

    /// Parses the field.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader or MissingRequiredQueryParameter when it is required and absent; 400 InvalidHeaderValue or
    /// InvalidQueryParameterValue when it is malformed.
    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Self, StorageError>;
}

impl<T: FromText> FromField for T {
    const REQUIRED: bool = true;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<T, StorageError> {
        let text = fields.text(location, name).ok_or_else(|| match location {
            FieldLocation::Header => StorageError::missing_header(name),
            FieldLocation::Query => StorageError::missing_query(name),
        })?;
        parse(location, name, text)
    }
}

impl<T: FromText> FromField for Option<T> {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Option<T>, StorageError> {
        fields.text(location, name).map(|text| parse(location, name, text)).transpose()
    }
}

fn parse<T: FromText>(location: FieldLocation, name: &'static str, text: &str) -> Result<T, StorageError> {
    T::from_text(text).ok_or_else(|| match location {
        FieldLocation::Header => StorageError::invalid_header(name, text),
        FieldLocation::Query => StorageError::invalid_query(name, text, T::MALFORMED),
    })
}

/// Declares a value that is parsed from one or more fields by a function of their [`Fields`]: a struct around it, and its
/// [`FromRequest`].
macro_rules! parsed_input {
    ($(#[$doc:meta])* $vis:vis $name:ident($kind:ty) = [$($input:expr),*], $parse:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        $vis struct $name(pub $kind);

        impl $crate::operation::FromRequest for $name {
            const INPUTS: &'static [$crate::operation::Input] = &[$($input),*];

            fn from_request(fields: &$crate::operation::Fields<'_>) -> Result<$name, $crate::rules::error::StorageError> {
                let parse: fn(&$crate::operation::Fields<'_>) -> Result<$kind, $crate::rules::error::StorageError> = $parse;
                parse(fields).map($name)
            }
        }
    };
}

/// Declares the input of an operation: a struct, and its [`FromRequest`].
///
/// A line is a field of the request (`range: Option<String> = Header "range"`), or a group that several operations share
/// (`metadata: Metadata`).
macro_rules! input {
    ($(#[$doc:meta])* $vis:vis $name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty $(= $location:ident $text:literal)?),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        $vis struct $name { $($(#[$attribute])* pub(super) $field: $kind),* }

        impl $crate::operation::FromRequest for $name {
            const INPUTS: &'static [$crate::operation::Input] =
                &[$($(#[$attribute])* input!(@input $kind $(, $location $text)?)),*];

            fn from_request(fields: &$crate::operation::Fields<'_>) -> Result<$name, $crate::rules::error::StorageError> {
                Ok($name { $($(#[$attribute])* $field: input!(@parse fields, $kind $(, $location $text)?)),* })
            }
        }
    };
    (@input $kind:ty) => { $crate::operation::Input::Group(<$kind as $crate::operation::FromRequest>::INPUTS) };
    (@input $kind:ty, $location:ident $text:literal) => {
        $crate::operation::Input::Field($crate::operation::Field {
            location: $crate::operation::FieldLocation::$location,
            name: $text,
            required: <$kind as $crate::operation::FromField>::REQUIRED,
        })
    };
    (@parse $fields:ident, $kind:ty) => { <$kind as $crate::operation::FromRequest>::from_request($fields)? };
    (@parse $fields:ident, $kind:ty, $location:ident $text:literal) => {
        <$kind as $crate::operation::FromField>::from_field($fields, $crate::operation::FieldLocation::$location, $text)?
    };
}

/// Declares an enum whose values are words in a header or a query parameter: its [`FromText`], in any letter case, and its `Display`.
/// After `or` comes [`FromText::MALFORMED`].
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis $name:ident { $($(#[$note:meta])* $value:ident = $word:literal),* $(,)? } $(or $malformed:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$note])* $value),* }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(match self { $($name::$value => $word),* })
            }
        }

        impl $crate::operation::FromText for $name {
            $(const MALFORMED: &'static str = $malformed;)?
            fn from_text(text: &str) -> Option<$name> {
                [$(($word, $name::$value)),*].into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| value)
            }
        }
    };
}
