//! A request whose operation is known and whose caller is authorized.

use crate::account::Account;
use crate::environment::Environment;
use crate::operation::{
    Body, EncryptionCheck, NamespaceSupport, OperationSpec, Query, RemoteRequest, RemoteResponse, Source, SourceAccess,
    SourceAuthorization, SourceLocation, Target, header_text,
};
use crate::rules::auth::permissions::{AnonymousAccess, Authorization, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::auth::token::Identity;
use crate::rules::batch::BatchPart;
use crate::rules::conditions::{ConditionSupport, Conditions};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::rules::table::entity::key::Range;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::{conditions, copy_source, encryption};
use crate::store::Store;
use http::HeaderMap;
use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

const LEASE_ID: &str = "x-ms-lease-id";

/// What a handler gets.
#[derive(Debug)]
pub struct Request {
    /// The specification of the operation.
    pub spec: &'static OperationSpec,
    /// The account that the URL names.
    pub account: Arc<Account>,
    /// Whether the request was sent to the secondary endpoint of the account.
    pub secondary: bool,
    /// The resource that the URL names.
    pub target: Target,
    pub query: Query,
    /// The headers. All are text, and repeated ones are joined by `,`.
    pub headers: HeaderMap,
    /// The metadata names that were not written in lower case, in pairs: in lower case, as written.
    pub metadata_case: Vec<(String, String)>,
    pub method: http::Method,
    /// The service version that the answer follows.
    pub version: Version,
    /// When the request arrived.
    pub now: Timestamp,
    /// The rights of the caller.
    pub authorization: Authorization,
    /// The caller's identity, if the request has a bearer token.
    pub user: Option<Identity>,
    /// Whose access control lists apply.
    pub principal: access::Caller,
    /// The entities that the caller may access. A SAS of a table can limit them.
    pub keys: Range,
    /// The URL of the account's service as the client wrote it, with a trailing `/`.
    pub endpoint: String,
    /// The clock and the source of ids.
    pub environment: Arc<Environment>,
    /// Where content is stored.
    pub store: Store,
    /// The lease id of the request.
    pub lease_id: Option<LeaseId>,
    /// The conditional headers.
    pub conditions: Conditions,
    /// The customer-provided key or encryption scope.
    pub encryption: Encryption,
    /// How a copy reaches its source.
    pub sources: Arc<dyn Sources>,
    /// How a batch performs its parts.
    pub parts: Arc<dyn Parts>,
    /// The body, which can be read once.
    pub body: Body,
}

/// How a batch performs its parts: through the pipeline, like any request.
pub trait Parts: Send + Sync + std::fmt::Debug {
    /// Performs a part of the batch if it is one of these operations, and returns its response as text. If `part` is an error, which
    /// concerns the whole batch, the response is that error.
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        part: Result<&'a BatchPart, StorageError>,
        operations: &'static [&'static OperationSpec],
    ) -> Pin<Box<dyn Future<Output = String> + Send + 'a>>;
}

/// The permission that a copy needs on its source: that of a reader.
const READS: RequiredPermission = RequiredPermission::object("r")
    .actions(&[&[RoleAction::BlobRead], &[RoleAction::FileRead, RoleAction::FileReadBackup]])
    .or_anonymous(AnonymousAccess::Blob);

/// How a copy operation reaches its source.
pub trait Sources: Send + Sync + std::fmt::Debug {
    /// Finds the source that a copy-source URL names. A blob on this server is found only if the SAS of the URL, the token sent with it
    /// or, if `authorization` allows that, the caller's own authorization permits reading it.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a malformed URL; CannotVerifyCopySource with the status of the error at the source.
    fn find(&self, request: &Request, url: &str, authorization: SourceAuthorization) -> Result<SourceLocation, StorageError> {
        self.find_for(request, url, SourceAccess { header: "x-ms-copy-source", requires: READS, authorization })
    }

    /// Finds the resource that the URL in another header names.
    ///
    /// # Errors
    /// As [`Sources::find`].
    fn find_for(&self, request: &Request, url: &str, access: SourceAccess) -> Result<SourceLocation, StorageError>;

    /// Sends a request to another server, and returns when the head of the response has arrived.
    ///
    /// # Errors
    /// 500 CannotVerifyCopySource for a server that cannot be reached or does not answer.
    fn open(&self, request: RemoteRequest) -> Pin<Box<dyn Future<Output = Result<RemoteResponse, StorageError>> + Send + '_>>;

