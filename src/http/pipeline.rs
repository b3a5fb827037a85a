//! The whole path of a request, on one screen: [`Pipeline::answer`] and [`Pipeline::perform`].

use super::auth::{self, Asking, Overrides};
use super::render::{self, Asked};
use super::route::Table;
use super::target::{Addressed, addressed};
use crate::account::{Account, Accounts};
use crate::op::{Body as Sent, Call, Query, Reply, Row, Secondary, Service, Source, Sources, Target};
use crate::rules::access::{self, Grant, Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::name::{self, Plus};
use crate::rules::{cors, sas::Sas, time::Timestamp, version::Version};
use crate::world::World;
use axum::body::Body;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// One service behind one port: what a request passes through between the socket and its operation.
#[derive(Debug)]
pub struct Pipeline {
    service: Arc<dyn Service>,
    table: Table,
    accounts: Arc<Accounts>,
    world: Arc<World>,
    /// Whether `account.blob.localhost` and the like name an account.
    host_style: bool,
    https: bool,
}

/// What is known of a request before its body is read.
struct Head {
    method: Method,
    host: String,
    path: String,
    /// The query as it is signed.
    pairs: Vec<(String, String)>,
    /// The query with spaces for bare `+`, if it has any.
    form: Option<Vec<(String, String)>>,
    query: Query,
    headers: HeaderMap,
    peer: IpAddr,
    now: Timestamp,
}

/// What becomes known on the way, for the answer and the log.
#[derive(Debug)]
struct Known {
    version: Version,
    account: Option<Arc<Account>>,
    row: Option<&'static Row>,
}

impl Pipeline {
    /// The path to a service.
    pub fn new(service: Arc<dyn Service>, accounts: Arc<Accounts>, world: Arc<World>, host_style: bool, https: bool) -> Pipeline {
        let table = Table::new(service.rows());
        Pipeline { service, table, accounts, world, host_style, https }
    }

    /// The service at the end of it.
    pub fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    /// Answers a request, whatever it is.
    pub async fn answer(self: &Arc<Self>, request: Request<Body>, peer: IpAddr) -> Response<Body> {
        let now = self.world.now();
        let request_id = uuid::Uuid::from_bytes(self.world.id()).to_string();
        let (parts, wire) = request.into_parts();
        let announced = announced(&parts.headers);
        let mut body = Sent::new(wire, announced.unwrap_or(0));
        let client_id = parts.headers.get("x-ms-client-request-id").filter(|id| is_echoed(id)).cloned();
        let origin = parts.headers.get(http::header::ORIGIN).and_then(|origin| origin.to_str().ok()).map(str::to_owned);
        let (method, uri) = (parts.method.clone(), parts.uri.clone());

        let mut known = Known { version: Version::V2009_09_19, account: None, row: None };
        let outcome = match self.head(parts, peer, now) {
            Ok(head) => self.perform(head, announced.is_some(), &mut body, &mut known).await,
            Err(fault) => Err(fault),
        };
        let drained = body.drain().await;

        let asked = Asked {
            kind: self.service.kind(),
            head: method == Method::HEAD,
            version: known.version,
            request_id: &request_id,
            client_request_id: client_id.as_ref(),
            now,
        };
        let mut response = match &outcome {
            Err(fault) => render::fault(fault, &asked),
            Ok(_) => Response::default(),
        };
        let refusal = outcome.as_ref().err().cloned();
        if let Ok(reply) = outcome {
            response = render::reply(reply, &asked);
        }
        if !drained {
            response.headers_mut().insert(http::header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(account) = known.account {
            self.add_cors(&account.name, origin.as_deref(), &method, known.row, response.headers_mut());
        }
        let name = known.row.map_or("-", |row| row.name);
        let status = response.status().as_u16();
        tracing::info!(target: "lazuli::access", "{method} {uri} {status} {name}", uri = without_signature(&uri));
        if let Some(fault) = refusal {
            tracing::debug!(target: "lazuli::refusal", request = %request_id, "{fault}");
        }
        response
    }

    /// Reads a request's head: path and query decoded once, then trusted.
    fn head(&self, parts: http::request::Parts, peer: IpAddr, now: Timestamp) -> Result<Head, Fault> {
        let host = parts.uri.authority().map(|authority| authority.as_str().to_owned());
        let host = host.or_else(|| parts.headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).map(str::to_owned));
        let query = parts.uri.query().unwrap_or_default();
        let pairs = name::decode_query(query, Plus::Itself)?;
        let form = query.contains('+').then(|| name::decode_query(query, Plus::Space)).transpose()?;
        Ok(Head {
            method: parts.method,
            host: host.unwrap_or_default(),
            path: parts.uri.path().to_owned(),
            query: Query::new(form.as_ref().unwrap_or(&pairs)),
            pairs,
            form,
            headers: parts.headers,
            peer,
            now,
        })
    }

    /// From a head to an outcome: target, version, route, authentication, permission, operation.
    async fn perform(self: &Arc<Self>, head: Head, has_length: bool, body: &mut Sent, known: &mut Known) -> Result<Reply, Fault> {
        let stated = stated_version(&head)?;
        known.version = stated.unwrap_or(known.version);
        let place = self.place(&head)?;
        let account = place.find(&self.accounts).ok_or_else(|| unknown_account(&place.account))?;
        known.account = Some(account.clone());
        known.version = stated.or_else(|| self.service.default_version(&account.name)).unwrap_or(known.version);

        let target = self.service.target(place.path, &head.query)?;
        let (row_place, row) = self.table.find(head.method.as_str(), target.shape, &head.query, &head.headers)?;
        known.row = Some(row);
        if !has_length && matches!(head.method, Method::PUT | Method::POST | Method::PATCH) {
            return Err(Code::MissingContentLengthHeader.into());
        }

        let (grant, overrides) = self.authorize(&head, known.version, &account, &target, &row.permit)?;
        check_endpoint(row, place.secondary)?;

        let call = Call {
            row,
            endpoint: self.endpoint(&head, &place),
            account,
            secondary: place.secondary,
            target,
            method: head.method,
            query: head.query,
            headers: head.headers,
            version: known.version,
            now: head.now,
            grant,
            world: self.world.clone(),
            sources: Arc::new(Asker { pipeline: self.clone(), host: head.host, peer: head.peer }),
            body: std::mem::take(body),
        };
        let mut reply = self.service.run(row_place, call).await?;
        for (name, value) in overrides.0 {
            if let Ok(value) = HeaderValue::from_str(&value) {
                reply.headers.insert(HeaderName::from_static(name), value);
            }
        }
        Ok(reply)
    }

    fn place<'a>(&self, head: &'a Head) -> Result<Addressed<'a>, Fault> {
        let place = addressed(self.service.kind(), &head.host, &head.path, self.host_style);
        place.ok_or_else(|| Code::InvalidUri.because("the URL names no account"))
    }

    /// Finds out who asks, and whether they may.
    fn authorize(
        &self,
        head: &Head,
        version: Version,
        account: &Account,
        target: &Target,
        permit: &Permit,
    ) -> Result<(Grant, Overrides), Fault> {
        if permit.public == Public::Everyone {
            return Ok((Grant::Owner, Overrides::default()));
        }
        let texts = texts(&head.headers);
        let asking = Asking {
            method: head.method.as_str(),
            path: &head.path,
            query: &head.pairs,
            form: head.form.as_deref(),
            headers: &texts,
            version,
            peer: head.peer,
            https: self.https,
            now: head.now,
            machine: self.world.machine(),
        };
        let (grant, overrides) = auth::authenticate(&asking, &*self.service, account, target)?;
        access::decide(permit, &grant, self.service.kind().letter(), version).map_err(auth::challenge)?;
        Ok((grant, overrides))
    }

    /// The address of the account's service, as the client wrote it.
    fn endpoint(&self, head: &Head, place: &Addressed<'_>) -> String {
        let scheme = if self.https { "https" } else { "http" };
        let suffix = if place.secondary { "-secondary" } else { "" };
        match place.in_path {
            true => format!("{scheme}://{}/{}{suffix}/", head.host, place.account),
            false => format!("{scheme}://{}/", head.host),
        }
    }

    fn add_cors(&self, account: &str, origin: Option<&str>, method: &Method, row: Option<&Row>, headers: &mut HeaderMap) {
        let rules = self.service.cors(account);
        if rules.is_empty() || row.is_some_and(|row| row.permit.public == Public::Everyone) {
            return;
        }
        let names: Vec<String> = headers.keys().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let answer = cors::actual(&rules, origin, method.as_str(), &names);
        let mut put = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
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

/// The reach of a copy: the same door, asked on the caller's behalf.
#[derive(Debug)]
struct Asker {
    pipeline: Arc<Pipeline>,
    host: String,
    peer: IpAddr,
}

/// What a copy needs of its source: what reading it would.
const READS: Permit = Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob };

impl Sources for Asker {
    fn find(&self, call: &Call, url: &str) -> Result<Source, Fault> {
        let bad = || Fault::header("x-ms-copy-source", url);
        let uri: http::Uri = url.parse().map_err(|_| bad())?;
        let host = uri.authority().map_or(self.host.as_str(), |authority| authority.as_str());
        let pairs = name::decode_query(uri.query().unwrap_or_default(), Plus::Itself).map_err(|_| bad())?;
        let query = Query::new(&pairs);
        let head = Head {
            method: Method::GET,
            host: host.to_owned(),
            path: uri.path().to_owned(),
            query: query.clone(),
            form: None,
            pairs,
            headers: HeaderMap::new(),
            peer: self.peer,
            now: call.now,
        };
        let place = self.pipeline.place(&head).map_err(|_| bad())?;
        let account = place.find(&self.pipeline.accounts).filter(|_| !place.in_path || host.eq_ignore_ascii_case(&self.host));
        let account = account.ok_or_else(|| {
            Code::NotImplemented.saying(format!("Copying from another server ({host}) is not implemented yet."))
        })?;
        let target = self.pipeline.service.target(place.path, &query).map_err(|_| bad())?;
        if target.blob.is_empty() {
            return Err(bad());
        }
        // Who may do everything in an account need not sign its sources; anybody else must bring the right to read them.
        let trusted = call.grant == Grant::Owner && account.name == call.account.name && !Sas::is_present(&head.pairs);
        if !trusted {
            let refused = |fault: Fault| {
                Code::CannotVerifyCopySource.saying(fault.says().to_owned()).status_of(fault.status()).because(fault.to_string())
            };
            self.pipeline.authorize(&head, call.version, &account, &target, &READS).map_err(refused)?;
        }
        let given = |name| query.get(name).map(str::to_owned);
        Ok(Source { account, target, snapshot: given("snapshot"), version_id: given("versionid") })
    }
}

/// The version that a request names: in its header, or in its signature.
fn stated_version(head: &Head) -> Result<Option<Version>, Fault> {
    if let Some(value) = head.headers.get("x-ms-version") {
        let text = String::from_utf8_lossy(value.as_bytes());
        return Version::parse(text.trim()).map(Some).ok_or_else(|| Fault::header("x-ms-version", text));
    }
    let signed = head.query.get("api-version").or_else(|| head.query.get("sv").filter(|_| head.query.get("sig").is_some()));
    Ok(signed.and_then(Version::parse))
}

/// Whether the endpoint that was asked answers the operation.
fn check_endpoint(row: &Row, secondary: bool) -> Result<(), Fault> {
    match (row.secondary, secondary) {
        (Secondary::Refused, true) => Err(Code::InsufficientAccountPermissions.saying("Write operations are not allowed.")),
        (Secondary::Only, false) => {
            Err(Fault::query("comp", "stats", "This operation is only available on the secondary endpoint."))
        }
        _ => Ok(()),
    }
}

fn unknown_account(name: &str) -> Fault {
    Code::ResourceNotFound.because(format!("there is no account {name:?}: --account adds one"))
}

/// The body's length; `None` when the request does not say.
fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(http::header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// The headers that are text, as signatures see them.
fn texts(headers: &HeaderMap) -> Vec<(&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), std::str::from_utf8(value.as_bytes()).ok()?))).collect()
}

/// Whether a client's request id comes back: up to 1024 visible ASCII characters.
fn is_echoed(id: &HeaderValue) -> bool {
    id.len() <= 1024 && id.as_bytes().iter().all(|byte| (0x20..0x7f).contains(byte))
}

/// A URL for the log: a signature is a secret.
fn without_signature(uri: &http::Uri) -> String {
    let text = uri.to_string();
    match text.find("sig=") {
        Some(at) => {
            let end = text[at..].find('&').map_or(text.len(), |length| at + length);
            format!("{}sig=…{}", &text[..at], &text[end..])
        }
        None => text,
    }
}
