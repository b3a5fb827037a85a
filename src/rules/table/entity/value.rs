//! Values of properties: eight types, their literals in JSON, and the type of a value without an annotation.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text;
use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use crate::rules::wire_name::wire_enum;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::borrow::Cow;
use uuid::Uuid;

/// The value of a property.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Edm.String. The service measures its length in UTF-16 code units.
    String(Box<str>),
    /// Edm.Int32.
    Int32(i32),
    /// Edm.Int64, in JSON a string.
    Int64(i64),
    /// Edm.Double.
    Double(f64),
    /// Edm.Boolean.
    Boolean(bool),
    /// Edm.DateTime, UTC, in ticks.
    DateTime(Timestamp),
    /// Edm.Guid.
    #[serde(with = "guid_bytes")]
    Guid(Uuid),
    /// Edm.Binary, in JSON base64.
    #[serde(with = "serde_bytes")]
    Binary(Box<[u8]>),
}

/// The stored form of a GUID: its 16 bytes, without their number.
mod guid_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use uuid::Uuid;

    pub fn serialize<S: Serializer>(guid: &Uuid, to: S) -> Result<S::Ok, S::Error> {
        guid.as_bytes().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Uuid, D::Error> {
        <[u8; 16]>::deserialize(from).map(Uuid::from_bytes)
    }
}

wire_enum! {
    /// The type of a property, with its name in annotations.
    Type {
        String "Edm.String",
        Int32 "Edm.Int32",
        Int64 "Edm.Int64",
        Double "Edm.Double",
        Boolean "Edm.Boolean",
        /// A time from the year 1601 on.
        DateTime "Edm.DateTime",
        Guid "Edm.Guid",
        Binary "Edm.Binary",
    }
}

impl Value {
    /// Reads a value in JSON, of the type of its annotation. Returns `None` for null, which is the same as absent.
    ///
    /// # Errors
    /// 400 InvalidInput for a value that is not of its type; 400 OutOfRangeInput for a date before 1601.
    pub fn read(json: &Json, kind: Option<Type>) -> Result<Option<Value>, StorageError> {
        let value = match (json, kind) {
            (Json::Null, _) => return Ok(None),
            (Json::String(text), None) => Some(Value::String(text.as_str().into())),
            (Json::String(text), Some(kind)) => Value::parse(text, kind)?,
            (Json::Bool(flag), None | Some(Type::Boolean)) => Some(Value::Boolean(*flag)),
            (Json::Number(number), kind) => {
                let integer = number.as_i64();
                let narrow = integer.and_then(|integer| i32::try_from(integer).ok());
                let double = || number.as_f64().filter(|double| double.is_finite()).map(Value::Double);
                match kind {
                    // A number out of the range of Int32 is a Double, even without a fraction.
                    None => narrow.map(Value::Int32).or_else(double),
                    Some(Type::Int32) => narrow.map(Value::Int32),
                    Some(Type::Int64) => integer.map(Value::Int64),
                    Some(Type::Double) => double(),
                    Some(_) => None,
                }
            }
            _ => None,
        };
        value.map(Some).ok_or_else(|| ErrorCode::InvalidInput.with_reason(format!("{json} is not of type {kind:?}")))
    }

    fn parse(text: &str, kind: Type) -> Result<Option<Value>, StorageError> {
        Ok(match kind {
            Type::String => Some(Value::String(text.into())),
            Type::Int32 => text.parse().ok().map(Value::Int32),
            Type::Int64 => text.parse().ok().map(Value::Int64),
            Type::Double => double(text).map(Value::Double),
            Type::Boolean => {
                [true, false].into_iter().find(|flag| text.eq_ignore_ascii_case(&flag.to_string())).map(Value::Boolean)
            }
            Type::DateTime => match date(text) {
                Some(date) if date < Timestamp::WINDOWS_EPOCH => {
                    return Err(ErrorCode::OutOfRangeInput.with_reason(format!("{text} is before 1601")));
                }
                date => date.map(Value::DateTime),
            },
            Type::Guid => guid(text).map(Value::Guid),
            Type::Binary => STANDARD.decode(text).ok().map(|bytes| Value::Binary(bytes.into())),
        })
    }

    pub fn kind(&self) -> Type {
        match self {
            Value::String(_) => Type::String,
            Value::Int32(_) => Type::Int32,
            Value::Int64(_) => Type::Int64,
            Value::Double(_) => Type::Double,
            Value::Boolean(_) => Type::Boolean,
            Value::DateTime(_) => Type::DateTime,
            Value::Guid(_) => Type::Guid,
            Value::Binary(_) => Type::Binary,
        }
    }

