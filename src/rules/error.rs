//! The errors of the service: one table of codes, statuses and messages.
//!
//! The messages are the recorded ones where a recording has them, misspellings included ("specifed"), and the reference's otherwise.
//! A [`StorageError`] adds what is special about one case: another message, and elements that name the header or parameter.

use crate::rules::secret;
use std::borrow::Cow;

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident $(as $wire:literal)? $status:literal $message:literal)*) => {
        /// The code of an error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* #[doc = $message] $code),* }

        impl ErrorCode {
            #[cfg(test)]
            const ALL: &[ErrorCode] = &[$(ErrorCode::$code),*];

            /// The code's name on the wire (`x-ms-error-code`, `<ErrorCode>`).
            pub const fn name(self) -> &'static str {
                match self { $(ErrorCode::$code => codes!(@name $code $($wire)?)),* }
            }

            /// The HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(ErrorCode::$code => $status),* }
            }

            /// The message, unless an error has its own.
            pub const fn message(self) -> &'static str {
                match self { $(ErrorCode::$code => $message),* }
            }
        }
    };
    (@name $code:ident $wire:literal) => { $wire };
    (@name $code:ident) => { stringify!($code) };
}

codes! {
    // Common (all services)
    AuthenticationFailed 403 "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature."
    ConditionHeadersNotSupported 400 "Condition headers are not supported."
    ConditionNotMet 412 "The condition specified using HTTP conditional header(s) is not met."
    CorsPreflightFailure 403 "CORS not enabled or no matching rule found for this request."
    EmptyMetadataKey 400 "The key for one of the metadata key-value pairs is empty."
    InsufficientAccountPermissions 403 "The account being accessed does not have sufficient permissions to execute this operation."
    InternalError 500 "Server encountered an internal error. Please try again after some time."
    InvalidHeaderValue 400 "The value for one of the HTTP headers is not in the correct format."
    InvalidInput 400 "One of the request inputs is not valid."
    InvalidMd5 400 "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded."
    InvalidMetadata 400 "The metadata specified is invalid. It has characters that are not permitted."
    InvalidQueryParameterValue 400 "Value for one of the query parameters specified in the request URI is invalid."
    InvalidRange 416 "The range specified is invalid for the current size of the resource."
    InvalidResourceName 400 "The specifed resource name contains invalid characters."
    InvalidUri 400 "The requested URI does not represent any resource on the server."
    InvalidXmlDocument 400 "XML specified is not syntactically valid."
    InvalidXmlNodeValue 400 "The value for one of the XML nodes is not in the correct format."
    Md5Mismatch 400 "The MD5 value specified in the request did not match with the MD5 value calculated by the server."
    MetadataTooLarge 400 "The metadata specified exceeds the maximum allowed limit (8KB)."
    MissingContentLengthHeader 411 "Content-Length HTTP header is missing"
    MissingRequiredHeader 400 "An HTTP header that's mandatory for this request is not specified."
    MissingRequiredQueryParameter 400 "A query parameter that's mandatory for this request is not specified."
    MultipleConditionHeadersNotSupported 400 "Multiple condition headers are not supported."
    NoAuthenticationInformation 401 "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
    NotImplemented 501 "The requested operation is not implemented on the specified resource."
    NotModified as "ConditionNotMet" 304 "The condition specified using HTTP conditional header(s) is not met."
    OutOfRangeInput 400 "One of the request inputs is out of range."
    OutOfRangeQueryParameterValue 400 "One of the query parameters specified in the request URI is outside the permissible range."
    RequestBodyIncomplete as "InvalidInput" 400 "The request body ended before as many bytes had come as its Content-Length says."
    RequestBodyTooLarge 413 "The request body is too large and exceeds the maximum permissible limit."
    RequestTimedOut as "OperationTimedOut" 408 "The request body did not arrive within the permitted time."
    ResourceAlreadyExists 409 "The specified resource already exists."
    ResourceNotFound 404 "The specified resource does not exist."
    ResourceTypeMismatch 409 "The specified resource type does not match the type of the existing resource."
    UnsatisfiableCondition 400 "The request includes an unsatisfiable condition for this operation."
    UnsupportedHeader 400 "One of the HTTP headers specified in the request is not supported."
    UnsupportedRestVersion 400 "The specified Rest Version is Unsupported."
    UnsupportedHttpVerb 405 "The resource doesn't support the specified Http Verb."
    UnsupportedQueryParameter 400 "One of the query parameters specified in the request URI is not supported."
    UnsupportedXmlNode 400 "One of the XML nodes specified in the request body is not supported."
    // Authorization and SAS
    AuthorizationFailure 403 "This request is not authorized to perform this operation."
    AuthorizationPermissionMismatch 403 "This request is not authorized to perform this operation using this permission."
    AuthorizationProtocolMismatch 403 "This request is not authorized to perform this operation using this protocol."
    AuthorizationResourceTypeMismatch 403 "This request is not authorized to perform this operation using this resource type."
    AuthorizationServiceMismatch 403 "This request is not authorized to perform this operation using this service."
    AuthorizationSourceIPMismatch 403 "This request is not authorized to perform this operation using this source IP."
    InvalidAuthenticationInfo 400 "Authentication information is not given in the correct format. Check the value of Authorization header."
    InvalidBearerToken as "InvalidAuthenticationInfo" 401 "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
    // Blob
    AccessTierNotSupportedForBlobType 400 "The access tier is not supported for this blob type."
    AllBatchSubRequestsShouldBeSameApi 400 "All batch subrequests should be the same api."
    AppendPositionConditionNotMet 412 "The append position condition specified was not met."
    BlobAlreadyExists 409 "The specified blob already exists."
    BlobArchived 409 "This operation is not permitted on an archived blob."
    BlobBeingRehydrated 409 "This operation is not permitted because the blob is being rehydrated."
    BlobCustomerSpecifiedEncryptionMismatch 409 "The given customer specified encryption does not match the encryption used to encrypt the blob."
    BlobDoesNotUseCustomerSpecifiedEncryption 409 "The blob is not encrypted with customer specified encryption, but one was provided in the request."
    BlobImmutableDueToLegalHold 409 "This operation is not permitted as the blob is immutable due to one or more legal holds."
    BlobImmutableDueToPolicy 409 "This operation is not permitted as the blob is immutable due to a policy."
    BlobIsSealed 409 "The blob is sealed and its contents cannot be modified."
    BlobNotFound 404 "The specified blob does not exist."
    BlobOperationNotSupported 409 "The operation isn't supported in this scenario."
    BlobOverwritten 409 "The blob has been recreated since the previous snapshot was taken."
    BlobSnapshotNotSoftDeleted 409 "The specified blob snapshot or version is not soft deleted."
    BlobTierInadequateForContentLength 409 "Specified blob tier size limit cannot be less than content length."
    BlobUsesCustomerSpecifiedEncryption 409 "The blob is encrypted with customer specified encryption, but it was not provided in the request."
    BlockCountExceedsLimit 409 "The committed block count cannot exceed the maximum limit of 50,000 blocks."
    BlockListTooLong 400 "The block list may not contain more than 50,000 blocks."
    BothCrc64AndMd5HeaderPresent 400 "Both x-ms-content-crc64 header and Content-MD5 header are present."
    BothCrc64AndMd5RangeHeaderPresent 400 "Both x-ms-range-get-content-crc64 header and x-ms-range-get-content-md5 header are present."
    BothUserTagsAndSourceTagsCopyPresentException 400 "x-ms-tags header must not be present with x-ms-copy-source-tag-option as COPY."
    CannotChangeToLowerTier 409 "A higher blob tier has already been explicitly set."
    CannotVerifyCopySource 404 "The specified resource does not exist."
    ContainerAlreadyExists 409 "The specified container already exists."
    ContainerBeingDeleted 409 "The specified container is being deleted. Try operation later."
    ContainerNotFound 404 "The specified container does not exist."
    ContentLengthLargerThanTierLimit 409 "The blob's content length cannot exceed its tier limit."
    CopyIdMismatch 409 "The specified copy ID did not match the copy ID for the pending copy operation."
    Crc64Mismatch 400 "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server."
    DuplicateTagNames 400 "The tags specified contain duplicate names."
    EmptyTagName 400 "The name of one of the tag key-value pairs is empty."
    ExceedsMaxBatchRequestCount 400 "The batch operation exceeds maximum number of allowed subrequests."
    HierarchicalNamespaceNotEnabled 400 "Hierarchical namespace is not enabled for this storage account."
    ImmutabilityPolicyDeleteOnLockedPolicy 409 "This operation is not permitted as the immutability policy of the blob is locked."
    IncrementalCopyBlobMismatch 409 "The specified source blob is different than the copy source of the existing incremental copy blob."
    IncrementalCopyOfEarlierVersionSnapshotNotAllowed 409 "The specified snapshot is earlier than the last snapshot copied into the incremental copy blob."
    IncrementalCopySourceMustBeSnapshot 409 "The source for incremental copy request must be a snapshot."
    InfiniteLeaseDurationRequired 412 "The lease ID matched, but the specified lease must be an infinite-duration lease."
    InvalidBlobOrBlock 400 "The specified blob or block content is invalid."
    InvalidBlobType 409 "The blob type is invalid for this operation."
    InvalidBlockId 400 "The specified block ID is invalid. The block ID must be Base64-encoded."
    InvalidBlockList 400 "The specified block list is invalid."
    InvalidPageRange 416 "The page range specified is invalid."
    InvalidSourceBlobType 409 "The copy source blob type is invalid for this operation."
    InvalidSourceBlobUrl 409 "The source url for incremental copy request must be valid azure storage blob url."
    LeaseAlreadyPresent 409 "There is already a lease present."
    LeaseIdMismatchWithBlobOperation 412 "The lease ID specified did not match the lease ID for the blob."
    LeaseIdMismatchWithContainerOperation 412 "The lease ID specified did not match the lease ID for the container."
    LeaseIdMismatchWithLeaseOperation 409 "The lease ID specified did not match the lease ID for the blob/container."
    LeaseIdMissing 412 "There is currently a lease on the blob and no lease ID was specified in the request."
    LeaseIsBreakingAndCannotBeAcquired 409 "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken."
    LeaseIsBreakingAndCannotBeChanged 409 "The lease ID matched, but the lease is currently in breaking state and cannot be changed."
    LeaseIsBrokenAndCannotBeRenewed 409 "The lease ID matched, but the lease has been broken explicitly and cannot be renewed."
    LeaseLost 412 "A lease ID was specified, but the lease for the blob has expired."
    LeaseNotPresentWithBlobOperation 412 "There is currently no lease on the blob."
    LeaseNotPresentWithContainerOperation 412 "There is currently no lease on the container."
    LeaseNotPresentWithLeaseOperation 409 "There is currently no lease on the blob."
    MaxBlobSizeConditionNotMet 412 "The max blob size condition specified was not met."
    MutuallyExclusiveQueryParameters 400 "The query parameters specified in the request URI are mutually exclusive."
    NoPendingCopyOperation 409 "There is currently no pending copy operation."
    OperationNotAllowedOnIncrementalCopyBlob 409 "The specified operation is not allowed on an incremental copy blob."
    OperationNotAllowedOnRootBlob 403 "The specified operation is not allowed on root blob."
    PendingCopyOperation 409 "There is currently a pending copy operation."
    PreviousSnapshotCannotBeNewer 400 "The prevsnapshot query parameter value cannot be newer than snapshot query parameter value."
    PreviousSnapshotNotFound 409 "The previous snapshot is not found."
    PreviousSnapshotOperationNotSupported 409 "Differential Get Page Ranges is not supported on the previous snapshot."
    RequestForbiddenByContainerEncryptionPolicy 403 "The request is forbidden by the container encryption policy."
    SequenceNumberConditionNotMet 412 "The sequence number condition specified was not met."
    SequenceNumberIncrementTooLarge 409 "The sequence number increment cannot be performed because it would result in overflow of the sequence number."
    SnapshotsPresent 409 "This operation is not permitted because the blob has snapshots."
    SourceConditionNotMet 412 "The source condition specified using HTTP conditional header(s) is not met."
    TagsTooLarge 400 "The tags specified exceed the maximum permissible limit."
    TargetConditionNotMet 412 "The target condition specified using HTTP conditional header(s) is not met."
    UnauthorizedBlobOverwrite 403 "This request is not authorized to perform blob overwrites."
    // File
    CannotDeleteFileOrDirectory 409 "The file or directory could not be deleted because it is in use by an SMB client."
    DeletePending 409 "The specified resource is marked for deletion by an SMB client."
    DeleteShareWhenSnapshotLeased 409 "Unable to delete share because one or more share snapshots have active leases. Release the share snapshot leases or delete the share with the include-leased parameter for x-ms-delete-snapshots."
    DirectoryNotEmpty 409 "The specified directory is not empty."
    FileInvalidPermission 400 "The specified file permission is not valid."
    FileLockConflict 409 "A portion of the specified file is locked by an SMB client."
    InvalidFileOrDirectoryPathName 400 "File or directory path is too long."
    LeaseIdMismatchWithFileOperation 412 "The lease ID specified did not match the lease ID for the file."
    LeaseNotPresentWithFileOperation 412 "There is currently no lease on the file."
    ParentNotFound 404 "The specified parent path does not exist."
    ReadOnlyAttribute 409 "The specified resource is read-only and cannot be modified at this time."
    ShareAlreadyExists 409 "The specified share already exists."
    ShareBeingDeleted 409 "The specified share is being deleted. Try operation later."
    ShareHasSnapshots 409 "The share has snapshots and the operation requires no snapshots."
    ShareNotFound 404 "The specified share does not exist."
    ShareSnapshotCountExceeded 409 "The total number of snapshots for the share is over the limit."
    SharingViolation 409 "The specified resource may be in use by an SMB client."
    WebContentNotFound 404 "The requested content does not exist."
    // Data Lake
    DirectoryIsNotEmpty 409 "This operation is not permitted on a non-empty directory."
    FeatureNotYetSupportedForHierarchicalNamespaceAccounts 409 "Specified feature is not yet supported for hierarchical namespace accounts."
    ContentLengthMustBeZero 400 "The Content-Length request header must be zero."
    FilesystemAlreadyExists 409 "The specified filesystem already exists."
    FilesystemBeingDeleted 409 "The specified filesystem is being deleted."
    FilesystemNotFound 404 "The specified filesystem does not exist."
    /// The service misspells it.
    InvaldAccessControlList 400 "The access control list value is invalid."
    InvalidDestinationPath 409 "The specified path, or an element of the path, exists and its resource type is invalid for this operation."
    InvalidFlushOperation 409 "The resource was created or modified by the Blob Service API and cannot be written to by the Data Lake Storage Service API."
    InvalidFlushPosition 400 "The uploaded data is not contiguous or the position query parameter value is not equal to the length of the file after appending the uploaded data."
    InvalidPermission 400 "The permission value is invalid."
    InvalidPropertyName 400 "A property name cannot be empty."
    InvalidRenameSourcePath 409 "The source directory cannot be the same as the destination directory, nor can the destination be a subdirectory of the source directory."
    InvalidSourceOrDestinationResourceType 409 "The source and destination resource type must be identical."
    InvalidSourceUri 400 "The source URI is invalid."
    LeaseIdMismatch 412 "The lease ID specified did not match the lease ID for the resource."
    LeaseNotPresent 412 "There is currently no lease on the resource."
    PathAlreadyExists 409 "The specified path already exists."
    PathConflict 409 "The specified path, or an element of the path, exists and its resource type is invalid for this operation."
    PathNotFound 404 "The specified path does not exist."
    RenameDestinationParentPathNotFound 404 "The parent directory of the destination path does not exist."
    SourcePathNotFound 404 "The source path for a rename operation does not exist."
    // Queue
    MessageNotFound 404 "The specified message does not exist."
    QueueAlreadyExists 409 "The specified queue already exists."
    QueueNotFound 404 "The specified queue does not exist."
    // Table
    AtomFormatNotSupported 415 "Atom format is not supported."
    CommandsInBatchActOnDifferentPartitions 400 "All commands in a batch must operate on same entity group."
    DuplicatePropertiesSpecified 400 "A property is specified more than one time."
    EntityAlreadyExists 409 "The specified entity already exists."
    EntityTooLarge 400 "The entity is larger than the maximum allowed size (1MB)."
    InvalidDuplicateRow 400 "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."
    JsonVerboseFormatNotSupported 415 "JSON Verbose format is not supported."
    KeyValueTooLarge 400 "The value of a key property exceeds the maximum allowed size (1KB)."
    MediaTypeNotSupported 415 "None of the provided media types are supported"
    PrimaryKeyPropertyIsInvalidType 400 "The values of the key properties must be strings."
    PropertiesNeedValue 400 "The values are not specified for all properties in the entity."
    PropertyNameInvalid 400 "The property name is invalid."
    PropertyNameTooLong 400 "The property name exceeds the maximum allowed length (255)."
    PropertyValueTooLarge 400 "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less."
    TableAlreadyExists 409 "The table specified already exists."
    TableNotFound 404 "The table specified does not exist."
    TooManyProperties 400 "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties."
    UpdateConditionNotSatisfied 412 "The update condition specified in the request was not satisfied."
    XMethodIncorrectCount 400 "More than one X-HTTP-Method is specified."
    XMethodIncorrectValue 400 "The specified X-HTTP-Method is invalid."
    XMethodNotUsingPost 400 "The request uses X-HTTP-Method with an Http Verb other than POST."
}

