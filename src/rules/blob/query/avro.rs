//! The stream of the answer: an Avro object container with four kinds of records, each in a block of its own, byte for byte as recorded.

use crate::rules::blob::query::value::RowError;

/// The schema of the records, as the service writes it.
const SCHEMA: &str = include_str!("schema.json");

/// Writes records between sync marks.
#[derive(Debug)]
pub struct Writer {
    sync: [u8; 16],
    out: Vec<u8>,
}

impl Writer {
    /// A new stream with this sync mark.
    pub fn new(sync: [u8; 16]) -> Writer {
        let mut out = b"Obj\x01".to_vec();
        // One entry of metadata, and the end of the metadata. The codec is absent, so there is no compression.
        long(&mut out, 1);
        text(&mut out, "avro.schema");
        text(&mut out, SCHEMA);
        long(&mut out, 0);
        out.extend_from_slice(&sync);
        Writer { sync, out }
    }

    /// Writes rows.
    pub fn data(&mut self, data: &[u8]) {
        let mut record = vec![0];
        bytes(&mut record, data);
        self.block(&record);
    }

    /// Writes an error about the row at this position in the blob.
    pub fn error(&mut self, error: &RowError, position: u64) {
        let mut record = vec![2, error.fatal.into()];
        text(&mut record, error.name);
        text(&mut record, &error.message);
        long(&mut record, position);
        self.block(&record);
    }

    /// Writes the progress: the bytes that were read, and the total.
    pub fn progress(&mut self, read: u64, total: u64) {
        let mut record = vec![4];
        long(&mut record, read);
        long(&mut record, total);
        self.block(&record);
    }

    /// Writes the end.
    pub fn end(&mut self, total: u64) {
        let mut record = vec![6];
        long(&mut record, total);
        self.block(&record);
    }

    /// Removes and returns the bytes that were written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn block(&mut self, record: &[u8]) {
        long(&mut self.out, 1);
        bytes(&mut self.out, record);
        self.out.extend_from_slice(&self.sync);
    }
}

/// Writes a number that is not negative: zigzag, seven bits per byte, the lowest first.
fn long(out: &mut Vec<u8>, number: u64) {
    let mut rest = number << 1;
    while rest > 0x7f {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    long(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn text(out: &mut Vec<u8>, text: &str) {
    bytes(out, text.as_bytes());
}
