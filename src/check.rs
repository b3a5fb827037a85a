//! `lazuli --check`: what a folder with data holds, and whether it is sound. Nothing in it is changed.

use crate::account::{Account, Accounts};
use crate::rules::encryption::Scopes;
use crate::services::blob::Blobs;
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use crate::store::disk::error::{DiskError, DiskErrorKind};
use crate::store::disk::{Disk, extents};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The most damaged contents that are told one by one.
const TOLD: usize = 20;

/// What was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What is in it, in sentences.
    pub found: Vec<String>,
    /// What is wrong with it, in sentences: none when it is sound.
    pub wrong: Vec<String>,
}

/// Reads every record and every content of a folder, and holds the contents against their checksums.
pub fn check(path: &Path) -> Checked {
    match look(path) {
        Ok(checked) => checked,
        Err(error) => Checked { found: Vec::new(), wrong: vec![error.to_string()] },
    }
}

fn look(path: &Path) -> Result<Checked, DiskError> {
    let (disk, mut found) = Disk::open_read_only(path)?;
    let disk = Arc::new(disk);
    let store = Store::on_disk(disk.clone());
    // A root is named for its service, its account and what it is.
    let names: BTreeSet<String> = disk.roots().iter().filter_map(|root| Some(root.split('/').nth(1)?.to_owned())).collect();
    let accounts: Accounts = names.iter().map(|name| account(name)).collect();
    let unreadable = |record| DiskError::new(path, DiskErrorKind::CorruptRecord(record));
    let services = (
        Blobs::open(&accounts, &store).map_err(unreadable)?,
        Queues::open(&accounts, &store).map_err(unreadable)?,
        Tables::open(&accounts, &store).map_err(unreadable)?,
        Files::open(&accounts, &store).map_err(unreadable)?,
    );
    let (pieces, beside) = disk.extents().named();
    let bytes: u64 = pieces.iter().map(|piece| u64::from(piece.place().length)).sum();
    found.push(format!(
        "the data of {}",
        if names.is_empty() { "no account".to_owned() } else { Vec::from_iter(names).join(", ") }
    ));
    found.push(format!("{} contents of {} in extents", pieces.len(), extents::size(bytes)));
    found.push(format!("{} unused in extents", extents::size(beside)));
    let mut wrong: Vec<String> = pieces.iter().filter_map(|piece| piece.read().err()).map(|error| error.to_string()).collect();
    let more = wrong.len().saturating_sub(TOLD);
    wrong.truncate(TOLD);
    if more > 0 {
        wrong.push(format!("and {more} more contents"));
    }
    drop(services);
    Ok(Checked { found, wrong })
}

fn account(name: &str) -> Account {
    Account {
        name: name.to_owned(),
        keys: Vec::new(),
        versioning: false,
        hns: false,
        immutability: false,
        access_tracking: false,
        container_retention: None,
        share_retention: None,
        scopes: Scopes::default(),
        premium: false,
    }
}