    /// Its text in JSON, and whether that is quoted.
    pub fn text(&self) -> (Cow<'_, str>, bool) {
        match self {
            Value::String(text) => (Cow::Borrowed(text), true),
            Value::Int32(number) => (number.to_string().into(), false),
            Value::Int64(number) => (number.to_string().into(), true),
            Value::Double(number) => (double_text(*number), !number.is_finite()),
            Value::Boolean(flag) => (Cow::Borrowed(if *flag { "true" } else { "false" }), false),
            Value::DateTime(date) => (date_text(*date).into(), true),
            Value::Guid(guid) => (guid.hyphenated().to_string().into(), true),
            Value::Binary(bytes) => (STANDARD.encode(bytes).into(), true),
        }
    }

    /// Returns true if JSON shows its type, so that minimal metadata need not name it.
    pub fn is_plain(&self) -> bool {
        match self {
            Value::String(_) | Value::Int32(_) | Value::Boolean(_) => true,
            Value::Double(number) => number.is_finite(),
            Value::Int64(_) | Value::DateTime(_) | Value::Guid(_) | Value::Binary(_) => false,
        }
    }
}

/// Reads a time, with an offset or in UTC.
pub fn date(text: &str) -> Option<Timestamp> {
    Timestamp::parse_iso(text).or_else(|| Timestamp::parse_iso(&format!("{text}Z")))
}

/// A time with as many digits of its second as necessary: `2021-05-26T15:48:22Z`, `2017-11-10T02:43:44.449624Z`.
pub fn date_text(date: Timestamp) -> String {
    let mut text = date.iso();
    text.pop();
    if date.ticks().is_multiple_of(TICKS_PER_SECOND) {
        text.truncate(text.len().saturating_sub(".0000000".len()));
    } else {
        text.truncate(text.trim_end_matches('0').len());
    }
    text.push('Z');
    text
}

/// Reads a GUID with hyphens, with or without braces.
pub fn guid(text: &str) -> Option<Uuid> {
    let bare = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    text::guid(bare)
}

/// Reads a number, `NaN`, `Infinity` or `-Infinity`.
pub fn double(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "INF" | "Infinity" => Some(f64::INFINITY),
        "-INF" | "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => {
            text.parse().ok().filter(|double: &f64| double.is_finite())
        }
        _ => None,
    }
}

