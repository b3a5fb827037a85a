//! Requests from web pages. Any page can make a browser send requests to a server on the browser's machine or in its network. So what no
//! page needs (tokens, the clock, a reset) is refused to pages from elsewhere, whatever the CORS rules are.

use std::net::IpAddr;

/// The endings of names that no public name has: reserved ones (RFC 2606, RFC 6761, RFC 6762, RFC 8375), and those that networks of
/// containers use.
const PRIVATE: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "test",
    "example",
    "invalid",
    "home.arpa",
    "lan",
    "home",
    "corp",
    "intranet",
    "private",
    "svc",
];

/// Returns true if the `Origin` header of a request names a page from elsewhere than this machine or a private network.
pub fn is_foreign(origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| name_of(host));
    match address(host) {
        Some(IpAddr::V4(address)) => !(address.is_loopback() || address.is_private() || address.is_link_local()),
        Some(IpAddr::V6(address)) => !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()),
        None => !is_private_name(host),
    }
}

/// Returns true if a `Host` header names the server itself. The owner of a public name can let it point to any address (DNS rebinding), and
/// a browser then takes the server for a part of the owner's site. `own` are the names of the server; `*.` stands for one label.
pub fn is_own_host(host: &str, own: &[String]) -> bool {
    let name = name_of(host);
    let is = |own: &String| match own.strip_prefix("*.") {
        Some(parent) => name.split_once('.').is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(parent)),
        None => own.eq_ignore_ascii_case(name),
    };
    address(name).is_some() || is_private_name(name) || own.iter().any(is)
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.split_once(']') {
        Some((address, _)) if host.starts_with('[') => address.trim_start_matches('['),
        _ => host.split(':').next().unwrap_or(host),
    }
}

fn address(name: &str) -> Option<IpAddr> {
    name.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

/// Returns true for a name that no public server has: one label, or one of the private endings.
fn is_private_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_below = |ending: &&str| name.strip_suffix(*ending).is_some_and(|rest| rest.ends_with('.'));
    !name.is_empty() && (!name.contains('.') || PRIVATE.iter().any(is_below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_from_elsewhere() {
        for (origin, foreign) in [
            ("http://localhost:3000", false),
            ("https://app.localhost", false),
            ("http://127.0.0.1", false),
            ("http://[::1]:8080", false),
            ("http://192.168.1.7:3000", false),
            ("http://[::ffff:10.0.0.1]", false),
            ("http://web:3000", false),
            ("http://host.docker.internal", false),
            ("https://example.com", true),
            ("https://localhost.example.com", true),
            ("https://notlocalhost.com", true),
            ("https://xlocal.de", true),
            ("http://8.8.8.8", true),
            ("http://[2001:db8::1]", true),
            ("null", true),
            ("", true),
            ("http://", true),
            ("http://.", true),
        ] {
            assert_eq!(is_foreign(origin), foreign, "{origin}");
        }
    }

    #[test]
    fn names_of_the_server() {
        let own = ["storage.example.com".to_owned(), "*.blob.example.com".to_owned()];
        for (host, is_own) in [
            ("127.0.0.1:10000", true),
            ("8.8.8.8", true),
            ("[::1]:10000", true),
            ("[2001:db8::1]", true),
            ("localhost:10000", true),
            ("LOCALHOST", true),
            ("lazuli", true),
            ("lazuli.default.svc", true),
            ("lazuli.default.svc.cluster.local:10000", true),
            ("storage.example.com:10000", true),
            ("Storage.Example.Com", true),
            ("acc.blob.example.com", true),
            ("a.acc.blob.example.com", false),
            ("other.example.com:10000", false),
            ("127.0.0.1.example.com", false),
            ("localhost.example.com", false),
            ("", false),
            (".", false),
        ] {
            assert_eq!(is_own_host(host, &own), is_own, "{host}");
        }
    }
}
