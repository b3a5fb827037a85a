//! The path of a request from the connection to its operation and back: `Pipeline::answer` and `Pipeline::perform`.

mod batch_scope;
mod head;
pub mod local_services;
mod part;
mod source;

use crate::account::{Account, Accounts};
use crate::diagnostics::Diagnostics;
use crate::diagnostics::faults::{FaultRequest, Injection};
use crate::environment::Environment;
use crate::http::access_log::AccessLine;
use crate::http::auth::{Caller, SignIn, SignedHead};
use crate::http::background::Background;
use crate::http::error_format::{AcceptHeaders, ErrorFormat};
use crate::http::header_case::ResponseHeaderCase;
use crate::http::pipeline::head::{RequestHead, RequestProgress, content_length, is_echoed, is_preflight, text_headers};
use crate::http::pipeline::local_services::{LocalService, LocalServices};
use crate::http::remote::Remote;
use crate::http::render::ResponseContext;
use crate::http::route::Table;
use crate::http::serve::Peer;
use crate::http::target::{AccountAddress, account_address};
use crate::http::{auth, faults, host, render, target};
use crate::identity::Issuer;
use crate::operation::{
    Access, Body as Sent, BodyRemainder, EncryptionCheck, OperationSpec, Query, Reply, Request, ResourceKind, ResourcePath,
    STATE_PARAMETERS, Secondary, Service, ServiceKind, Target, Unread, header_text, header_value,
};
use crate::rules::auth::permissions;
use crate::rules::auth::permissions::{AnonymousAccess, Authorization, RequiredPermission};
use crate::rules::auth::sas::keys;
use crate::rules::conditions::Conditions;
use crate::rules::encryption::{Encryption, SCOPE, Scopes};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use crate::rules::versions::Version;
use crate::rules::{cors, lake, secret};
use crate::store::Store;
use axum::body::Body;
use http::header::HeaderValue;
use http::{HeaderMap, Method, Response};
use http_body::Body as _;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use uuid::Uuid;

/// The path of a request from a connection to its operation, for one service at one port.
#[derive(Debug)]
pub struct Pipeline {
    service: Arc<dyn Service>,
    table: Table,
    accounts: Arc<Accounts>,
    environment: Arc<Environment>,
    store: Store,
    options: ListenerOptions,
    sign_in: Arc<SignIn>,
    /// On the port of websites: the account of requests whose host names no other.
    first_site: Option<String>,
    header_case: ResponseHeaderCase,
    remote: Remote,
    local_services: Arc<LocalServices>,
    background: Weak<Background>,
    diagnostics: Arc<Diagnostics>,
}

/// The options of a listener.
#[derive(Clone, Copy, Debug)]
pub struct ListenerOptions {
    /// Whether a host such as `account.blob.localhost` names an account.
    pub host_style: bool,
}

impl LocalService for Pipeline {
    fn kind(&self) -> ServiceKind {
        self.service.kind()
    }

    fn answer_locally(
        self: Arc<Self>,
        request: http::Request<Body>,
        peer: Peer,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>> {
        Box::pin(async move { self.answer(request, peer).await })
    }
}

impl Pipeline {
    /// Creates the pipeline of a service.
    pub fn new(
        service: Arc<dyn Service>,
        accounts: Arc<Accounts>,
        environment: Arc<Environment>,
        store: Store,
        background: &Arc<Background>,
        options: ListenerOptions,
    ) -> Pipeline {
        Pipeline {
            table: Table::new(service.operations()),
            service,
            accounts,
            environment,
            store,
            options,
            sign_in: Arc::default(),
            first_site: None,
            header_case: ResponseHeaderCase::default(),
            remote: Remote::default(),
            local_services: Arc::default(),
            background: Arc::downgrade(background),
            diagnostics: Arc::default(),
        }
    }

    /// Lets these principals sign in.
    pub fn with_sign_in(self, sign_in: Arc<SignIn>) -> Pipeline {
        Pipeline { sign_in, ..self }
    }

    /// The issuer of tokens, if the request is for it and not for an account.
    pub fn issuer_of<B>(&self, request: &http::Request<B>) -> Option<&Arc<Issuer>> {
        let issuer = self.sign_in.issuer.as_ref()?;
        let host = host::of(request.uri(), request.headers());
        let is_accounts = self.options.host_style && (target::account_of_host(host).is_some() || self.serves_site(host));
        Issuer::serves(is_accounts, request.uri().path(), |name| self.is_account(name)).then_some(issuer)
    }

