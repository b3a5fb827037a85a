//! The lease of a container, which only protects it against deletion.

use super::leases::{Leased, STATES};
use crate::scenario::{check, check_in};
use crate::server::TestServer;

const BOX: Leased = Leased {
    make: "PUT /box?restype=container",
    lease: "PUT /box?restype=container&comp=lease",
    look: "GET /box?restype=container",
    remove: "DELETE /box?restype=container",
};

#[tokio::test]
async fn every_action_in_every_state() {
    BOX.every_action_in_every_state(&TestServer::new().await).await;
}

#[tokio::test]
async fn malformed_lease_requests_are_refused() {
    BOX.malformed_requests(&TestServer::new().await).await;
}

#[tokio::test]
async fn a_lease_protects_a_container_against_deletion() {
    let server = TestServer::new().await;
    let other = "412 LeaseIdMismatchWithContainerOperation";
    let none = "412 LeaseNotPresentWithContainerOperation";
    let lost = "412 LeaseLost";
    // For each state: deletion with A, with B, without id; reading with A, with B. Reading and changing without an id is always allowed.
    let table = [
        ("available", [none, none, "202", none, none]),
        ("leased", ["202", other, "412 LeaseIdMissing", "200", other]),
        ("infinite", ["202", other, "412 LeaseIdMissing", "200", other]),
        ("breaking", ["202", other, "412 LeaseIdMissing", "200", other]),
        ("broken", [lost, lost, "202", lost, lost]),
        ("expired", [lost, lost, "202", lost, lost]),
    ];
    for (state, (named, [with_a, with_b, without, read_a, read_b])) in STATES.into_iter().zip(table) {
        assert_eq!(state, named);
        let way = BOX.way(state);
        for (removal, verdict) in [("x-ms-lease-id: {A}", with_a), ("x-ms-lease-id: {B}", with_b), ("", without)] {
            check_in(
                &server,
                &format!(
                    "# {state}, removed with {removal:?}
                     PUT /box?restype=container → 201
                     {way}
                     GET /box?restype=container | x-ms-lease-id: {{A}} → {read_a}
                     GET /box?restype=container | x-ms-lease-id: {{B}} → {read_b}
                     GET /box?restype=container&comp=metadata | x-ms-lease-id: {{B}} → {read_b}
                     GET /box?restype=container&comp=acl | x-ms-lease-id: {{B}} → {read_b}
                     PUT /box?restype=container&comp=acl | x-ms-lease-id: {{B}} → {read_b}
                     PUT /box?restype=container&comp=metadata | x-ms-lease-id: {{A}} → {read_a}
                     PUT /box?restype=container&comp=metadata | x-ms-lease-id: {{B}} → {read_b}
                     GET /box?restype=container → 200
                     GET /box?restype=container&comp=list → 200
                     PUT /box?restype=container&comp=metadata → 200
                     PUT /box?restype=container&comp=acl → 200
                     PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
                     DELETE /box?restype=container | {removal} → {verdict}"
                ),
            )
            .await;
            if verdict != "202" {
                BOX.remove(&server).await;
            }
        }
    }
}

#[tokio::test]
async fn a_lease_expires_and_breaks_with_time() {
    check(
        "PUT /box?restype=container → 201 | etag: $e
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A} → 201 | x-ms-lease-id: {A}; etag: {e}; last-modified: {at}
         GET /box?restype=container → 200 | x-ms-lease-status: locked; x-ms-lease-state: leased; x-ms-lease-duration: fixed
         wait 14
         GET /box?restype=container → 200 | x-ms-lease-state: leased
         # a renewal starts the term again
         PUT /box?restype=container&comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 200 | x-ms-lease-id: {A}
         wait 14
         GET /box?restype=container → 200 | x-ms-lease-state: leased
         wait 1
         GET /box?restype=container → 200 | x-ms-lease-status: unlocked; x-ms-lease-state: expired; x-ms-lease-duration: -
         # and starts it again after its end
         PUT /box?restype=container&comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 200
         # a break lasts no longer than the term
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break; x-ms-lease-break-period: 60 → 202 | x-ms-lease-time: 15
         GET /box?restype=container → 200 | x-ms-lease-status: locked; x-ms-lease-state: breaking; x-ms-lease-duration: -
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break; x-ms-lease-break-period: 5 → 202 | x-ms-lease-time: 5
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break; x-ms-lease-break-period: 50 → 202 | x-ms-lease-time: 5
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break → 202 | x-ms-lease-time: 5
         wait 4
         DELETE /box?restype=container → 412 LeaseIdMissing
         wait 1
         GET /box?restype=container → 200 | x-ms-lease-status: unlocked; x-ms-lease-state: broken
         # an infinite one is broken at once
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 201 | x-ms-lease-id: $mine
         GET /box?restype=container → 200 | x-ms-lease-duration: infinite
         wait 100000
         GET /box?restype=container → 200 | x-ms-lease-state: leased
         GET /?comp=list → 200 | | ~<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>infinite</LeaseDuration>
         PUT /box?restype=container&comp=lease | x-ms-lease-action: change; x-ms-lease-id: {mine}; x-ms-proposed-lease-id: {C} → 200 | x-ms-lease-id: {C}
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break → 202 | x-ms-lease-time: 0
         DELETE /box?restype=container → 202
         PUT /box?restype=container&comp=lease | x-ms-lease-action: break → 404 ContainerNotFound",
    )
    .await;
}
