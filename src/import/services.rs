//! The properties of a service: CORS, logging, metrics, and those of the Blob service only.

use crate::import::error::ImportError;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, string, text};
use crate::operation::ServiceKind;
use quick_xml::escape::escape;
use serde_json::Value;

/// How a member of a document becomes an XML element. `below` has its members in the order that the service requires.
struct Element {
    member: &'static str,
    name: &'static str,
    below: &'static [Element],
}

const fn leaf(member: &'static str, name: &'static str) -> Element {
    Element { member, name, below: &[] }
}

const RETENTION: &[Element] = &[leaf("enabled", "Enabled"), leaf("days", "Days")];
const METRICS: &[Element] = &[
    leaf("version", "Version"),
    leaf("enabled", "Enabled"),
    leaf("includeAPIs", "IncludeAPIs"),
    Element { member: "retentionPolicy", name: "RetentionPolicy", below: RETENTION },
];
const RULE: &[Element] = &[
    leaf("allowedOrigins", "AllowedOrigins"),
    leaf("allowedMethods", "AllowedMethods"),
    leaf("allowedHeaders", "AllowedHeaders"),
    leaf("exposedHeaders", "ExposedHeaders"),
    leaf("maxAgeInSeconds", "MaxAgeInSeconds"),
];
const LOGGING: &[Element] = &[
    leaf("version", "Version"),
    leaf("deleteProperty", "Delete"),
    leaf("read", "Read"),
    leaf("write", "Write"),
    Element { member: "retentionPolicy", name: "RetentionPolicy", below: RETENTION },
];
const WEBSITE: &[Element] = &[
    leaf("enabled", "Enabled"),
    leaf("indexDocument", "IndexDocument"),
    leaf("defaultIndexDocumentPath", "DefaultIndexDocumentPath"),
    leaf("errorDocument404Path", "ErrorDocument404Path"),
];
/// Each is set with its own request, so that one that is refused does not prevent the others.
const PROPERTIES: [Element; 7] = [
    Element { member: "logging", name: "Logging", below: LOGGING },
    Element { member: "hourMetrics", name: "HourMetrics", below: METRICS },
    Element { member: "minuteMetrics", name: "MinuteMetrics", below: METRICS },
    Element { member: "cors", name: "Cors", below: &[Element { member: "", name: "CorsRule", below: RULE }] },
    leaf("defaultServiceVersion", "DefaultServiceVersion"),
    Element { member: "deleteRetentionPolicy", name: "DeleteRetentionPolicy", below: RETENTION },
    Element { member: "staticWebsite", name: "StaticWebsite", below: WEBSITE },
];

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
        for property in &PROPERTIES {
            let Some(value) = service.get(property.member).filter(|value| !value.is_null()) else { continue };
            let mut body = String::from("<StorageServiceProperties>");
            property.write(value, &mut body);
            body.push_str("</StorageServiceProperties>");
            let request = ImportRequest::put("/").query("restype", "service").query("comp", "properties").body(body.into_bytes());
            report.count(kind, &format!("{account}: {}", property.name), sender.send(account, request).await)?;
        }
    }
    Ok(())
}

/// The accounts with properties.
pub fn accounts(from: &Database) -> impl Iterator<Item = &str> {
    from.collection("$SERVICES_COLLECTION$").iter().filter_map(|service| text(service, "accountName"))
}

impl Element {
    fn write(&self, value: &Value, xml: &mut String) {
        xml.push_str(&format!("<{}>", self.name));
        match (self.below, value) {
            ([], Value::String(text)) => xml.push_str(&escape(text.as_str())),
            ([], other) => xml.push_str(&other.to_string()),
            ([each], Value::Array(members)) => members.iter().for_each(|member| each.write(member, xml)),
            (below, value) => {
                for element in below {
                    if let Some(value) = value.get(element.member).filter(|value| !value.is_null()) {
                        element.write(value, xml);
                    }
                }
            }
        }
        xml.push_str(&format!("</{}>", self.name));
    }
}
