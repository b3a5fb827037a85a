//! The `Host` header that HTTP/1.1 demands: exactly one (RFC 9112, section 3.2). What is refused for it never reaches a service.

use axum::body::Body;
use http::header::{CONNECTION, CONTENT_TYPE, HOST, SERVER};
use http::{Request, Response, StatusCode, Version};

/// The page that the service's HTTP front end, http.sys, answers with.
const PAGE: &str = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"\"http://www.w3.org/TR/html4/strict.dtd\">\r\n\
<HTML><HEAD><TITLE>Bad Request</TITLE>\r\n\
<META HTTP-EQUIV=\"Content-Type\" Content=\"text/html; charset=us-ascii\"></HEAD>\r\n\
<BODY><h2>Bad Request - Invalid Hostname</h2>\r\n\
<hr><p>HTTP Error 400. The request hostname is invalid.</p>\r\n\
</BODY></HTML>\r\n";

/// The refusal of a request that has no `Host` header or several; `None` for every other request.
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
        // As it is quoted by many who met it.
        assert_eq!(PAGE.len(), 334);
    }
}
