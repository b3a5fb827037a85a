//! Service properties: logging, metrics, CORS; of blobs also retention, static website and default version; of files protocols.
//!
//! Set Service Properties replaces the elements that it names and keeps the others. Logging and metrics are stored and returned, and
//! have no effect.

mod record;

use crate::operation::xml::{Element, Writer};
use crate::operation::{ServiceKind, xml};
use crate::rules::blob::website::Site;
use crate::rules::cors;
use crate::rules::cors::CorsRule;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The properties of one service of one account.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties {
    pub logging: Logging,
    pub hour_metrics: Metrics,
    pub minute_metrics: Metrics,
    pub cors: Arc<[CorsRule]>,
    pub delete_retention: DeleteRetention,
    pub static_website: StaticWebsite,
    /// The version of requests that name none.
    pub default_version: Option<Version>,
    pub protocols: Protocols,
}

/// The days of a retention policy; `None` if it is disabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention(pub Option<u32>);

/// `Logging`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logging {
    read: bool,
    write: bool,
    delete: bool,
    retention: Retention,
}

impl Logging {
    pub fn is_on(self) -> bool {
        self.read || self.write || self.delete
    }
}

/// `HourMetrics` and `MinuteMetrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics {
    /// `IncludeAPIs`; `None` if the metrics are disabled.
    include_apis: Option<bool>,
    retention: Retention,
}

/// `DeleteRetentionPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteRetention {
    pub retention: Retention,
    /// Whether deleted blobs may be deleted permanently before their retention ends.
    pub allow_permanent_delete: bool,
}

/// `StaticWebsite`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticWebsite {
    pub enabled: bool,
    index_document: Option<String>,
    error_document: Option<String>,
    default_index_path: Option<String>,
}

/// `ProtocolSettings`. They are stored and returned, and have no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocols {
    multichannel: bool,
    /// `EncryptionInTransit`, if it was set.
    smb_encrypted: Option<bool>,
    nfs_encrypted: Option<bool>,
}

/// The elements that a service has.
const fn elements(kind: ServiceKind) -> &'static [&'static str] {
    match kind {
        ServiceKind::Blob | ServiceKind::DataLake => &[
            "Logging",
            "HourMetrics",
            "Metrics",
            "MinuteMetrics",
            "Cors",
            "DeleteRetentionPolicy",
            "StaticWebsite",
            "DefaultServiceVersion",
        ],
        ServiceKind::Queue | ServiceKind::Table => &["Logging", "HourMetrics", "Metrics", "MinuteMetrics", "Cors"],
        ServiceKind::File => &["HourMetrics", "MinuteMetrics", "Cors", "ProtocolSettings"],
    }
}

/// The most days of a retention policy.
const MAX_DAYS: u32 = 365;

impl Properties {
    /// The properties after a Set Service Properties with this body.
    ///
    /// # Errors
    /// 400 InvalidXmlDocument or InvalidXmlNodeValue for a document that is malformed or has a value out of range.
    pub fn updated(&self, document: &[u8], kind: ServiceKind) -> Result<Properties, StorageError> {
        let root = xml::parse(document, "StorageServiceProperties")?;
        let mut next = self.clone();
        for part in &root.children {
            match part.name.as_str() {
                name if !elements(kind).contains(&name) => {
                    return Err(StorageError::invalid_xml(format!("{name} is not an element of StorageServiceProperties.")));
                }
                "Logging" => next.logging = Logging::read(part)?,
                "HourMetrics" | "Metrics" => next.hour_metrics = Metrics::read(part)?,
                "MinuteMetrics" => next.minute_metrics = Metrics::read(part)?,
                "Cors" => next.cors = read_cors(part)?.into(),
                "DeleteRetentionPolicy" => next.delete_retention = DeleteRetention::read(part, self.delete_retention)?,
                "StaticWebsite" => next.static_website = StaticWebsite::read(part)?,
                "ProtocolSettings" => next.protocols = Protocols::read(part, self.protocols)?,
                "DefaultServiceVersion" => next.default_version = read_version(part.text.trim())?,
                _ => {}
            }
        }
        Ok(next)
    }

