//! Finds the source of a copy, on this server with the same checks as for any reader, or on another one.

use crate::http::auth;
use crate::http::pipeline::head::RequestHead;
use crate::http::pipeline::local_services::{LocalService, RequestAddress, port_of};
use crate::http::pipeline::{OnBehalf, Pipeline, local_services};
use crate::operation::{
    Query, RemoteRequest, RemoteResponse, Request, ResourcePath, Source, SourceAccess, SourceAuthorization, SourceLocation,
    Sources,
};
use crate::rules::auth::permissions;
use crate::rules::auth::permissions::Authorization;
use crate::rules::auth::sas::Sas;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::{copy_source, names};
use http::{HeaderMap, HeaderValue, Method, Uri};
use std::pin::Pin;
use std::sync::Arc;

impl OnBehalf {
    /// The service of this server that a URL names, if it names one.
    fn local_service(&self, uri: &Uri) -> Option<Arc<dyn LocalService>> {
        let Pipeline { local_services, accounts, options, service, .. } = &*self.pipeline;
        if uri.authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(&self.host)) {
            return Some(self.pipeline.clone());
        }
        let address = RequestAddress { host: &self.host, kind: service.kind(), port: port_of(&self.host, self.https) };
        local_services.service_of(uri, accounts, options.host_style, address)
    }
}

/// Returns true for a bearer token, the only authorization header that a source on this server accepts.
fn is_bearer(token: &HeaderValue) -> bool {
    token.as_bytes().get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "))
}

impl Sources for OnBehalf {
    fn find_for(&self, request: &Request, url: &str, access: SourceAccess) -> Result<SourceLocation, StorageError> {
        let bad = || StorageError::invalid_header(access.header, url);
        let uri: Uri = url.parse().map_err(|_| bad())?;
        let host = uri.authority().map_or(self.host.as_str(), |authority| authority.as_str());
        let same = host.eq_ignore_ascii_case(&self.host);
        let remote = || match uri.scheme_str() {
            Some("http" | "https") if !same => Ok(SourceLocation::Remote),
            _ => Err(bad()),
        };
        // A source at another service of this server counts as remote. `open` reads it in this process.
        let is_own = self.local_service(&uri).is_some_and(|service| service.kind() == self.pipeline.service.kind());
        if !is_own {
            return remote();
        }
        let Ok(pairs) = names::decode_query(uri.query().unwrap_or_default()) else { return remote() };
        let query = Query::new(&pairs);
        // An authorization for the source replaces that of the caller.
        let token = request.headers.get("x-ms-copy-source-authorization").filter(|token| !token.is_empty()).cloned();
        let headers = HeaderMap::from_iter(token.clone().map(|value| (http::header::AUTHORIZATION, value)));
        let head = RequestHead {
            method: Method::GET,
            host: host.to_owned(),
            // Some clients escape slashes too. They separate the container and the blob all the same.
            path: uri.path().replace("%2F", "/").replace("%2f", "/"),
            version: None,
            query: query.clone(),
            raw_query: uri.query().unwrap_or_default().to_owned(),
            pairs,
            headers,
            metadata_case: Vec::new(),
            peer: self.peer,
            https: uri.scheme_str().map_or(self.https, |scheme| scheme == "https"),
            now: request.now,
            site: false,
            batch: None,
        };
        let Ok(address) = self.pipeline.address(&head) else { return remote() };
        let Some(account) = address.find(&self.pipeline.accounts) else {
            let unknown = ErrorCode::ResourceNotFound.with_reason(format!("there is no account {:?}", address.account));
            return Err(copy_source::refused(request.version, &unknown));
        };
        let resource = ResourcePath { path: address.path, query: &query };
        let target = self.pipeline.service.target(&resource).map_err(|_| bad())?;
        if target.object_name().is_none() {
            return Err(bad());
        }
        if token.as_ref().is_some_and(|token| !is_bearer(token)) {
            return Err(StorageError::invalid_header("x-ms-copy-source-authorization", ""));
        }
        // A caller with the key of the source's account needs no other right to read the source, except for
        // SourceAuthorization::Presented, and neither does one with a bearer token (live tests). A SAS that the account signed, or a token
        // for the source, is checked even then. Any other caller needs a right to read the source.
        let signed_head = self.pipeline.signed_head(&head, &[], request.version);
        let has_sas = || auth::has_sas(&signed_head, &*self.pipeline.service, &account, &target);
        let is_user = matches!(request.authorization, Authorization::User(_));
        let is_owner = (is_user || request.authorization == Authorization::Owner) && account.name == request.account.name;
        let caller_suffices = access.authorization == SourceAuthorization::Caller || is_user || Sas::is_present(&head.pairs);
        let trusted = is_owner && token.is_none() && caller_suffices && !has_sas();
        let refused = |error: StorageError| copy_source::refused(request.version, &error);
        let authorize = || {
            let off = if account.name == request.account.name { &*self.keys_off } else { &[] };
            let account = account.without_keys(off);
            self.pipeline.authorize(&head, request.version, &account, &target, &access.requires).map_err(refused)
        };
        let principal = match (&request.user, trusted) {
            // The roles of a principal in the container of the source may differ from those in the container of the copy.
            (Some(user), true) if is_user => {
                let kind = self.pipeline.service.kind();
                let (actions, principal) = auth::rights(user, kind, &account, target.container_name());
                let authorization = Authorization::User(actions);
                permissions::check_permission(&access.requires, &authorization, kind.letter(), request.version)
                    .map_err(refused)?;
                principal
            }
            (_, true) => request.principal.clone(),
            (_, false) => authorize()?.principal,
        };
        Ok(SourceLocation::Local(Source { account, target, principal }))
    }

    fn open(&self, request: RemoteRequest) -> Pin<Box<dyn Future<Output = Result<RemoteResponse, StorageError>> + Send + '_>> {
        let uri: Option<Uri> = request.url.parse().ok();
        let own = uri.and_then(|uri| Some((self.local_service(&uri)?, uri)));
        Box::pin(async move {
            match own {
                Some((service, uri)) => local_services::open(service, &uri, request, self.peer).await,
                None => self.pipeline.remote.open(request).await,
            }
        })
    }

    fn run_in_background(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        // `None`: the server has stopped.
        if let Some(background) = self.pipeline.background.upgrade() {
            background.spawn(task);
        }
    }
}
