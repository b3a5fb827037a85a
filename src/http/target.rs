//! The account that a URL names, and the path in it: path style, host style, or a host name of Azure.
//!
//! The account is in the path unless the host is an account's own: `account.blob.localhost`, `account.blob.core.windows.net` and the
//! like. Any other host name is only the address of the server, such as a name in Docker or Kubernetes.

use crate::account::{Account, Accounts};
use crate::operation::ServiceKind;
use crate::rules::lake::route::Api;
use std::borrow::Cow;
use std::sync::Arc;

/// The suffix of an account's read-only endpoint.
const SECONDARY: &str = "-secondary";

/// The account that a URL names, and the rest of its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountAddress<'a> {
    /// The name of the account, which may not exist, without the suffix.
    pub account: Cow<'a, str>,
    /// Whether the URL is that of the secondary endpoint.
    pub secondary: bool,
    /// The path below the account, percent-encoded as sent. It begins with `/`.
    pub path: &'a str,
    /// Whether the path contains the account. Signatures then contain it twice.
    pub in_path: bool,
}

/// Finds the account in a request's host (with or without a port) and path.
///
/// `None` if neither names an account.
pub fn account_address<'a>(kind: ServiceKind, host: &'a str, path: &'a str, host_style: bool) -> Option<AccountAddress<'a>> {
    if let Some(label) = account_label(kind, host).filter(|_| host_style) {
        return Some(at_host(label, path));
    }
    let rest = path.strip_prefix('/')?;
    let (first, below) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    if first.is_empty() {
        return None;
    }
    let (account, secondary) = without_suffix(first);
    Some(AccountAddress { account: Cow::Borrowed(account), secondary, path: below, in_path: true })
}

/// The first label of an account's host for this service: `account.blob.…`.
fn account_label(kind: ServiceKind, host: &str) -> Option<&str> {
    let mut labels = labels(host)?;
    let (account, service, next) = (labels.next()?, labels.next()?, labels.next()?);
    (label_kind(service) == Some(kind.at_port()) && !account.is_empty() && !next.is_empty()).then_some(account)
}

/// The service with this label in the hosts of accounts.
pub fn label_kind(label: &str) -> Option<ServiceKind> {
    let named = |kind: &ServiceKind| {
        label.eq_ignore_ascii_case(kind.label()) || *kind == ServiceKind::Blob && label.eq_ignore_ascii_case("dfs")
    };
    [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File].into_iter().find(named)
}

/// The service's label and the account's name, if the host is an account's.
pub fn account_of_host(host: &str) -> Option<(&str, String)> {
    let label = labels(host)?.nth(1)?;
    let first = account_label(label_kind(label)?, host)?;
    Some((label, without_suffix(first).0.to_ascii_lowercase()))
}

/// The API that a host names: `account.dfs.…` or `account.blob.…`.
pub fn api(host: &str) -> Option<Api> {
    let (label, _) = account_of_host(host)?;
    let is = |kind: ServiceKind| label.eq_ignore_ascii_case(kind.label());
    if is(ServiceKind::DataLake) { Some(Api::Lake) } else { is(ServiceKind::Blob).then_some(Api::Blob) }
}

/// Finds the account whose website has this host: `account.z6.web.core.windows.net`, `account.web.core.windows.net`,
/// `account.z.web.localhost`, with any domain after `web`.
pub fn website<'a>(host: &'a str, path: &'a str) -> Option<AccountAddress<'a>> {
    let mut labels = labels(host)?;
    let account = labels.next().filter(|account| !account.is_empty())?;
    let zone = |label: &&str| {
        let digits = label.strip_prefix(['z', 'Z']);
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut labels = labels.peekable();
    labels.next_if(zone);
    let known = labels.next()?.eq_ignore_ascii_case("web") && !labels.next()?.is_empty();
    known.then(|| at_host(account, path))
}

/// Finds the account whose website a request to the port of websites names: the one that the host begins with, or else the first.
pub fn website_at_port<'a>(host: &'a str, path: &'a str, accounts: &Accounts, first: &'a str) -> AccountAddress<'a> {
    let named = labels(host).and_then(|mut labels| labels.next()).map(|account| at_host(account, path));
    named.filter(|place| place.find(accounts).is_some()).unwrap_or_else(|| at_host(first, path))
}

fn at_host<'a>(label: &'a str, path: &'a str) -> AccountAddress<'a> {
    let (account, secondary) = without_suffix(label);
    AccountAddress { account: account.to_ascii_lowercase().into(), secondary, path, in_path: false }
}

/// The labels of a host name; `None` for an IPv6 address.
fn labels(host: &str) -> Option<impl Iterator<Item = &str>> {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    (!host.starts_with('[')).then(|| name.split('.'))
}

fn without_suffix(label: &str) -> (&str, bool) {
    match label.strip_suffix(SECONDARY) {
        Some(account) => (account, true),
        None => (label, false),
    }
}

