//! Errors as the Data Lake API names them, and their JSON.
//!
//! A file system is a container and a file is a blob, so that most checks are those of the Blob service. The API of the request decides the
//! name of the error.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;
use crate::rules::wire_name::WireName;

/// What kind of path is in the way of a new one. hadoop-azure takes a conflict with a directory for success.
pub const EXISTING_RESOURCE_TYPE: &str = "x-ms-existing-resource-type";

/// 409 PathAlreadyExists, with the kind of the existing path.
pub fn already_exists(existing: PathKind) -> StorageError {
    StorageError::from(ErrorCode::PathAlreadyExists).with_header(EXISTING_RESOURCE_TYPE, existing.name())
}

/// 409 DirectoryNotEmpty, whose code the File service has with another message.
pub fn directory_not_empty() -> StorageError {
    ErrorCode::DirectoryNotEmpty.with_message("The recursive query parameter value must be true to delete a non-empty directory.")
}

/// An error of the Blob service as the Data Lake API names it. Its details, headers and reason remain.
pub fn of_path(error: StorageError) -> StorageError {
    use ErrorCode as E;
    let code = match error.code() {
        E::ContainerNotFound => E::FilesystemNotFound,
        E::ContainerAlreadyExists => E::FilesystemAlreadyExists,
        E::ContainerBeingDeleted => E::FilesystemBeingDeleted,
        E::BlobNotFound => E::PathNotFound,
        E::BlobAlreadyExists => E::PathAlreadyExists,
        E::LeaseIdMismatchWithBlobOperation | E::LeaseIdMismatchWithContainerOperation => E::LeaseIdMismatch,
        E::LeaseNotPresentWithBlobOperation | E::LeaseNotPresentWithContainerOperation => E::LeaseNotPresent,
        // The code is in the reference's list for Data Lake, and not in that for blobs.
        E::InvalidHeaderValue if error.details().first() == Some(&("HeaderName", "x-ms-version".to_owned())) => {
            E::UnsupportedRestVersion
        }
        code => code,
    };
    let message = match code {
        E::LeaseIdMissing => "There is currently a lease on the resource and no lease ID was specified in the request.",
        E::LeaseLost => "A lease ID was specified, but the lease for the resource has expired.",
        E::LeaseIdMismatchWithLeaseOperation => {
            "The lease ID specified did not match the lease ID for the resource with the specified lease operation."
        }
        E::LeaseNotPresentWithLeaseOperation => "The lease ID is not present with the specified lease operation.",
        code if code != error.code() => return error.with_code(code),
        _ => return error,
    };
    error.with_message(message)
}

