//! Entities in the JSON of requests.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::{MOST_PROPERTIES, Type, Value, check_name};
use crate::rules::wire_name::WireName;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fmt;

/// The keys and properties in a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityBody {
    pub partition: Option<String>,
    pub row: Option<String>,
    /// The other properties that are not null, in order.
    pub properties: Vec<(Box<str>, Value)>,
}

/// The members of a JSON object in order, including duplicates.
struct Members(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Members, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Object)
    }
}

/// Reads the members of a JSON object, in order.
///
/// # Errors
/// 400 InvalidInput unless the body is a JSON object; 400 DuplicatePropertiesSpecified for a name that occurs twice.
pub fn members(body: &[u8]) -> Result<Vec<(String, Json)>, StorageError> {
    let Members(members) =
        serde_json::from_slice(body).map_err(|error| ErrorCode::InvalidInput.with_reason(error.to_string()))?;
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(ErrorCode::DuplicatePropertiesSpecified.into());
    }
    Ok(members)
}

/// Reads an entity. Its Timestamp and its metadata (`odata.etag` and the like) are ignored: the service determines them.
///
/// # Errors
/// As [`members`]; 400 InvalidInput for a value that is not of the type that its annotation names, PropertyNameInvalid and
/// PropertyNameTooLong for a name, TooManyProperties, PropertiesNeedValue for a key that is null, PrimaryKeyPropertyIsInvalidType for one that is not a string.
pub fn read(body: &[u8]) -> Result<EntityBody, StorageError> {
    let members = members(body)?;
    // A map, because a body can have so many members that a search for each annotation would take too long.
    let annotations: HashMap<&str, &Json> =
        members.iter().filter_map(|(name, kind)| Some((name.strip_suffix("@odata.type")?, kind))).collect();
    let annotated = |name: &str| -> Result<Option<Type>, StorageError> {
        let Some(kind) = annotations.get(name) else { return Ok(None) };
        let unknown = || ErrorCode::InvalidInput.with_reason(format!("{kind} is not a type"));
        kind.as_str().and_then(Type::parse_exact).map(Some).ok_or_else(unknown)
    };
    let mut body = EntityBody::default();
    for (name, json) in &members {
        match name.as_str() {
            name if name.starts_with("odata.") || name.contains('@') || name == "Timestamp" => {}
            "PartitionKey" => body.partition = Some(key(json, annotated(name)?)?),
            "RowKey" => body.row = Some(key(json, annotated(name)?)?),
            name => {
                check_name(name)?;
                let Some(value) = Value::read(json, annotated(name)?)? else { continue };
                if body.properties.len() == MOST_PROPERTIES {
                    return Err(ErrorCode::TooManyProperties.into());
                }
                body.properties.push((name.into(), value));
            }
        }
    }
    Ok(body)
}

fn key(json: &Json, kind: Option<Type>) -> Result<String, StorageError> {
    match (json, kind) {
        (Json::Null, _) => Err(ErrorCode::PropertiesNeedValue.into()),
        (Json::String(text), None | Some(Type::String)) => Ok(text.clone()),
        _ => Err(ErrorCode::PrimaryKeyPropertyIsInvalidType.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_keep_their_order_and_nulls_are_ignored() {
        let body = br#"{"odata.etag":"W/x","PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":"","Timestamp":"2020-01-01T00:00:00Z",
            "Timestamp@odata.type":"Edm.DateTime","b":1,"a@odata.type":"Edm.Int64","a":"2","none":null,"late":"3","late@odata.type":"Edm.Int64",
            "lost@odata.type":"Edm.Guid"}"#;
        let given = read(body).unwrap();
        assert_eq!((given.partition.as_deref(), given.row.as_deref()), (Some("p"), Some("")));
        let named = |name: &str, value| (name.into(), value);
        let expected = [named("b", Value::Int32(1)), named("a", Value::Int64(2)), named("late", Value::Int64(3))];
        assert_eq!(given.properties, expected);
    }

    /// As many as a body can hold: quadratic time would be noticed.
    #[test]
    fn many_members_take_linear_time() {
        let body = |value: &str| {
            let members: Vec<String> = (0..20_000).map(|n| format!(r#""p{n}":{value},"p{n}@odata.type":"Edm.Int32""#)).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(read(body("1").as_bytes()).unwrap_err().code(), ErrorCode::TooManyProperties);
        assert_eq!(read(body("null").as_bytes()), Ok(EntityBody::default()));
    }

    #[test]
    fn malformed_entities_are_refused() {
        let long = format!(r#"{{"{}":1}}"#, "n".repeat(256));
        for (body, code) in [
            ("", ErrorCode::InvalidInput),
            ("[]", ErrorCode::InvalidInput),
            ("{", ErrorCode::InvalidInput),
            ("{}{}", ErrorCode::InvalidInput),
            (r#"{"a":{"b":1}}"#, ErrorCode::InvalidInput),
            (r#"{"a":1,"a@odata.type":"Edm.Int16"}"#, ErrorCode::InvalidInput),
            (r#"{"a":1,"a@odata.type":1}"#, ErrorCode::InvalidInput),
            (r#"{"a":1,"a":2}"#, ErrorCode::DuplicatePropertiesSpecified),
            (r#"{"a b":1}"#, ErrorCode::PropertyNameInvalid),
            (r#"{"a-b":1}"#, ErrorCode::PropertyNameInvalid),
            (r#"{"1a":1}"#, ErrorCode::PropertyNameInvalid),
            (r#"{"":1}"#, ErrorCode::PropertyNameInvalid),
            (&long, ErrorCode::PropertyNameTooLong),
            (r#"{"PartitionKey":null}"#, ErrorCode::PropertiesNeedValue),
            (r#"{"RowKey":1}"#, ErrorCode::PrimaryKeyPropertyIsInvalidType),
            (r#"{"RowKey":"1","RowKey@odata.type":"Edm.Int32"}"#, ErrorCode::PrimaryKeyPropertyIsInvalidType),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap_err().code(), code, "{body}");
        }
    }
}
