//! Stored access policies, as all three services say them.

use crate::import::workspace::text;
use quick_xml::escape::escape;
use serde_json::Value;

/// The body of a request that sets these policies.
pub fn document(policies: &[Value]) -> Vec<u8> {
    let mut xml = String::from("<SignedIdentifiers>");
    for policy in policies {
        xml.push_str(&format!("<SignedIdentifier><Id>{}</Id><AccessPolicy>", escape(text(policy, "id").unwrap_or_default())));
        for (element, member) in [("Start", "start"), ("Expiry", "expiry"), ("Permission", "permission")] {
            if let Some(value) = policy.get("accessPolicy").and_then(|policy| text(policy, member)) {
                xml.push_str(&format!("<{element}>{}</{element}>", escape(value)));
            }
        }
        xml.push_str("</AccessPolicy></SignedIdentifier>");
    }
    xml.push_str("</SignedIdentifiers>");
    xml.into_bytes()
}
