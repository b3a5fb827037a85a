//! Frames: units of writing, each of which is complete or ignored.
//!
//! A log and a snapshot are sequences of frames. A frame is a head of 24 bytes and a payload:
//!
//! | bytes | field |
//! |---|---|
//! | 4 | `LzFr` |
//! | 4 | length of the payload in bytes |
//! | 8 | number in the order of all frames |
//! | 8 | CRC-64/NVME of length, number and payload |
//!
//! Numbers are little-endian. The end of a log may be torn, because a machine can stop in the middle of a write: bytes that are no frame
//! and that no frame follows were never acknowledged. Bytes that are no frame and that a frame follows are a damaged frame, which is
//! never skipped.

use crate::rules::checksums::Crc64;

const MARK: [u8; 4] = *b"LzFr";
const HEAD: usize = 24;

/// Appends a frame to `out`.
pub fn write(out: &mut Vec<u8>, number: u64, payload: &[u8]) {
    let length = payload.len() as u32;
    out.extend_from_slice(&MARK);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&checksum(length, number, payload).to_le_bytes());
    out.extend_from_slice(payload);
}

/// What a file has at a position.
#[derive(Debug, PartialEq, Eq)]
pub enum FrameRead<'a> {
    /// `end` is the position after the frame.
    Frame { number: u64, payload: &'a [u8], end: usize },
    /// The end of the file.
    End,
    /// An unfinished frame or other bytes, up to the end of the file.
    Torn,
    /// Other bytes, though a complete frame follows.
    Damaged,
}

/// Reads the frame that begins at `at`.
pub fn read(file: &[u8], at: usize) -> FrameRead<'_> {
    let rest = file.get(at..).unwrap_or_default();
    if rest.is_empty() {
        return FrameRead::End;
    }
    match parse(rest) {
        Some((number, payload)) => FrameRead::Frame { number, payload, end: at + HEAD + payload.len() },
        None if has_frame(rest.get(1..).unwrap_or_default()) => FrameRead::Damaged,
        None => FrameRead::Torn,
    }
}

/// The frame at the beginning of these bytes.
fn parse(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let rest = bytes.strip_prefix(&MARK)?;
    let (length, rest) = rest.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let (claimed, rest) = rest.split_first_chunk()?;
    let (length, number) = (u32::from_le_bytes(*length), u64::from_le_bytes(*number));
    let payload = rest.get(..length as usize)?;
    (u64::from_le_bytes(*claimed) == checksum(length, number, payload)).then_some((number, payload))
}

/// Returns true if a complete frame begins anywhere in these bytes.
fn has_frame(bytes: &[u8]) -> bool {
    let begins = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    begins.map(|(at, _)| at).any(|at| parse(&bytes[at..]).is_some())
}

fn checksum(length: u32, number: u64, payload: &[u8]) -> u64 {
    let mut head = [0; 12];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&number.to_le_bytes());
    Crc64::of_both(&head, payload).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The payloads of the complete frames at the beginning, and what follows them.
    fn all(file: &[u8]) -> (Vec<Vec<u8>>, FrameRead<'_>) {
        let (mut payloads, mut at) = (Vec::new(), 0);
        loop {
            match read(file, at) {
                FrameRead::Frame { payload, end, .. } => {
                    payloads.push(payload.to_vec());
                    at = end;
                }
                other => return (payloads, other),
            }
        }
    }

    fn three() -> (Vec<u8>, [usize; 3]) {
        let (mut file, mut ends) = (Vec::new(), [0; 3]);
        for (number, payload) in [&b"one"[..], b"", b"three and more"].into_iter().enumerate() {
            write(&mut file, number as u64, payload);
            ends[number] = file.len();
        }
        (file, ends)
    }

    #[test]
    fn what_was_written_is_read() {
        let (file, _) = three();
        assert_eq!(all(&file), (vec![b"one".to_vec(), b"".to_vec(), b"three and more".to_vec()], FrameRead::End));
    }

    #[test]
    fn a_file_cut_anywhere_has_its_complete_frames_and_a_torn_one() {
        let (file, ends) = three();
        for cut in 0..file.len() {
            let (payloads, rest) = all(&file[..cut]);
            assert_eq!(payloads.len(), ends.iter().filter(|end| **end <= cut).count(), "cut at {cut}");
            let expected = if cut == 0 || ends.contains(&cut) { FrameRead::End } else { FrameRead::Torn };
            assert_eq!(rest, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_byte_flipped_anywhere_is_noticed() {
        let (file, ends) = three();
        for at in 0..file.len() {
            let mut flipped = file.clone();
            flipped[at] ^= 0x40;
            let (payloads, rest) = all(&flipped);
            assert_eq!(payloads.len(), ends.iter().filter(|end| **end <= at).count(), "flipped at {at}");
            let expected = if at < ends[1] { FrameRead::Damaged } else { FrameRead::Torn };
            assert_eq!(rest, expected, "flipped at {at}");
        }
    }
}
