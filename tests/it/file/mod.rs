//! The file service over a socket: shares, directories and files, as clients see them.

mod copies;
mod directories;
mod elsewhere;
mod files;
mod leases;
mod links;
mod listing;
mod permissions;
mod ranges;
mod rename;
mod retention;
pub mod sas;
mod shares;
mod snapshots;
mod users;

use crate::scenario::check_of;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// Runs a scenario against the file service of a new server with the share `shr`.
async fn check(rows: &str) {
    let server = TestServer::new().await;
    check_in(&server, "PUT /shr?restype=share → 201").await;
    check_in(&server, rows).await;
}

/// Runs a scenario against the file service.
async fn check_in(server: &TestServer, rows: &str) {
    check_of(server, ServiceKind::File, rows).await;
}
