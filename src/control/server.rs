//! What the server is: its health, its addresses and accounts, and signatures for its accounts.

use crate::account::Account;
use crate::control::address::{SasFields, ServiceAddress, account_sas, connection_string};
use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, document, json};
use crate::control::state::ControlState;
use crate::operation::ServiceKind;
use crate::rules::time::Timestamp;
use axum::body::Body;
use http::uri::Authority;
use http::{HeaderMap, Response, header};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;

pub const SPECS: &[ControlSpec] = &[
    ControlSpec {
        method: "GET",
        path: "/health",
        access: Access::Everyone,
        summary: "Reports that the server is ready.",
        parameters: &[],
        body: None,
        answer: Document::json(
            "The services that have a port",
            r#"{"status":"ok","version":"0.2.0","services":["blob","queue","table","file"]}"#,
        ),
        handle: |request| Box::pin(async move { Ok(health(&request.state)) }),
    },
    ControlSpec {
        method: "GET",
        path: "/ca.pem",
        access: Access::Everyone,
        summary: "Sends the certificate of the authority that clients trust for [https](../guides/https.md). Only a server with \
                  `--tls auto`, the default, has one.",
        parameters: &[],
        body: None,
        answer: Document { content_type: PEM, meaning: "The certificate", example: "" },
        handle: |request| Box::pin(async move { authority(&request.state).await }),
    },
    ControlSpec {
        method: "GET",
        path: "/server",
        access: Access::Local,
        summary: "Describes the server: its addresses, and its accounts with their connection strings.",
        parameters: &[],
        body: None,
        answer: Document::json(
            "The server; location is null if data is in memory only, and tls is whether this request came over https, as the addresses say",
            r#"{"version":"0.2.0","started":"2026-01-01T00:00:00.0000000Z","uptime_seconds":5,"location":null,"control":true,"tls":false,"now":"2026-01-01T00:00:05.0000000Z","clock_offset_seconds":0,"services":[{"name":"blob","port":10000,"endpoint":"http://127.0.0.1:10000"}],"accounts":[{"name":"devstoreaccount1","options":[],"endpoints":{"blob":"http://127.0.0.1:10000/devstoreaccount1"},"connection_string":"…"}]}"#,
        ),
        handle: |request| Box::pin(async move { Ok(json(&describe(&request))) }),
    },
    ControlSpec {
        method: "POST",
        path: "/sas",
        access: Access::Local,
        summary: "Makes an account SAS.",
        parameters: &[],
        body: Some(Document::json(
            "The account, and optionally services, resource types, permissions and the minutes until it expires; shown with the values that are assumed",
            r#"{"account":"devstoreaccount1","services":"bqtf","resource_types":"sco","permissions":"rwdxylacupitfm","minutes":60}"#,
        )),
        answer: Document::json(
            "The SAS, without a leading ?",
            r#"{"sas":"sv=2022-11-02&ss=b&…","expires":"2026-01-01T01:00:00Z"}"#,
        ),
        handle: |request| Box::pin(make_sas(request)),
    },
];

fn health(state: &ControlState) -> Response<Body> {
    let services: Vec<&str> = state.listening().map(ServiceKind::label).collect();
    json(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "services": services }))
}

const PEM: &str = "application/x-pem-file";

/// Makes the authority if there is none yet.
async fn authority(state: &ControlState) -> Result<Response<Body>, ControlError> {
    let tls = state.tls.as_ref();
    let tls = tls.ok_or_else(|| ControlError::missing("this server has no certificate authority: only --tls auto makes one"))?;
    let authority = tls.authority_unblocked().await.map_err(|error| {
        tracing::warn!("https: {error}");
        ControlError::failed(error.to_string())
    })?;
    Ok(document(PEM, authority.pem()))
}