    /// Returns true if the server issues tokens.
    pub fn has_issuer(&self) -> bool {
        self.sign_in.issuer.is_some()
    }

    /// Returns true if a path that begins with this name is an account's.
    pub fn is_account(&self, name: &str) -> bool {
        self.accounts.owns_path(name)
    }

    /// Lets copies read sources at these services of the same server without a connection.
    pub fn with_local_services(self, services: &Arc<LocalServices>) -> Pipeline {
        Pipeline { remote: Remote::trusting(services.certificate.clone()), local_services: services.clone(), ..self }
    }

    /// Counts requests here, and records and disturbs them if the server does that.
    pub fn with_diagnostics(self, diagnostics: &Arc<Diagnostics>) -> Pipeline {
        Pipeline { diagnostics: diagnostics.clone(), ..self }
    }

    /// Turns the pipeline into that of the port of websites, with the website of this account unless the host names another.
    pub fn into_websites(self, first: &str) -> Pipeline {
        Pipeline { first_site: Some(first.to_owned()), ..self }
    }

    /// Whether a host such as `account.blob.localhost` names an account.
    pub fn has_host_style(&self) -> bool {
        self.options.host_style
    }

    /// Returns true if a host names the website of an account.
    pub fn serves_site(&self, host: &str) -> bool {
        self.site(host, "").is_some()
    }

