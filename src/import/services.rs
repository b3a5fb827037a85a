//! The properties of a service: CORS, logging, metrics, and those of the Blob service only.

use crate::import::error::ImportError;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, string, text};
use crate::operation::ServiceKind;
use quick_xml::escape::escape;
use serde_json::Value;

/// The properties. Each is set with its own request, so that one that is refused does not prevent the others.
const PROPERTIES: &str = "logging hourMetrics minuteMetrics cors defaultServiceVersion deleteRetentionPolicy staticWebsite";
/// The members of all properties and of the objects in them, in the order that the service requires of each object.
const MEMBERS: &str = "version deleteProperty read write enabled includeAPIs days retentionPolicy \
                       allowedOrigins allowedMethods allowedHeaders exposedHeaders maxAgeInSeconds \
                       indexDocument defaultIndexDocumentPath errorDocument404Path";

/// Sets the properties of a service. This comes after its data is imported, because with soft delete on, an overwritten blob would leave
/// a deleted one.
///
/// # Errors
/// When the import cannot continue.
pub async fn import(sender: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    let kind = match sender.kind {
        ServiceKind::Blob => "properties of the Blob service",
        ServiceKind::Queue => "properties of the Queue service",
        _ => "properties of the Table service",
    };
    for service in from.collection("$SERVICES_COLLECTION$") {
        let account = string(service, "accountName");
        for (property, value) in members(service, PROPERTIES) {
            let mut body = String::from("<StorageServiceProperties>");
            write_element(property, value, &mut body);
            body.push_str("</StorageServiceProperties>");
            let request = ImportRequest::put("/").query("restype", "service").query("comp", "properties").body(body.into_bytes());
            let name = format!("{account}: {}", element_name(property));
            report.count(kind, &name, sender.send(account, request).await)?;
        }
    }
    Ok(())
}

/// The accounts with properties.
pub fn accounts(from: &Database) -> impl Iterator<Item = &str> {
    from.collection("$SERVICES_COLLECTION$").iter().filter_map(|service| text(service, "accountName"))
}

/// The members of an object that are not null, in the order of `names`.
fn members<'a>(object: &'a Value, names: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    names.split(' ').filter_map(|name| Some((name, object.get(name)?))).filter(|(_, value)| !value.is_null())
}

/// The name of the XML element of a member: `Cors` for `cors`.
fn element_name(member: &str) -> String {
    match member.split_at_checked(1) {
        _ if member == "deleteProperty" => "Delete".to_owned(),
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => String::new(),
    }
}

fn write_element(member: &str, value: &Value, xml: &mut String) {
    let name = element_name(member);
    xml.push_str(&format!("<{name}>"));
    match value {
        Value::String(text) => xml.push_str(&escape(text.as_str())),
        Value::Array(rules) => rules.iter().for_each(|rule| write_element("corsRule", rule, xml)),
        Value::Object(_) => members(value, MEMBERS).for_each(|(member, value)| write_element(member, value, xml)),
        other => xml.push_str(&other.to_string()),
    }
    xml.push_str(&format!("</{name}>"));
}
