//! The format of errors, and the headers of each answer.

use super::wire::{Wire, request, sas};
use super::{Stored, refusal};
use crate::server::VERSION;
use lazuli::ServiceKind;

/// `x-ms-error-code` came with 2017-07-29; the body has always had the code.
#[tokio::test]
async fn error_codes_by_version() {
    let stored = Stored::new().await;
    let target = format!("/kept/nothing?{}", sas());
    for (version, header) in [
        ("2009-09-19", ""),
        ("2015-12-11", ""),
        ("2017-04-17", ""),
        ("2017-07-29", "BlobNotFound"),
        (VERSION, "BlobNotFound"),
        ("2099-12-31", "BlobNotFound"),
    ] {
        // Not signed by key, because the string to sign depends on the version.
        let request = |method| stored.server.request(method, &target).header("x-ms-version", version).anonymous();
        let answer = request("GET").send().await;
        assert_eq!((answer.status, answer.header("x-ms-error-code")), (404, header), "{version}");
        assert_eq!(refusal(&answer, "GET", version), "BlobNotFound");
        let answer = request("HEAD").send().await;
        assert_eq!((answer.status, refusal(&answer, "HEAD", version).as_str()), (404, header), "{version}");
    }
    for (version, code, followed) in [
        // The signature's own version.
        ("", "BlobNotFound", "2020-04-08"),
        // White space around a value is not part of it.
        ("2021-12-02 ", "BlobNotFound", VERSION),
        ("soon", "InvalidHeaderValue", ""),
        ("2019-13-01", "InvalidHeaderValue", ""),
        ("1999-01-01", "InvalidHeaderValue", ""),
        ("2021-12-02-preview", "InvalidHeaderValue", ""),
    ] {
        let answer = stored.server.request("GET", &target).header("x-ms-version", version).anonymous().send().await;
        assert_eq!(refusal(&answer, "GET", followed), code, "{version}");
    }
    // An error in the URL has the version that the request names, although the URL is read first.
    let answer = stored.server.request("GET", "/kept/nothing?x=%zz").send().await;
    assert_eq!(refusal(&answer, "GET", VERSION), "InvalidQueryParameterValue");
}

/// An error contains the offending value in a form that any XML parser accepts.
#[tokio::test]
async fn details_quote_what_was_sent() {
    let stored = Stored::new().await;
    for (target, name, value) in [
        ("/kept/digits?comp=foo", "comp", "foo"),
        ("/kept/digits?comp=%3Cb%3E%26%22%27", "comp", "&lt;b&gt;&amp;\"'"),
        ("/kept/digits?comp=%01%1F%EF%BF%BF", "comp", "\u{fffd}\u{fffd}\u{fffd}"),
        ("/kept/digits?comp=%0D%0A", "comp", "\r\n"),
        ("/kept/digits?comp=a%C3%A9", "comp", "aé"),
        ("/kept/digits?comp=", "comp", ""),
    ] {
        let answer = stored.server.request("GET", target).send().await;
        assert_eq!(refusal(&answer, "GET", VERSION), "InvalidQueryParameterValue", "{target}");
        assert_eq!(answer.element("QueryParameterName"), name, "{target}");
        let plain = answer.element("QueryParameterValue").replace("&apos;", "'").replace("&quot;", "\"").replace("&#13;", "\r");
        assert_eq!(plain, value, "{target}");
    }
    let answer = stored.server.request("GET", "/kept?restype=container&comp=list&delimiter=%01&prefix=%02").send().await;
    assert_eq!(answer.verdict(), "200");
    assert!(!answer.text().contains(['\x01', '\x02']), "{}", answer.text());
    let answer = stored.server.request("PUT", "/kept/digits").header("x-ms-blob-type", "<b>&\"'").send().await;
    assert_eq!(refusal(&answer, "PUT", VERSION), "InvalidHeaderValue");
    assert_eq!(answer.element("HeaderName"), "x-ms-blob-type");
}