/// The JSON of an error. `message` is its message with the request's id and the time.
///
/// No line feed follows, and details have a blank after their commas: the lengths of recorded bodies are exact.
pub fn json(error: &StorageError, message: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let details: Vec<String> =
        error.details().iter().map(|(name, value)| format!("{}:{}", quoted(name), quoted(value))).collect();
    let detail = if details.is_empty() { String::new() } else { format!(",\"detail\":{{{}}}", details.join(", ")) };
    format!("{{\"error\":{{\"code\":\"{}\",\"message\":{}{detail}}}}}", error.code().name(), quoted(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lease::{self, Lease, LeaseAction, LeaseCheck, LeaseDuration, LeaseId, LeasedResource};
    use crate::rules::time::Timestamp;

    #[test]
    fn errors_have_their_names_of_data_lake() {
        use ErrorCode as E;
        for (code, expected, status) in [
            (E::ContainerNotFound, "FilesystemNotFound", 404),
            (E::ContainerAlreadyExists, "FilesystemAlreadyExists", 409),
            (E::ContainerBeingDeleted, "FilesystemBeingDeleted", 409),
            (E::BlobNotFound, "PathNotFound", 404),
            (E::BlobAlreadyExists, "PathAlreadyExists", 409),
            (E::LeaseIdMismatchWithBlobOperation, "LeaseIdMismatch", 412),
            (E::LeaseNotPresentWithContainerOperation, "LeaseNotPresent", 412),
            (E::ConditionNotMet, "ConditionNotMet", 412),
            (E::LeaseAlreadyPresent, "LeaseAlreadyPresent", 409),
            (E::InvalidHeaderValue, "InvalidHeaderValue", 400),
        ] {
            let error = of_path(code.with_detail("HeaderName", "x").with_header("h", "v").with_reason("why"));
            assert_eq!((error.code().name(), error.status(), error.message()), (expected, status, error.code().message()));
            assert_eq!((error.details().len(), error.headers().len(), error.reason()), (1, 1, "why"));
        }
        let version = of_path(StorageError::invalid_header("x-ms-version", "x"));
        assert_eq!((version.code().name(), version.details().len()), ("UnsupportedRestVersion", 2));
    }

    #[test]
    fn messages_about_leases_do_not_name_blobs() {
        let now = Timestamp::from_unix(1_000_000, 0);
        let (mine, other) = (LeaseId([1; 16]), LeaseId([2; 16]));
        let leased = Lease::Leased { id: mine, term: LeaseDuration::Infinite, until: None };
        let broken = Lease::Broken { id: mine };
        let check = |held, shown| lease::check(held, LeaseCheck::Required, shown, LeasedResource::Blob, now).map(|()| held);
        let step = |held, action| lease::step(held, action, LeasedResource::Container, now);
        let renew = LeaseAction::Renew { id: other };
        for (result, code, status) in [
            (check(leased, None), "LeaseIdMissing", 412),
            (check(leased, Some(other)), "LeaseIdMismatch", 412),
            (check(broken, Some(mine)), "LeaseLost", 412),
            (check(Lease::Available, Some(mine)), "LeaseNotPresent", 412),
            (step(leased, renew), "LeaseIdMismatchWithLeaseOperation", 409),
            (step(Lease::Available, LeaseAction::Break { period: None }), "LeaseNotPresentWithLeaseOperation", 409),
        ] {
            let error = of_path(result.expect_err(code));
            assert_eq!((error.code().name(), error.status()), (code, status));
            assert!(!error.message().contains("blob") && !error.message().contains("container"), "{}", error.message());
        }
    }

    /// The lengths are those of recorded bodies.
    #[test]
    fn bodies_have_their_recorded_lengths() {
        let length = |error: StorageError| {
            let id = "18e4c915-e01f-0019-7784-02643f000000";
            let message = format!("{}\nRequestId:{id}\nTime:2022-01-05T22:35:40.2519124Z", error.message());
            json(&error, &message).len()
        };
        for (error, expected) in [
            (ErrorCode::PathNotFound.into(), 163),
            (ErrorCode::FilesystemNotFound.into(), 175),
            (ErrorCode::ConditionNotMet.into(), 200),
            (ErrorCode::SourceConditionNotMet.into(), 213),
            (ErrorCode::SourcePathNotFound.into(), 189),
            (already_exists(PathKind::File), 168),
            (directory_not_empty(), 215),
            (ErrorCode::LeaseNotPresent.into(), 176),
            (StorageError::invalid_header("Content-Length", "0"), 262),
        ] {
            assert_eq!(length(error.clone()), expected, "{error}");
        }
    }

    #[test]
    fn texts_in_json() {
        assert_eq!(json(&already_exists(PathKind::File), "a"), r#"{"error":{"code":"PathAlreadyExists","message":"a"}}"#);
        assert_eq!(already_exists(PathKind::Directory).headers(), [(EXISTING_RESOURCE_TYPE, "directory".to_owned())]);
        let error = StorageError::invalid_header("Content-Length", "\"\n");
        let expected = r#"{"error":{"code":"InvalidHeaderValue","message":"a\n\"","detail":{"HeaderName":"Content-Length", "HeaderValue":"\"\n"}}}"#;
        assert_eq!(json(&error, "a\n\""), expected);
        assert_eq!((directory_not_empty().code().name(), directory_not_empty().status()), ("DirectoryNotEmpty", 409));
    }
}