    /// The answer to Get Service Properties.
    pub fn document(&self, kind: ServiceKind, version: Version) -> String {
        let mut xml = Writer::new();
        xml.open("StorageServiceProperties");
        if kind != ServiceKind::File {
            self.logging.write(&mut xml);
        }
        self.hour_metrics.write("HourMetrics", &mut xml);
        self.minute_metrics.write("MinuteMetrics", &mut xml);
        xml.nest("Cors", |xml| self.cors.iter().for_each(|rule| write_cors(rule, xml)));
        match kind {
            ServiceKind::Blob | ServiceKind::DataLake => self.write_blobs(&mut xml, version),
            ServiceKind::File => self.protocols.write(&mut xml),
            ServiceKind::Queue | ServiceKind::Table => {}
        }
        xml.close("StorageServiceProperties");
        xml.finish()
    }

    /// The elements that only the Blob service has.
    fn write_blobs(&self, xml: &mut Writer, version: Version) {
        if version >= Version::V2017_07_29 {
            xml.nest("DeleteRetentionPolicy", |xml| {
                self.delete_retention.retention.write_inside(xml);
                if version >= Version::V2020_02_10 {
                    xml.leaf("AllowPermanentDelete", flag(self.delete_retention.allow_permanent_delete));
                }
            });
        }
        if version >= Version::V2018_03_28 {
            self.static_website.write(xml);
        }
        xml.leaf_some("DefaultServiceVersion", self.default_version.map(|version| version.to_string()));
    }
}

impl Retention {
    fn read(part: &Element) -> Result<Retention, StorageError> {
        if !read_flag(part, "Enabled")? {
            return Ok(Retention(None));
        }
        let days = part.need("Days")?;
        match days.parse() {
            Ok(days) if (1..=MAX_DAYS).contains(&days) => Ok(Retention(Some(days))),
            _ => Err(StorageError::invalid_xml("Retention days must be greater than 0 and less than or equal to 365 days.")),
        }
    }

    fn read_in(part: &Element) -> Result<Retention, StorageError> {
        let policy = part.child("RetentionPolicy");
        Retention::read(
            policy.ok_or_else(|| StorageError::invalid_xml(format!("RetentionPolicy is missing from {}.", part.name)))?,
        )
    }

    fn write(self, xml: &mut Writer) {
        xml.nest("RetentionPolicy", |xml| self.write_inside(xml));
    }

    fn write_inside(self, xml: &mut Writer) {
        xml.leaf("Enabled", flag(self.0.is_some()));
        xml.leaf_some("Days", self.0.map(|days| days.to_string()));
    }
}

impl Logging {
    fn read(part: &Element) -> Result<Logging, StorageError> {
        part.need("Version")?;
        Ok(Logging {
            read: read_flag(part, "Read")?,
            write: read_flag(part, "Write")?,
            delete: read_flag(part, "Delete")?,
            retention: Retention::read_in(part)?,
        })
    }

    fn write(self, xml: &mut Writer) {
        xml.nest("Logging", |xml| {
            xml.leaf("Version", "1.0")
                .leaf("Read", flag(self.read))
                .leaf("Write", flag(self.write))
                .leaf("Delete", flag(self.delete));
            self.retention.write(xml);
        });
    }
}

impl Metrics {
    fn read(part: &Element) -> Result<Metrics, StorageError> {
        let enabled = read_flag(part, "Enabled")?;
        let include_apis = match enabled {
            true => Some(read_flag(part, "IncludeAPIs")?),
            false => None,
        };
        Ok(Metrics { include_apis, retention: Retention::read_in(part)? })
    }

    fn write(self, name: &str, xml: &mut Writer) {
        xml.nest(name, |xml| {
            xml.leaf("Version", "1.0").leaf("Enabled", flag(self.include_apis.is_some()));
            xml.leaf_some("IncludeAPIs", self.include_apis.map(flag));
            self.retention.write(xml);
        });
    }
}

