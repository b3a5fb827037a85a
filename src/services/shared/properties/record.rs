//! The stored form of the properties of a service: one record. The types of the elements are stored as they are, so their fields and the
//! order of their fields never change.

use crate::rules::cors::CorsRule;
use crate::rules::versions::Version;
use crate::services::shared::properties::{DeleteRetention, Logging, Metrics, Properties, Protocols, StaticWebsite};
use crate::store::changes::Changes;
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};
use serde::{Deserialize, Serialize};

/// The version of the form.
const FORM: u8 = 1;
/// The key of the record.
const KEY: &[u8] = b"p";

#[derive(Serialize, Deserialize)]
struct Form {
    logging: Logging,
    hour_metrics: Metrics,
    minute_metrics: Metrics,
    cors: Vec<CorsForm>,
    delete_retention: DeleteRetention,
    static_website: StaticWebsite,
    default_version: Option<String>,
    protocols: Protocols,
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
        let cors = |rule: &CorsRule| CorsForm {
            origins: rule.allowed_origins.clone(),
            methods: rule.allowed_methods.clone(),
            headers: rule.allowed_headers.clone(),
            exposed: rule.exposed_headers.clone(),
            seconds: rule.max_age_seconds,
        };
        Form {
            logging: properties.logging,
            hour_metrics: properties.hour_metrics,
            minute_metrics: properties.minute_metrics,
            cors: properties.cors.iter().map(cors).collect(),
            delete_retention: properties.delete_retention,
            static_website: properties.static_website.clone(),
            default_version: properties.default_version.map(|version| version.to_string()),
            protocols: properties.protocols,
        }
    }

    fn properties(self) -> Properties {
        let cors = |rule: CorsForm| CorsRule {
            allowed_origins: rule.origins,
            allowed_methods: rule.methods,
            allowed_headers: rule.headers,
            exposed_headers: rule.exposed,
            max_age_seconds: rule.seconds,
        };
        Properties {
            logging: self.logging,
            hour_metrics: self.hour_metrics,
            minute_metrics: self.minute_metrics,
            cors: self.cors.into_iter().map(cors).collect(),
            delete_retention: self.delete_retention,
            static_website: self.static_website,
            default_version: self.default_version.and_then(|version| Version::parse(&version)),
            protocols: self.protocols,
        }
    }
}
