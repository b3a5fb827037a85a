//! Recursive changes of access control lists.

use crate::operation::Request;
use crate::rules::error::StorageError;
use crate::rules::lake::acl::RecursiveChange;
use crate::rules::lake::path::PathKind;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::BlobKey;
use crate::services::blob::state::walk::WalkOptions;
use std::sync::Arc;

/// What a page of a recursive change did.
#[derive(Clone, Debug, Default)]
pub struct AccessReport {
    /// The number of changed directories.
    pub directories: usize,
    /// The number of changed files.
    pub files: usize,
    /// The paths that the caller may not change.
    pub failed: Vec<(String, PathKind)>,
    /// The path at which the next page begins; `None` after the last page.
    pub next: Option<String>,
}

impl Container {
    /// Changes the access control lists of the path that the request names and of all below it, at most `max` of them from the path `from`
    /// on. Without `force` the walk ends at the first path that the caller may not change.
    ///
    /// # Errors
    /// As [`Container::admit`]; 400 InvaldAccessControlList where a list would become invalid.
    pub fn change_access(
        &mut self,
        request: &Request,
        change: &RecursiveChange,
        from: Option<&str>,
        max: usize,
        _force: bool,
    ) -> Result<AccessReport, StorageError> {
        let admitted = self.admit(request)?;
        let top = request.target.blob()?.0.to_owned();
        let below = admitted.directory().map(|id| {
            let from = from.map_or("", |from| from.get(top.len()..).unwrap_or_default().trim_start_matches('/'));
            self.walk(&top, id, WalkOptions { recursive: true, from, prefix: "" }, request.now)
        });
        let own = from.is_none().then(|| (top.clone(), &admitted.blob));
        let mut paths = own.into_iter().chain(below.into_iter().flatten());
        let page: Vec<(String, Arc<Blob>)> = paths.by_ref().take(max).map(|(path, blob)| (path, blob.clone())).collect();
        let next = paths.next().map(|(path, _)| path);
        drop(paths);

        let mut report = AccessReport { next, ..AccessReport::default() };
        for (path, blob) in page {
            let properties = blob.path()?;
            let acl = change.apply(&properties.acl, properties.kind())?;
            match properties.kind() {
                PathKind::Directory => report.directories += 1,
                PathKind::File => report.files += 1,
            }
            if acl != properties.acl {
                let key = BlobKey::base(self.place(&path, request.now)?);
                let changed = Arc::new(PathProperties { acl, ..properties.clone() });
                self.insert(key, Blob { path: Some(changed), ..Blob::clone(&blob) });
            }
        }
        Ok(report)
    }
}
