//! Block lists on the wire: the bodies of Get Block List and Put Block List.

use crate::operation::xml;
use crate::operation::xml::{Element, Writer};
use crate::rules::blob::blocks::{BlockId, BlockSource};
use crate::rules::error::StorageError;
use crate::services::blob::body::Block;

/// The body of Get Block List.
pub(in crate::services::blob) fn block_list(committed: Option<&[Block]>, uncommitted: Option<&[(BlockId, u64)]>) -> String {
    let mut xml = Writer::new();
    xml.open("BlockList");
    let write = |xml: &mut Writer, id: &BlockId, size: u64| {
        xml.open("Block").leaf("Name", id.as_str()).leaf("Size", size.to_string()).close("Block");
    };
    if let Some(blocks) = committed {
        xml.nest("CommittedBlocks", |xml| blocks.iter().for_each(|block| write(xml, &block.id, block.content.len())));
    }
    if let Some(blocks) = uncommitted {
        xml.nest("UncommittedBlocks", |xml| blocks.iter().for_each(|(id, size)| write(xml, id, *size)));
    }
    xml.close("BlockList");
    xml.finish()
}

/// Parses the body of Put Block List: the blocks in order, and where each is looked up.
///
/// # Errors
/// 400 InvalidXmlDocument for a document that is not a block list; 400 InvalidBlockId for an id that is not base64.
pub(in crate::services::blob) fn read_block_list(document: &[u8]) -> Result<Vec<(BlockSource, BlockId)>, StorageError> {
    let root = xml::parse(document, "BlockList")?;
    let entry = |element: &Element| {
        let choice = match element.name.as_str() {
            "Committed" => BlockSource::Committed,
            "Uncommitted" => BlockSource::Uncommitted,
            "Latest" => BlockSource::Latest,
            other => return Err(StorageError::invalid_xml(format!("{other} is not an element of BlockList."))),
        };
        Ok((choice, BlockId::listed(element.text.trim())?))
    };
    root.children.iter().map(entry).collect()
}
