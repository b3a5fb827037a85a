//! `lazuli --check`: what a location contains, and whether it is sound. Nothing in it is changed.

use crate::account::{Account, Accounts};
use crate::progress::Progress;
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

/// The most damaged contents that are listed.
const LISTED: usize = 20;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Sentences about the contents.
    pub found: Vec<String>,
    /// Sentences about damage. Empty if the location is sound.
    pub wrong: Vec<String>,
}

/// Reads every record and every content of a location, and compares the contents with their checksums.
pub fn check(path: &Path, progress: &Progress) -> Checked {
    read_all(path, progress).unwrap_or_else(|error| Checked { found: Vec::new(), wrong: vec![error.to_string()] })
}

fn read_all(path: &Path, progress: &Progress) -> Result<Checked, DiskError> {
    let (disk, mut found) = Disk::open_read_only(path, progress)?;
    let disk = Arc::new(disk);
    let store = Store::on_disk(disk.clone());
    // The name of a root has the service, the account and a suffix.
    let names: BTreeSet<String> = disk.roots().iter().filter_map(|root| Some(root.split('/').nth(1)?.to_owned())).collect();
    let accounts: Accounts = names.iter().map(|name| Account { name: name.clone(), ..Account::default() }).collect();
    let unreadable = |record| DiskError::new(path, DiskErrorKind::CorruptRecord(record));
    let services = (
        Blobs::open(&accounts, &store).map_err(unreadable)?,
        Queues::open(&accounts, &store).map_err(unreadable)?,
        Tables::open(&accounts, &store).map_err(unreadable)?,
        Files::open(&accounts, &store).map_err(unreadable)?,
    );
    let (slices, unused) = disk.extents().named();
    let bytes: u64 = slices.iter().map(|slice| u64::from(slice.place().length)).sum();
    found.push(match names.is_empty() {
        true => "the data of no account".to_owned(),
        false => format!("the data of {}", Vec::from_iter(names).join(", ")),
    });
    found.push(format!("{} contents of {} in extents", slices.len(), extents::size(bytes)));
    found.push(format!("{} unused in extents", extents::size(unused)));
    let stage = progress.begin("reading the contents", bytes);
    let read = slices.iter().map(|slice| {
        let read = slice.read();
        stage.advance(u64::from(slice.place().length));
        read
    });
    let mut wrong: Vec<String> = read.filter_map(Result::err).map(|error| error.to_string()).collect();
    let more = wrong.len().saturating_sub(LISTED);
    wrong.truncate(LISTED);
    if more > 0 {
        wrong.push(format!("and {more} more contents"));
    }
    drop(services);
    Ok(Checked { found, wrong })
}
