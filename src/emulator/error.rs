//! Why a server cannot start.

use crate::config::ConfigErrorKind;
use crate::control::NoRandomness;
use crate::http::tls::TlsError;
use crate::identity::KeyError;
use crate::seed::error::SeedError;
use crate::services::blob::NamespaceError;
use crate::store::disk::error::{DiskError, DiskErrorKind};
use thiserror::Error;

/// Why a server cannot start. Displayed, it is one sentence that names the setting and what to do.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct StartError(pub(crate) StartErrorKind);

/// What is wrong.
#[derive(Debug, Error)]
pub(crate) enum StartErrorKind {
    #[error(transparent)]
    Config(#[from] ConfigErrorKind),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    #[error(transparent)]
    PageKey(#[from] NoRandomness),
    #[error("--seed: {0}")]
    Seed(#[from] SeedError),
    /// `hint` names the flag that chooses another port or address.
    #[error("the {service} service cannot listen at {host}:{port}: {reason} ({hint})")]
    Listen { service: &'static str, host: String, port: u16, reason: String, hint: String },
}

impl StartError {
    /// Returns true if another server is using the location.
    pub fn is_location_in_use(&self) -> bool {
        matches!(self.0, StartErrorKind::Disk(DiskError { kind: DiskErrorKind::LocationInUse, .. }))
    }
}

impl<E: Into<StartErrorKind>> From<E> for StartError {
    fn from(error: E) -> StartError {
        StartError(error.into())
    }
}