    /// The service.
    pub fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    /// Answers a request.
    pub async fn answer(self: &Arc<Self>, request: http::Request<Body>, peer: Peer) -> Response<Body> {
        let (now, began) = (self.environment.now(), self.environment.machine());
        let mut buffer = Uuid::encode_buffer();
        let request_id: &str = Uuid::from_bytes(self.environment.id()).hyphenated().encode_lower(&mut buffer);
        let (parts, wire) = request.into_parts();
        let announced = content_length(&parts.headers);
        let expects = parts.headers.contains_key(http::header::EXPECT);
        let (mut body, rest) = Sent::new(wire, announced.unwrap_or(0), expects);
        let client_id = header_value(&parts.headers, "x-ms-client-request-id").filter(|id| is_echoed(id)).cloned();
        let user_agent = parts.headers.get(http::header::USER_AGENT).cloned();
        let origin = parts.headers.get(http::header::ORIGIN).and_then(|origin| origin.to_str().ok()).map(str::to_owned);
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let accept = AcceptHeaders::of(&parts.headers);

        let host = host::of(&parts.uri, &parts.headers).to_owned();
        let site = self.site(&host, "").is_some();
        let mut progress = RequestProgress::new(site);
        // The account's CORS rules also apply to errors in the head of the request.
        progress.account = account_address(self.service.kind(), &host, uri.path(), self.options.host_style)
            .filter(|_| !site)
            .and_then(|address| address.find(&self.accounts));
        let outcome = match RequestHead::parse(parts, host, peer, now, &mut progress) {
            Ok(head) => self.perform(head, announced.is_some(), &mut body, &mut progress).await,
            Err(error) => Err(error),
        };
        drop(body);
        let closes = self.discard_rest(rest);

        let context = ResponseContext {
            kind: self.service.kind(),
            head: method == Method::HEAD,
            version: progress.version,
            shows_version: progress.shows_version,
            request_id,
            client_request_id: client_id.as_ref(),
            now,
            site,
        };
        let (mut response, error) = match outcome {
            Ok(mut reply) => {
                let metadata_names = std::mem::take(&mut reply.metadata_names);
                let mut response = render::reply(reply, &context);
                if !metadata_names.is_empty() {
                    self.header_case.apply(&metadata_names, &mut response).await;
                    response.extensions_mut().insert(local_services::MetadataNames(metadata_names));
                }
                (response, None)
            }
            Err(error) => {
                let error = if context.kind == ServiceKind::DataLake { lake::error::of_path(error) } else { error };
                let format = ErrorFormat::of(context.kind, uri.query().unwrap_or_default(), &accept);
                (render::error(&error, format, &context), Some(error))
            }
        };
        if closes {
            response.headers_mut().insert(http::header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(account) = progress.account.as_ref().filter(|_| !site) {
            self.add_cors(account, origin.as_deref(), &method, request_id, response.headers_mut());
        }
        let fault = progress.fault.as_deref().map(Injection::names);
        if let Some(fault) = &fault {
            render::put(response.headers_mut(), FAULT, fault);
        }
        let line = AccessLine {
            kind: context.kind,
            part: false,
            account: progress.account.as_ref().map(|account| account.name.as_str()),
            method: method.as_str(),
            uri: &uri,
            spec: progress.spec,
            status: response.status().as_u16(),
            error: error.as_ref(),
            request_id,
            client_request_id: client_id.as_ref(),
            user_agent: user_agent.as_ref(),
            bytes: (announced.unwrap_or(0), response.body().size_hint().exact()),
            fault,
            now,
            times: (began, self.environment.machine()),
        };
        line.keep(&self.diagnostics);
        match progress.fault.and_then(|injection| injection.ending) {
            Some(ending) => faults::end(response, &ending),
            None => response,
        }
    }

    /// Injects the faults whose rules concern a request.
    ///
    /// # Errors
    /// The error of a rule. The request has no effect then.
    async fn inject(
        &self,
        head: &RequestHead,
        spec: &OperationSpec,
        address: (&str, bool),
        target: &Target,
        progress: &mut RequestProgress,
    ) -> Result<(), StorageError> {
        let (path, secondary) = address;
        let request = FaultRequest {
            service: self.service.kind(),
            operation: spec.name,
            method: head.method.as_str(),
            account: progress.account.as_ref().map_or("", |account| &account.name),
            container: target.container_name(),
            path,
            secondary,
            part: head.batch.is_some(),
            now: head.now,
        };
        progress.fault = self.diagnostics.faults.inject(&request);
        let Some(injection) = progress.fault.as_deref() else { return Ok(()) };
        faults::delay(injection.delay).await;
        injection.refuse()
    }

    /// Discards the rest of a body in the background, so that the next request can follow. Returns true if the connection must close.
    fn discard_rest(&self, rest: BodyRemainder) -> bool {
        match (rest.unread(), self.background.upgrade()) {
            (Unread::Nothing, _) => false,
            (Unread::Rest(unread), Some(background)) => {
                background.spawn(Box::pin(unread.discard()));
                false
            }
            (Unread::Lost, _) | (Unread::Rest(_), None) => true,
        }
    }

    /// Performs a request from its head: target, version, route, authentication, permission, operation.
    async fn perform(
        self: &Arc<Self>,
        mut head: RequestHead,
        has_length: bool,
        body: &mut Sent,
        progress: &mut RequestProgress,
    ) -> Result<Reply, StorageError> {
        let address = self.address(&head)?;
        let account = address.find(&self.accounts).ok_or_else(|| unknown_account(&address.account))?;
        progress.account = Some(account.clone());
        progress.set_version(head.version.or_else(|| self.service.default_version(&account.name)));

        let (target, malformed_state) = match head.site {
            true => (self.service.website_target(address.path)?, None),
            false if is_preflight(&head.method, head.site) => (Target::Service, None),
            false => self.target(address.path, &head.query)?,
        };
        let method = self.service.method(&head.method, &head.headers)?;
        let (index, spec) = self.table.find(method.as_str(), target.kind(), &head.query, &head.headers)?;
        progress.spec = Some(spec);
        head.batch.as_ref().map_or(Ok(()), |batch| batch.admits(spec, &target))?;
        if !has_length && matches!(head.method, Method::PUT | Method::POST | Method::PATCH) {
            return Err(ErrorCode::MissingContentLengthHeader.into());
        }

        self.inject(&head, spec, (address.path, address.secondary), &target, progress).await?;
        let keys_off = progress.fault.as_ref().map_or(&[][..], |injection| &injection.keys_off);
        let caller = match keys_off {
            [] => self.authorize(&head, progress.version, &account, &target, &spec.requires)?,
            off => self.authorize(&head, progress.version, &account.without_keys(off), &target, &spec.requires)?,
        };
        malformed_state.map_or(Ok(()), Err)?;
        let keys = keys::reach(&caller.authorization, &head.pairs);
        check_endpoint(spec, address.secondary)?;
        let (endpoint, secondary) = (self.endpoint(&head, &address), address.secondary);
        if head.method == Method::PUT && spec.encryption != EncryptionCheck::None {
            apply_encryption_scope(caller.scope.as_deref(), &account.scopes, &mut head.headers)?;
        }
        let read =
            matches!(target.kind(), ResourceKind::Blob | ResourceKind::Path) && matches!(head.method, Method::GET | Method::HEAD);

        let on_behalf = Arc::new(OnBehalf {
            pipeline: self.clone(),
            host: head.host,
            peer: head.peer,
            https: head.https,
            keys_off: keys_off.to_vec(),
        });
        let mut request = Request {
            spec,
            endpoint,
            account,
            secondary,
            target,
            method: head.method,
            query: head.query,
            headers: head.headers,
            metadata_case: head.metadata_case,
            version: progress.version,
            now: head.now,
            authorization: caller.authorization,
            keys,
            user: caller.user,
            principal: caller.principal,
            environment: self.environment.clone(),
            store: self.store.clone(),
            lease_id: None,
            conditions: Conditions::default(),
            encryption: Encryption::Service,
            sources: on_behalf.clone(),
            parts: on_behalf,
            body: std::mem::take(body),
        };
        let lag = progress.fault.as_ref().and_then(|injection| injection.lag);
        let earlier = lag.and_then(|seconds| self.earlier(&mut request, seconds));
        if spec.access == Access::Write {
            self.record_history(&request);
        }
        let service = earlier.as_ref().unwrap_or(&self.service);
        let mut reply = service.start(index, request)?.await?.read_first()?;
        for (name, value) in caller.overrides.into_iter().filter(|_| read) {
            render::put(&mut reply.headers, name, &value);
        }
        Ok(reply)
    }

    /// Moves a request at a secondary that is behind to an earlier time. Returns the service as it was then, if it has changed since.
    fn earlier(&self, request: &mut Request, seconds: u64) -> Option<Arc<dyn Service>> {
        let time = Timestamp::from_ticks(request.now.ticks().saturating_sub(seconds.saturating_mul(TICKS_PER_SECOND)));
        request.now = time;
        let history = self.diagnostics.histories.of(self.service.kind());
        history.at(&request.account.name, time).and_then(|state| self.service.at(&state))
    }

    /// Saves the state before a write while a secondary is behind.
    fn record_history(&self, request: &Request) {
        let Some(lag) = self.diagnostics.faults.longest_lag() else { return };
        let oldest = request.now.ticks().saturating_sub(lag.saturating_mul(TICKS_PER_SECOND));
        let history = self.diagnostics.histories.of(self.service.kind());
        history.record(&*self.service, &request.account.name, request.now, Timestamp::from_ticks(oldest));
    }

    /// Parses the target of a request. The error of a malformed snapshot or version, which only a caller with permission sees, comes
    /// beside the resource that the path names.
    fn target(&self, path: &str, query: &Query) -> Result<(Target, Option<StorageError>), StorageError> {
        let error = match self.service.target(&ResourcePath { path, query }) {
            Ok(target) => return Ok((target, None)),
            Err(error) => error,
        };
        match self.service.target(&ResourcePath { path, query: &query.without(&STATE_PARAMETERS) }) {
            Ok(target) => Ok((target, Some(error))),
            Err(_) => Err(error),
        }
    }

    /// The account whose website the host names, if it names one.
    fn site<'a>(&'a self, host: &'a str, path: &'a str) -> Option<AccountAddress<'a>> {
        let named = if self.options.host_style { host } else { "" };
        match &self.first_site {
            Some(first) => Some(target::website_at_port(named, path, &self.accounts, first)),
            None if self.service.kind() == ServiceKind::Blob => target::website(named, path),
            None => None,
        }
    }

