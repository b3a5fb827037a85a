//! Stored access policies, whose documents are the same in all services.

use crate::import::error::ImportError;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Document, string, text};
use quick_xml::escape::escape;

/// Imports the policies of a container, a queue or a table, if there are any. `request` names the resource.
///
/// # Errors
/// When the import cannot continue.
pub async fn import(
    sender: &RequestSender,
    (account, name): (&str, &str),
    request: ImportRequest,
    policies: &[Document],
    report: &mut Report,
) -> Result<(), ImportError> {
    if policies.is_empty() {
        return Ok(());
    }
    let request = request.query("comp", "acl").body(signed_identifiers(policies));
    report.count("lists of access policies", name, sender.send(account, request).await)
}

fn signed_identifiers(policies: &[Document]) -> Vec<u8> {
    let mut xml = String::from("<SignedIdentifiers>");
    for policy in policies {
        xml.push_str(&format!("<SignedIdentifier><Id>{}</Id><AccessPolicy>", escape(string(policy, "id"))));
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
