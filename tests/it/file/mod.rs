//! The file service over a socket: shares, directories and files, as clients see them.

mod copies;
mod directories;
mod elsewhere;
mod files;
mod handles;
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

use crate::house::House;
use crate::scenario::check_of;
use lazuli::operation::ServiceKind;

/// Runs a scenario against the file service of a new server with the share `shr`.
async fn check(rows: &str) {
    let house = House::new().await;
    check_in(&house, "PUT /shr?restype=share → 201").await;
    check_in(&house, rows).await;
}

/// Runs a scenario against the file service.
async fn check_in(house: &House, rows: &str) {
    check_of(house, ServiceKind::File, rows).await;
}