impl DeleteRetention {
    fn read(part: &Element, before: DeleteRetention) -> Result<DeleteRetention, StorageError> {
        let allow = match part.child("AllowPermanentDelete") {
            Some(_) => read_flag(part, "AllowPermanentDelete")?,
            None => before.allow_permanent_delete,
        };
        Ok(DeleteRetention { retention: Retention::read(part)?, allow_permanent_delete: allow })
    }
}

impl Protocols {
    fn read(part: &Element, before: Protocols) -> Result<Protocols, StorageError> {
        let flag = |protocol: &str, feature: &str, name: &str, before| {
            let found = part.child(protocol).and_then(|protocol| protocol.child(feature));
            found.map_or(Ok(before), |feature| read_flag(feature, name).map(Some))
        };
        Ok(Protocols {
            multichannel: flag("SMB", "Multichannel", "Enabled", Some(before.multichannel))?.unwrap_or_default(),
            smb_encrypted: flag("SMB", "EncryptionInTransit", "Required", before.smb_encrypted)?,
            nfs_encrypted: flag("NFS", "EncryptionInTransit", "Required", before.nfs_encrypted)?,
        })
    }

    fn write(self, xml: &mut Writer) {
        let encrypted = |xml: &mut Writer, required: bool| {
            xml.nest("EncryptionInTransit", |xml| _ = xml.leaf("Required", flag(required)));
        };
        xml.open("ProtocolSettings").open("SMB");
        xml.nest("Multichannel", |xml| _ = xml.leaf("Enabled", flag(self.multichannel)));
        self.smb_encrypted.into_iter().for_each(|required| encrypted(xml, required));
        xml.close("SMB");
        if let Some(required) = self.nfs_encrypted {
            xml.nest("NFS", |xml| encrypted(xml, required));
        }
        xml.close("ProtocolSettings");
    }
}

impl StaticWebsite {
    /// The website, if it is enabled.
    pub fn site(&self) -> Option<Site<'_>> {
        self.enabled.then_some(Site {
            index: self.index_document.as_deref(),
            default_index: self.default_index_path.as_deref(),
            error: self.error_document.as_deref(),
        })
    }

    fn read(part: &Element) -> Result<StaticWebsite, StorageError> {
        let named = |name| part.text_of(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let enabled = read_flag(part, "Enabled")?;
        if named("IndexDocument").and(named("DefaultIndexDocumentPath")).is_some() {
            return Err(StorageError::invalid_xml("IndexDocument and DefaultIndexDocumentPath are mutually exclusive."));
        }
        Ok(StaticWebsite {
            enabled,
            index_document: named("IndexDocument").filter(|_| enabled),
            error_document: named("ErrorDocument404Path").filter(|_| enabled),
            default_index_path: named("DefaultIndexDocumentPath").filter(|_| enabled),
        })
    }

    fn write(&self, xml: &mut Writer) {
        xml.nest("StaticWebsite", |xml| {
            xml.leaf("Enabled", flag(self.enabled));
            xml.leaf_some("IndexDocument", self.index_document.as_deref());
            xml.leaf_some("DefaultIndexDocumentPath", self.default_index_path.as_deref());
            xml.leaf_some("ErrorDocument404Path", self.error_document.as_deref());
        });
    }
}

