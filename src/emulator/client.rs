//! What a client needs to know of a server that runs, or that would run with a configuration.

use crate::account::Account;
use crate::authority::TrustFiles;
use crate::client_variables::{ClientSettings, ClientSignIn, Endpoints};
use crate::config::{Config, Endpoint, Tls};
use crate::emulator::{Address, Emulator, connection_string};
use crate::identity::DEFAULT_PRINCIPAL;
use crate::operation::ServiceKind;
use crate::rules::auth::token::TokenCheck;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The settings of clients of the server with this configuration; `None` if it has a port that is not known before it runs. `trust` are
/// the files of its authority.
pub(crate) fn settings_of_config(config: &Config, trust: Option<TrustFiles>) -> Option<ClientSettings> {
    let address = |(kind, endpoint): (ServiceKind, &Endpoint)| {
        (endpoint.port != 0).then(|| Address { kind, scheme: "http", host: endpoint.host.clone(), port: endpoint.port })
    };
    let configured = [
        (ServiceKind::Blob, &config.blob),
        (ServiceKind::Queue, &config.queue),
        (ServiceKind::Table, &config.table),
        (ServiceKind::File, &config.file),
    ];
    let configured = configured.into_iter().filter_map(|(kind, endpoint)| Some((kind, endpoint.as_ref()?)));
    let addresses: Vec<Address> = configured.map(address).collect::<Option<_>>()?;
    let lake = match &config.lake {
        Some(endpoint) => Some(address((ServiceKind::DataLake, endpoint))?),
        None => None,
    };
    settings(config.accounts.first()?, &addresses, lake.as_ref(), config, trust)
}

/// The settings of clients of this server, which has this configuration. `trust` are the files of its authority.
pub(crate) fn settings_of_server(emulator: &Emulator, config: &Config, trust: Option<TrustFiles>) -> Option<ClientSettings> {
    settings(&emulator.account, emulator.addresses(), emulator.data_lake(), config, trust)
}

fn settings(
    account: &Account,
    addresses: &[Address],
    lake: Option<&Address>,
    config: &Config,
    trust: Option<TrustFiles>,
) -> Option<ClientSettings> {
    let scheme = if config.tls == Tls::Off { "http" } else { "https" };
    let reachable = |address: &Address| Address { scheme, host: reachable(&address.host), ..address.clone() };
    let addresses: Vec<Address> = addresses.iter().map(reachable).collect();
    let lake = lake.map(reachable);
    let url = |kind| {
        let address = addresses.iter().find(|address| address.kind == kind)?;
        Some(format!("{}/{}", address.url(), account.name))
    };
    let mut hosts: Vec<String> = Vec::new();
    for address in addresses.iter().chain(&lake) {
        if !hosts.contains(&address.host) {
            hosts.push(address.host.clone());
        }
    }
    Some(ClientSettings {
        connection_string: connection_string(account, &addresses),
        control: config.control,
        account: account.name.clone(),
        key: STANDARD.encode(account.keys.first()?),
        endpoints: Endpoints {
            blob: url(ServiceKind::Blob),
            queue: url(ServiceKind::Queue),
            table: url(ServiceKind::Table),
            file: url(ServiceKind::File),
            data_lake: lake
                .as_ref()
                .map(|address| format!("{}/{}", address.url(), account.name))
                .or_else(|| url(ServiceKind::Blob)),
        },
        hosts,
        trust,
        sign_in: addresses.first().and_then(|address| sign_in(config, address)),
    })
}

/// How clients get a token from the server at this address.
fn sign_in(config: &Config, address: &Address) -> Option<ClientSignIn> {
    let credential = config.credential.filter(|_| config.oauth == Some(TokenCheck::Local))?;
    let client_id = config.principals.0.first().map_or(DEFAULT_PRINCIPAL, |principal| &principal.name).to_owned();
    Some(ClientSignIn { credential, issuer: address.url(), client_id })
}

/// The host by which this machine reaches a server that listens there.
fn reachable(host: &str) -> String {
    match host.parse() {
        Ok(IpAddr::V4(Ipv4Addr::UNSPECIFIED)) => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(Ipv6Addr::UNSPECIFIED)) => Ipv6Addr::LOCALHOST.to_string(),
        _ => host.to_owned(),
    }
}
