//! Where services are, and what a client needs to use them: connection strings and signatures.

use crate::account::Account;
use crate::operation::ServiceKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;

/// The address of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAddress {
    pub kind: ServiceKind,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The host at which the service listens.
    pub host: String,
    pub port: u16,
}

impl ServiceAddress {
    /// `http://host:port`, with an IPv6 address in brackets.
    pub fn url(&self) -> String {
        self.url_at(&self.host)
    }

    fn url_at(&self, host: &str) -> String {
        let (open, close) = if host.contains(':') && !host.starts_with('[') { ("[", "]") } else { ("", "") };
        format!("{}://{open}{host}{close}:{}", self.scheme, self.port)
    }
}

/// The connection string of an account with the endpoints of these services. It has none for Data Lake: SDKs use that of the Blob service.
pub fn connection_string(account: &Account, addresses: &[ServiceAddress]) -> String {
    let Account { name, keys, .. } = account;
    let key = keys.first().map(|key| STANDARD.encode(key)).unwrap_or_default();
    let scheme = addresses.first().map_or("http", |address| address.scheme);
    let mut text = format!("DefaultEndpointsProtocol={scheme};AccountName={name};AccountKey={key};");
    for address in addresses.iter().filter(|address| address.kind != ServiceKind::DataLake) {
        text.push_str(&format!("{}Endpoint={}/{name};", address.kind.name(), address.url()));
    }
    text
}

/// The letters of an account SAS.
#[derive(Clone, Copy, Debug)]
pub struct SasFields<'a> {
    pub permissions: &'a str,
    pub services: &'a str,
    pub resource_types: &'a str,
    /// A date, or a time in UTC.
    pub expiry: &'a str,
}

/// Signs an account SAS with the first key of the account. `None` if the account has no key.
pub fn account_sas(account: &Account, fields: &SasFields<'_>) -> Option<String> {
    let SasFields { permissions, services, resource_types, expiry } = fields;
    let text = format!("{}\n{permissions}\n{services}\n{resource_types}\n\n{expiry}\n\n\n{VERSION}\n\n", account.name);
    let mac = Hmac::<Sha256>::new_from_slice(account.keys.first()?).ok()?.chain_update(text).finalize();
    let signature = STANDARD.encode(mac.into_bytes());
    let [expiry, signature] = [expiry, signature.as_str()].map(|value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string());
    Some(format!("sv={VERSION}&ss={services}&srt={resource_types}&sp={permissions}&se={expiry}&sig={signature}"))
}

/// The version of the signatures.
const VERSION: &str = "2022-11-02";
