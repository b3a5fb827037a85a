//! Blocks of block blobs, and the lists that commit them.
//!
//! Put Block adds an uncommitted block with an id that the client chose. Put Block List names uncommitted blocks and blocks of the current
//! blob, in order, and creates the blob from them. Blocks that it does not name are deleted.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};
use std::fmt;

/// Seconds after the last Put Block to a blob when its uncommitted blocks expire: a week.
pub const UNCOMMITTED_SECONDS: u64 = 7 * 24 * 60 * 60;
/// The most blocks of a blob.
pub const COMMITTED_BLOCKS: usize = 50_000;
/// The most uncommitted blocks of a blob.
pub const UNCOMMITTED_BLOCKS: usize = 100_000;

/// The most bytes of a decoded block id.
const ID_BYTES: usize = 64;
const MIB: u64 = 1024 * 1024;

/// The most bytes of a Put Block.
pub fn put_block_limit(version: Version) -> u64 {
    match version {
        v if v >= Version::V2019_12_12 => 4000 * MIB,
        v if v >= Version::V2016_05_31 => 100 * MIB,
        _ => 4 * MIB,
    }
}

/// The most bytes of a Put Blob of a block blob.
pub fn put_blob_limit(version: Version) -> u64 {
    match version {
        v if v >= Version::V2019_12_12 => 5000 * MIB,
        v if v >= Version::V2016_05_31 => 256 * MIB,
        _ => 64 * MIB,
    }
}

/// The most bytes of an Append Block.
pub fn append_block_limit(version: Version) -> u64 {
    if version >= Version::V2022_11_02 { 100 * MIB } else { 4 * MIB }
}

/// The id of a block: base64, stored and compared as the client wrote it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(Box<str>);

impl BlockId {
    /// Parses the `blockid` of a Put Block.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue when it is not base64; 400 OutOfRangeInput when it has more than 64 bytes.
    pub fn parse(text: &str) -> Result<BlockId, StorageError> {
        let bytes = decode(text).filter(|bytes| !bytes.is_empty());
        let bytes = bytes.ok_or_else(|| StorageError::invalid_query("blockid", text, "Not a valid base64 string."))?;
        if bytes.len() > ID_BYTES {
            return Err(
                ErrorCode::OutOfRangeInput.with_reason(format!("the block id has {} bytes, more than {ID_BYTES}", bytes.len()))
            );
        }
        Ok(BlockId::named(text))
    }

    /// An id that was checked before.
    pub fn named(text: &str) -> BlockId {
        BlockId(text.into())
    }

    /// An id of a block list, which may be longer than that of any block.
    ///
    /// # Errors
    /// 400 InvalidBlockId when it is not base64.
    pub fn listed(text: &str) -> Result<BlockId, StorageError> {
        if decode(text).is_some() { Ok(BlockId::named(text)) } else { Err(ErrorCode::InvalidBlockId.into()) }
    }

    /// The decoded bytes.
    pub fn bytes(&self) -> Vec<u8> {
        decode(&self.0).unwrap_or_default()
    }