fn read_cors(part: &Element) -> Result<Vec<CorsRule>, StorageError> {
    let list = |text: &str| text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    // The service returns headers with full names before those with a wildcard (recorded).
    let headers = |text: &str| {
        let (prefixed, named) = list(text).into_iter().partition::<Vec<_>, _>(|name| name.ends_with('*'));
        [named, prefixed].concat()
    };
    let rules = part.children.iter().map(|rule| {
        let seconds = rule.need("MaxAgeInSeconds")?;
        Ok(CorsRule {
            allowed_origins: list(rule.need("AllowedOrigins")?),
            allowed_methods: list(rule.need("AllowedMethods")?),
            allowed_headers: headers(rule.text_of("AllowedHeaders").unwrap_or_default()),
            exposed_headers: headers(rule.text_of("ExposedHeaders").unwrap_or_default()),
            max_age_seconds: seconds.parse().map_err(|_| StorageError::invalid_xml_node("MaxAgeInSeconds", seconds))?,
        })
    });
    let rules = rules.collect::<Result<Vec<_>, StorageError>>()?;
    cors::check(&rules)?;
    Ok(rules)
}

fn write_cors(rule: &CorsRule, xml: &mut Writer) {
    xml.nest("CorsRule", |xml| {
        xml.leaf("AllowedMethods", rule.allowed_methods.join(","));
        xml.leaf("AllowedOrigins", rule.allowed_origins.join(","));
        xml.leaf("AllowedHeaders", rule.allowed_headers.join(","));
        xml.leaf("ExposedHeaders", rule.exposed_headers.join(","));
        xml.leaf("MaxAgeInSeconds", rule.max_age_seconds.to_string());
    });
}

fn read_version(text: &str) -> Result<Option<Version>, StorageError> {
    if text.is_empty() {
        return Ok(None);
    }
    Version::parse(text).map(Some).ok_or_else(|| StorageError::invalid_xml_node("DefaultServiceVersion", text))
}

fn read_flag(part: &Element, name: &str) -> Result<bool, StorageError> {
    let text = part.need(name)?;
    if text.eq_ignore_ascii_case("true") || text == "1" {
        Ok(true)
    } else if text.eq_ignore_ascii_case("false") || text == "0" {
        Ok(false)
    } else {
        Err(StorageError::invalid_xml_node(name, text))
    }
}

fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(body: &str) -> Result<Properties, StorageError> {
        Properties::default()
            .updated(format!("<StorageServiceProperties>{body}</StorageServiceProperties>").as_bytes(), ServiceKind::Blob)
    }

    #[test]
    fn elements_that_are_not_named_are_kept() {
        let one = set("<DeleteRetentionPolicy><Enabled>True</Enabled><Days>7</Days></DeleteRetentionPolicy>").unwrap();
        let two = one.updated(b"<StorageServiceProperties><Cors /></StorageServiceProperties>", ServiceKind::Blob).unwrap();
        assert_eq!(two, one);
        assert_eq!(two.delete_retention.retention, Retention(Some(7)));
    }

    #[test]
    fn malformed_documents_and_values_out_of_range_are_refused() {
        for (body, code) in [
            ("<DeleteRetentionPolicy><Enabled>true</Enabled><Days>0</Days></DeleteRetentionPolicy>", "InvalidXmlDocument"),
            ("<DeleteRetentionPolicy><Enabled>true</Enabled><Days>366</Days></DeleteRetentionPolicy>", "InvalidXmlDocument"),
            ("<DeleteRetentionPolicy><Enabled>true</Enabled></DeleteRetentionPolicy>", "InvalidXmlDocument"),
            ("<DeleteRetentionPolicy><Enabled>perhaps</Enabled></DeleteRetentionPolicy>", "InvalidXmlNodeValue"),
            ("<HourMetrics><Enabled>true</Enabled></HourMetrics>", "InvalidXmlDocument"),
            ("<Logging><Version>1.0</Version></Logging>", "InvalidXmlDocument"),
            ("<DefaultServiceVersion>soon</DefaultServiceVersion>", "InvalidXmlNodeValue"),
            ("<Surprise />", "InvalidXmlDocument"),
            (
                "<StaticWebsite><Enabled>true</Enabled><IndexDocument>a</IndexDocument><DefaultIndexDocumentPath>b</DefaultIndexDocumentPath></StaticWebsite>",
                "InvalidXmlDocument",
            ),
        ] {
            assert_eq!(set(body).unwrap_err().code().name(), code, "{body}");
        }
    }
}
