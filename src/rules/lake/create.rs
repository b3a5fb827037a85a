//! The creation of a file or a directory where something may exist.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;

/// What a creation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreatePlan {
    /// It adds the path, and the directories above that do not exist.
    Add,
    /// It truncates the file, and replaces its properties and permissions.
    Truncate,
    /// It replaces the properties of the directory, whose entries remain (HADOOP-17548).
    Refresh,
}

/// Decides what a creation does. Conditions are checked before.
///
/// # Errors
/// 409 PathConflict if the path exists and is of the other kind.
pub fn plan(kind: PathKind, existing: Option<PathKind>) -> Result<CreatePlan, StorageError> {
    match (kind, existing) {
        (_, None) => Ok(CreatePlan::Add),
        (PathKind::File, Some(PathKind::File)) => Ok(CreatePlan::Truncate),
        (PathKind::Directory, Some(PathKind::Directory)) => Ok(CreatePlan::Refresh),
        (_, Some(_)) => Err(ErrorCode::PathConflict.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exists_decides() {
        let (file, directory) = (PathKind::File, PathKind::Directory);
        for (kind, existing, expected) in [
            (file, None, Ok(CreatePlan::Add)),
            (directory, None, Ok(CreatePlan::Add)),
            (file, Some(file), Ok(CreatePlan::Truncate)),
            (directory, Some(directory), Ok(CreatePlan::Refresh)),
            (file, Some(directory), Err("PathConflict")),
            (directory, Some(file), Err("PathConflict")),
        ] {
            let got = plan(kind, existing).map_err(|error| error.code().name());
            assert_eq!(got, expected, "{kind:?} {existing:?}");
        }
    }
}
