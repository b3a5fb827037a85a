//! What the client is told when the source of a copy refuses: CannotVerifyCopySource with the source's own status and sentence, and
//! from 2024-11-04 on the source's status, code and sentence apart, where clients look them up: the headers
//! `x-ms-copy-source-status-code` and `x-ms-copy-source-error-code`, and the elements `CopySourceStatusCode`, `CopySourceErrorCode`
//! and `CopySourceErrorMessage`. (Live tests of the JavaScript SDK; «Status and error codes» in the REST reference.)

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;

/// What a source answers instead of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The error code, if it names one.
    pub code: Option<&'a str>,
    /// The sentence, if it says one.
    pub says: Option<&'a str>,
}

impl Refusal<'_> {
    /// The copy's own refusal, with this status and this sentence.
    pub fn told(self, version: Version, status: u16, says: impl Into<String>) -> StorageError {
        let error = ErrorCode::CannotVerifyCopySource.with_message(says.into()).with_status(status);
        if version < Version::V2024_11_04 {
            return error;
        }
        let number = self.status.to_string();
        let mut error =
            error.with_header("x-ms-copy-source-status-code", number.clone()).with_detail("CopySourceStatusCode", number);
        if let Some(code) = self.code {
            error = error.with_header("x-ms-copy-source-error-code", code).with_detail("CopySourceErrorCode", code);
        }
        match self.says {
            Some(says) => error.with_detail("CopySourceErrorMessage", says),
            None => error,
        }
    }
}

/// The copy's refusal for a source of this server that refuses with this.
pub fn refused(version: Version, source: &StorageError) -> StorageError {
    let refusal = Refusal { status: source.status(), code: Some(source.code().name()), says: Some(source.message()) };
    refusal.told(version, source.status(), source.message()).with_reason(source.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_refusal_is_told_apart_in_later_versions() {
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
        // A web server has no code and no sentence.
        let bare =
            Refusal { status: 503, code: None, says: None }.told(Version::V2024_11_04, 500, "It answered with status 503.");
        assert_eq!((bare.status(), bare.headers().len(), bare.details().len()), (500, 1, 1));
    }
}
