//! `lazuli import`: what an Azurite workspace holds, written into a location.
//!
//! Azurite's documents become requests, which pass through the pipelines of the services: every rule holds for what is brought over.
//! What the services refuse stays behind and is told. Only messages are put into their queue by hand, for no request says how
//! often one was taken. The location is made beside its place and moved there when it is whole.

mod blobs;
pub mod error;
mod policies;
mod queues;
mod report;
mod sender;
mod services;
mod tables;
mod workspace;

use crate::environment::Environment;
use crate::import::error::ImportError;
use crate::import::report::Report;
use crate::import::sender::RequestSender;
use crate::import::workspace::{Workspace, text};
use crate::operation::ServiceKind;
use crate::store::Store;
use crate::store::disk::medium::Medium;
use crate::store::disk::{Disk, Durability};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What an import did.
#[derive(Debug)]
pub struct Imported {
    /// What was imported, in one line.
    pub summary: String,
    /// What was not imported, and what was but differs from the workspace: a line for each reason.
    pub warnings: Vec<String>,
}

/// Brings the Azurite workspace `from` over into the directory `to`, which holds nothing yet.
///
/// # Errors
/// One sentence, and `to` is as it was: there is no workspace, it cannot be read, nothing of it came over, `to` is not empty or cannot
/// be written.
pub async fn azurite(from: &Path, to: &Path, durability: Durability, environment: Environment) -> Result<Imported, ImportError> {
    let workspace = Workspace::open(from)?;
    check_empty(to)?;
    let beside = beside(to)?;
    let outcome = fill(&workspace, &beside, durability, environment).await;
    let moved = match outcome {
        Ok(report) if report.is_empty() => Err(nothing(from, &report)),
        Ok(report) => std::fs::rename(&beside, to)
            .map(|()| report)
            .map_err(|error| ImportError::Location { location: to.to_owned(), error }),
        Err(why) => Err(why),
    };
    match moved {
        Ok(report) => Ok(Imported { summary: report.summary(), warnings: report.warnings().collect() }),
        Err(why) => {
            _ = std::fs::remove_dir_all(&beside);
            Err(why)
        }
    }
}

/// The sentence for an import that leaves its location empty.
fn nothing(from: &Path, report: &Report) -> ImportError {
    let left: Vec<String> = report.warnings().collect();
    let reasons = if left.is_empty() { "it has no containers, queues or tables".to_owned() } else { left.join("; ") };
    ImportError::Nothing { workspace: from.to_owned(), reasons }
}

/// Everything is closed when this ends.
async fn fill(workspace: &Workspace, to: &Path, durability: Durability, environment: Environment) -> Result<Report, ImportError> {
    let (disk, _) = Disk::open(to, Medium::default(), durability)?;
    let store = Store::on_disk(Arc::new(disk));
    let door = RequestSender::open(&accounts(workspace), &store, environment)?;
    // There was nothing in it: from here on a long log may become a snapshot.
    if let Some(disk) = store.disk() {
        disk.settle();
    }
    let mut report = Report::default();
    blobs::bring(&door, &workspace.blob, &mut report).await?;
    queues::bring(&door, &workspace.queue, &mut report).await?;
    tables::bring(&door, &workspace.table, &mut report).await?;
    for (kind, from) in
        [(ServiceKind::Blob, &workspace.blob), (ServiceKind::Queue, &workspace.queue), (ServiceKind::Table, &workspace.table)]
    {
        services::bring(&door, kind, from, &mut report).await?;
    }
    Ok(report)
}

/// Every account that has anything.
fn accounts(workspace: &Workspace) -> Vec<String> {
    let Workspace { blob, queue, table } = workspace;
    let holders = [
        blob.collection("$CONTAINERS_COLLECTION$"),
        queue.collection("$QUEUES_COLLECTION$"),
        table.collection("$TABLES_COLLECTION$"),
    ];
    let name = |document| text(document, "accountName").or(text(document, "account"));
    let set = [blob, queue, table].into_iter().flat_map(services::accounts);
    let names: BTreeSet<&str> = holders.into_iter().flatten().filter_map(name).chain(set).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn check_empty(to: &Path) -> Result<(), ImportError> {
    match std::fs::read_dir(to).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(ImportError::LocationNotEmpty(to.to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(ImportError::Location { location: to.to_owned(), error }),
    }
}

/// Where the location is made.
fn beside(to: &Path) -> Result<PathBuf, ImportError> {
    let name = to.file_name().and_then(|name| name.to_str()).ok_or_else(|| ImportError::UnnamedLocation(to.to_owned()))?;
    let beside = to.with_file_name(format!("{name}.importing"));
    match beside.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(beside),
        _ => Err(ImportError::Unfinished(beside)),
    }
}
