//! What a structured message is, byte by byte, and that nothing else is one.

use super::*;
use proptest::prelude::*;

fn encode(content: &[u8], size: u64) -> Vec<u8> {
    let chunks = std::iter::once(Bytes::copy_from_slice(content));
    let encoder = Encoder::in_segments(chunks, content.len() as u64, size);
    let length = encoder.length();
    let message: Vec<u8> = encoder.flatten().collect();
    assert_eq!(message.len() as u64, length);
    message
}

/// The content and the CRC64 of a message in these pieces, with these lengths in the headers.
fn decode(pieces: &[&[u8]], announced: u64, content: u64) -> Result<(Vec<u8>, Crc64), StorageError> {
    let mut decoder = Decoder::new(announced, content);
    let mut found = Vec::new();
    for mut piece in pieces.iter().copied() {
        while let Some(part) = decoder.next(&mut piece)? {
            found.extend_from_slice(part);
        }
    }
    Ok((found, decoder.finish()?))
}

#[test]
fn a_message_byte_by_byte() {
    let crc64 = |bytes: &[u8]| Crc64::of(bytes).0.to_le_bytes();
    let mut message = vec![1];
    message.extend(62u64.to_le_bytes());
    message.extend([1, 0, 2, 0]);
    message.extend([1, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    message.extend(b"abc");
    message.extend(crc64(b"abc"));
    message.extend([2, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    message.extend(b"de");
    message.extend(crc64(b"de"));
    message.extend(crc64(b"abcde"));
    assert_eq!(encode(b"abcde", 3), message);
    assert_eq!(decode(&[&message], 62, 5), Ok((b"abcde".to_vec(), Crc64::of(b"abcde"))));
    // Nothing is one segment of nothing, and may be no segment at all.
    let nothing = encode(b"", 3);
    assert_eq!(nothing.len(), 13 + 18 + 8);
    assert_eq!(decode(&[&nothing], 39, 0), Ok((Vec::new(), Crc64(0))));
    let mut none = vec![1, 21, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
    none.extend([0; 8]);
    assert_eq!(decode(&[&none], 21, 0), Ok((Vec::new(), Crc64(0))));
}

#[test]
fn what_is_no_such_message_is_refused() {
    const SEGMENT_1: usize = 13;
    const SEGMENT_2: usize = 13 + 10 + 3 + 8;
    let good = encode(b"abcde", 3);
    let length = good.len() as u64;
    for (what, at, byte, code) in [
        ("another version", 0, 2, ErrorCode::InvalidInput),
        ("another length", 1, 61, ErrorCode::InvalidInput),
        ("a length beyond all bounds", 8, 0xff, ErrorCode::InvalidInput),
        ("no checksums", 9, 0, ErrorCode::InvalidInput),
        ("unknown flags", 9, 3, ErrorCode::InvalidInput),
        ("no segments", 11, 0, ErrorCode::InvalidHeaderValue),
        ("fewer segments", 11, 1, ErrorCode::InvalidHeaderValue),
        ("more segments", 11, 3, ErrorCode::InvalidHeaderValue),
        ("a segment numbered from 0", SEGMENT_1, 0, ErrorCode::InvalidInput),
        ("segments out of order", SEGMENT_2, 3, ErrorCode::InvalidInput),
        ("a segment longer than the content", SEGMENT_1 + 2, 6, ErrorCode::InvalidInput),
        ("a segment longer than anything", SEGMENT_1 + 9, 0xff, ErrorCode::InvalidInput),
        ("a last segment that is too short", SEGMENT_2 + 2, 1, ErrorCode::Crc64Mismatch),
        ("changed content", SEGMENT_1 + 10, b'x', ErrorCode::Crc64Mismatch),
        ("a changed checksum of a segment", SEGMENT_2 - 1, 0, ErrorCode::Crc64Mismatch),
        ("a changed checksum of the whole", good.len() - 1, 0, ErrorCode::Crc64Mismatch),
    ] {
        let mut bad = good.clone();
        assert_ne!(bad[at], byte, "{what}");
        bad[at] = byte;
        assert_eq!(decode(&[&bad], length, 5).unwrap_err().code(), code, "{what}");
    }
    for (what, message, announced, content, code) in [
        ("a content announced too short", &good[..], length, 4, ErrorCode::InvalidHeaderValue),
        ("a content announced too long", &good[..], length, 6, ErrorCode::InvalidHeaderValue),
        ("a content announced as the message", &good[..], length, length, ErrorCode::InvalidHeaderValue),
        ("an end in the middle", &good[..30], length, 5, ErrorCode::InvalidInput),
        ("an end before the checksum", &good[..good.len() - 8], length, 5, ErrorCode::InvalidInput),
        ("nothing at all", &[][..], 0, 0, ErrorCode::InvalidInput),
        ("plain content", &b"just what is to be stored"[..], 25, 5, ErrorCode::InvalidInput),
    ] {
        assert_eq!(decode(&[message], announced, content).unwrap_err().code(), code, "{what}");
    }
    assert_eq!(decode(&[&good, b"x"], length, 5).unwrap_err().code(), ErrorCode::InvalidInput, "more than all");
}

#[test]
fn a_mismatch_has_both_values() {
    let mut bad = encode(b"abc", 9);
    bad[13 + 10] = b'x';
    let error = decode(&[&bad], bad.len() as u64, 3).unwrap_err();
    let (stated, found) = (Crc64::of(b"abc").to_string(), Crc64::of(b"xbc").to_string());
    assert_eq!(error.details(), [("UserSpecifiedCrc", stated), ("ServerCalculatedCrc", found)]);
}

#[test]
fn only_one_kind_is_known() {
    for (text, known) in [
        (KIND, true),
        ("XSM/1.0;properties=crc64", true),
        ("xsm/1.0; Properties=CRC64", true),
        ("XSM/1.0", false),
        ("XSM/1.0; properties=", false),
        ("XSM/1.0; properties=md5", false),
        ("XSM/2.0; properties=crc64", false),
        ("crc64", false),
    ] {
        assert_eq!(check_kind(text).is_ok(), known, "{text}");
    }
}

#[test]
fn the_largest_blob_still_has_numbers_for_its_segments() {
    let content = 8u64 << 40;
    let encoder = Encoder::new(std::iter::empty(), content);
    assert!(content.div_ceil(encoder.size) <= u16::MAX.into());
    assert_eq!(Encoder::new(std::iter::empty(), 5 << 20).size, SEGMENT);
}

proptest! {
    /// Content is the same after encoding and decoding, for all chunks, segments and frames.
    #[test]
    fn comes_back(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6), size in 1u64..50, frame in 1usize..50) {
        let content = chunks.concat();
        let encoder = Encoder::in_segments(chunks.iter().map(|chunk| Bytes::copy_from_slice(chunk)), content.len() as u64, size);
        let length = encoder.length();
        let message: Vec<u8> = encoder.flatten().collect();
        prop_assert_eq!(message.len() as u64, length);
        let frames: Vec<&[u8]> = message.chunks(frame).collect();
        let (found, crc64) = decode(&frames, length, content.len() as u64).unwrap();
        prop_assert_eq!(crc64, Crc64::of(&content));
        prop_assert_eq!(found, content);
    }

    /// No byte of a message can be changed unseen.
    #[test]
    fn every_change_is_seen(content in prop::collection::vec(any::<u8>(), 0..60), size in 1u64..50, at in any::<prop::sample::Index>(), change in 1u8..) {
        let mut message = encode(&content, size);
        let at = at.index(message.len());
        message[at] ^= change;
        prop_assert!(decode(&[&message], message.len() as u64, content.len() as u64).is_err());
    }

    /// Every input is decoded or refused.
    #[test]
    fn nothing_breaks_it(input in prop::collection::vec(any::<u8>(), 0..200), content in any::<u64>()) {
        let mut message = vec![1];
        message.extend((input.len() as u64 + 11).to_le_bytes());
        message.extend([1, 0]);
        message.extend(&input);
        let frame = message.len() as u64;
        let _ = decode(&[&message], frame, content);
        let _ = decode(&[&input], input.len() as u64, frame.wrapping_sub(content % 300));
    }
}
