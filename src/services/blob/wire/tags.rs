//! A blob's tags on the wire: the bodies of Get Blob Tags and Set Blob Tags.

use crate::operation::xml;
use crate::operation::xml::{Element, Writer};
use crate::rules::blob::tags::Tags;
use crate::rules::error::StorageError;

/// Writes the `<TagSet>` of a blob.
pub(in crate::services::blob) fn write_tag_set(xml: &mut Writer, tags: &Tags) {
    xml.open("TagSet");
    for (key, value) in tags.iter() {
        xml.open("Tag").leaf("Key", key).leaf("Value", value).close("Tag");
    }
    xml.close("TagSet");
}

/// The body of Get Blob Tags.
pub(in crate::services::blob) fn tags(tags: &Tags) -> String {
    let mut xml = Writer::new();
    xml.open("Tags");
    match tags.is_empty() {
        true => _ = xml.leaf("TagSet", ""),
        false => write_tag_set(&mut xml, tags),
    }
    xml.close("Tags");
    xml.finish()
}

/// Parses the body of Set Blob Tags.
///
/// # Errors
/// 400 InvalidXmlDocument for a document that is not a tag set; 400 for tags that break a limit.
pub(in crate::services::blob) fn read_tags(document: &[u8]) -> Result<Tags, StorageError> {
    let root = xml::parse(document, "Tags")?;
    let set = root.child("TagSet").ok_or_else(|| StorageError::invalid_xml("TagSet is missing from Tags."))?;
    let pair = |tag: &Element| {
        let text = |name: &str| {
            tag.child(name)
                .map(|child| child.text.clone())
                .ok_or_else(|| StorageError::invalid_xml(format!("{name} is missing from Tag.")))
        };
        Ok((text("Key")?, text("Value")?))
    };
    Tags::from_pairs(set.children.iter().map(pair).collect::<Result<Vec<_>, StorageError>>()?)
}