/// The error of one request: a code, and what is special about this case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: ErrorCode,
    status: u16,
    message: Cow<'static, str>,
    details: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
    reason: String,
}

impl From<ErrorCode> for StorageError {
    fn from(code: ErrorCode) -> StorageError {
        StorageError(Box::new(Inner {
            code,
            status: code.status(),
            message: Cow::Borrowed(code.message()),
            details: Vec::new(),
            headers: Vec::new(),
            reason: String::new(),
        }))
    }
}

impl ErrorCode {
    /// This error with an element beside code and message, such as `HeaderName`.
    pub fn with_detail(self, element: &'static str, value: impl Into<String>) -> StorageError {
        StorageError::from(self).with_detail(element, value)
    }

    /// This error with another message than the table's.
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> StorageError {
        StorageError::from(self).with_message(message)
    }

    /// This error with a reason for the log, which the client does not see.
    pub fn with_reason(self, reason: impl Into<String>) -> StorageError {
        StorageError::from(self).with_reason(reason)
    }
}

impl StorageError {
    /// A header that is malformed or out of range: 400 InvalidHeaderValue with its name.
    pub fn invalid_header(name: &str, value: impl Into<String>) -> StorageError {
        ErrorCode::InvalidHeaderValue.with_detail("HeaderName", name).with_detail("HeaderValue", value)
    }

