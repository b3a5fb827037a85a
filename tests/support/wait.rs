//! Waits for what the server does in the background.

use std::time::Instant;

/// Returns true once a condition holds, and false if it does not within this many seconds.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only tests of Linux wait"))]
pub fn in_time(seconds: u64, mut happened: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !happened() {
        if begun.elapsed().as_secs() >= seconds {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
