//! Leases of blobs and containers: their states, and the result of every action in each.

use crate::scenario::{LEASES, check_in};
use crate::server::TestServer;

/// A resource that can be leased, and the requests on it.
pub struct Leased {
    /// Makes it.
    pub make: &'static str,
    /// The request of a lease operation.
    pub lease: &'static str,
    /// The request that reports the state of its lease.
    pub look: &'static str,
    /// The request that deletes it.
    pub remove: &'static str,
}

/// The states a lease can be in.
pub const STATES: [&str; 6] = ["available", "leased", "infinite", "breaking", "broken", "expired"];

impl Leased {
    /// The requests that bring a new one to a state, under the lease `{A}`.
    pub fn way(&self, state: &str) -> String {
        let lease = self.lease;
        let acquire = |seconds: i32| {
            format!("{lease} | x-ms-lease-action: acquire; x-ms-lease-duration: {seconds}; x-ms-proposed-lease-id: {{A}} → 201\n")
        };
        let broken = |period: u32| {
            format!("{lease} | x-ms-lease-action: break; x-ms-lease-break-period: {period} → 202 | x-ms-lease-time: {period}\n")
        };
        match state {
            "available" => String::new(),
            "leased" => acquire(30),
            "infinite" => acquire(-1),
            "breaking" => acquire(60) + &broken(20),
            "broken" => acquire(60) + &broken(0),
            "expired" => acquire(15) + "wait 15\n",
            other => panic!("{other} is no state"),
        }
    }

    /// Requests every action in every state of a lease, and checks the new state.
    pub async fn every_action_in_every_state(&self, server: &TestServer) {
        let present = "409 LeaseAlreadyPresent";
        let none = "409 LeaseNotPresentWithLeaseOperation";
        let other = "409 LeaseIdMismatchWithLeaseOperation";
        let broken = "409 LeaseIsBrokenAndCannotBeRenewed";
        let no_change = "409 LeaseIsBreakingAndCannotBeChanged";
        // In the order of STATES.
        let table = [
            ("acquire; x-ms-lease-duration: 15", ["201", present, present, present, "201", "201"]),
            (
                "acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A}",
                ["201", "201", "201", "409 LeaseIsBreakingAndCannotBeAcquired", "201", "201"],
            ),
            ("acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {B}", ["201", present, present, present, "201", "201"]),
            ("break; x-ms-lease-break-period: 0", [none, "202", "202", "202", "202", "202"]),
            ("break; x-ms-lease-break-period: 10", [none, "202", "202", "202", "202", "202"]),
            ("break", [none, "202", "202", "202", "202", "202"]),
            ("change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B}", [none, "200", "200", no_change, none, none]),
            ("change; x-ms-lease-id: {B}; x-ms-proposed-lease-id: {A}", [none, "200", "200", no_change, none, none]),
            ("change; x-ms-lease-id: {B}; x-ms-proposed-lease-id: {C}", [none, other, other, other, none, none]),
            ("renew; x-ms-lease-id: {A}", [other, "200", "200", broken, broken, "200"]),
            ("renew; x-ms-lease-id: {B}", [other, other, other, other, other, other]),
            ("release; x-ms-lease-id: {A}", [other, "200", "200", "200", "200", "200"]),
            ("release; x-ms-lease-id: {B}", [other, other, other, other, other, other]),
        ];
        for (action, verdicts) in table {
            for (state, verdict) in STATES.into_iter().zip(verdicts) {
                let Leased { make, lease, look, .. } = self;
                let shown = if state == "infinite" { "leased" } else { state };
                let (way, then) = (self.way(state), after(action, state));
                check_in(
                    server,
                    &format!(
                        "# {action} when {state}
                         {make} → 201 | etag: $e
                         {way}
                         {look} → 200 | x-ms-lease-state: {shown}; etag: {{e}}
                         {lease} | x-ms-lease-action: {action} → {verdict}
                         {look} → 200 | etag: {{e}}
                         {lease} | x-ms-lease-action: acquire; x-ms-lease-duration: 15 → {then}"
                    ),
                )
                .await;
                self.remove(server).await;
            }
        }
    }

    /// Deletes it, whoever has the lease.
    pub async fn remove(&self, server: &TestServer) {
        let (method, target) = self.lease.split_once(' ').unwrap();
        let now = [("x-ms-lease-action", "break"), ("x-ms-lease-break-period", "0")];
        let broken = server.request(method, target).headers(&now).send().await;
        assert!(["202", "409 LeaseNotPresentWithLeaseOperation"].contains(&broken.verdict().as_str()), "{}", broken.verdict());
        check_in(server, &format!("{} → 202", self.remove)).await;
    }

    /// Sends malformed requests, and then an id in each of its forms.
    pub async fn malformed_requests(&self, server: &TestServer) {
        check_in(server, &format!("{} → 201", self.make)).await;
        let cases = [
            ("", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: borrow", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: acquire", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: acquire; x-ms-lease-duration: 14", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: acquire; x-ms-lease-duration: 61", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: acquire; x-ms-lease-duration: 0", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: acquire; x-ms-lease-duration: long", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: mine", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: renew", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: renew; x-ms-lease-id: mine", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: release", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: change; x-ms-lease-id: {A}", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: change; x-ms-proposed-lease-id: {A}", "400 MissingRequiredHeader"),
            ("x-ms-lease-action: break; x-ms-lease-break-period: 61", "400 InvalidHeaderValue"),
            ("x-ms-lease-action: break; x-ms-lease-break-period: -1", "400 InvalidHeaderValue"),
        ];
        for (headers, verdict) in cases {
            check_in(server, &format!("{} | {headers} → {verdict}", self.lease)).await;
        }
        // An id is a GUID in any of the forms that .NET writes.
        let (method, target) = self.lease.split_once(' ').unwrap();
        let bare = LEASES[0].1.replace('-', "");
        for form in [LEASES[0].1.to_uppercase(), bare.clone(), format!("{{{}}}", LEASES[0].1), format!("({})", LEASES[0].1)] {
            let headers =
                [("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "-1"), ("x-ms-proposed-lease-id", form.as_str())];
            let got = server.request(method, target).headers(&headers).send().await;
            assert_eq!((got.verdict().as_str(), got.header("x-ms-lease-id")), ("201", LEASES[0].1), "{form}");
        }
    }
}

/// The answer to another client's acquire after an action in a state.
fn after(action: &str, state: &str) -> &'static str {
    let (verb, _) = action.split_once(';').unwrap_or((action, ""));
    let mine = !action.contains("lease-id: {B}") || action.contains("proposed-lease-id");
    let period = action.ends_with("10");
    let free = match (verb, state) {
        ("acquire", "available" | "broken" | "expired") => false,
        ("release", _) if mine => true,
        ("break", "leased") => action.ends_with(": 0"),
        ("break", "infinite") => !period,
        ("break", "breaking") => action.ends_with(": 0"),
        ("break", _) => true,
        ("renew", "expired") => !mine,
        (_, "available" | "broken" | "expired") => true,
        _ => false,
    };
    if free { "201" } else { "409 LeaseAlreadyPresent" }
}
