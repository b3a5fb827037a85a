//! The queues of all accounts, and what a queue has in common with other resources.

use crate::operation::xml::Writer;
use crate::operation::{Access, OperationSpec, Reply, Request, ResourceKind, Selector, ServiceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::ServiceActions;
use crate::rules::auth::sas::Policy;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::listing;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::queue::state::Queue;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, HasMetadata, HasPolicies};
use crate::services::shared::listing::{Listed, ListedResource};
use crate::services::shared::resource::Resource;
use std::sync::Arc;

/// The queues of all accounts of one server.
pub type Queues = ServiceAccounts<Queue>;

impl Resource for Queue {
    const KIND: ServiceKind = ServiceKind::Queue;
    const ACTIONS: ServiceActions = ServiceActions::QUEUE;
    const MISSING: ErrorCode = ErrorCode::QueueNotFound;
}

impl Described for Queue {
    const RESTYPE: Option<Selector> = None;
    const READ: OperationSpec = OperationSpec { resource: ResourceKind::Queue, ..OperationSpec::DEFAULT };
    const WRITE: OperationSpec = OperationSpec { access: Access::Write, status: 204, ..Queue::READ };
}

impl HasMetadata for Queue {
    const READERS: RequiredPermission = RequiredPermission::container("r");
    type View = ();

    fn metadata(&self, _: &Request, (): ()) -> Result<(&Metadata, Option<Timestamp>), StorageError> {
        Ok((&self.metadata, None))
    }

    fn set_metadata(&mut self, metadata: Metadata, _: Timestamp) {
        self.metadata = metadata;
    }

    fn describe(&self, reply: Reply, now: Timestamp) -> Reply {
        reply.with("x-ms-approximate-messages-count", self.count(now).to_string())
    }
}

impl HasPolicies for Queue {
    /// Read, add, update, process.
    const LETTERS: &'static str = "raup";
    type Input = ();

    fn policies(&self) -> &[Policy] {
        &self.policies
    }

    fn set_policies(&mut self, policies: Arc<[Policy]>, (): (), _: Timestamp) {
        self.policies = policies;
    }
}

impl Listed for Queue {
    const PLURAL: &'static str = "Queues";
    const INCLUDE: &'static [&'static str] = &["metadata"];

    fn page_size(text: Option<&str>) -> Result<usize, StorageError> {
        // For a page size of zero, this service names the parameter and its range; the others do not (recorded).
        listing::maxresults(text).map_err(|error| match (error.code(), text) {
            (ErrorCode::OutOfRangeInput, Some(text)) => {
                StorageError::out_of_range_query("maxresults", text, 1, listing::PAGE as u64)
            }
            _ => error,
        })
    }

    fn write_entry(xml: &mut Writer, line: &ListedResource<'_, Queue>, include: &[&str], _: &Request) {
        xml.open("Queue").leaf("Name", line.name);
        if include.contains(&"metadata") {
            xml.nest("Metadata", |xml| line.state.metadata.iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
        }
        xml.close("Queue");
    }
}