    /// A missing header: 400 MissingRequiredHeader with its name.
    pub fn missing_header(name: &str) -> StorageError {
        ErrorCode::MissingRequiredHeader.with_detail("HeaderName", name)
    }

    /// A malformed query parameter: 400 InvalidQueryParameterValue with its name and a reason.
    pub fn invalid_query(name: &str, value: impl Into<String>, reason: impl Into<String>) -> StorageError {
        ErrorCode::InvalidQueryParameterValue
            .with_detail("QueryParameterName", name)
            .with_detail("QueryParameterValue", value)
            .with_detail("Reason", reason)
    }

    /// A number in the query that is too small or too large: 400 OutOfRangeQueryParameterValue with the bounds.
    pub fn out_of_range_query(name: &str, value: impl Into<String>, least: u64, most: u64) -> StorageError {
        ErrorCode::OutOfRangeQueryParameterValue
            .with_detail("QueryParameterName", name)
            .with_detail("QueryParameterValue", value)
            .with_detail("MinimumAllowed", least.to_string())
            .with_detail("MaximumAllowed", most.to_string())
    }

    /// A missing query parameter: 400 MissingRequiredQueryParameter with its name.
    pub fn missing_query(name: &str) -> StorageError {
        ErrorCode::MissingRequiredQueryParameter.with_detail("QueryParameterName", name)
    }

