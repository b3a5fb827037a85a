//! Client libraries: Azure's own crates, and `object_store`, which DataFusion, Delta Lake and others use.

mod azure;
mod identity;
mod immutable;
mod kinds;
mod objects;
mod queues;

use crate::server::{TestServer, VERSION, hmac};
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The query of an account SAS for the blob and queue services, good until the end of the century.
pub fn account_sas(letters: &str) -> String {
    let expiry = "2099-12-31T00:00:00Z";
    let signed = format!("{WELL_KNOWN_ACCOUNT}\n{letters}\nbq\nsco\n\n{expiry}\n\n\n{VERSION}\n\n");
    let signature = hmac(&signed, WELL_KNOWN_KEY);
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!("sv={VERSION}&ss=bq&srt=sco&sp={letters}&se={}&sig={}", encoded(expiry), encoded(&signature))
}

/// Every letter of an account SAS.
pub const EVERYTHING: &str = "rwdxylacupitf";

/// The blob endpoint with a SAS that allows everything.
pub fn sas_url(server: &TestServer) -> String {
    format!("{}?{}", server.blob_url(), account_sas(EVERYTHING))
}

/// Bytes that repeat nowhere at a block's border.
pub fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) ^ n).to_le_bytes()).take(length).collect()
}