impl AccountAddress<'_> {
    /// The account, if it exists.
    pub fn find(&self, accounts: &Accounts) -> Option<Arc<Account>> {
        accounts.get(&self.account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lakes_by_host() {
        for host in ["acc.dfs.localhost:10000", "ACC.Dfs.core.windows.net", "acc-secondary.dfs.localhost"] {
            assert_eq!(api(host), Some(Api::Lake), "{host}");
        }
        for host in ["acc.blob.localhost", "dfs.localhost", "acc.dfs", ".dfs.localhost", "127.0.0.1:10000", "[::1]", ""] {
            assert_ne!(api(host), Some(Api::Lake), "{host}");
        }
    }

    #[test]
    fn websites_by_host() {
        for (host, wanted) in [
            ("acc.z6.web.core.windows.net", Some(("acc", false))),
            ("acc.z13.web.core.windows.net:10000", Some(("acc", false))),
            ("acc.web.core.windows.net", Some(("acc", false))),
            ("acc.z.web.localhost:10000", Some(("acc", false))),
            ("ACC.Z1.Web.LocalHost", Some(("acc", false))),
            ("acc-secondary.z6.web.core.windows.net", Some(("acc", true))),
            ("acc.blob.core.windows.net", None),
            ("acc.z6.blob.core.windows.net", None),
            ("acc.zone.web.localhost", None),
            ("acc.z1.z2.web.localhost", None),
            ("acc.web", None),
            (".web.localhost", None),
            ("web.localhost", None),
            ("[::1]:10000", None),
            ("127.0.0.1:10000", None),
            ("", None),
        ] {
            let found = website(host, "/a");
            assert_eq!(found.as_ref().map(|found| (&*found.account, found.secondary)), wanted, "{host}");
        }
    }

    #[test]
    fn websites_by_port() {
        let account = |name: &str| Account { name: name.into(), ..Account::default() };
        let accounts: Accounts = ["one", "two"].map(account).into_iter().collect();
        for (host, wanted) in [
            ("127.0.0.1:8080", "one"),
            ("localhost", "one"),
            ("[::1]:8080", "one"),
            ("www.example.test", "one"),
            ("", "one"),
            ("two.localhost:8080", "two"),
            ("two", "two"),
            ("TWO.z6.web.core.windows.net", "two"),
            ("three.localhost", "one"),
        ] {
            assert_eq!(website_at_port(host, "/", &accounts, "one").account, wanted, "{host}");
        }
    }

    #[test]
    fn one_table_of_url_styles() {
        // host, path → account, secondary, path below
        type Case = (&'static str, &'static str, Option<(&'static str, bool, &'static str)>);
        let cases: &[Case] = &[
            ("127.0.0.1:10000", "/acc/c/b", Some(("acc", false, "/c/b"))),
            ("127.0.0.1:10000", "/acc", Some(("acc", false, "/"))),
            ("127.0.0.1:10000", "/acc/", Some(("acc", false, "/"))),
            ("127.0.0.1:10000", "/", None),
            ("127.0.0.1:10000", "//", None),
            ("127.0.0.1:10000", "", None),
            ("127.0.0.1:10000", "//c/b", None),
            ("127.0.0.1:10000", "/acc//c", Some(("acc", false, "//c"))),
            ("127.0.0.1:10000", "/acc/c//b", Some(("acc", false, "/c//b"))),
            ("127.0.0.1:10000", "/acc/c/a%2Fb", Some(("acc", false, "/c/a%2Fb"))),
            ("127.0.0.1:10000", "/acc-secondary/c", Some(("acc", true, "/c"))),
            ("[::1]:10000", "/acc/c", Some(("acc", false, "/c"))),
            ("[fe80::1.2.3.4]", "/acc/c", Some(("acc", false, "/c"))),
            ("localhost", "/acc/c", Some(("acc", false, "/c"))),
            ("localhost:10000", "/acc/c", Some(("acc", false, "/c"))),
            ("azurite", "/acc/c", Some(("acc", false, "/c"))),
            ("host.docker.internal:10000", "/acc/c", Some(("acc", false, "/c"))),
            ("azurite.svc.local:10000", "/acc/c", Some(("acc", false, "/c"))),
            ("storage.default.svc.cluster.local", "/acc/c", Some(("acc", false, "/c"))),
            ("blob.localhost", "/acc/c", Some(("acc", false, "/c"))),
            ("", "/acc/c", Some(("acc", false, "/c"))),
            ("acc.blob.localhost:10000", "/c/b", Some(("acc", false, "/c/b"))),
            ("acc.blob.localhost:10000", "/", Some(("acc", false, "/"))),
            ("ACC.Blob.LocalHost", "/c/b", Some(("acc", false, "/c/b"))),
            ("acc.blob.core.windows.net", "/c/b", Some(("acc", false, "/c/b"))),
            ("acc-secondary.blob.core.windows.net", "/c/b", Some(("acc", true, "/c/b"))),
            ("acc.dfs.core.windows.net", "/c/b", Some(("acc", false, "/c/b"))),
            ("acc.queue.core.windows.net", "/acc/c", Some(("acc", false, "/c"))),
        ];
        for (host, path, expected) in cases {
            let found = account_address(ServiceKind::Blob, host, path, true);
            let seen = found.as_ref().map(|found| (&*found.account, found.secondary, found.path));
            assert_eq!(seen, *expected, "{host} {path}");
        }
        let off = account_address(ServiceKind::Blob, "acc.blob.localhost", "/other/c", false).unwrap();
        assert_eq!((&*off.account, off.in_path), ("other", true), "host style can be switched off");
    }
}
