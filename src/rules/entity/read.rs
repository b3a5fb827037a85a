//! From a request's JSON to an entity's keys and properties.

use super::super::fault::{Code, Fault};
use super::{MOST_PROPERTIES, Type, Value, check_name};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fmt;

/// What a request's body says of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Its PartitionKey, if it is there.
    pub partition: Option<String>,
    /// Its RowKey, if it is there.
    pub row: Option<String>,
    /// Its other properties, those that are not null, in order.
    pub properties: Vec<(Box<str>, Value)>,
}

/// The members of a JSON object in order, repeated ones too.
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

/// The members of a body that is a JSON object, in order.
///
/// # Errors
/// 400 InvalidInput for a body that is none; 400 DuplicatePropertiesSpecified for a name that is there twice.
pub fn members(body: &[u8]) -> Result<Vec<(String, Json)>, Fault> {
    let Members(members) = serde_json::from_slice(body).map_err(|error| Code::InvalidInput.because(error.to_string()))?;
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Code::DuplicatePropertiesSpecified.into());
    }
    Ok(members)
}

/// Reads an entity from a body. Its Timestamp and all that is said of the entity itself (`odata.etag` and the like) are passed over: they
/// are the service's to say.
///
/// # Errors
/// As [`members`]; 400 InvalidInput for a value that is not of the type that its annotation names, PropertyNameInvalid and
/// PropertyNameTooLong for a name, TooManyProperties, PropertiesNeedValue for a key that is null, PrimaryKeyPropertyIsInvalidType for one that is no string.
pub fn read(body: &[u8]) -> Result<Given, Fault> {
    let members = members(body)?;
    // By name: a body can have a great many members, and none is looked for among all others.
    let annotations: HashMap<&str, &Json> =
        members.iter().filter_map(|(name, kind)| Some((name.strip_suffix("@odata.type")?, kind))).collect();
    let annotated = |name: &str| -> Result<Option<Type>, Fault> {
        let Some(kind) = annotations.get(name) else { return Ok(None) };
        let unknown = || Code::InvalidInput.because(format!("{kind} is no type"));
        kind.as_str().and_then(Type::named).map(Some).ok_or_else(unknown)
    };
    let mut given = Given::default();
    for (name, json) in &members {
        match name.as_str() {
            name if name.starts_with("odata.") || name.contains('@') || name == "Timestamp" => {}
            "PartitionKey" => given.partition = Some(key(json, annotated(name)?)?),
            "RowKey" => given.row = Some(key(json, annotated(name)?)?),
            name => {
                check_name(name)?;
                let Some(value) = Value::read(json, annotated(name)?)? else { continue };
                if given.properties.len() == MOST_PROPERTIES {
                    return Err(Code::TooManyProperties.into());
                }
                given.properties.push((name.into(), value));
            }
        }
    }
    Ok(given)
}

fn key(json: &Json, kind: Option<Type>) -> Result<String, Fault> {
    match (json, kind) {
        (Json::Null, _) => Err(Code::PropertiesNeedValue.into()),
        (Json::String(text), None | Some(Type::String)) => Ok(text.clone()),
        _ => Err(Code::PrimaryKeyPropertyIsInvalidType.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_come_in_order_and_nulls_do_not_come() {
        let body = br#"{"odata.etag":"W/x","PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":"","Timestamp":"2020-01-01T00:00:00Z",
            "Timestamp@odata.type":"Edm.DateTime","b":1,"a@odata.type":"Edm.Int64","a":"2","none":null,"late":"3","late@odata.type":"Edm.Int64",
            "lost@odata.type":"Edm.Guid"}"#;
        let given = read(body).unwrap();
        assert_eq!((given.partition.as_deref(), given.row.as_deref()), (Some("p"), Some("")));
        let named = |name: &str, value| (name.into(), value);
        let expected = [named("b", Value::Int32(1)), named("a", Value::Int64(2)), named("late", Value::Int64(3))];
        assert_eq!(given.properties, expected);
    }

    /// As many as a body can hold: each is looked at once, or nobody would live to see it.
    #[test]
    fn very_many_members_are_read_or_refused() {
        let body = |value: &str| {
            let members: Vec<String> = (0..20_000).map(|n| format!(r#""p{n}":{value},"p{n}@odata.type":"Edm.Int32""#)).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(read(body("1").as_bytes()).unwrap_err().code(), Code::TooManyProperties);
        assert_eq!(read(body("null").as_bytes()), Ok(Given::default()));
    }

    #[test]
    fn refuses_what_is_no_entity() {
        let long = format!(r#"{{"{}":1}}"#, "n".repeat(256));
        for (body, code) in [
            ("", Code::InvalidInput),
            ("[]", Code::InvalidInput),
            ("{", Code::InvalidInput),
            ("{}{}", Code::InvalidInput),
            (r#"{"a":{"b":1}}"#, Code::InvalidInput),
            (r#"{"a":1,"a@odata.type":"Edm.Int16"}"#, Code::InvalidInput),
            (r#"{"a":1,"a@odata.type":1}"#, Code::InvalidInput),
            (r#"{"a":1,"a":2}"#, Code::DuplicatePropertiesSpecified),
            (r#"{"a b":1}"#, Code::PropertyNameInvalid),
            (r#"{"a-b":1}"#, Code::PropertyNameInvalid),
            (r#"{"1a":1}"#, Code::PropertyNameInvalid),
            (r#"{"":1}"#, Code::PropertyNameInvalid),
            (&long, Code::PropertyNameTooLong),
            (r#"{"PartitionKey":null}"#, Code::PropertiesNeedValue),
            (r#"{"RowKey":1}"#, Code::PrimaryKeyPropertyIsInvalidType),
            (r#"{"RowKey":"1","RowKey@odata.type":"Edm.Int32"}"#, Code::PrimaryKeyPropertyIsInvalidType),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap_err().code(), code, "{body}");
        }
    }
}
