//! The tables of all accounts, and what a table has in common with other resources.

use crate::operation::{Access, Input, OperationSpec, Request, ResourceKind, Selector, ServiceKind};
use crate::rules::auth::roles::ServiceActions;
use crate::rules::auth::sas::Policy;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, HasPolicies};
use crate::services::shared::resource::Resource;
use crate::services::table::state::Table;
use crate::store::cell::Cell;
use std::borrow::Cow;
use std::sync::Arc;

/// The tables of all accounts of one server, by their names in lower case.
pub type Tables = ServiceAccounts<Table>;

impl Resource for Table {
    const KIND: ServiceKind = ServiceKind::Table;
    const ACTIONS: ServiceActions = ServiceActions::TABLE;
    const MISSING: ErrorCode = ErrorCode::TableNotFound;

    fn key(name: &str) -> Cow<'_, str> {
        name.to_lowercase().into()
    }

    fn latest(&mut self) -> Option<&mut Timestamp> {
        Some(&mut self.latest)
    }
}

impl Described for Table {
    const RESTYPE: Option<Selector> = None;
    const READ: OperationSpec = OperationSpec { resource: ResourceKind::Entities, ..OperationSpec::DEFAULT };
    const WRITE: OperationSpec = OperationSpec { access: Access::Write, status: 204, ..Table::READ };

    /// For a table that does not exist, the ACL operations return another error than the operations on entities.
    fn find(tables: &Tables, request: &Request) -> Result<Arc<Cell<Table>>, StorageError> {
        tables
            .resource(request)
            .map_err(|error| if error.code() == ErrorCode::TableNotFound { ErrorCode::ResourceNotFound.into() } else { error })
    }
}

impl HasPolicies for Table {
    const LETTERS: &'static str = "raud";
    type Input = XmlAccepted;

    fn policies(&self) -> &[Policy] {
        &self.policies
    }

    fn set_policies(&mut self, policies: Arc<[Policy]>, _: XmlAccepted, _: Timestamp) {
        self.policies = policies;
    }
}

parsed_input! {
    /// An `Accept` header with which Set Table ACL is served.
    pub XmlAccepted(()) = [Input::header("accept")],
    // The service refuses `*/*` (recorded). A request without the header is served.
    |fields| match fields.header("accept") {
        Some(accept) if accept.trim() == "*/*" => Err(ErrorCode::MediaTypeNotSupported.into()),
        _ => Ok(()),
    }
}
