//! A request after its operation is known and its caller let in.

use crate::account::Account;
use crate::environment::Environment;
use crate::operation::headers::metadata;
use crate::operation::{
    Body, EncryptionCheck, OperationSpec, Query, RemoteRequest, RemoteResponse, Source, SourceAccess, SourceAuthorization,
    SourceLocation, Target, header_text,
};
use crate::rules::auth::permissions::{AnonymousAccess, Authorization, RequiredPermission, ResourceLevel};
use crate::rules::auth::token::Identity;
use crate::rules::batch::BatchPart;
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::{ConditionSupport, Conditions};
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::rules::metadata::Metadata;
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

/// What a handler is handed. `now` was read once, at the door.
#[derive(Debug)]
pub struct Request {
    /// The operation's row.
    pub spec: &'static OperationSpec,
    /// The account whose service is asked.
    pub account: Arc<Account>,
    /// Whether the account's secondary endpoint was asked.
    pub secondary: bool,
    /// What the path names.
    pub target: Target,
    /// The query.
    pub query: Query,
    /// The headers: text, and each once, those that were repeated joined by `,`.
    pub headers: HeaderMap,
    /// The metadata names that were not written in lower case: lower case, and as written.
    pub metadata_case: Vec<(String, String)>,
    /// The method.
    pub method: http::Method,
    /// The service version that the answer follows.
    pub version: Version,
    /// The moment that the request came in.
    pub now: Timestamp,
    /// What the caller may do.
    pub authorization: Authorization,
    /// Who the caller is, if a bearer token says so.
    pub user: Option<Identity>,
    /// The entities that the caller may reach, where a table's signature has bounds.
    pub keys: Range,
    /// The address of the account's service as the client wrote it, ending in `/`.
    pub endpoint: String,
    /// Ids and time.
    pub environment: Arc<Environment>,
    /// Where bytes are to lie.
    pub store: Store,
    /// The lease id that the caller shows.
    pub lease_id: Option<LeaseId>,
    /// The conditional headers.
    pub conditions: Conditions,
    /// The customer-provided key or encryption scope.
    pub encryption: Encryption,
    /// How a copy finds what it copies.
    pub sources: Arc<dyn Sources>,
    /// How a batch performs its parts.
    pub parts: Arc<dyn Parts>,
    /// The body, until somebody reads it.
    pub body: Body,
}

/// How a batch performs its parts: through the same door as any request.
pub trait Parts: Send + Sync + std::fmt::Debug {
    /// Performs a part of this call's batch, if it asks for one of these operations, and gives its answer as the text of an HTTP
    /// response. In place of a part there may be what is wrong with all of them.
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        part: Result<&'a BatchPart, StorageError>,
        operations: &'static [&'static OperationSpec],
    ) -> Pin<Box<dyn Future<Output = String> + Send + 'a>>;
}

/// What a copy needs of its source: what reading it would.
const READS: RequiredPermission =
    RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Blob };

/// How a copy operation reaches its source.
pub trait Sources: Send + Sync + std::fmt::Debug {
    /// Where a copy-source URL leads. A blob on this server is found only if the URL's own signature, what is shown with it, or, where
    /// that counts, the caller's own right may read it.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for what is no URL; CannotVerifyCopySource with the status of the source's own refusal otherwise.
    fn find(&self, request: &Request, url: &str, opens: SourceAuthorization) -> Result<SourceLocation, StorageError> {
        self.find_for(request, url, SourceAccess { header: "x-ms-copy-source", permit: READS, opens })
    }

    /// Where a URL leads that says something else than what is copied.
    ///
    /// # Errors
    /// As [`Sources::find`].
    fn find_for(&self, request: &Request, url: &str, reach: SourceAccess) -> Result<SourceLocation, StorageError>;

    /// Asks another server for a source; its answer's body is still to come.
    ///
    /// # Errors
    /// 500 CannotVerifyCopySource for a server that cannot be reached or does not answer.
    fn open(&self, asking: RemoteRequest) -> Pin<Box<dyn Future<Output = Result<RemoteResponse, StorageError>> + Send + '_>>;

    /// Lets a task run on after its request was answered. It ends with the server, if not before.
    fn go_on(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
}

impl Request {
    /// The call of a part of this one's batch, with what the part has of its own; whatever it has in common with the batch is the same.
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

    // The next four are for handlers that do not declare their input as a type yet.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        header_text(&self.headers, name).map(Cow::Borrowed)
    }

    pub fn has_header(&self, name: &str) -> bool {
        header_text(&self.headers, name).is_some()
    }

    pub fn metadata(&self) -> Result<Metadata, StorageError> {
        metadata(&self.headers, &self.metadata_case)
    }

    pub fn claimed_checksums(&self) -> Result<RequestChecksums, StorageError> {
        let given = |name| self.header(name);
        RequestChecksums::read(given("content-md5").as_deref(), given("x-ms-content-crc64").as_deref())
    }

    /// Parses what the request demands of the state of its resource.
    pub(in crate::operation) fn parse_preconditions(&mut self) -> Result<(), StorageError> {
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
            // The operations on tags have names of their own from 2026-02-06 on; those outrank the plain ones.
            self.conditions = match self.spec.reads(conditions::BLOB.if_match) && self.version >= Version::V2026_02_06 {
                true => self.conditions_named(&conditions::BLOB)?.or(plain),
                false => plain,
            };
        }
        if self.spec.encryption != EncryptionCheck::None {
            self.encryption = self.encryption_named(&encryption::PLAIN)?;
        }
        Ok(())
    }

    /// The conditional headers of one family: the request's own, or those about a copy's source.
    pub fn conditions_named(&self, names: &conditions::ConditionHeaders) -> Result<Conditions, StorageError> {
        Conditions::read(names, |name| header_text(&self.headers, name).map(Cow::Borrowed))
    }

    /// The customer-provided key that the request brings for a copy's source.
    pub fn source_encryption(&self) -> Result<Encryption, StorageError> {
        self.encryption_named(&encryption::SOURCE)
    }

    fn encryption_named(&self, names: &encryption::EncryptionHeaderNames) -> Result<Encryption, StorageError> {
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
    /// What a copy says that goes on in the background when its source refuses with this: of a source in its own account, the source's
    /// own refusal (live tests: BlobNotFound). What waits for another copy is told as it is in any account.
    pub fn refused(&self, request: &Request, error: StorageError) -> StorageError {
        let is_own = self.account.name == request.account.name;
        if is_own || error.status() == 409 { error } else { copy_source::refused(request.version, &error) }
    }
}
