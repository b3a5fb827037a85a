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
    let (paths, mut wrong) = check_hierarchies(&services.0, &accounts);
    found.extend(paths);
    let stage = progress.begin("reading the contents", bytes);
    let read = slices.iter().map(|slice| {
        let read = slice.read();
        stage.advance(u64::from(slice.place().length));
        read
    });
    let mut damaged: Vec<String> = read.filter_map(Result::err).map(|error| error.to_string()).collect();
    let more = damaged.len().saturating_sub(LISTED);
    damaged.truncate(LISTED);
    if more > 0 {
        damaged.push(format!("and {more} more contents"));
    }
    wrong.extend(damaged);
    drop(services);
    Ok(Checked { found, wrong })
}

/// Compares the paths of hierarchical namespaces with their directories: how many there are, if there is such a namespace, and what is
/// wrong.
fn check_hierarchies(blobs: &Blobs, accounts: &Accounts) -> (Option<String>, Vec<String>) {
    let (mut is_any, mut paths, mut deleted, mut wrong) = (false, 0, 0, Vec::new());
    for account in accounts.iter() {
        for (name, found) in blobs.consistency(&account.name).unwrap_or_default() {
            (is_any, paths, deleted) = (true, paths + found.paths, deleted + found.deleted);
            let sentences = found.wrong.into_iter();
            wrong.extend(sentences.map(|sentence| format!("container {name} of account {}: {sentence}", account.name)));
        }
    }
    let found = format!("{paths} paths and {deleted} retained deletions in hierarchical namespaces");
    (is_any.then_some(found), wrong)
}
