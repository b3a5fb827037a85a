//! The matrix of roles: which operations each built-in role permits.

use crate::account::Accounts;
use crate::operation::{OperationSpec, Service, ServiceKind};
use crate::rules::auth::permissions::{AnonymousAccess, Authorization, check_permission};
use crate::rules::auth::roles::{ActionSet, ROLES, RequiredActions, RoleAction};
use crate::rules::versions::Version;
use crate::services::blob::{Blobs, DataLake};
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use std::sync::Arc;

/// Each operation of each service, and the short names of the roles that permit it. Lines that begin with `#` are comments.
const MATRIX: &str = include_str!("roles.txt");

/// The operations of all services.
fn operations() -> Vec<(ServiceKind, &'static OperationSpec)> {
    let (accounts, store) = (Accounts::default(), Store::MEMORY);
    let blobs = Arc::new(Blobs::open(&accounts, &store).unwrap());
    let services: [Box<dyn Service>; 5] = [
        Box::new(DataLake::new(blobs)),
        Box::new(Blobs::open(&accounts, &store).unwrap()),
        Box::new(Queues::open(&accounts, &store).unwrap()),
        Box::new(Tables::open(&accounts, &store).unwrap()),
        Box::new(Files::open(&accounts, &store).unwrap()),
    ];
    services.iter().flat_map(|service| service.operations().into_iter().map(|spec| (service.kind(), spec))).collect()
}

fn is_permitted(kind: ServiceKind, spec: &OperationSpec, actions: ActionSet) -> bool {
    check_permission(&spec.requires, &Authorization::User(actions), kind.letter(), Version::V2021_12_02).is_ok()
}

#[test]
fn every_operation_declares_the_actions_that_it_needs() {
    for (kind, spec) in operations() {
        let name = format!("{} of {}", spec.name, kind.name());
        assert_ne!(spec.requires.actions, RequiredActions::UNDECLARED, "{name}");
        assert!(is_permitted(kind, spec, ActionSet::ALL), "{name}");
        let of_service = |action: &RoleAction| {
            let label = kind.at_port().label();
            action.name().starts_with(&format!("{label}Services/"))
        };
        for action in spec.requires.actions.0.iter().copied().flatten() {
            assert!(of_service(action), "{name} needs {}", action.name());
        }
        // Some operations need nothing themselves: those that everybody may do, and a transaction, whose parts are checked.
        let is_free = is_permitted(kind, spec, ActionSet::NONE);
        let is_open = spec.requires.public == AnonymousAccess::Everyone || spec.name == "Entity Group Transaction";
        assert_eq!(is_free, is_open, "{name}");
    }
}

#[test]
fn each_role_permits_its_operations_and_no_other() {
    let row = |(kind, spec): (ServiceKind, &OperationSpec)| {
        let roles = ROLES.iter().filter(|role| is_permitted(kind, spec, role.actions)).map(|role| role.short);
        let roles: Vec<&str> = if is_permitted(kind, spec, ActionSet::NONE) { vec!["everybody"] } else { roles.collect() };
        format!("{} | {} | {}", kind.label(), spec.name, roles.join(" "))
    };
    let rows: Vec<String> = operations().into_iter().map(row).collect();
    let matrix: Vec<&str> = MATRIX.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows, matrix);
}

/// The exceptions are actions of SMB.
#[test]
fn every_action_is_needed_by_an_operation() {
    let needed: Vec<RoleAction> =
        operations().iter().flat_map(|(_, spec)| spec.requires.actions.0.iter().copied().flatten().copied()).collect();
    let unused: Vec<&str> =
        RoleAction::ALL.iter().filter(|action| !needed.contains(action)).map(|action| action.name()).collect();
    let of_smb = [
        "fileServices/fileshares/files/delete",
        "fileServices/takeOwnership/action",
        "fileServices/runAsBuiltInFileAdministrator/action",
    ];
    assert_eq!(unused, of_smb);
}
