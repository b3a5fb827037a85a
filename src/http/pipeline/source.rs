//! Where a copy's source lies: on this server, behind the same door as for any reader, or elsewhere.

use crate::http::auth;
use crate::http::pipeline::local_services::{Asked, port_of};
use crate::http::pipeline::{OnBehalf, Pipeline, RequestHead, local_services};
use crate::operation::{
    Query, RemoteRequest, RemoteResponse, Request, ResourcePath, Source, SourceAccess, SourceAuthorization, SourceLocation,
    Sources,
};
use crate::rules::auth::permissions::Authorization;
use crate::rules::auth::sas::Sas;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::{copy_source, names};
use http::{HeaderMap, HeaderValue, Method, Uri};
use std::pin::Pin;
use std::sync::Arc;

impl OnBehalf {
    /// The service of this server that a URL leads to, if it is one.
    fn own(&self, uri: &Uri) -> Option<Arc<Pipeline>> {
        let Pipeline { own, accounts, manners, service, .. } = &*self.pipeline;
        if uri.authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(&self.host)) {
            return Some(self.pipeline.clone());
        }
        let asked = Asked { host: &self.host, kind: service.kind(), port: port_of(&self.host, manners.https) };
        own.service_of(uri, accounts, manners.host_style, asked)
    }
}

/// Whether a source of this server can be asked for with this: with a bearer token, and nothing else.
fn is_bearer(shown: &HeaderValue) -> bool {
    shown.as_bytes().get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "))
}

impl Sources for OnBehalf {
    fn find_for(&self, request: &Request, url: &str, reach: SourceAccess) -> Result<SourceLocation, StorageError> {
        let bad = || StorageError::invalid_header(reach.header, url);
        let uri: Uri = url.parse().map_err(|_| bad())?;
        let host = uri.authority().map_or(self.host.as_str(), |authority| authority.as_str());
        let same = host.eq_ignore_ascii_case(&self.host);
        let elsewhere = || match uri.scheme_str() {
            Some("http" | "https") if !same => Ok(SourceLocation::Elsewhere),
            _ => Err(bad()),
        };
        // What another service of this server has is asked for as what another server has, but without leaving the process.
        let is_own = self.own(&uri).is_some_and(|service| service.service.kind() == self.pipeline.service.kind());
        if !is_own {
            return elsewhere();
        }
        let Ok(pairs) = names::decode_query(uri.query().unwrap_or_default()) else { return elsewhere() };
        let query = Query::new(&pairs);
        // Who shows something for the source is known by that, and asks by it.
        let shown = request.headers.get("x-ms-copy-source-authorization").filter(|shown| !shown.is_empty()).cloned();
        let headers = HeaderMap::from_iter(shown.clone().map(|value| (http::header::AUTHORIZATION, value)));
        let head = RequestHead {
            method: Method::GET,
            host: host.to_owned(),
            // Some clients escape the slashes too: in a name they mean the same, and around it they still part.
            path: uri.path().replace("%2F", "/").replace("%2f", "/"),
            version: None,
            query: query.clone(),
            signed: Vec::new(),
            pairs,
            headers,
            spelling: Vec::new(),
            peer: self.peer,
            now: request.now,
            site: false,
            batch: None,
        };
        let Ok(place) = self.pipeline.place(&head) else { return elsewhere() };
        let Some(account) = place.find(&self.pipeline.accounts) else {
            let unknown = ErrorCode::ResourceNotFound.with_reason(format!("there is no account {:?}", place.account));
            return Err(copy_source::refused(request.version, &unknown));
        };
        let resource = ResourcePath { path: place.path, query: &query, headers: &head.headers, version: request.version };
        let target = self.pipeline.service.target(&resource).map_err(|_| bad())?;
        if target.object_name().is_none() {
            return Err(bad());
        }
        if shown.as_ref().is_some_and(|shown| !is_bearer(shown)) {
            return Err(StorageError::invalid_header("x-ms-copy-source-authorization", ""));
        }
        // Who may do everything in an account is held to what a source's signature says only where the account made it, or to a token
        // where one is shown; a copy in the background needs neither, nor does a user's own token (live tests). Anybody else must bring
        // the right to read the source.
        let asking = self.pipeline.signed_head(&head, &[], request.version);
        let bears = || auth::bears_signature(&asking, &*self.pipeline.service, &account, &target);
        let owns =
            matches!(request.authorization, Authorization::Owner | Authorization::User) && account.name == request.account.name;
        let suffices = reach.opens == SourceAuthorization::Caller
            || request.authorization == Authorization::User
            || Sas::is_present(&head.pairs);
        let trusted = owns && shown.is_none() && suffices && !bears();
        if !trusted {
            let refused = |error: StorageError| copy_source::refused(request.version, &error);
            self.pipeline.authorize(&head, request.version, &account, &target, &reach.permit).map_err(refused)?;
        }
        Ok(SourceLocation::Here(Source { account, target }))
    }

    fn open(&self, asking: RemoteRequest) -> Pin<Box<dyn Future<Output = Result<RemoteResponse, StorageError>> + Send + '_>> {
        let uri: Option<Uri> = asking.url.parse().ok();
        let own = uri.and_then(|uri| Some((self.own(&uri)?, uri)));
        Box::pin(async move {
            match own {
                Some((service, uri)) => local_services::open(&service, &uri, asking, self.peer).await,
                None => self.pipeline.remote.open(asking).await,
            }
        })
    }

    fn go_on(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        // Without a server there is nobody left to do it for.
        if let Some(background) = self.pipeline.background.upgrade() {
            background.spawn(task);
        }
    }
}
