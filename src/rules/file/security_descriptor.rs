//! The binary, self-relative form of security descriptors, and the conversion from and to SDDL (`rules::file::sddl`).
//!
//! It supports entries that allow, deny, audit, alarm or label, and accounts by their SIDs or well-known names. The rest of SDDL
//! (conditions, objects, accounts of a domain by name) has no binary form here.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::sddl;
use crate::rules::wire_name::wire_enum;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

wire_enum! {
    /// The format of a security descriptor in a request or a response.
    Format {
        Sddl "sddl",
        /// In base64.
        Binary "binary",
    }
}

impl Format {
    /// Parses a descriptor in this format, and returns its SDDL.
    ///
    /// # Errors
    /// 400 FileInvalidPermission.
    pub fn read(self, text: &str) -> Result<String, StorageError> {
        let invalid = || ErrorCode::FileInvalidPermission.with_reason("not a security descriptor in its binary form");
        match self {
            Format::Sddl => sddl::check(text).map(|()| text.to_owned()),
            Format::Binary => text_of(&STANDARD.decode(text.trim()).map_err(|_| invalid())?).ok_or_else(invalid),
        }
    }

    /// Writes SDDL in this format.
    ///
    /// # Errors
    /// 400 FileInvalidPermission for a descriptor without a binary form here.
    pub fn write(self, text: &str) -> Result<String, StorageError> {
        match self {
            Format::Sddl => Ok(text.to_owned()),
            Format::Binary => bytes_of(text)
                .map(|bytes| STANDARD.encode(bytes))
                .ok_or_else(|| ErrorCode::FileInvalidPermission.with_reason("the descriptor has no binary form here")),
        }
    }
}

/// The SDDL names and SIDs of well-known accounts.
const ACCOUNTS: [(&str, &str); 31] = [
    ("AC", "S-1-15-2-1"),
    ("AN", "S-1-5-7"),
    ("AO", "S-1-5-32-548"),
    ("AU", "S-1-5-11"),
    ("BA", "S-1-5-32-544"),
    ("BG", "S-1-5-32-546"),
    ("BO", "S-1-5-32-551"),
    ("BU", "S-1-5-32-545"),
    ("CG", "S-1-3-1"),
    ("CO", "S-1-3-0"),
    ("ED", "S-1-5-9"),
    ("HI", "S-1-16-12288"),
    ("IU", "S-1-5-4"),
    ("LS", "S-1-5-19"),
    ("LW", "S-1-16-4096"),
    ("ME", "S-1-16-8192"),
    ("NO", "S-1-5-32-556"),
    ("NS", "S-1-5-20"),
    ("NU", "S-1-5-2"),
    ("OW", "S-1-3-4"),
    ("PO", "S-1-5-32-550"),
    ("PS", "S-1-5-10"),
    ("PU", "S-1-5-32-547"),
    ("RC", "S-1-5-12"),
    ("RD", "S-1-5-32-555"),
    ("RE", "S-1-5-32-552"),
    ("RU", "S-1-5-32-554"),
    ("SI", "S-1-16-16384"),
    ("SO", "S-1-5-32-549"),
    ("SY", "S-1-5-18"),
    ("WD", "S-1-1-0"),
];

/// The types of entries, and their numbers.
const KINDS: [(&str, u8); 5] = [("A", 0), ("D", 1), ("AU", 2), ("AL", 3), ("ML", 0x11)];

/// The flags of an entry.
const FLAGS: [(&str, u8); 7] = [("OI", 1), ("CI", 2), ("NP", 4), ("IO", 8), ("ID", 0x10), ("SA", 0x40), ("FA", 0x80)];

/// The rights. Only the first four are written by name, and only alone.
const RIGHTS: [(&str, u32); 25] = [
    ("FA", 0x1F_01FF),
    ("FR", 0x12_0089),
    ("FW", 0x12_0116),
    ("FX", 0x12_00A0),
    ("GA", 0x1000_0000),
    ("GX", 0x2000_0000),
    ("GW", 0x4000_0000),
    ("GR", 0x8000_0000),
    ("SD", 0x1_0000),
    ("RC", 0x2_0000),
    ("WD", 0x4_0000),
    ("WO", 0x8_0000),
    ("CC", 1),
    ("DC", 2),
    ("LC", 4),
    ("SW", 8),
    ("RP", 0x10),
    ("WP", 0x20),
    ("DT", 0x40),
    ("LO", 0x80),
    ("CR", 0x100),
    ("KA", 0xF_003F),
    ("KR", 0x2_0019),
    ("KW", 0x2_0006),
    ("KX", 0x2_0019),
];

/// The bit of the control word of a descriptor that contains its parts.
const SELF_RELATIVE: u16 = 0x8000;

