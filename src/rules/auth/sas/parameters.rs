//! The query parameters of a signature, and the refusals of malformed ones.

use crate::rules::error::{ErrorCode, StorageError};

/// Every query parameter that belongs to a signature and not to the operation.
const PARAMETERS: [&str; 36] = [
    "sv", "ss", "srt", "sr", "sdd", "sp", "st", "se", "sip", "spr", "si", "ses", "sig", "tn", "spk", "srk", "epk", "erk",
    "skoid", "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid", "skdutid", "sduoid", "srh", "srq", "rscc", "rscd",
    "rsce", "rscl", "rsct",
];

/// The parameters of a signature, each at most once. An empty one counts as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    pub fn collect(query: &[(String, String)]) -> Result<Parameters, StorageError> {
        let mut found = Parameters(Vec::new());
        for (name, value) in query {
            let Some(known) = PARAMETERS.iter().find(|known| known.eq_ignore_ascii_case(name)) else { continue };
            if found.0.iter().any(|(earlier, _)| earlier == known) {
                return Err(malformed(format!("{known} is there twice")));
            }
            found.0.push((known, value.clone()));
        }
        Ok(found)
    }

    /// A parameter, decoded; empty if it is absent.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    pub fn has(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }

    pub fn need(&self, name: &str) -> Result<&str, StorageError> {
        Some(self.get(name)).filter(|value| !value.is_empty()).ok_or_else(|| mandatory(name))
    }

    /// Parses an optional parameter.
    pub fn read<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StorageError> {
        match self.get(name) {
            "" => Ok(None),
            text => parse(text).map(Some).ok_or_else(|| malformed(format!("{name} is {text:?}"))),
        }
    }

    /// Parses a required parameter.
    pub fn read_needed<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StorageError> {
        self.read(name, parse)?.ok_or_else(|| mandatory(name))
    }
}

/// 403 AuthenticationFailed with this detail.
pub fn refused(detail: impl Into<String>) -> StorageError {
    ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", detail)
}

pub fn wrong_level() -> StorageError {
    refused("The specified signed resource is not allowed for the this resource level")
}

pub fn mandatory(name: &str) -> StorageError {
    refused(format!("{name} is mandatory. Cannot be empty"))
}

pub fn malformed(reason: impl Into<String>) -> StorageError {
    refused("Signature fields not well formed.").with_reason(reason)
}
