//! The names and addresses that a server's certificate is for.

use std::net::IpAddr;

/// The names that every certificate has. A wildcard stands for one label only, so each service has its own.
const LOCAL: [&str; 11] = [
    "localhost",
    "*.localhost",
    "*.blob.localhost",
    "*.dfs.localhost",
    "*.queue.localhost",
    "*.table.localhost",
    "*.file.localhost",
    "*.web.localhost",
    "*.z.web.localhost",
    "127.0.0.1",
    "::1",
];

/// The names and addresses of a certificate, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateNames(Vec<String>);

impl CertificateNames {
    /// The names of this machine, of the accounts' websites, of the hosts that a server listens at, and others.
    pub fn of_server<'a>(
        accounts: impl Iterator<Item = &'a str>,
        hosts: impl Iterator<Item = &'a str>,
        others: &[String],
    ) -> CertificateNames {
        // OpenSSL accepts no wildcard directly below a top-level domain, such as *.localhost.
        let websites = accounts.map(|account| format!("{account}.localhost"));
        let hosts = hosts.filter(|host| host.parse::<IpAddr>().map_or(is_name(host), |address| !address.is_unspecified()));
        let all = LOCAL.map(str::to_owned).into_iter().chain(websites).chain(host_name());
        let mut names: Vec<String> = Vec::new();
        for name in all.chain(hosts.map(str::to_owned)).chain(others.iter().cloned()) {
            if !names.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
                names.push(name);
            }
        }
        CertificateNames(names)
    }

    /// All names and addresses.
    pub fn all(&self) -> &[String] {
        &self.0
    }
}

/// The name of this machine, if it has one that a certificate can have.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| is_name(name))
}

/// Returns true for a name that a certificate can have.
fn is_name(name: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_become_names_once() {
        let hosts = ["127.0.0.1", "0.0.0.0", "::", "10.0.0.7", "Storage", "localhost", "not a name"];
        let names = CertificateNames::of_server(
            ["acc"].into_iter(),
            hosts.into_iter(),
            &["*.example.test".to_owned(), "storage".to_owned()],
        );
        let own = names.all().iter().skip(LOCAL.len()).filter(|name| Some((*name).clone()) != host_name());
        assert_eq!(own.collect::<Vec<_>>(), ["acc.localhost", "10.0.0.7", "Storage", "*.example.test"]);
        assert_eq!(names.all()[..LOCAL.len()], LOCAL);
    }
}
