//! Stored access policies in XML: the body of Get and Set ACL.

use crate::operation::xml;
use crate::operation::xml::Writer;
use crate::rules::auth::sas::Policy;
use crate::rules::error::StorageError;
use crate::rules::time::Timestamp;

/// The largest body of a Set ACL, in bytes.
pub const LIMIT: u64 = 64 << 10;

/// The body of a Get ACL.
pub fn document(policies: &[Policy]) -> String {
    let mut xml = Writer::new();
    xml.nest("SignedIdentifiers", |xml| {
        for policy in policies {
            xml.open("SignedIdentifier").leaf("Id", &policy.id);
            // A policy without fields has no AccessPolicy (recorded).
            if policy.start.is_some() || policy.expiry.is_some() || policy.permissions.is_some() {
                xml.nest("AccessPolicy", |xml| {
                    xml.leaf_some("Start", policy.start.map(Timestamp::iso));
                    xml.leaf_some("Expiry", policy.expiry.map(Timestamp::iso));
                    xml.leaf_some("Permission", policy.permissions.as_deref());
                });
            }
            xml.close("SignedIdentifier");
        }
    });
    xml.finish()
}

/// The most stored access policies of a container, queue, table or share.
const MAX_POLICIES: usize = 5;
/// The most characters in a policy's id.
const MAX_POLICY_ID: usize = 64;

/// Reads the body of a Set ACL. An empty body removes all policies. `letters` are the permissions of the service.
///
/// # Errors
/// 400 InvalidXmlDocument for more than five policies, or an id that is empty or over 64 characters; InvalidXmlNodeValue for a
/// malformed date or an unknown permission.
pub fn read(document: &[u8], letters: &str) -> Result<Vec<Policy>, StorageError> {
    if document.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let root = xml::parse(document, "SignedIdentifiers")?;
    if root.children.len() > MAX_POLICIES {
        return Err(StorageError::invalid_xml("At most 5 signed identifiers are allowed."));
    }
    let mut policies: Vec<Policy> = Vec::new();
    for element in &root.children {
        if element.name != "SignedIdentifier" {
            return Err(StorageError::invalid_xml(format!("{} is not an element of SignedIdentifiers.", element.name)));
        }
        let id = element.text_of("Id").unwrap_or_default().to_owned();
        if id.is_empty() || id.chars().count() > MAX_POLICY_ID {
            return Err(StorageError::invalid_xml("Signed identifier ID cannot be empty or over 64 characters in length"));
        }
        if policies.iter().any(|known| known.id == id) {
            return Err(StorageError::invalid_xml("Signed identifier IDs must be unique."));
        }
        let date = |name: &str| match element.child("AccessPolicy").and_then(|policy| policy.text_of(name)).unwrap_or_default() {
            "" => Ok(None),
            text => Timestamp::parse_iso(text).map(Some).ok_or_else(|| StorageError::invalid_xml_node(name, text)),
        };
        let permissions = element.child("AccessPolicy").and_then(|policy| policy.text_of("Permission"));
        if let Some(invalid) = permissions.filter(|given| given.chars().any(|letter| !letters.contains(letter))) {
            return Err(StorageError::invalid_xml_node("Permission", invalid));
        }
        let permissions = permissions.filter(|letters| !letters.is_empty()).map(str::to_owned);
        policies.push(Policy { start: date("Start")?, expiry: date("Expiry")?, permissions, id });
    }
    Ok(policies)
}
