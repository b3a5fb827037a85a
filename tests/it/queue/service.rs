//! The service itself: its properties, preflight requests and statistics.

use super::{check, request, with_queue};
use lazuli::WELL_KNOWN_KEY;

const OFF: &str = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>";

#[tokio::test]
async fn properties_are_replaced_element_by_element() {
    let logging = |flag: &str, retention: &str| {
        format!(
            "<Logging><Version>1.0</Version><Read>{flag}</Read><Write>{flag}</Write><Delete>{flag}</Delete>{retention}</Logging>"
        )
    };
    let week = "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>";
    let metrics = |name: &str| format!("<{name}><Version>1.0</Version><Enabled>false</Enabled>{OFF}</{name}>");
    // Without the elements of the Blob service.
    let fresh = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><StorageServiceProperties>{}{}{}<Cors /></StorageServiceProperties>",
        logging("false", OFF),
        metrics("HourMetrics"),
        metrics("MinuteMetrics")
    );
    let logged = fresh.replace(&logging("false", OFF), &logging("true", week));
    let set = |inside: &str| format!("<StorageServiceProperties>{inside}</StorageServiceProperties>");
    check(&format!(
        "GET /?restype=service&comp=properties → 200 | cache-control: no-cache; content-type: application/xml | {fresh}
         PUT /?restype=service&comp=properties | | {} → 202 | | {{}}
         GET /?restype=service&comp=properties → 200 | | {logged}
         PUT /?restype=service&comp=properties | | {} → 202
         GET /?restype=service&comp=properties → 200 | | {logged}
         # what only the blob service has is no part of it, and nothing is changed then
         PUT /?restype=service&comp=properties | | {} → 400 InvalidXmlDocument
         PUT /?restype=service&comp=properties | | {} → 400 InvalidXmlDocument
         PUT /?restype=service&comp=properties | | {} → 400 InvalidXmlDocument
         GET /?restype=service&comp=properties → 200 | | {logged}",
        set(&logging("true", week)),
        set("<Cors />"),
        set("<DefaultServiceVersion>2019-02-02</DefaultServiceVersion>"),
        set("<StaticWebsite><Enabled>false</Enabled></StaticWebsite>"),
        set(&logging("true", &week.replace('7', "366"))),
    ))
    .await;
}

#[tokio::test]
async fn preflight_requests_follow_the_rules_of_the_service() {
    let server = with_queue().await;
    let preflight = async |origin: &str| {
        let request = request(&server, "OPTIONS", "/work/messages").anonymous().header("origin", origin);
        request.header("access-control-request-method", "POST").send().await
    };
    assert_eq!(preflight("http://a.example").await.verdict(), "403 CorsPreflightFailure");
    let rule = "<CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>POST,GET</AllowedMethods>\
                <AllowedHeaders>*</AllowedHeaders><ExposedHeaders>x-ms-*</ExposedHeaders><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule>";
    let body = format!("<StorageServiceProperties><Cors>{rule}</Cors></StorageServiceProperties>");
    let set = request(&server, "PUT", "/?restype=service&comp=properties").body(body).send().await;
    assert_eq!(set.verdict(), "202");
    let allowed = preflight("http://a.example").await;
    assert_eq!(
        (allowed.status, allowed.header("access-control-allow-origin"), allowed.header("cache-control")),
        (200, "http://a.example", "")
    );
    assert_eq!(preflight("http://b.example").await.verdict(), "403 CorsPreflightFailure");
    let read = request(&server, "GET", "/work?comp=metadata").header("origin", "http://a.example").send().await;
    assert_eq!((read.header("access-control-allow-origin"), read.header("vary")), ("http://a.example", "Origin"));
    assert!(read.header("access-control-expose-headers").contains("x-ms-approximate-messages-count"));
    // The Blob service has no rules.
    let blob = server.request("OPTIONS", "/work").anonymous().header("origin", "http://a.example");
    assert_eq!(blob.header("access-control-request-method", "GET").send().await.verdict(), "403 CorsPreflightFailure");
}

#[tokio::test]
async fn only_the_secondary_answers_statistics() {
    let server = with_queue().await;
    let primary = request(&server, "GET", "/?restype=service&comp=stats").send().await;
    assert_eq!(primary.verdict(), "400 InvalidQueryParameterValue");
    let details = "<QueryParameterName>comp</QueryParameterName><QueryParameterValue>stats</QueryParameterValue><Reason />";
    assert!(primary.text().contains(details), "{}", primary.text());
    let secondary = request(&server, "GET", "/?restype=service&comp=stats").account("devstoreaccount1-secondary", WELL_KNOWN_KEY);
    let secondary = secondary.send().await;
    assert_eq!(
        (secondary.verdict().as_str(), secondary.element("Status"), secondary.header("cache-control")),
        ("200", "live", "no-cache")
    );
}

/// Selectors that no operation has are refused, on every path and with every method.
#[tokio::test]
async fn unknown_selectors_are_refused() {
    check(
        "PUT /work?comp=foo → 400 InvalidQueryParameterValue | | ~<QueryParameterName>comp</QueryParameterName>
         PUT /new?comp=list → 400 InvalidQueryParameterValue
         DELETE /work?comp=metadata → 400 InvalidQueryParameterValue
         DELETE /work?restype=queue → 400 InvalidQueryParameterValue
         DELETE /work/messages?comp=metadata → 400 InvalidQueryParameterValue
         GET /work/messages?comp=list → 400 InvalidQueryParameterValue
         GET /?comp=foo → 400 InvalidQueryParameterValue
         POST /?restype=service&comp=userdelegationkey → 403 AuthenticationFailed
         GET / → 400 InvalidUri
         GET /work → 400 InvalidUri
         PUT /work/messages → 400 InvalidUri
         PATCH /work → 405 UnsupportedHttpVerb
         GET /work/messages/x → 400 InvalidUri
         GET /work?comp=metadata → 200",
    )
    .await;
}
