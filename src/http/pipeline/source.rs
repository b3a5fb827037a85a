//! Where a copy's source lies: on this server, behind the same door as for any reader, or elsewhere.

use super::super::auth;
use super::{Asker, Head};
use crate::account::WELL_KNOWN_ACCOUNT;
use crate::op::{Answer, Asking, Call, Found, Opens, Query, Reach, Source, Sources};
use crate::rules::access::Grant;
use crate::rules::fault::{Code, Fault};
use crate::rules::name::{self, Plus};
use crate::rules::sas::Sas;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Uri};
use std::pin::Pin;

impl Asker {
    /// The port that the request came to.
    fn port(&self) -> u16 {
        let named = self.host.parse::<Authority>().ok().and_then(|authority| authority.port_u16());
        named.unwrap_or(if self.pipeline.manners.https { 443 } else { 80 })
    }
}

/// The port that a URL leads to.
fn port(uri: &Uri) -> Option<u16> {
    uri.port_u16().or(match uri.scheme_str() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        _ => None,
    })
}

/// Whether a host is the product's own: what clients make up that know no more of a source than its account's name.
fn is_azures(host: &str) -> bool {
    let name = host.strip_suffix(":443").unwrap_or(host).to_ascii_lowercase();
    name.ends_with(".core.windows.net")
}

/// Whether a source of this server can be asked for with this: with a bearer token, and nothing else.
fn is_bearer(shown: &HeaderValue) -> bool {
    shown.as_bytes().get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "))
}

impl Sources for Asker {
    fn find_for(&self, call: &Call, url: &str, reach: Reach) -> Result<Found, Fault> {
        let bad = || Fault::header(reach.header, url);
        let uri: Uri = url.parse().map_err(|_| bad())?;
        let host = uri.authority().map_or(self.host.as_str(), |authority| authority.as_str());
        let same = host.eq_ignore_ascii_case(&self.host);
        let elsewhere = || match uri.scheme_str() {
            Some("http" | "https") if !same => Ok(Found::Elsewhere),
            _ => Err(bad()),
        };
        let Ok(pairs) = name::decode_query(uri.query().unwrap_or_default(), Plus::Itself) else { return elsewhere() };
        let query = Query::new(&pairs);
        // Who shows something for the source is known by that, and asks by it.
        let shown = call.headers.get("x-ms-copy-source-authorization").filter(|shown| !shown.is_empty()).cloned();
        let head = Head {
            method: Method::GET,
            host: host.to_owned(),
            // Some clients escape the slashes too: in a name they mean the same, and around it they still part.
            path: uri.path().replace("%2F", "/").replace("%2f", "/"),
            version: None,
            query: query.clone(),
            form: None,
            pairs,
            headers: HeaderMap::from_iter(shown.clone().map(|value| (http::header::AUTHORIZATION, value))),
            spelling: Vec::new(),
            peer: self.peer,
            now: call.now,
            site: false,
            batch: None,
        };
        let Ok(place) = self.pipeline.place(&head) else { return elsewhere() };
        // A host that is no account's own is this server's only where the request came to it by that name. One that is an account's own
        // is so at the same port: the product's own server has another, but none of the emulator's account.
        let emulators = place.account == WELL_KNOWN_ACCOUNT && is_azures(host);
        let own = if place.in_path { same } else { port(&uri) == Some(self.port()) || emulators };
        let Some(account) = place.find(&self.pipeline.accounts).filter(|_| own) else {
            let unknown = || Code::CannotVerifyCopySource.because(format!("there is no account {:?}", place.account));
            return if same { Err(unknown()) } else { elsewhere() };
        };
        let target = self.pipeline.service.target(place.path, &query).map_err(|_| bad())?;
        if target.blob.is_empty() {
            return Err(bad());
        }
        if shown.as_ref().is_some_and(|shown| !is_bearer(shown)) {
            return Err(Fault::header("x-ms-copy-source-authorization", ""));
        }
        // Who may do everything in an account is held to what a source's signature says only where the account made it, or to a token
        // where one is shown; a copy of a whole blob needs neither. Anybody else must bring the right to read the source.
        let asking = self.pipeline.asking(&head, &[], call.version);
        let bears = || auth::bears_signature(&asking, &*self.pipeline.service, &account, &target);
        let owns = matches!(call.grant, Grant::Owner | Grant::User) && account.name == call.account.name;
        let trusted = owns && shown.is_none() && (reach.opens == Opens::Caller || Sas::is_present(&head.pairs)) && !bears();
        if !trusted {
            let refused = |fault: Fault| {
                Code::CannotVerifyCopySource.saying(fault.says().to_owned()).status_of(fault.status()).because(fault.to_string())
            };
            self.pipeline.authorize(&head, call.version, &account, &target, &reach.permit).map_err(refused)?;
        }
        let given = |name| query.get(name).map(str::to_owned);
        let snapshot = given("snapshot").or_else(|| given("sharesnapshot"));
        Ok(Found::Here(Source { account, target, snapshot, version_id: given("versionid") }))
    }

    fn open(&self, asking: Asking) -> Pin<Box<dyn Future<Output = Result<Answer, Fault>> + Send + '_>> {
        Box::pin(self.pipeline.remote.open(asking))
    }

    fn go_on(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        // Without a server there is nobody left to do it for.
        if let Some(background) = self.pipeline.background.upgrade() {
            background.spawn(task);
        }
    }
}
