//! The page for a browser that opens the root of a port.

use crate::console::headers;
use crate::operation::ServiceKind;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};

const PAGE: &str = include_str!("page/landing.html");

/// Replaces the body of the refusal of `GET /` by a page that links the console, for browsers only. The status and the other headers stay:
/// tools probe this URL, and expect 400.
#[derive(Clone, Copy, Debug)]
pub struct Landing {
    kind: ServiceKind,
    is_wanted: bool,
}

/// Notes whether a request is that of a browser for the root of a port.
pub fn landing(kind: ServiceKind, request: &Request) -> Landing {
    let accepts = request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut ranges = accepts.flat_map(|value| value.split(','));
    let is_browser =
        ranges.any(|range| range.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html")));
    let is_root = *request.method() == Method::GET && request.uri().path() == "/" && request.uri().query().is_none();
    Landing { kind, is_wanted: is_root && is_browser }
}

impl Landing {
    /// The response with the page, if the request was that of a browser and was refused with 400.
    pub fn apply(self, mut response: Response) -> Response {
        if !self.is_wanted || response.status() != StatusCode::BAD_REQUEST {
            return response;
        }
        let page = PAGE.replace("{service}", &format!("{} service", self.kind.name()));
        let sent = response.headers_mut();
        sent.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        sent.insert(CONTENT_LENGTH, HeaderValue::from(page.len()));
        headers::of_page(sent);
        *response.body_mut() = Body::from(page);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_browser_at_the_root_gets_the_page() {
        for (method, uri, accept, wanted) in [
            ("GET", "/", "text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("GET", "/", "application/xml, TEXT/HTML; q=0.9", true),
            ("GET", "/", "*/*", false),
            ("GET", "/?comp=list", "text/html", false),
            ("GET", "/account", "text/html", false),
            ("POST", "/", "text/html", false),
        ] {
            let request = Request::builder().method(method).uri(uri).header(ACCEPT, accept).body(Body::empty()).unwrap();
            let refusal =
                Response::builder().status(400).header("x-ms-error-code", "InvalidUri").body(Body::from("<Error/>")).unwrap();
            let response = landing(ServiceKind::Blob, &request).apply(refusal);
            assert_eq!(response.status(), StatusCode::BAD_REQUEST);
            assert_eq!(response.headers()["x-ms-error-code"], "InvalidUri");
            let is_html = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
            assert_eq!(is_html, wanted, "{method} {uri} {accept}");
        }
        let request = Request::builder().uri("/").header(ACCEPT, "text/html").body(Body::empty()).unwrap();
        assert_eq!(landing(ServiceKind::Blob, &request).apply(Response::new(Body::empty())).status(), StatusCode::OK);
    }
}
