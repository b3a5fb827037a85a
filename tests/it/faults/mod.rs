//! What is malformed, absurd, too long, too short or too slow: the service's own refusal, and nothing changed. Never a panic, a 500 or a
//! hang.

mod bodies;
mod connections;
mod heads;
mod requests;
mod selectors;
mod shape;
mod sweep;
mod wire;

use crate::house::{Answer, House};
use lazuli::op::xml;

/// What every test of this room finds stored: a container with metadata and a policy, a blob of ten digits with metadata, and a block
/// that waits.
pub struct Stored {
    pub house: House,
    before: String,
}

impl Stored {
    pub async fn new() -> Stored {
        Stored::with(&[]).await
    }

    pub async fn with(arguments: &[&str]) -> Stored {
        let house = House::with(arguments).await;
        let make = house.ask("PUT", "/kept?restype=container").header("x-ms-meta-colour", "blue");
        assert_eq!(make.send().await.verdict(), "201");
        let policy = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>\
                      </SignedIdentifier></SignedIdentifiers>";
        assert_eq!(house.ask("PUT", "/kept?restype=container&comp=acl").body(policy).send().await.verdict(), "200");
        let put = house.ask("PUT", "/kept/digits").header("x-ms-blob-type", "BlockBlob").header("x-ms-meta-shape", "round");
        assert_eq!(put.body("0123456789").send().await.verdict(), "201");
        let block = house.ask("PUT", "/kept/waiting?comp=block&blockid=YWE%3D").body("a block");
        assert_eq!(block.send().await.verdict(), "201");
        let before = everything(&house).await;
        Stored { house, before }
    }

    /// Fails if anything stored is not as it was.
    pub async fn unchanged(&self, after: &str) {
        assert_eq!(everything(&self.house).await, self.before, "{after} changed something");
    }
}

/// All that can be seen of the account: its containers with their stamps, metadata, leases and policies, its blobs likewise, their
/// content, the blocks that wait, the service's properties.
async fn everything(house: &House) -> String {
    let mut seen = Vec::new();
    let containers = house.ask("GET", "/?comp=list&include=metadata").send().await;
    assert_eq!(containers.verdict(), "200");
    for container in containers.elements("Name") {
        let listing = format!("/{container}?restype=container&comp=list&include=metadata,uncommittedblobs,tags,copy");
        let blobs = house.ask("GET", &listing).send().await;
        assert_eq!(blobs.verdict(), "200");
        for blob in blobs.elements("Name") {
            seen.push(house.ask("GET", &format!("/{container}/{blob}")).send().await);
            seen.push(house.ask("GET", &format!("/{container}/{blob}?comp=blocklist&blocklisttype=all")).send().await);
        }
        seen.push(blobs);
        seen.push(house.ask("GET", &format!("/{container}?restype=container&comp=acl")).send().await);
    }
    seen.push(containers);
    seen.push(house.ask("GET", "/?restype=service&comp=properties").send().await);
    let host = house.host(lazuli::op::Kind::Blob);
    let told = |answer: &Answer| match answer.status {
        200 => answer.text().replace(&host, "host"),
        _ => answer.verdict(),
    };
    seen.iter().map(told).collect::<Vec<_>>().join("\n")
}

/// Checks a refusal's whole shape as the blob service has it, and gives its code. `version` is the one that the refusal follows.
pub fn refusal(answer: &Answer, method: &str, version: &str) -> String {
    let said = format!("{} {:?} {}", answer.status, answer.headers, String::from_utf8_lossy(&answer.body));
    assert_ne!(answer.status / 100, 2, "{said}");
    assert_ne!(answer.status, 500, "{said}");
    assert_eq!(answer.header("server"), "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0", "{said}");
    assert_eq!(answer.header("x-ms-version"), version, "{said}");
    assert!(uuid::Uuid::try_parse(answer.header("x-ms-request-id")).is_ok(), "{said}");
    assert!(lazuli::rules::time::Timestamp::parse_http(answer.header("date")).is_some(), "{said}");
    if method == "HEAD" {
        assert!(answer.body.is_empty(), "{said}");
        return answer.header("x-ms-error-code").to_owned();
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
    let written = lazuli::rules::time::Timestamp::parse_iso(time).map(|time| time.iso());
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