/// The client's own id comes back on success and on failure if it is up to 1024 visible ASCII characters, and not otherwise.
#[tokio::test]
async fn the_clients_id_is_echoed() {
    let stored = Stored::new().await;
    let (most, over) = ("i".repeat(1024), "i".repeat(1025));
    for (id, echoed) in [("one", true), ("a b ~!", true), (most.as_str(), true), (over.as_str(), false), ("tab\there", false)] {
        for target in ["/kept/digits", "/kept/nothing"] {
            for method in ["GET", "HEAD"] {
                let answer = stored.server.request(method, target).header("x-ms-client-request-id", id).send().await;
                let wanted = if echoed { id } else { "" };
                assert_eq!(answer.header("x-ms-client-request-id"), wanted, "{method} {target} {id:.20}");
            }
        }
    }
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(b"GET /devstoreaccount1/kept/nothing HTTP/1.1\r\nhost: a\r\nx-ms-client-request-id: caf\xe9\r\n\r\n").await;
    let answer = wire.hear("GET").await.answer;
    assert_eq!((answer.status, answer.header("x-ms-client-request-id")), (404, ""));
}

/// The table service leaves HTTP's own reason phrase, whatever it refuses and in whichever form.
#[tokio::test]
async fn a_tables_reason_is_https_own() {
    let stored = Stored::new().await;
    let mut wire = Wire::to(&stored.server, ServiceKind::Table).await;
    for (method, target, line) in [
        ("GET", "/nobody()", "HTTP/1.1 404 Not Found"),
        ("GET", "/?comp=nothing", "HTTP/1.1 400 Bad Request"),
        ("PUT", "/?restype=service&comp=properties", "HTTP/1.1 400 Bad Request"),
        ("GET", "/Tables", "HTTP/1.1 200 OK"),
    ] {
        let url = format!("/devstoreaccount1{target}");
        let date = stored.server.machine_time().rfc1123();
        let resource = url.split_once('?').map_or(url.as_str(), |(path, _)| path);
        let comp = target.split_once("comp=").map(|(_, comp)| format!("?comp={comp}")).unwrap_or_default();
        let signature = crate::server::hmac(&format!("{date}\n/devstoreaccount1{resource}{comp}"), lazuli::WELL_KNOWN_KEY);
        let head = format!(
            "{method} {url} HTTP/1.1\r\nhost: a\r\nx-ms-version: 2021-12-02\r\nx-ms-date: {date}\r\naccept: application/json\r\n\
             content-length: 0\r\nauthorization: SharedKeyLite devstoreaccount1:{signature}\r\n\r\n"
        );
        wire.say(head).await;
        assert_eq!(wire.hear(method).await.line, line, "{method} {target}");
    }
    wire.say("GET /devstoreaccount1/Tables HTTP/1.1\r\nhost: a\r\nx-ms-version: 2021-12-02\r\n\r\n").await;
    assert_eq!(wire.hear("GET").await.line, "HTTP/1.1 401 Unauthorized");
}

/// The reason phrase of an error is its message.
#[tokio::test]
async fn the_reason_is_the_sentence() {
    let stored = Stored::new().await;
    let etag = stored.server.request("HEAD", "/kept/digits").send().await.header("etag").to_owned();
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    for (method, target, headers, line) in [
        ("GET", "/kept/nothing", &[][..], "HTTP/1.1 404 The specified blob does not exist."),
        ("HEAD", "/kept/nothing", &[], "HTTP/1.1 404 The specified blob does not exist."),
        ("GET", "/kept/digits", &[], "HTTP/1.1 200 OK"),
        ("GET", "/kept/digits", &[("if-none-match", &*etag)], "HTTP/1.1 304 Not Modified"),
        (
            "PUT",
            "/kept/digits?comp=incrementalcopy",
            &[],
            "HTTP/1.1 400 An HTTP header that's mandatory for this request is not specified.",
        ),
    ] {
        wire.say(request(method, target, headers, "")).await;
        let spoken = wire.hear(method).await;
        if (method, spoken.answer.status) == ("GET", 304) {
            assert_eq!(spoken.answer.header("x-ms-error-code"), "ConditionNotMet");
        }
        assert_eq!(spoken.line, line, "{method} {target}");
    }
    assert!(wire.is_silent());
}

/// Each service has its `Server` header, also in errors.
#[tokio::test]
async fn every_service_has_its_name() {
    let stored = Stored::new().await;
    for (kind, server) in [
        (ServiceKind::Blob, "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0"),
        (ServiceKind::Queue, "Windows-Azure-Queue/1.0 Microsoft-HTTPAPI/2.0"),
        (ServiceKind::Table, "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"),
        (ServiceKind::File, "Windows-Azure-File/1.0 Microsoft-HTTPAPI/2.0"),
    ] {
        let answer = stored.server.request("GET", "/?comp=nothing").of(kind).send().await;
        assert_eq!((answer.status, answer.header("server")), (400, server), "{kind:?}");
    }
}