/// A double as the service writes it: the shortest digits that are read as the same number, always with a decimal point, and with an
/// exponent of two digits from 1E+15 on and up to 1E-05.
pub fn double_text(number: f64) -> Cow<'static, str> {
    if !number.is_finite() {
        return Cow::Borrowed(if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if number != 0.0 && !(-4..15).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}E{sign}{:02}", exponent.abs()).into();
    }
    format!("{number:?}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::wire_name::WireName;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(json: &Json, kind: &str) -> Result<String, ErrorCode> {
        let kind = Some(kind).filter(|kind| !kind.is_empty()).map(|kind| Type::parse_exact(kind).unwrap());
        match Value::read(json, kind) {
            Ok(None) => Ok("null".to_owned()),
            Ok(Some(value)) => Ok(format!("{} {}", value.kind().name(), value.text().0)),
            Err(error) => Err(error.code()),
        }
    }

    #[test]
    fn the_type_of_a_value_follows_from_its_annotation_or_its_json() {
        for (json, kind, expected) in [
            (json!("x"), "", "Edm.String x"),
            (json!(""), "Edm.String", "Edm.String "),
            (json!(39), "", "Edm.Int32 39"),
            (json!(-2_147_483_648_i64), "", "Edm.Int32 -2147483648"),
            (json!(2_147_483_648_i64), "", "Edm.Double 2147483648.0"),
            (json!(3.0), "", "Edm.Double 3.0"),
            (json!(true), "", "Edm.Boolean true"),
            (json!(null), "Edm.Int32", "null"),
            (json!(5), "Edm.Double", "Edm.Double 5.0"),
            (json!("3.25"), "Edm.Double", "Edm.Double 3.25"),
            (json!("NaN"), "Edm.Double", "Edm.Double NaN"),
            (json!("-INF"), "Edm.Double", "Edm.Double -Infinity"),
            (json!("Infinity"), "Edm.Double", "Edm.Double Infinity"),
            (json!("9223372036854775807"), "Edm.Int64", "Edm.Int64 9223372036854775807"),
            (json!(7), "Edm.Int64", "Edm.Int64 7"),
            (json!("12"), "Edm.Int32", "Edm.Int32 12"),
            (json!("false"), "Edm.Boolean", "Edm.Boolean false"),
            (json!("TRUE"), "Edm.Boolean", "Edm.Boolean true"),
            (json!("False"), "Edm.Boolean", "Edm.Boolean false"),
            (json!("1973-10-04T00:00:00Z"), "Edm.DateTime", "Edm.DateTime 1973-10-04T00:00:00Z"),
            (json!("1991-10-04T00:00:00.120000Z"), "Edm.DateTime", "Edm.DateTime 1991-10-04T00:00:00.12Z"),
            (json!("2020-01-01T02:00:00.1234567+02:00"), "Edm.DateTime", "Edm.DateTime 2020-01-01T00:00:00.1234567Z"),
            (json!("2020-01-01T02:00:00"), "Edm.DateTime", "Edm.DateTime 2020-01-01T02:00:00Z"),
            (json!("1601-01-01T00:00:00Z"), "Edm.DateTime", "Edm.DateTime 1601-01-01T00:00:00Z"),
            (json!("9999-12-31T23:59:59.9999999Z"), "Edm.DateTime", "Edm.DateTime 9999-12-31T23:59:59.9999999Z"),
            (json!("C9DA6455-213d-42c9-9a79-3e9149a57833"), "Edm.Guid", "Edm.Guid c9da6455-213d-42c9-9a79-3e9149a57833"),
            (json!("YmluYXJ5"), "Edm.Binary", "Edm.Binary YmluYXJ5"),
        ] {
            assert_eq!(read(&json, kind), Ok(expected.to_owned()), "{json} {kind}");
        }
    }

    #[test]
    fn a_value_of_another_type_than_its_annotation_is_refused() {
        for (json, kind, code) in [
            (json!({}), "", ErrorCode::InvalidInput),
            (json!([1]), "", ErrorCode::InvalidInput),
            (json!(1), "Edm.String", ErrorCode::InvalidInput),
            (json!(true), "Edm.String", ErrorCode::InvalidInput),
            (json!(1.5), "Edm.Int32", ErrorCode::InvalidInput),
            (json!(2_147_483_648_i64), "Edm.Int32", ErrorCode::InvalidInput),
            (json!("9223372036854775808"), "Edm.Int64", ErrorCode::InvalidInput),
            (json!("x"), "Edm.Double", ErrorCode::InvalidInput),
            (json!("inf"), "Edm.Double", ErrorCode::InvalidInput),
            (json!("1e999"), "Edm.Double", ErrorCode::InvalidInput),
            (json!("yes"), "Edm.Boolean", ErrorCode::InvalidInput),
            (json!(1), "Edm.Boolean", ErrorCode::InvalidInput),
            (json!("tomorrow"), "Edm.DateTime", ErrorCode::InvalidInput),
            (json!("2020-02-30T00:00:00Z"), "Edm.DateTime", ErrorCode::InvalidInput),
            (json!("0001-01-01T00:00:00Z"), "Edm.DateTime", ErrorCode::OutOfRangeInput),
            (json!("1600-12-31T23:59:59.9999999Z"), "Edm.DateTime", ErrorCode::OutOfRangeInput),
            (json!("c9da6455213d42c99a793e9149a57833"), "Edm.Guid", ErrorCode::InvalidInput),
            (json!("not base64"), "Edm.Binary", ErrorCode::InvalidInput),
        ] {
            assert_eq!(read(&json, kind), Err(code), "{json} {kind}");
        }
    }

    #[test]
    fn doubles_are_written_like_the_service_writes_them() {
        for (number, text) in [
            (3.0, "3.0"),
            (-0.5, "-0.5"),
            (0.0, "0.0"),
            (0.00012, "0.00012"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (0.000001, "1E-06"),
            (1e14, "100000000000000.0"),
            (1e15, "1E+15"),
            (1.5e300, "1.5E+300"),
            (-2.5e-7, "-2.5E-07"),
            (f64::INFINITY, "Infinity"),
        ] {
            assert_eq!(double_text(number), text);
        }
    }

    proptest! {
        #[test]
        fn written_values_are_read_as_the_same(value in any_value()) {
            let (text, quoted) = value.text();
            let json = match quoted {
                true => Json::String(text.into_owned()),
                false => serde_json::from_str(&text).unwrap(),
            };
            prop_assert_eq!(Value::read(&json, Some(value.kind())), Ok(Some(value.clone())));
            if value.is_plain() {
                prop_assert_eq!(Value::read(&json, None), Ok(Some(value)));
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            ".{0,9}".prop_map(|text| Value::String(text.into())),
            any::<i32>().prop_map(Value::Int32),
            any::<i64>().prop_map(Value::Int64),
            any::<f64>().prop_filter("not NaN, which equals nothing", |double| !double.is_nan()).prop_map(Value::Double),
            any::<bool>().prop_map(Value::Boolean),
            (Timestamp::WINDOWS_EPOCH.ticks()..=Timestamp::NEVER.ticks())
                .prop_map(|ticks| Value::DateTime(Timestamp::from_ticks(ticks))),
            any::<u128>().prop_map(|bits| Value::Guid(Uuid::from_u128(bits))),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(|bytes| Value::Binary(bytes.into())),
        ]
    }
}