    /// A body that is not the expected XML: 400 InvalidXmlDocument with a reason.
    pub fn invalid_xml(reason: impl Into<String>) -> StorageError {
        ErrorCode::InvalidXmlDocument
            .with_detail("LineNumber", "0")
            .with_detail("LinePosition", "0")
            .with_detail("Reason", reason)
    }

    /// An element of an XML body whose value is invalid: 400 InvalidXmlNodeValue with its name.
    pub fn invalid_xml_node(name: impl Into<String>, value: impl Into<String>) -> StorageError {
        ErrorCode::InvalidXmlNodeValue.with_detail("XmlNodeName", name).with_detail("XmlNodeValue", value)
    }

    /// A body over its limit in bytes: 413 RequestBodyTooLarge with the limit.
    pub fn too_large(limit: u64) -> StorageError {
        ErrorCode::RequestBodyTooLarge.with_detail("MaxLimit", limit.to_string())
    }

    /// Adds an element beside code and message.
    pub fn with_detail(mut self, element: &'static str, value: impl Into<String>) -> StorageError {
        self.0.details.push((element, value.into()));
        self
    }

    /// Adds a response header, such as the `Content-Range` of a 416.
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> StorageError {
        self.0.headers.push((name, value.into()));
        self
    }

    /// Replaces the table's message.
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> StorageError {
        self.0.message = message.into();
        self
    }

