//! The error of a copy whose source returns an error: CannotVerifyCopySource with the status and the message of the source. Since
//! 2024-11-04 it also has the headers `x-ms-copy-source-status-code` and `x-ms-copy-source-error-code`, and the elements
//! `CopySourceStatusCode`, `CopySourceErrorCode` and `CopySourceErrorMessage`. (Live tests of the JavaScript SDK; "Status and error codes"
//! in the REST reference.)

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;

/// The error that a source returns. Not every server has codes and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceError<'a> {
    pub status: u16,
    pub code: Option<&'a str>,
    pub message: Option<&'a str>,
}

impl SourceError<'_> {
    /// The error of the copy, with this status and this message.
    pub fn into_error(self, version: Version, status: u16, message: impl Into<String>) -> StorageError {
        let error = ErrorCode::CannotVerifyCopySource.with_message(message.into()).with_status(status);
        if version < Version::V2024_11_04 {
            return error;
        }
        let number = self.status.to_string();
        let mut error =
            error.with_header("x-ms-copy-source-status-code", number.clone()).with_detail("CopySourceStatusCode", number);
        if let Some(code) = self.code {
            error = error.with_header("x-ms-copy-source-error-code", code).with_detail("CopySourceErrorCode", code);
        }
        match self.message {
            Some(message) => error.with_detail("CopySourceErrorMessage", message),
            None => error,
        }
    }
}

/// The error of a copy whose source on this server returns this error.
pub fn refused(version: Version, source: &StorageError) -> StorageError {
    let error = SourceError { status: source.status(), code: Some(source.code().name()), message: Some(source.message()) };
    error.into_error(version, source.status(), source.message()).with_reason(source.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_have_the_error_of_the_source() {
        let source = StorageError::from(ErrorCode::AuthorizationPermissionMismatch);
        for (version, headers, elements) in [
            (Version::V2024_08_04, &[][..], &[][..]),
            (
                Version::V2024_11_04,
                &[("x-ms-copy-source-status-code", "403"), ("x-ms-copy-source-error-code", "AuthorizationPermissionMismatch")],
                &[
                    ("CopySourceStatusCode", "403"),
                    ("CopySourceErrorCode", "AuthorizationPermissionMismatch"),
                    ("CopySourceErrorMessage", ErrorCode::AuthorizationPermissionMismatch.message()),
                ],
            ),
        ] {
            let error = refused(version, &source);
            let read = |pairs: &[(&'static str, String)]| pairs.iter().map(|(n, v)| (*n, v.clone())).collect::<Vec<_>>();
            let own = |pairs: &[(&'static str, &str)]| pairs.iter().map(|(n, v)| (*n, (*v).to_owned())).collect::<Vec<_>>();
            assert_eq!(
                (error.status(), error.code(), error.message()),
                (403, ErrorCode::CannotVerifyCopySource, source.message())
            );
            assert_eq!((read(error.headers()), read(error.details())), (own(headers), own(elements)), "{version}");
        }
        // A web server has no code and no message.
        let bare = SourceError { status: 503, code: None, message: None }.into_error(
            Version::V2024_11_04,
            500,
            "It answered with status 503.",
        );
        assert_eq!((bare.status(), bare.headers().len(), bare.details().len()), (500, 1, 1));
    }
}