/// A list of a descriptor: its letter, the position of its offset, its bit of the control word, and the bits of the flags `P`, `AR`, `AI`.
struct Slot {
    letter: &'static str,
    offset: usize,
    present: u16,
    flags: [(&'static str, u16); 3],
}

const DACL: Slot = Slot { letter: "D:", offset: 16, present: 4, flags: [("P", 0x1000), ("AR", 0x100), ("AI", 0x400)] };
const SACL: Slot = Slot { letter: "S:", offset: 12, present: 0x10, flags: [("P", 0x2000), ("AR", 0x200), ("AI", 0x800)] };

// The positions of the offsets of owner and group.
const OWNER: usize = 4;
const GROUP: usize = 8;
const HEADER: usize = 20;

/// The SDDL of a binary descriptor; `None` if it is malformed.
pub fn text_of(bytes: &[u8]) -> Option<String> {
    let control = u16_at(bytes, 2)?;
    if bytes.first() != Some(&1) || control & SELF_RELATIVE == 0 {
        return None;
    }
    let mut text = String::new();
    for (letter, at) in [("O:", OWNER), ("G:", GROUP)] {
        if let Some(part) = part_at(bytes, at)? {
            text += letter;
            text += &account(&read_sid(part)?.0);
        }
    }
    for slot in [DACL, SACL] {
        if control & slot.present == 0 {
            continue;
        }
        text += slot.letter;
        slot.flags.iter().filter(|(_, bit)| control & bit != 0).for_each(|(name, _)| text += name);
        match part_at(bytes, slot.offset)? {
            // A list that is present with offset zero permits everything.
            None => text += "NO_ACCESS_CONTROL",
            Some(list) => text += &entries_of(list)?,
        }
    }
    sddl::check(&text).ok().map(|()| text)
}

/// The part whose offset is at this position, if there is one. `None` for an offset out of bounds.
fn part_at(bytes: &[u8], at: usize) -> Option<Option<&[u8]>> {
    match u32_at(bytes, at)? as usize {
        0 => Some(None),
        offset => bytes.get(offset..).filter(|_| offset >= HEADER).map(Some),
    }
}

fn entries_of(list: &[u8]) -> Option<String> {
    let (size, count) = (u16_at(list, 2)? as usize, u16_at(list, 4)?);
    let mut rest = list.get(8..size)?;
    let mut text = String::new();
    for _ in 0..count {
        let (kind, flags, size) = (*rest.first()?, *rest.get(1)?, u16_at(rest, 2)? as usize);
        let entry = rest.get(..size).filter(|_| size >= 16)?;
        let kind = KINDS.iter().find(|(_, number)| *number == kind)?.0;
        let flags: String = FLAGS.iter().filter(|(_, bit)| flags & bit != 0).map(|(name, _)| *name).collect();
        let mask = u32_at(entry, 4)?;
        let rights = RIGHTS[..4].iter().find(|(_, all)| *all == mask).map(|(name, _)| (*name).to_owned());
        let account = account(&read_sid(entry.get(8..)?)?.0);
        text += &format!("({kind};{flags};{};;;{account})", rights.unwrap_or_else(|| format!("{mask:#x}")));
        rest = rest.get(size..)?;
    }
    Some(text)
}

/// The text of a SID, and the rest after it.
fn read_sid(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (1, count @ ..=15) = (*bytes.first()?, *bytes.get(1)? as usize) else { return None };
    let authority = bytes.get(2..8)?.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let mut text = format!("S-1-{authority}");
    for at in 0..count {
        text += &format!("-{}", u32_at(bytes, 8 + 4 * at)?);
    }
    Some((text, bytes.get(8 + 4 * count..)?))
}

fn account(sid: &str) -> String {
    ACCOUNTS.iter().find(|(_, known)| *known == sid).map_or(sid, |(name, _)| name).to_owned()
}

/// The binary form of SDDL; `None` for a descriptor without one here.
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let (mut accounts, mut lists) = (Vec::new(), Vec::new());
    let mut control = SELF_RELATIVE;
    let mut rest = text.trim();
    for (letter, at) in [("O:", OWNER), ("G:", GROUP)] {
        if let Some(after) = rest.strip_prefix(letter) {
            rest = sddl::skip_sid(after)?;
            accounts.push((at, write_sid(&after[..after.len() - rest.len()])?));
        }
    }
    for slot in [DACL, SACL] {
        let Some(mut after) = rest.strip_prefix(slot.letter) else { continue };
        rest = sddl::skip_list(after)?;
        control |= slot.present;
        after = &after[..after.len() - rest.len()];
        if after == "NO_ACCESS_CONTROL" {
            continue;
        }
        while let Some((name, bit)) = slot.flags.iter().find(|(name, _)| after.starts_with(*name)) {
            control |= bit;
            after = &after[name.len()..];
        }
        lists.push((slot.offset, write_list(after)?));
    }
    // The order of Windows: audit list, access list, owner, group.
    lists.reverse();
    let mut bytes = vec![0; HEADER];
    bytes[0] = 1;
    bytes[2..4].copy_from_slice(&control.to_le_bytes());
    lists.into_iter().chain(accounts).try_for_each(|(at, part)| append(&mut bytes, at, &part))?;
    rest.is_empty().then_some(bytes)
}

/// Appends a part, and writes its offset.
fn append(bytes: &mut Vec<u8>, offset: usize, part: &[u8]) -> Option<()> {
    let at = u32::try_from(bytes.len()).ok()?;
    bytes.get_mut(offset..offset + 4)?.copy_from_slice(&at.to_le_bytes());
    bytes.extend_from_slice(part);
    Some(())
}

fn write_list(mut text: &str) -> Option<Vec<u8>> {
    let (mut entries, mut count) = (Vec::new(), 0_u16);
    while let Some(after) = text.strip_prefix('(') {
        let (entry, beyond) = after.split_once(')')?;
        let fields: Vec<&str> = entry.split(';').collect();
        let [kind, flags, rights, "", "", account] = fields[..] else { return None };
        let mut one = vec![KINDS.iter().find(|(name, _)| *name == kind)?.1, words(flags, &FLAGS)?, 0, 0];
        one.extend(mask(rights)?.to_le_bytes());
        one.extend(write_sid(account)?);
        let size = u16::try_from(one.len()).ok()?;
        one[2..4].copy_from_slice(&size.to_le_bytes());
        entries.extend(one);
        count = count.checked_add(1)?;
        text = beyond;
    }
    let size = u16::try_from(8 + entries.len()).ok().filter(|_| text.is_empty())?;
    let mut list = vec![2, 0];
    list.extend(size.to_le_bytes());
    list.extend(count.to_le_bytes());
    list.extend([0, 0]);
    list.extend(entries);
    Some(list)
}

/// The bits of words of two letters.
fn words<T: Copy + Default + std::ops::BitOr<Output = T>>(text: &str, known: &[(&str, T)]) -> Option<T> {
    let pairs = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2));
    pairs.into_iter().try_fold(T::default(), |bits, word| Some(bits | known.iter().find(|(name, _)| Some(*name) == word)?.1))
}