fn describe(request: &ControlRequest) -> Value {
    let (state, headers) = (&request.state, &request.headers);
    // Where both schemes are served, a page has the addresses of its own scheme.
    let scheme = |address: &ServiceAddress| if request.https { "https" } else { address.scheme };
    let addresses: Vec<ServiceAddress> = state
        .addresses
        .iter()
        .map(|address| ServiceAddress { scheme: scheme(address), host: reachable(&address.host, headers), ..address.clone() })
        .collect();
    let endpoint = |address: &ServiceAddress, account: &Account| format!("{}/{}", address.url(), account.name);
    let services: Vec<Value> = addresses
        .iter()
        .map(|address| json!({ "name": address.kind.label(), "port": address.port, "endpoint": address.url() }))
        .collect();
    let accounts: Vec<Value> = state
        .known_accounts()
        .map(|account| {
            let account = &*account;
            let urls = addresses.iter().map(|address| (address.kind.label().to_owned(), endpoint(address, account).into()));
            let mut endpoints: Map<String, Value> = urls.collect();
            if let Some(blob) = endpoints.get("blob").cloned() {
                endpoints.entry("dfs").or_insert(blob);
            }
            json!({
                "name": account.name,
                "options": options(account),
                "endpoints": endpoints,
                "connection_string": connection_string(account, &addresses),
            })
        })
        .collect();
    let environment = &state.environment;
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "started": state.started.iso(),
        "uptime_seconds": environment.machine().seconds_apart(state.started),
        "location": state.location.as_ref().map(|path| path.display().to_string()),
        "control": state.control,
        "tls": request.https,
        "now": environment.now().iso(),
        "clock_offset_seconds": environment.moved().as_secs(),
        "services": services,
        "accounts": accounts,
    })
}

/// The host under which a client reaches a service: the one that it used, if the service listens at every address.
fn reachable(host: &str, headers: &HeaderMap) -> String {
    let is_every = host.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified());
    let used = || headers.get(header::HOST)?.to_str().ok()?.parse::<Authority>().ok();
    used().filter(|_| is_every).map_or_else(|| host.to_owned(), |authority| authority.host().to_owned())
}

/// The options of an account, as `--account` has them.
fn options(account: &Account) -> Vec<String> {
    let switches = [
        ("hns", account.hns),
        ("versioning", account.versioning && !account.immutability),
        ("immutability", account.immutability),
        ("access-tracking", account.access_tracking),
        ("premium", account.premium),
    ];
    let days = [("container-retention", account.container_retention), ("share-retention", account.share_retention)];
    let switches = switches.into_iter().filter(|(_, on)| *on).map(|(name, _)| name.to_owned());
    let days = days.into_iter().filter_map(|(name, days)| Some(format!("{name}={}", days?)));
    switches.chain(days).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SasForm {
    account: String,
    #[serde(default = "all_services")]
    services: String,
    #[serde(default = "all_resource_types")]
    resource_types: String,
    #[serde(default = "all_permissions")]
    permissions: String,
    #[serde(default = "an_hour")]
    minutes: u32,
}

fn all_services() -> String {
    "bqtf".to_owned()
}

fn all_resource_types() -> String {
    "sco".to_owned()
}

fn all_permissions() -> String {
    "rwdxylacupitfm".to_owned()
}

const fn an_hour() -> u32 {
    60
}

async fn make_sas(mut request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let form: SasForm =
        serde_json::from_value(request.json().await?).map_err(|error| ControlError::invalid(error.to_string()))?;
    let account = request.state.find_account(&form.account)?;
    for (name, letters, allowed) in [
        ("services", &form.services, "bqtf"),
        ("resource_types", &form.resource_types, "sco"),
        ("permissions", &form.permissions, &*all_permissions()),
    ] {
        if letters.is_empty() || !letters.chars().all(|letter| allowed.contains(letter)) {
            return Err(ControlError::invalid(format!("{name} is {letters:?}, and has to be letters of {allowed:?}")));
        }
    }
    let expires: Timestamp = request.state.environment.now().after_seconds(u64::from(form.minutes) * 60);
    let expires = expires.iso_to_second();
    let fields = SasFields {
        permissions: &form.permissions,
        services: &form.services,
        resource_types: &form.resource_types,
        expiry: &expires,
    };
    let sas = account_sas(&account, &fields).ok_or_else(|| ControlError::failed("the account has no key"))?;
    Ok(json(&json!({ "sas": sas, "expires": expires })))
}