    /// The text as the client wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks that an id is as long as that of another block of the blob.
    ///
    /// # Errors
    /// 400 InvalidBlobOrBlock.
    pub fn check_length(&self, other: Option<&BlockId>) -> Result<(), StorageError> {
        let length = |id: &BlockId| decode(&id.0).map(|bytes| bytes.len());
        match other {
            Some(other) if length(other) != length(self) => {
                Err(ErrorCode::InvalidBlobOrBlock.with_reason(format!("block id {self} is not as long as {other}")))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Decodes base64 as .NET does: padding is required, stray bits in the last character are ignored.
fn decode(text: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG).decode(text).ok()
}

/// Where a block of a list is looked up: the element that has its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSource {
    /// `<Committed>`: in the current blob.
    Committed,
    /// `<Uncommitted>`: among the uncommitted blocks.
    Uncommitted,
    /// `<Latest>`: among the uncommitted blocks, then in the current blob.
    Latest,
}

/// Finds the blocks of a list, in its order. A block may be listed more than once.
///
/// # Errors
/// 400 BlockListTooLong for more than 50,000; 400 InvalidBlockList for a block that does not exist.
pub fn resolve<T>(
    list: &[(BlockSource, BlockId)],
    committed: impl Fn(&BlockId) -> Option<T>,
    uncommitted: impl Fn(&BlockId) -> Option<T>,
) -> Result<Vec<T>, StorageError> {
    if list.len() > COMMITTED_BLOCKS {
        return Err(ErrorCode::BlockListTooLong.into());
    }
    list.iter()
        .map(|(choice, id)| {
            let found = match choice {
                BlockSource::Committed => committed(id),
                BlockSource::Uncommitted => uncommitted(id),
                BlockSource::Latest => uncommitted(id).or_else(|| committed(id)),
            };
            found.ok_or_else(|| ErrorCode::InvalidBlockList.with_reason(format!("no block {id} ({choice:?})")))
        })
        .collect()
}

/// Checks that a blob with this number of uncommitted blocks can have another one.
///
/// # Errors
/// 409 BlockCountExceedsLimit.
pub fn check_room(uncommitted: usize) -> Result<(), StorageError> {
    if uncommitted >= UNCOMMITTED_BLOCKS {
        return Err(ErrorCode::BlockCountExceedsLimit
            .with_message("The uncommitted block count cannot exceed the maximum limit of 100,000 blocks."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grew_with_the_versions() {
        for (version, block, blob, append) in [
            ("2015-02-21", 4, 64, 4),
            ("2016-05-31", 100, 256, 4),
            ("2019-07-07", 100, 256, 4),
            ("2019-12-12", 4000, 5000, 4),
            ("2021-12-02", 4000, 5000, 4),
            ("2022-11-02", 4000, 5000, 100),
            ("2030-01-01", 4000, 5000, 100),
        ] {
            let version = Version::parse(version).unwrap();
            let limits = (put_block_limit(version), put_blob_limit(version), append_block_limit(version));
            assert_eq!(limits, (block * MIB, blob * MIB, append * MIB), "{version}");
        }
    }

    #[test]
    fn ids() {
        let (longest, long) = ("A".repeat(84) + "AA==", "A".repeat(88));
        for text in
            ["MQ==", "YWJjZA==", "MR==", "TURBd01EQXdNREF3TURBd01EQXdNREF3TURBd01EQXdNREF3TURBd01EQSUzRA==", longest.as_str()]
        {
            assert_eq!(BlockId::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "MQ", "MQ=", "M Q=", "?", "-_==", "MQ==MQ=="] {
            assert_eq!(
                BlockId::parse(text),
                Err(StorageError::invalid_query("blockid", text, "Not a valid base64 string.")),
                "{text}"
            );
        }
        assert_eq!(BlockId::parse(&long).unwrap_err().code(), ErrorCode::OutOfRangeInput);
    }

    #[test]
    fn ids_in_lists() {
        for text in ["MQ==", "", &("A".repeat(88))] {
            assert_eq!(BlockId::listed(text).unwrap().as_str(), text);
        }
        for text in ["MQ", "not base64", "?"] {
            assert_eq!(BlockId::listed(text).unwrap_err().code(), ErrorCode::InvalidBlockId, "{text}");
        }
        assert_eq!(BlockId::named("MTA=").bytes(), b"10");
    }

    #[test]
    fn ids_of_a_blob_are_of_one_length() {
        let id = |text| BlockId::parse(text).unwrap();
        assert_eq!(id("MQ==").check_length(None), Ok(()));
        assert_eq!(id("MQ==").check_length(Some(&id("Mg=="))), Ok(()));
        assert_eq!(id("MQ==").check_length(Some(&id("MTA="))).unwrap_err().code(), ErrorCode::InvalidBlobOrBlock);
    }

    #[test]
    fn lists() {
        use BlockSource::{Committed, Latest, Uncommitted};
        let committed = |id: &BlockId| ["A", "B"].contains(&id.as_str()).then(|| format!("old {id}"));
        let uncommitted = |id: &BlockId| ["B", "C"].contains(&id.as_str()).then(|| format!("new {id}"));
        for (list, wanted) in [
            (vec![], Some(vec![])),
            (vec![(Latest, "A"), (Latest, "B"), (Latest, "C")], Some(vec!["old A", "new B", "new C"])),
            (vec![(Committed, "B"), (Uncommitted, "B"), (Committed, "B")], Some(vec!["old B", "new B", "old B"])),
            (vec![(Latest, "A"), (Latest, "D")], None),
            (vec![(Uncommitted, "A")], None),
            (vec![(Committed, "C")], None),
            (vec![(Latest, "not base64")], None),
        ] {
            let ids: Vec<_> = list.iter().map(|(choice, id)| (*choice, BlockId::named(id))).collect();
            let found = resolve(&ids, committed, uncommitted);
            match wanted {
                Some(wanted) => assert_eq!(found, Ok(wanted.into_iter().map(String::from).collect()), "{list:?}"),
                None => assert_eq!(found.unwrap_err().code(), ErrorCode::InvalidBlockList, "{list:?}"),
            }
        }
    }

    #[test]
    fn counts() {
        let mut list = vec![(BlockSource::Latest, BlockId::named("A")); COMMITTED_BLOCKS];
        assert_eq!(resolve(&list, |_| Some(()), |_| None).unwrap().len(), COMMITTED_BLOCKS);
        list.push((BlockSource::Latest, BlockId::named("A")));
        assert_eq!(resolve(&list, |_| Some(()), |_| None), Err(ErrorCode::BlockListTooLong.into()));
        assert_eq!(check_room(UNCOMMITTED_BLOCKS - 1), Ok(()));
        assert_eq!(check_room(UNCOMMITTED_BLOCKS).unwrap_err().status(), 409);
    }
}
