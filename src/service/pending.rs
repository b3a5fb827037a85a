//! A service that is not there yet: every request gets a clear refusal, in the form that the service's clients read.

use crate::op::{Call, Done, Kind, Query, Row, Service, Target};
use crate::rules::{
    access::PublicAccess,
    cors::CorsRule,
    fault::{Code, Fault},
    sas::Policy,
    version::Version,
};
use std::pin::Pin;
use std::sync::Arc;

/// The face of a service that is not there yet.
#[derive(Clone, Copy, Debug)]
pub struct Pending(pub Kind);

impl Pending {
    fn refusal(self) -> Fault {
        Code::NotImplemented.saying(format!("The {} service is not implemented yet.", self.0.name()))
    }
}

impl Service for Pending {
    fn kind(&self) -> Kind {
        self.0
    }

    fn rows(&self) -> Vec<&'static Row> {
        Vec::new()
    }

    fn run(&self, _: usize, _: Call) -> Done<'_> {
        Box::pin(std::future::ready(Err(self.refusal())))
    }

    fn target(&self, _: &str, _: &Query) -> Result<Target, Fault> {
        Err(self.refusal())
    }

    fn public_access(&self, _: &str, _: &Target) -> PublicAccess {
        PublicAccess::Private
    }

    fn policy(&self, _: &str, _: &Target, _: &str) -> Option<Policy> {
        None
    }

    fn cors(&self, _: &str) -> Arc<[CorsRule]> {
        Arc::default()
    }

    fn default_version(&self, _: &str) -> Option<Version> {
        None
    }

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + '_>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
