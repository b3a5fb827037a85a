//! The stored form of the properties of a service: one record.

use crate::rules::cors::CorsRule;
use crate::rules::versions::Version;
use crate::services::shared::properties::{DeleteRetention, Logging, Metrics, Properties, Protocols, Retention, StaticWebsite};
use crate::store::changes::Changes;
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use serde::{Deserialize, Serialize};

/// The version of the form.
const FORM: u8 = 1;
/// The key of the record.
const KEY: &[u8] = b"p";

/// Whether reads, writes and deletes are logged, and the days of retention.
type LoggingForm = (bool, bool, bool, Option<u32>);
/// Whether metrics include APIs, if they are enabled, and the days of retention.
type MetricsForm = (Option<bool>, Option<u32>);

#[derive(Serialize, Deserialize)]
struct Form {
    logging: LoggingForm,
    hour_metrics: MetricsForm,
    minute_metrics: MetricsForm,
    cors: Vec<CorsForm>,
    /// The days of retention of deleted blobs, and whether they may be deleted permanently.
    delete_retention: (Option<u32>, bool),
    /// Whether the static website is enabled, its index document, its error document, the path of its default index.
    website: (bool, [Option<String>; 3]),
    default_version: Option<String>,
    /// Whether SMB is multichannel, and whether SMB and NFS require encryption in transit.
    protocols: (bool, Option<bool>, Option<bool>),
}

#[derive(Serialize, Deserialize)]
struct CorsForm {
    origins: Vec<String>,
    methods: Vec<String>,
    headers: Vec<String>,
    exposed: Vec<String>,
    seconds: u32,
}

impl Persist for Properties {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        if before.map_or(*after != Properties::default(), |before| before != after) {
            to.put(KEY, FORM, &Form::of(after));
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        records.get(KEY).map_or(Ok(Properties::default()), |record| Ok(record.read::<Form>(FORM)?.properties()))
    }
}

impl Form {
    fn of(properties: &Properties) -> Form {
        let Properties { logging, delete_retention, protocols, static_website: site, .. } = properties;
        let metrics = |metrics: Metrics| (metrics.include_apis, metrics.retention.0);
        let cors = |rule: &CorsRule| CorsForm {
            origins: rule.allowed_origins.clone(),
            methods: rule.allowed_methods.clone(),
            headers: rule.allowed_headers.clone(),
            exposed: rule.exposed_headers.clone(),
            seconds: rule.max_age_seconds,
        };
        let paths = [&site.index_document, &site.error_document, &site.default_index_path].map(Clone::clone);
        Form {
            logging: (logging.read, logging.write, logging.delete, logging.retention.0),
            hour_metrics: metrics(properties.hour_metrics),
            minute_metrics: metrics(properties.minute_metrics),
            cors: properties.cors.iter().map(cors).collect(),
            delete_retention: (delete_retention.retention.0, delete_retention.allow_permanent_delete),
            website: (site.enabled, paths),
            default_version: properties.default_version.map(|version| version.to_string()),
            protocols: (protocols.multichannel, protocols.smb_encrypted, protocols.nfs_encrypted),
        }
    }

    fn properties(self) -> Properties {
        let (read, write, delete, days) = self.logging;
        let metrics = |(include_apis, days)| Metrics { include_apis, retention: Retention(days) };
        let cors = |rule: CorsForm| CorsRule {
            allowed_origins: rule.origins,
            allowed_methods: rule.methods,
            allowed_headers: rule.headers,
            exposed_headers: rule.exposed,
            max_age_seconds: rule.seconds,
        };
        let (days_deleted, allow_permanent_delete) = self.delete_retention;
        let (enabled, [index_document, error_document, default_index_path]) = self.website;
        let (multichannel, smb_encrypted, nfs_encrypted) = self.protocols;
        Properties {
            logging: Logging { read, write, delete, retention: Retention(days) },
            hour_metrics: metrics(self.hour_metrics),
            minute_metrics: metrics(self.minute_metrics),
            cors: self.cors.into_iter().map(cors).collect(),
            delete_retention: DeleteRetention { retention: Retention(days_deleted), allow_permanent_delete },
            static_website: StaticWebsite { enabled, index_document, error_document, default_index_path },
            default_version: self.default_version.and_then(|version| Version::parse(&version)),
            protocols: Protocols { multichannel, smb_encrypted, nfs_encrypted },
        }
    }
}