    /// Runs a task that continues after the request is answered, at most until the server stops.
    fn run_in_background(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
}

impl Request {
    /// The request of a part of this batch, with its own operation, target, query and headers. All else is that of the batch.
    pub fn part(&self, spec: &'static OperationSpec, target: Target, query: Query, headers: HeaderMap) -> Request {
        Request {
            spec,
            target,
            query,
            headers,
            account: self.account.clone(),
            secondary: self.secondary,
            metadata_case: Vec::new(),
            method: self.method.clone(),
            version: self.version,
            now: self.now,
            authorization: self.authorization,
            user: self.user.clone(),
            principal: self.principal.clone(),
            keys: self.keys.clone(),
            endpoint: self.endpoint.clone(),
            environment: self.environment.clone(),
            store: self.store.clone(),
            lease_id: None,
            conditions: Conditions::default(),
            encryption: Encryption::Service,
            sources: self.sources.clone(),
            parts: self.parts.clone(),
            body: Body::default(),
        }
    }

    /// Parses the lease id, the conditions and the encryption of the request.
    pub(in crate::operation) fn parse_preconditions(&mut self) -> Result<(), StorageError> {
        if self.spec.namespace == NamespaceSupport::Flat && self.account.hns {
            return Err(ErrorCode::FeatureNotYetSupportedForHierarchicalNamespaceAccounts.into());
        }
        for name in self.target.state_parameters() {
            let text = self.query.get(name).unwrap_or_default();
            if !text.is_empty() && !self.spec.reads(name) {
                let reason = "This operation does not support snapshots or versions.";
                return Err(StorageError::invalid_query(name, text, reason));
            }
        }
        if self.spec.lease != LeaseCheck::None || self.spec.conditions != ConditionSupport::None {
            self.lease_id = header_text(&self.headers, LEASE_ID)
                .map(|text| LeaseId::parse(text).ok_or_else(|| StorageError::invalid_header(LEASE_ID, text)))
                .transpose()?;
        }
        if self.spec.conditions != ConditionSupport::None {
            let plain = self.conditions_named(&conditions::PLAIN)?;
            // From 2026-02-06 on, the operations on tags have their own conditional headers, which outrank the plain ones.
            self.conditions = match self.spec.reads(conditions::BLOB.if_match) && self.version >= Version::V2026_02_06 {
                true => self.conditions_named(&conditions::BLOB)?.or(plain),
                false => plain,
            };
            let mut considered = self.conditions.clone();
            if self.lease_id.is_some() {
                // A write with a lease id replaces a blob that exists: `If-None-Match: *` is not checked then.
                considered = considered.without_if_none_match_any();
            }
            conditions::check_supported(&considered, self.spec.conditions, self.version)?;
        }
        if self.spec.encryption != EncryptionCheck::None {
            self.encryption = self.encryption_named(&encryption::PLAIN)?;
        }
        Ok(())
    }

    /// Parses the conditional headers with these names: the plain ones, or those about the source of a copy.
    pub fn conditions_named(&self, names: &conditions::ConditionHeaders) -> Result<Conditions, StorageError> {
        Conditions::read(names, |name| header_text(&self.headers, name).map(Cow::Borrowed))
    }

    /// Parses the customer-provided key or encryption scope from the headers with these names.
    pub(in crate::operation) fn encryption_named(
        &self,
        names: &encryption::EncryptionHeaderNames,
    ) -> Result<Encryption, StorageError> {
        let text = |name| header_text(&self.headers, name);
        let headers = encryption::EncryptionHeaders {
            key: text(names.key),
            sha256: text(names.sha256),
            algorithm: text(names.algorithm),
            scope: names.scope.and_then(text),
        };
        Encryption::read(names, headers)
    }
}

impl Source {
    /// The error of a copy in the background whose source fails with this error. If the source is in the copy's own account, it is the
    /// source's own error (live tests: BlobNotFound). A 409, a conflict with a pending copy, is passed on for any account.
    pub fn refused(&self, request: &Request, error: StorageError) -> StorageError {
        let is_own = self.account.name == request.account.name;
        if is_own || error.status() == 409 { error } else { copy_source::refused(request.version, &error) }
    }
}
