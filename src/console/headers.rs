//! The headers that decide what a browser may do with an answer.

use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue};

/// What the page may load: its own files only, and no script or style in the markup.
const PAGE: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
);

/// What stored content may do if a browser shows it: nothing.
const CONTENT: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");

/// Sets the headers of the console's own files.
pub(super) fn of_page(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, PAGE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
    // A document that opens the page in a tab has no access to it.
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    // The URLs of downloads contain a SAS.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Sets the headers of answers of the services.
pub(super) fn of_content(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, CONTENT);
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
}
