//! The paths of the issuer. SDKs expect fixed ones, without a prefix, so they share the namespace of path-style URLs with accounts: a
//! path whose first segment is an account is the account's. Below `/_lazuli/identity` they are always the issuer's.

/// The prefix under which all paths are served, too.
pub const PREFIX: &str = "/_lazuli/identity";
/// The route of all paths below the prefix.
pub const ROUTE: &str = "/_lazuli/identity/{*path}";

/// What a path of the issuer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint<'a> {
    /// The managed identity of App Service, Container Apps and Cloud Shell.
    AppService,
    /// The managed identity of a virtual machine: the instance metadata service.
    Metadata,
    /// The OAuth 2.0 token endpoint of a tenant.
    Token { tenant: &'a str },
    /// The OpenID Connect discovery document of a tenant.
    Discovery { tenant: &'a str },
    /// The discovery of clouds.
    InstanceDiscovery,
    /// The public keys.
    Keys,
    /// Where a user signs in, with a browser or a device code.
    Interactive,
    /// The subscriptions of a principal, which the Azure CLI lists when it signs in. There are none.
    Subscriptions,
}

/// A path of the issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// What precedes the fixed path: nothing, or [`PREFIX`].
    pub prefix: &'static str,
    pub endpoint: Endpoint<'a>,
}

/// Finds what a path is for. `None` if it is not the issuer's.
pub fn find(path: &str, is_account: impl Fn(&str) -> bool) -> Option<Place<'_>> {
    if let Some(rest) = path.strip_prefix(PREFIX).filter(|rest| rest.starts_with('/')) {
        let endpoint = if rest == "/subscriptions" { Some(Endpoint::Subscriptions) } else { endpoint(rest) };
        return Some(Place { prefix: PREFIX, endpoint: endpoint? });
    }
    let first = path.strip_prefix('/')?.split('/').next()?;
    let account = first.strip_suffix("-secondary").unwrap_or(first);
    if is_account(first) || is_account(account) {
        return None;
    }
    Some(Place { prefix: "", endpoint: endpoint(path)? })
}

fn endpoint(path: &str) -> Option<Endpoint<'_>> {
    let path = path.strip_prefix('/')?;
    // Some SDKs append a slash.
    let path = path.strip_suffix('/').unwrap_or(path);
    match path {
        "msi/token" => return Some(Endpoint::AppService),
        "metadata/identity/oauth2/token" => return Some(Endpoint::Metadata),
        "common/discovery/instance" => return Some(Endpoint::InstanceDiscovery),
        _ => {}
    }
    let (tenant, rest) = path.split_once('/')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if tenant.is_empty() || !tenant.bytes().all(is_name) {
        return None;
    }
    match rest {
        "oauth2/token" | "oauth2/v2.0/token" => Some(Endpoint::Token { tenant }),
        ".well-known/openid-configuration" | "v2.0/.well-known/openid-configuration" => Some(Endpoint::Discovery { tenant }),
        "discovery/keys" | "discovery/v2.0/keys" => Some(Endpoint::Keys),
        "oauth2/authorize" | "oauth2/v2.0/authorize" | "oauth2/devicecode" | "oauth2/v2.0/devicecode" => {
            Some(Endpoint::Interactive)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_its_endpoint() {
        for (path, expected) in [
            ("/msi/token", Some(Endpoint::AppService)),
            ("/msi/token/", Some(Endpoint::AppService)),
            ("/msi/tokens", None),
            ("/msi", None),
            ("/metadata/identity/oauth2/token", Some(Endpoint::Metadata)),
            ("/metadata/identity/oauth2/token/", Some(Endpoint::Metadata)),
            ("/metadata/instance", None),
            ("/adfs/oauth2/token", Some(Endpoint::Token { tenant: "adfs" })),
            ("/adfs/oauth2/v2.0/token", Some(Endpoint::Token { tenant: "adfs" })),
            ("/contoso.onmicrosoft.com/oauth2/token", Some(Endpoint::Token { tenant: "contoso.onmicrosoft.com" })),
            ("/a%2Fb/oauth2/token", None),
            ("//oauth2/token", None),
            ("/oauth2/token", None),
            ("/adfs/oauth2/token/x", None),
            ("/adfs/OAuth2/token", None),
            ("/t/.well-known/openid-configuration", Some(Endpoint::Discovery { tenant: "t" })),
            ("/t/v2.0/.well-known/openid-configuration", Some(Endpoint::Discovery { tenant: "t" })),
            ("/common/discovery/instance", Some(Endpoint::InstanceDiscovery)),
            ("/t/discovery/instance", None),
            ("/t/discovery/keys", Some(Endpoint::Keys)),
            ("/t/discovery/v2.0/keys", Some(Endpoint::Keys)),
            ("/t/oauth2/v2.0/devicecode", Some(Endpoint::Interactive)),
            ("/t/oauth2/authorize", Some(Endpoint::Interactive)),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(find(path, |_| false).map(|place| place.endpoint), expected, "{path}");
            let prefixed = format!("{PREFIX}{path}");
            let place = expected.map(|endpoint| Place { prefix: PREFIX, endpoint });
            assert_eq!(find(&prefixed, |_| true), place, "{prefixed}");
        }
    }

    #[test]
    fn the_path_of_an_account_is_the_accounts() {
        let accounts = |name: &str| ["msi", "adfs", "metadata"].contains(&name);
        for path in ["/msi/token", "/msi-secondary/token", "/adfs/oauth2/token", "/metadata/identity/oauth2/token"] {
            assert_eq!(find(path, accounts), None, "{path}");
        }
        assert!(find("/adf/oauth2/token", accounts).is_some());
        assert!(find("/_lazuli/identity/msi/token", accounts).is_some());
        assert_eq!(find("/_lazuli/identitymsi/token", accounts), None);
        // The name of a file system, elsewhere.
        assert_eq!(find("/subscriptions", |_| false), None);
        assert_eq!(find("/_lazuli/identity/subscriptions", accounts).map(|place| place.endpoint), Some(Endpoint::Subscriptions));
    }
}