    /// Replaces the code, with its status and message. The details, headers and reason remain.
    pub fn with_code(mut self, code: ErrorCode) -> StorageError {
        self.0.code = code;
        self.0.status = code.status();
        self.0.message = Cow::Borrowed(code.message());
        self
    }

    /// Replaces the table's status, for the few codes that have several (CannotVerifyCopySource).
    pub fn with_status(mut self, status: u16) -> StorageError {
        self.0.status = status;
        self
    }

    /// Adds a reason for the log, which the client does not see.
    pub fn with_reason(mut self, reason: impl Into<String>) -> StorageError {
        self.0.reason = reason.into();
        self
    }

    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The elements beside code and message, in order.
    pub fn details(&self) -> &[(&'static str, String)] {
        &self.0.details
    }

    /// The response headers that this error adds.
    pub fn headers(&self) -> &[(&'static str, String)] {
        &self.0.headers
    }

    /// The reason for the log; may be empty.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// What is special about this error, in one line for the log: its own message, its elements, its reason. Secrets, which the answer to
    /// the client may contain, are masked. `None` for an error that is only a code.
    pub fn log_line(&self) -> Option<String> {
        let message = Some(self.message()).filter(|message| *message != self.code().message()).map(secret::masked);
        let reason = Some(self.reason()).filter(|reason| !reason.is_empty()).map(secret::masked);
        let parts: Vec<String> = message.into_iter().chain(self.masked_details()).chain(reason).collect();
        let line = parts.join("; ").replace(|c: char| c.is_control(), " ");
        Some(line).filter(|line| !line.is_empty())
    }

    fn masked_details(&self) -> impl Iterator<Item = String> {
        let of_secret = self.details().iter().any(|(name, value)| *name == "HeaderName" && secret::is_secret(value));
        self.details().iter().map(move |(name, value)| match *name {
            "HeaderValue" if of_secret => format!("{name}=…"),
            // Its value is a sentence, which needs no name.
            "AuthenticationErrorDetail" => visible(&secret::masked(value)),
            _ => format!("{name}={:?}", secret::masked(value)),
        })
    }
}

/// A text in one line, in which the line breaks of a string to sign remain visible.
fn visible(text: &str) -> String {
    let letter = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(letter).collect()
}

/// For the log: secrets, which the answer to the client may contain, are masked.
impl std::fmt::Display for StorageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.status(), self.code().name(), self.message())?;
        for detail in self.masked_details() {
            write!(f, " {detail}")?;
        }
        if !self.reason().is_empty() {
            write!(f, " ({})", secret::masked(self.reason()))?;
        }
        Ok(())
    }
}

