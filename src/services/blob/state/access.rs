//! Access control: who may do what with the paths of a hierarchical namespace, and recursive changes of access control lists.

use crate::operation::Request;
use crate::rules::error::StorageError;
use crate::rules::lake::access::{AccessControl, Action, Caller};
use crate::rules::lake::acl::RecursiveChange;
use crate::rules::lake::path::PathKind;
use crate::rules::time::Timestamp;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::admission::Admitted;
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

/// A page of a recursive change.
#[derive(Clone, Copy, Debug)]
pub struct AccessPage<'a> {
    pub change: &'a RecursiveChange,
    /// The path of its first entry; `None` for the first page.
    pub from: Option<&'a str>,
    /// The largest number of paths in it.
    pub max: usize,
    /// Whether it continues after a path that the caller may not change (`forceFlag`).
    pub force: bool,
}

impl Container {
    /// Checks that a caller may perform an action on a path, which need not exist.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub fn check_access(&self, caller: &Caller, action: Action<'_>, name: &str, now: Timestamp) -> Result<(), StorageError> {
        if !self.is_hierarchical() || !caller.is_limited() {
            return Ok(());
        }
        // Nothing exists below a file, which is the error of the operation itself.
        let Ok(location) = self.locate(name, now) else { return Ok(()) };
        let path = location.place()?.and_then(|place| self.current(&place, now));
        let above = if location.names.is_empty() { &[] } else { &location.ancestors[..] };
        let above: Vec<AccessControl<'_>> = above.iter().filter_map(|directory| access_control(directory)).collect();
        caller.check(action, &above, path.and_then(|path| access_control(path)))
    }

    /// Checks that a caller may list each directory between one that is listed and a path below it. A position in a list can be any path.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub fn check_reachable(&self, caller: &Caller, top: &str, path: &str, now: Timestamp) -> Result<(), StorageError> {
        if !caller.is_limited() || path == top {
            return Ok(());
        }
        let ends = path.match_indices('/').map(|(end, _)| end).filter(|end| *end > top.len());
        let directories = ends.filter_map(|end| path.get(..end));
        std::iter::once(top).chain(directories).try_for_each(|directory| self.check_access(caller, Action::List, directory, now))
    }

    /// Checks the declared action of a request on a path. A write to a path that does not exist is a creation.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub(super) fn check_request_access(&self, request: &Request, exists: bool) -> Result<(), StorageError> {
        let action = match request.spec.path_action {
            None => return Ok(()),
            Some(Action::Overwrite) if !exists => Action::Create,
            Some(action) => action,
        };
        self.check_access(&request.principal, action, request.target.blob()?.0, request.now)
    }

    /// Checks that a caller may delete all that is below a directory.
    ///
    /// # Errors
    /// 403 AuthorizationPermissionMismatch.
    pub(super) fn check_emptied(&self, caller: &Caller, directory: &Blob, now: Timestamp) -> Result<(), StorageError> {
        let Some(id) = directory.directory().filter(|_| caller.is_limited()) else { return Ok(()) };
        let walk = self.walk("", id, WalkOptions { recursive: true, ..WalkOptions::default() }, now);
        let below = walk.map(|(_, blob)| &**blob).filter(|blob| blob.directory().is_some());
        std::iter::once(directory).chain(below).filter_map(access_control).try_for_each(|access| caller.check_emptied(&access))
    }

    /// Changes the access control lists of the path that the request names and of all below it, in pages.
    ///
    /// # Errors
    /// As [`Container::admit`]; 400 InvaldAccessControlList where a list would become invalid.
    pub fn change_access(&mut self, request: &Request, page: AccessPage<'_>) -> Result<AccessReport, StorageError> {
        let admitted = self.admit(request)?;
        let top = request.target.blob()?.0.to_owned();
        let (paths, next) = self.access_page(&top, &admitted, page, request);
        let mut report = AccessReport { next, ..AccessReport::default() };
        for (path, blob) in paths {
            let properties = blob.path()?;
            if self.check_access(&request.principal, Action::SetAccess, &path, request.now).is_err() {
                report.failed.push((path, properties.kind()));
                if page.force {
                    continue;
                }
                // The service has no continuation for the rest (recorded).
                report.next = None;
                break;
            }
            let acl = page.change.apply(&properties.acl, properties.kind())?;
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

    /// The paths of a page, and the first one of the next page. What the caller may not list it does not learn from a failure either.
    fn access_page(
        &self,
        top: &str,
        admitted: &Admitted,
        page: AccessPage<'_>,
        request: &Request,
    ) -> (Vec<(String, Arc<Blob>)>, Option<String>) {
        let now = request.now;
        let below = admitted.directory().map(|id| {
            let from = page.from.map_or("", |from| from.get(top.len()..).unwrap_or_default().trim_start_matches('/'));
            self.walk(top, id, WalkOptions { recursive: true, from, prefix: "" }, now)
        });
        let own = page.from.is_none().then(|| (top.to_owned(), &admitted.blob));
        let is_reachable = |path: &str| self.check_reachable(&request.principal, top, path, now).is_ok();
        let mut paths = own.into_iter().chain(below.into_iter().flatten()).filter(|(path, _)| is_reachable(path));
        let entries = paths.by_ref().take(page.max).map(|(path, blob)| (path, blob.clone())).collect();
        (entries, paths.next().map(|(path, _)| path))
    }
}

/// Checks that a caller may list the directories among these entries of a recursive list.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub fn check_listed<'a>(caller: &Caller, mut entries: impl Iterator<Item = &'a Blob>) -> Result<(), StorageError> {
    entries.try_for_each(|blob| match access_control(blob).filter(|_| blob.directory().is_some()) {
        Some(access) => caller.check_listed(&access),
        None => Ok(()),
    })
}

fn access_control(blob: &Blob) -> Option<AccessControl<'_>> {
    blob.path.as_ref().map(|path| path.access_control())
}
