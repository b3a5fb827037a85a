//! Requests that are malformed, too long, too short or too slow get the error of the real service, and change nothing. They never cause
//! a panic, a 500 or a hang.

mod bodies;
mod connections;
mod expect;
mod heads;
mod requests;
mod selectors;
mod shape;
mod stored;
mod sweep;
mod wire;
mod xml;

use crate::server::Answer;
use lazuli::ServiceKind;
use stored::Stored;

/// Checks the JSON of an error of the Data Lake API, and returns its code.
fn of_paths(answer: &Answer, said: &str) -> String {
    assert_eq!(answer.header("content-type"), "application/json;charset=utf-8", "{said}");
    assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{said}");
    let document: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let [code, message] = ["code", "message"].map(|key| document["error"][key].as_str().unwrap().to_owned());
    assert_eq!(answer.header("x-ms-error-code"), code, "{said}");
    let lines: Vec<&str> = message.split('\n').collect();
    assert!(lines.len() == 3 && !lines[0].is_empty(), "{said}");
    assert_eq!(lines[1], format!("RequestId:{}", answer.header("x-ms-request-id")), "{said}");
    assert!(lines[2].starts_with("Time:"), "{said}");
    code
}

/// Checks the format of an error of the Blob service, and returns its code. `version` is the one that the error follows.
pub fn refusal(answer: &Answer, method: &str, version: &str) -> String {
    refusal_of(ServiceKind::Blob, answer, method, version)
}

/// [`refusal`] of any service.
pub fn refusal_of(kind: ServiceKind, answer: &Answer, method: &str, version: &str) -> String {
    let said = format!("{} {:?} {}", answer.status, answer.headers, String::from_utf8_lossy(&answer.body));
    assert_ne!(answer.status / 100, 2, "{said}");
    assert_ne!(answer.status, 500, "{said}");
    let service = match kind {
        ServiceKind::Blob => "Blob",
        ServiceKind::Queue => "Queue",
        ServiceKind::Table => "Table",
        ServiceKind::File => "File",
        ServiceKind::DataLake => "HDFS",
    };
    assert_eq!(answer.header("server"), format!("Windows-Azure-{service}/1.0 Microsoft-HTTPAPI/2.0"), "{said}");
    assert_eq!(answer.header("x-ms-version"), version, "{said}");
    assert!(uuid::Uuid::try_parse(answer.header("x-ms-request-id")).is_ok(), "{said}");
    assert!(crate::time::Timestamp::parse_http(answer.header("date")).is_some(), "{said}");
    if kind == ServiceKind::Table {
        return of_tables(answer, method, &said);
    }
    if method == "HEAD" {
        assert!(answer.body.is_empty(), "{said}");
        return answer.header("x-ms-error-code").to_owned();
    }
    if kind == ServiceKind::DataLake {
        return of_paths(answer, &said);
    }
    assert_eq!(answer.header("content-type"), "application/xml", "{said}");
    assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{said}");
    let text = std::str::from_utf8(&answer.body).unwrap();
    assert!(text.starts_with("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>"), "{said}");
    let unfit = |c: char| matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    assert!(!text.contains(unfit), "no XML reader takes this: {said}");
    let error = xml::parse(&answer.body, "Error").unwrap();
    let names: Vec<&str> = error.children.iter().map(|child| child.name.as_str()).collect();
    assert_eq!(names[..2], ["Code", "Message"], "{said}");
    let code = error.children[0].text.clone();
    let coded = if version >= "2017-07-29" { code.as_str() } else { "" };
    assert_eq!(answer.header("x-ms-error-code"), coded, "{said}");
    let lines: Vec<&str> = error.children[1].text.split('\n').collect();
    assert!(lines.len() == 3 && !lines[0].is_empty(), "{said}");
    assert_eq!(lines[1], format!("RequestId:{}", answer.header("x-ms-request-id")), "{said}");
    let time = lines[2].strip_prefix("Time:").unwrap();
    let written = crate::time::Timestamp::parse_iso(time).map(|time| time.iso());
    assert_eq!(written.as_deref(), Some(time), "{said}");
    let wanted: &[&str] = match code.as_str() {
        "InvalidHeaderValue" => &["HeaderName", "HeaderValue"],
        "MissingRequiredHeader" | "UnsupportedHeader" => &["HeaderName"],
        "InvalidQueryParameterValue" => &["QueryParameterName", "QueryParameterValue", "Reason"],
        "MissingRequiredQueryParameter" => &["QueryParameterName"],
        "OutOfRangeQueryParameterValue" => &["QueryParameterName", "QueryParameterValue", "MinimumAllowed", "MaximumAllowed"],
        "InvalidXmlDocument" => &["LineNumber", "LinePosition", "Reason"],
        "InvalidXmlNodeValue" => &["XmlNodeName", "XmlNodeValue"],
        "Md5Mismatch" => &["UserSpecifiedMd5", "ServerCalculatedMd5"],
        "Crc64Mismatch" => &["UserSpecifiedCrc", "ServerCalculatedCrc"],
        "RequestBodyTooLarge" => &["MaxLimit"],
        "EmptyMetadataKey" => &["MetadataValue"],
        "AuthenticationFailed" => &["AuthenticationErrorDetail"],
        _ => &[],
    };
    assert_eq!(&names[2..], wanted, "{said}");
    code
}

/// Checks the format of an error of the Table service, and returns its code.
fn of_tables(answer: &Answer, method: &str, said: &str) -> String {
    if method == "HEAD" {
        assert!(answer.body.is_empty(), "{said}");
        return answer.header("x-ms-error-code").to_owned();
    }
    assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{said}");
    let (code, message) = match answer.header("content-type") {
        "application/xml" => {
            let error = xml::parse(&answer.body, "error").unwrap();
            (error.children[0].text.clone(), error.children[1].text.clone())
        }
        kind => {
            assert!(kind == "application/json" || kind.ends_with(";streaming=true;charset=utf-8"), "{said}");
            let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
            let error = &json["odata.error"];
            (error["code"].as_str().unwrap().to_owned(), error["message"]["value"].as_str().unwrap().to_owned())
        }
    };
    // Errors of operations on entities have their code in the body only.
    let coded = answer.header("x-ms-error-code");
    assert!(coded == code || coded.is_empty() && answer.header("content-type").contains(";odata="), "{said}");
    let lines: Vec<&str> = message.split('\n').collect();
    assert!(lines.len() == 3 && !lines[0].is_empty(), "{said}");
    assert_eq!(lines[1], format!("RequestId:{}", answer.header("x-ms-request-id")), "{said}");
    code
}
