//! Slow and silent clients: each costs one connection, for a limited time, and nobody else notices.

use super::{
    Stored,
    wire::{Wire, head, request},
};
use lazuli::op::Kind;

/// One who says nothing, half a head, or nothing more after an answer is shown the door when the time is up.
#[tokio::test]
async fn silence_has_a_limit() {
    let stored = Stored::with(&["--blob-keep-alive-timeout", "1"]).await;
    let mut silent = Wire::to(&stored.house, Kind::Blob).await;
    let mut half = Wire::to(&stored.house, Kind::Blob).await;
    half.say("PUT /devstoreaccount1/kept/digits HTTP/1.1\r\nhost: a\r\nx-ms-blob").await;
    let mut idle = Wire::to(&stored.house, Kind::Blob).await;
    idle.say(request("GET", "/kept/digits", &[], "")).await;
    assert_eq!(idle.hear("GET").await.answer.text(), "0123456789");
    stored.unchanged("silence").await;
    for (who, wire) in [("silent", &mut silent), ("half a head", &mut half), ("idle", &mut idle)] {
        let said = wire.end().await;
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408 "), "{who}: {said:?}");
    }
    // On a connection of its own: those that the house keeps are idle too.
    let mut next = Wire::to(&stored.house, Kind::Blob).await;
    next.say(request("GET", "/kept/digits", &[], "")).await;
    assert_eq!(next.hear("GET").await.answer.text(), "0123456789");
}

/// Hundreds who stop in the middle of a head or a body, and hundreds who never read, do not keep one other from being answered.
#[tokio::test]
async fn the_slow_do_not_hold_up_the_rest() {
    let stored = Stored::new().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut wire = Wire::to(&stored.house, Kind::Blob).await;
        match n % 3 {
            0 => wire.say("GET /devstoreaccount1/kept/dig").await,
            1 => {
                wire.say(format!(
                    "{}content-length: 10\r\n\r\nhalf",
                    head("PUT", "/kept/digits", &[("x-ms-blob-type", "BlockBlob")], 10)
                ))
                .await
            }
            _ => wire.say(request("GET", "/kept/digits", &[], "").repeat(50)).await,
        };
        slow.push(wire);
    }
    stored.unchanged("the slow").await;
    // The bodies that had stopped go on, and are taken whole.
    let mut wire = slow.swap_remove(1);
    wire.say(" whole").await;
    assert_eq!(wire.hear("PUT").await.answer.verdict(), "201");
    assert_eq!(stored.house.ask("GET", "/kept/digits").send().await.text(), "half whole");
}