    fn address<'a>(&'a self, head: &'a RequestHead) -> Result<AccountAddress<'a>, StorageError> {
        if let Some(address) = head.site.then(|| self.site(&head.host, &head.path)).flatten() {
            return Ok(address);
        }
        if let Some(address) = self.address_of_rename(head) {
            return Ok(address);
        }
        let address = account_address(self.service.kind(), &head.host, &head.path, self.options.host_style);
        match &head.batch {
            Some(batch) => Ok(batch.address(address, &head.path)),
            None => address.ok_or_else(|| ErrorCode::InvalidUri.with_reason("the URL names no account")),
        }
    }

    /// The account of a rename whose URL names none: the SDKs for JavaScript and C++ leave it out.
    fn address_of_rename<'a>(&self, head: &'a RequestHead) -> Option<AccountAddress<'a>> {
        let source = header_text(&head.headers, "x-ms-rename-source").filter(|_| self.service.kind() == ServiceKind::DataLake)?;
        let account = lake::route::account_of_rename(&head.path, source, |name| self.accounts.get(name).is_some())?;
        let is_by_host = self.options.host_style && target::api(&head.host).is_some();
        (!is_by_host).then(|| AccountAddress { account: account.into(), secondary: false, path: &head.path, in_path: false })
    }

    /// Authenticates the caller, and checks the permission.
    fn authorize(
        &self,
        head: &RequestHead,
        version: Version,
        account: &Account,
        target: &Target,
        required: &RequiredPermission,
    ) -> Result<Caller, StorageError> {
        if required.public == AnonymousAccess::Everyone {
            return Ok(Authorization::Owner.into());
        }
        let texts = text_headers(&head.headers);
        let signed_head = self.signed_head(head, &texts, version);
        let caller = auth::authenticate(&signed_head, &*self.service, account, target)?;
        permissions::check_permission(required, &caller.authorization, self.service.kind().letter(), version)
            .map_err(|error| auth::with_roles(auth::challenge(error, &signed_head), &caller))?;
        Ok(caller)
    }

    fn signed_head<'a>(&'a self, head: &'a RequestHead, texts: &'a [(&'a str, &'a str)], version: Version) -> SignedHead<'a> {
        SignedHead {
            method: head.method.as_str(),
            path: &head.path,
            host: &head.host,
            query: &head.pairs,
            raw_query: &head.raw_query,
            headers: texts,
            version,
            peer: head.peer.ip(),
            https: head.https,
            sign_in: &self.sign_in,
            now: head.now,
            machine: self.environment.machine(),
        }
    }

    /// The URL of the account's service as the client wrote it.
    fn endpoint(&self, head: &RequestHead, address: &AccountAddress<'_>) -> String {
        let scheme = if head.https { "https" } else { "http" };
        let suffix = if address.secondary { "-secondary" } else { "" };
        match address.in_path {
            true => [scheme, "://", &head.host, "/", &address.account, suffix, "/"].concat(),
            false => [scheme, "://", &head.host, "/"].concat(),
        }
    }

    /// Adds the CORS headers to a response. The response to a preflight request already has them.
    fn add_cors(&self, account: &Account, origin: Option<&str>, method: &Method, request: &str, headers: &mut HeaderMap) {
        if *method == Method::OPTIONS {
            return;
        }
        let rules = self.service.cors(account);
        if let Some((origin, why)) = origin.and_then(|origin| Some((origin, cors::unreadable(&rules, origin, method.as_str())?)))
        {
            tracing::debug!(target: "lazuli::refusal", %request, "a page of {:?} cannot read this answer: {why}", secret::masked(origin));
        }
        if rules.is_empty() {
            return;
        }
        let names: Vec<String> = headers.keys().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let answer = cors::actual(&rules, origin, method.as_str(), &names);
        let mut put = |name, value: &str| render::put(headers, name, value);
        if let Some(origin) = &answer.allow_origin {
            put("access-control-allow-origin", origin);
        }
        if !answer.expose.is_empty() {
            put("access-control-expose-headers", &answer.expose);
        }
        if answer.credentials {
            put("access-control-allow-credentials", "true");
        }
        if answer.vary_origin {
            put("vary", "Origin");
        }
    }
}