impl std::error::Error for StorageError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_an_error_with_a_message() {
        for code in ErrorCode::ALL {
            assert!((300..=599).contains(&code.status()), "{code:?}");
            assert!(!code.message().is_empty() && !code.message().contains("unverified"), "{code:?}");
        }
    }

    #[test]
    fn the_log_has_no_secrets() {
        let mismatch = crate::rules::auth::shared_key::mismatch("c2ln", "PUT\n\nx-ms-encryption-key:a2V5\n/a/b");
        let source = ErrorCode::CannotVerifyCopySource.with_reason("GET /a/b?sv=1&sig=c2ln");
        for (error, secret) in
            [(mismatch, "a2V5"), (StorageError::invalid_header("x-ms-encryption-key", "a2V5"), "a2V5"), (source, "c2ln")]
        {
            let logged = error.to_string();
            assert!(!logged.contains(secret) && !logged.contains("c2ln") && logged.contains('…'), "{logged}");
        }
        for (error, reason) in [
            (ErrorCode::BlobNotFound.into(), None),
            (ErrorCode::BlobNotFound.with_reason("why"), Some("why")),
            (
                ErrorCode::ConditionNotMet.with_message("A sentence?sig=c2ln&x=\ny").with_reason("why"),
                Some("A sentence?sig=…&x= y; why"),
            ),
            (StorageError::invalid_header("x-ms-date", "no date"), Some("HeaderName=\"x-ms-date\"; HeaderValue=\"no date\"")),
            (StorageError::invalid_header("authorization", "c2ln"), Some("HeaderName=\"authorization\"; HeaderValue=…")),
            (ErrorCode::AuthenticationFailed.with_detail("AuthenticationErrorDetail", "It is 'a\nb'."), Some("It is 'a\\nb'.")),
        ] {
            assert_eq!(error.log_line().as_deref(), reason);
        }
        let text = StorageError::invalid_header("x-ms-date", "no date").to_string();
        assert!(text.ends_with("HeaderName=\"x-ms-date\" HeaderValue=\"no date\""), "{text}");
    }

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<StorageError>(), size_of::<usize>());
    }
}
