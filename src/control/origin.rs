//! The check that keeps pages of other sites away from `/_lazuli/`.
//!
//! A browser on this machine can reach a server that listens at 127.0.0.1 only, and so can any page in it. The browser sends the page's
//! origin with a request that changes something, and a page whose own name was made to point to 127.0.0.1 sends that name as the host.
//! Requests with another origin, or to a name that can belong to somebody else, are refused.

use crate::control::error::ControlError;
use crate::rules::pages;
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, Method};

/// Checks that no page of another site sent a request. `names` are hosts that are accepted besides addresses and local names.
///
/// # Errors
/// 403 ForeignRequest, with the flag that accepts the host.
pub fn check(method: &Method, headers: &HeaderMap, names: &[String]) -> Result<(), ControlError> {
    let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    if !pages::is_own_host(host, names) {
        return Err(ControlError::foreign(format!(
            "the host {host:?} may belong to another site: use an address or localhost, or name it with --control-host"
        )));
    }
    if let Some(origin) = headers.get(ORIGIN).filter(|origin| !origin.is_empty()) {
        let origin = origin.to_str().unwrap_or_default();
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        if !authority.eq_ignore_ascii_case(host) {
            return Err(ControlError::foreign(format!("a page of {origin:?} may not send requests to {host}")));
        }
    }
    // A link of another site may open a page, and nothing else.
    let opens_page = *method == Method::GET && text(http::HeaderName::from_static("sec-fetch-mode")) == Some("navigate");
    if text(http::HeaderName::from_static("sec-fetch-site")) == Some("cross-site") && !opens_page {
        return Err(ControlError::foreign("a page of another site may not send requests here"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn hosts_that_another_site_can_have_are_refused() {
        for (host, accepted) in [
            ("127.0.0.1:10000", true),
            ("10.1.2.3", true),
            ("[::1]:10000", true),
            ("localhost:10000", true),
            ("LocalHost", true),
            ("one.blob.localhost:10000", true),
            ("azurite:10000", true),
            ("host.docker.internal:10000", true),
            ("ci.example.com", true),
            ("CI.example.com:10000", true),
            ("example.com", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("", false),
        ] {
            let names = ["ci.example.com".to_owned()];
            assert_eq!(check(&Method::POST, &headers(&[("host", host)]), &names).is_ok(), accepted, "{host}");
        }
        assert!(check(&Method::GET, &HeaderMap::new(), &[]).is_err());
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let host = ("host", "127.0.0.1:10000");
        for (pairs, method, accepted) in [
            (&[host][..], Method::POST, true),
            (&[host, ("origin", "http://127.0.0.1:10000")], Method::POST, true),
            (&[host, ("origin", "http://127.0.0.1:3000")], Method::POST, false),
            (&[host, ("origin", "http://example.test")], Method::GET, false),
            (&[host, ("origin", "null")], Method::POST, false),
            (&[host, ("sec-fetch-site", "same-origin")], Method::GET, true),
            (&[host, ("sec-fetch-site", "cross-site")], Method::GET, false),
            (&[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], Method::GET, true),
            (&[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], Method::POST, false),
        ] {
            assert_eq!(check(&method, &headers(pairs), &[]).is_ok(), accepted, "{pairs:?}");
        }
    }
}