fn mask(rights: &str) -> Option<u32> {
    match rights.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => rights.parse().ok().or_else(|| words(rights, &RIGHTS)),
    }
}

fn write_sid(account: &str) -> Option<Vec<u8>> {
    let sid = ACCOUNTS.iter().find(|(name, _)| *name == account).map_or(account, |(_, sid)| sid);
    let mut numbers = sid.strip_prefix("S-1-")?.split('-');
    let authority = numbers.next()?;
    let authority = match authority.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => authority.parse().ok()?,
    };
    let [0, 0, authority @ ..] = authority.to_be_bytes() else { return None };
    let parts: Vec<u32> = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let mut bytes = vec![1, u8::try_from(parts.len()).ok().filter(|count| *count <= 15)?];
    bytes.extend(authority);
    parts.iter().for_each(|part| bytes.extend(part.to_le_bytes()));
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::wire_name::WireName;

    #[test]
    fn both_forms_convert_into_each_other() {
        for text in [
            sddl::OF_DIRECTORIES,
            sddl::OF_FILES,
            "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:SYD:AI(A;;FA;;;S-1-5-21-397955417-626881126-188441444-3053964)",
            "O:BAG:SYD:PARAI(D;OICINPIO;FR;;;WD)S:P(AU;SAFA;0x10000;;;WD)(ML;;0x1;;;HI)",
            "D:NO_ACCESS_CONTROL",
            "D:",
            "O:BA",
        ] {
            let bytes = bytes_of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(text_of(&bytes).as_deref(), Some(text));
        }
        // Equivalent rights and accounts have one text.
        let bytes = bytes_of("D:(A;;GRSD;;;WD)(A;;2032127;;;S-1-5-18)").unwrap();
        assert_eq!(text_of(&bytes).unwrap(), "D:(A;;0x80010000;;;WD)(A;;FA;;;SY)");
    }

    #[test]
    fn the_binary_form_equals_that_of_windows() {
        let bytes = bytes_of("O:BAG:SYD:(A;;FA;;;SY)").unwrap();
        let header = [1, 0, 4, 0x80, 48, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0];
        let (owner, group) = ([1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0], [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0]);
        let list = [2, 0, 28, 0, 1, 0, 0, 0, 0, 0, 20, 0, 0xFF, 1, 0x1F, 0];
        assert_eq!(bytes, [&header[..], &list, &group, &owner, &group].concat());
    }

    #[test]
    fn descriptors_without_the_other_form_are_refused() {
        for text in
            ["D:(XA;;FX;;;WD;(@User.Title==\"PM\"))", "O:DA", "D:(A;;FA;a;;SY)", "D:(A;;QQ;;;SY)", "O:S-1-5-99999999999", "x"]
        {
            assert_eq!(bytes_of(text), None, "{text}");
        }
        let whole = bytes_of(sddl::OF_FILES).unwrap();
        for length in 0..whole.len() {
            assert_eq!(text_of(&whole[..length]), None, "{length}");
        }
        for at in 0..whole.len() {
            for value in [0, 0xFF] {
                let mut changed = whole.clone();
                changed[at] = value;
                // Either outcome is right; a panic is not.
                _ = text_of(&changed);
            }
        }
        assert_eq!(Format::Binary.read("?").unwrap_err().code(), ErrorCode::FileInvalidPermission);
        assert_eq!(Format::parse("xml"), None);
    }
}