/// The header that names the faults that were injected into a request.
const FAULT: &str = "x-lazuli-fault";

/// Gives copies and batches access to the pipeline on behalf of their caller.
#[derive(Debug)]
struct OnBehalf {
    pipeline: Arc<Pipeline>,
    host: String,
    peer: SocketAddr,
    https: bool,
    /// The numbers of the account's keys that a fault switches off.
    keys_off: Vec<usize>,
}

/// Applies the encryption scope that the SAS requires to a write, and checks it against those of the account.
fn apply_encryption_scope(signed: Option<&str>, declared: &Scopes, headers: &mut HeaderMap) -> Result<(), StorageError> {
    let header = header_text(headers, SCOPE);
    let scope = Encryption::scope_of_write(signed, header, declared)?;
    if let Some(scope) = scope.filter(|_| header.is_none()) {
        let unfit = |_| StorageError::invalid_query("ses", scope, "It is no name of an encryption scope.");
        headers.insert(SCOPE, HeaderValue::from_str(scope).map_err(unfit)?);
    }
    Ok(())
}

/// Checks that the endpoint answers the operation.
fn check_endpoint(spec: &OperationSpec, secondary: bool) -> Result<(), StorageError> {
    match secondary {
        true if !spec.is_answered_by_secondary() => Err(Secondary::write_refused()),
        // The service gives no reason (recordings).
        false if spec.secondary == Secondary::Only => {
            Err(StorageError::invalid_query("comp", "stats", "").with_reason("only the secondary endpoint answers this"))
        }
        _ => Ok(()),
    }
}

fn unknown_account(name: &str) -> StorageError {
    ErrorCode::ResourceNotFound.with_reason(format!("there is no account {name:?}: --account adds one"))
}
