//! The key that only the page of the console has.
//!
//! A document that is stored as a blob has the origin of its port, and so has the console: neither `Origin` nor `Host` distinguishes their
//! requests. So a request of a page has to have a key, which is in the page of the console. A document of the same origin cannot read it:
//!
//! - The page has the key only if a browser opens it in a tab. For `fetch` and frames it is without the key: browsers say in
//!   `Sec-Fetch-Dest` what a request is for, and no script can set this header.
//! - `Cross-Origin-Opener-Policy` separates the tab from the document that opened it, and no cache has the page.
//! - A service worker answers for all pages below its own path, with any headers. Hosts at which a stored script can be one have no console.
//!
//! Browsers send these headers to the addresses of their own machine and over https.

use http::header::ORIGIN;
use http::{HeaderMap, HeaderName};
use ring::rand::{SecureRandom, SystemRandom};
use thiserror::Error;

/// The header with the key.
const HEADER: HeaderName = HeaderName::from_static("x-lazuli-page-key");
/// The parameter with the key, for requests whose headers a page cannot set.
const PARAMETER: &str = "page_key=";
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The key of one start of a server.
pub struct PageKey(String);

impl std::fmt::Debug for PageKey {
    /// Omits the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PageKey").finish_non_exhaustive()
    }
}

/// The operating system returns no random numbers.
#[derive(Clone, Copy, Debug, Error)]
#[error("the operating system returns no random numbers")]
pub struct NoRandomness;

impl PageKey {
    /// # Errors
    /// [`NoRandomness`].
    pub fn random() -> Result<PageKey, NoRandomness> {
        let mut bytes = [0_u8; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(PageKey(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The key for the answer to a request for the page; `None` for a request that may be a script's.
    pub fn for_page(&self, headers: &HeaderMap) -> Option<&str> {
        let is_tab = headers.get(FETCH_DEST).is_none_or(|dest| dest == "document");
        is_tab.then_some(&*self.0)
    }

    /// Returns true if a request is the console's, or no page sent it.
    pub fn permits(&self, headers: &HeaderMap, parameter: Option<&str>) -> bool {
        let is_typed = headers.get(FETCH_SITE).is_none_or(|site| site == "none");
        let is_page = headers.get(ORIGIN).is_some_and(|origin| !origin.is_empty()) || !is_typed;
        let given = headers.get(HEADER).and_then(|key| key.to_str().ok()).or(parameter);
        !is_page || given == Some(&self.0)
    }
}

/// Separates the key from the other parameters.
pub fn split(query: &str) -> (String, Option<&str>) {
    let (keys, others): (Vec<&str>, Vec<&str>) = query.split('&').partition(|pair| pair.starts_with(PARAMETER));
    (others.join("&"), keys.first().and_then(|key| key.strip_prefix(PARAMETER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn pages_need_the_key() {
        let (key, other) = (PageKey::random().unwrap(), PageKey::random().unwrap());
        let (origin, site) = (("origin", "http://127.0.0.1:10000"), ("sec-fetch-site", "same-origin"));
        for (pairs, parameter, permitted) in [
            (&[][..], None, true),
            (&[("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate")], None, true),
            // What fetch of Node.js sends.
            (&[("sec-fetch-mode", "cors")], None, true),
            (&[origin], None, false),
            (&[site], None, false),
            (&[site, ("sec-fetch-mode", "navigate")], None, false),
            (&[origin, site, ("x-lazuli-page-key", &key.0)], None, true),
            (&[origin, site, ("x-lazuli-page-key", &other.0)], None, false),
            (&[origin, site, ("x-lazuli-page-key", "")], None, false),
            (&[site], Some(&*key.0), true),
            (&[site], Some(&*other.0), false),
        ] {
            assert_eq!(key.permits(&headers(pairs), parameter), permitted, "{pairs:?} {parameter:?}");
        }
    }

    #[test]
    fn the_page_has_the_key_in_a_tab_only() {
        let key = PageKey::random().unwrap();
        for (dest, has_key) in [("document", true), ("empty", false), ("iframe", false), ("embed", false), ("script", false)] {
            assert_eq!(key.for_page(&headers(&[("sec-fetch-dest", dest)])).is_some(), has_key, "{dest}");
        }
        assert_eq!(key.for_page(&headers(&[])).map(str::len), Some(64), "a browser that does not say");
        assert_eq!(format!("{key:?}"), "PageKey(..)");
    }

    #[test]
    fn the_key_is_no_parameter_of_a_request() {
        for (query, others, key) in [
            ("", "", None),
            ("wait=1&limit=2", "wait=1&limit=2", None),
            ("page_key=a", "", Some("a")),
            ("wait=1&page_key=a&limit=2&page_key=b", "wait=1&limit=2", Some("a")),
            ("my_page_key=a", "my_page_key=a", None),
        ] {
            assert_eq!(split(query), (others.to_owned(), key), "{query}");
        }
    }
}
