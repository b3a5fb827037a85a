//! The file service over a socket: shares, directories and files, as clients meet them.

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

/// Plays a scenario that asks the file service, in a house of its own that has the share `shr`.
async fn check(rows: &str) {
    let house = House::new().await;
    check_in(&house, "PUT /shr?restype=share → 201").await;
    check_in(&house, rows).await;
}

/// Plays a scenario that asks the file service.
async fn check_in(house: &House, rows: &str) {
    check_of(house, ServiceKind::File, rows).await;
}
