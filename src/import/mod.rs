//! `lazuli import`: writes the data of an Azurite workspace to a new location.
//!
//! Azurite's documents become requests to the pipelines of the services, so every rule applies to what is imported. What a service
//! refuses is not imported, and the report says so. Only messages are added to their queue directly, because no request can set how
//! often one was dequeued. The location is created beside its final path and renamed when it is complete.

mod blobs;
pub mod error;
mod policies;
mod queues;
mod report;
pub mod sender;
mod services;
mod tables;
mod workspace;

use crate::environment::Environment;
use crate::import::error::ImportError;
use crate::import::report::Report;
use crate::import::sender::Senders;
use crate::import::workspace::{Workspace, text};
use crate::progress::Progress;
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

/// Imports the Azurite workspace `from` into the directory `to`, which must be empty or missing.
///
/// # Errors
/// When there is no workspace, it cannot be read, nothing of it was imported, or `to` is not empty or cannot be written. `to` is then
/// unchanged.
pub async fn azurite(
    from: &Path,
    to: &Path,
    durability: Durability,
    environment: Environment,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    let workspace = Workspace::open(from)?;
    check_empty(to)?;
    let unfinished = unfinished(to)?;
    let imported = import_to(&unfinished, &workspace, durability, environment, progress).await.and_then(|report| {
        let warnings: Vec<String> = report.warnings().collect();
        if report.is_empty() {
            return Err(nothing_imported(from, &warnings));
        }
        std::fs::rename(&unfinished, to).map_err(|error| ImportError::Location { location: to.to_owned(), error })?;
        Ok(Imported { summary: report.summary(), warnings })
    });
    if imported.is_err() {
        _ = std::fs::remove_dir_all(&unfinished);
    }
    imported
}

fn nothing_imported(from: &Path, warnings: &[String]) -> ImportError {
    let reasons = match warnings {
        [] => "it has no containers, queues or tables".to_owned(),
        warnings => warnings.join("; "),
    };
    ImportError::Nothing { workspace: from.to_owned(), reasons }
}

/// Imports a workspace. All files are closed when this returns.
async fn import_to(
    location: &Path,
    workspace: &Workspace,
    durability: Durability,
    environment: Environment,
    progress: &Progress,
) -> Result<Report, ImportError> {
    let (disk, _) = Disk::open(location, Medium::default(), durability, &Progress::default())?;
    let disk = Arc::new(disk);
    let senders = Senders::open(&accounts(workspace), &Store::on_disk(disk.clone()), environment)?;
    // The location was empty, so all its cells are known, and a long log may be replaced by a snapshot.
    disk.settle();
    let mut report = Report::new(progress.begin("importing", workspace.documents()));
    blobs::import(&senders.blob, &workspace.blob, &mut report).await?;
    queues::import(&senders, &workspace.queue, &mut report).await?;
    tables::import(&senders.table, &workspace.table, &mut report).await?;
    for (sender, from) in
        [(&senders.blob, &workspace.blob), (&senders.queue, &workspace.queue), (&senders.table, &workspace.table)]
    {
        services::import(sender, from, &mut report).await?;
    }
    Ok(report)
}

/// The names of all accounts with data or properties.
fn accounts(workspace: &Workspace) -> Vec<String> {
    let Workspace { blob, queue, table } = workspace;
    let documents = [
        blob.collection("$CONTAINERS_COLLECTION$"),
        queue.collection("$QUEUES_COLLECTION$"),
        table.collection("$TABLES_COLLECTION$"),
    ];
    let name = |document| text(document, "accountName").or(text(document, "account"));
    let with_properties = [blob, queue, table].into_iter().flat_map(services::accounts);
    let names: BTreeSet<&str> = documents.into_iter().flatten().filter_map(name).chain(with_properties).collect();
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

/// The path at which the location is created.
fn unfinished(to: &Path) -> Result<PathBuf, ImportError> {
    let name = to.file_name().and_then(|name| name.to_str()).ok_or_else(|| ImportError::UnnamedLocation(to.to_owned()))?;
    let path = to.with_file_name(format!("{name}.importing"));
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(path),
        _ => Err(ImportError::Unfinished(path)),
    }
}
