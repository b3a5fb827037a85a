//! The host of a request, and the check of the `Host` header: HTTP/1.1 requires exactly one (RFC 9112, section 3.2).

use axum::body::Body;
use http::header::{CONNECTION, CONTENT_TYPE, HOST, SERVER};
use http::{HeaderMap, Request, Response, StatusCode, Uri, Version};

/// The host of a request with its port, from its URL or its `Host` header; empty if neither has one.
pub fn of<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let header = || headers.get(HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(http::uri::Authority::as_str).or_else(header).unwrap_or_default()
}

/// The error page of http.sys, the HTTP front end of the service.
const PAGE: &str = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"\"http://www.w3.org/TR/html4/strict.dtd\">\r\n\
<HTML><HEAD><TITLE>Bad Request</TITLE>\r\n\
<META HTTP-EQUIV=\"Content-Type\" Content=\"text/html; charset=us-ascii\"></HEAD>\r\n\
<BODY><h2>Bad Request - Invalid Hostname</h2>\r\n\
<hr><p>HTTP Error 400. The request hostname is invalid.</p>\r\n\
</BODY></HTML>\r\n";

/// The error response to a request without a `Host` header or with several; `None` for other requests.
pub fn refusal<B>(request: &Request<B>) -> Option<Response<Body>> {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11 {
        return None;
    }
    tracing::debug!(target: "lazuli::refusal", "a request has {hosts} Host headers and must have one");
    let response = Response::builder()
        .status(StatusCode::BAD_REQUEST)
        .header(CONTENT_TYPE, "text/html; charset=us-ascii")
        .header(SERVER, "Microsoft-HTTPAPI/2.0")
        .header(CONNECTION, "close");
    response.body(Body::from(PAGE)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_url_precedes_the_header() {
        for (uri, header, host) in [
            ("/c/b", Some("a:1"), "a:1"),
            ("http://u:2/c/b", Some("a:1"), "u:2"),
            ("http://u/c/b", None, "u"),
            ("/c/b", None, ""),
        ] {
            let headers = header.map(|header| (HOST, header.parse().unwrap())).into_iter().collect();
            assert_eq!(of(&uri.parse().unwrap(), &headers), host, "{uri}");
        }
    }

    #[test]
    fn one_host_and_no_other() {
        for (version, hosts, refused) in [
            (Version::HTTP_11, &["a"][..], false),
            (Version::HTTP_11, &[""], false),
            (Version::HTTP_11, &[], true),
            (Version::HTTP_11, &["a", "a"], true),
            (Version::HTTP_10, &[], false),
            (Version::HTTP_10, &["a"], false),
            (Version::HTTP_10, &["a", "b"], true),
        ] {
            let request = hosts.iter().fold(Request::builder().version(version), |request, host| request.header(HOST, *host));
            assert_eq!(refusal(&request.body(()).unwrap()).is_some(), refused, "{version:?} {hosts:?}");
        }
        // The length of the page as it is quoted on the web.
        assert_eq!(PAGE.len(), 334);
    }
}
