//! Rules and what they do to requests.

use super::*;
use crate::operation::ServiceKind;
use serde_json::json;

const REQUEST: FaultRequest<'static> = FaultRequest {
    service: ServiceKind::Blob,
    operation: "Put Blob",
    method: "PUT",
    account: "one",
    container: Some("cats"),
    path: "/cats/a",
    secondary: false,
    part: false,
    now: Timestamp::NEVER,
};

fn faults(rules: &[Value]) -> Faults {
    let faults = Faults::default();
    faults.add(rules, Timestamp::default(), || 7).unwrap();
    faults
}

/// Which of a number of equal requests have a fault.
fn fired(rule: Value, count: usize) -> Vec<usize> {
    let faults = faults(&[rule]);
    (1..=count).filter(|_| faults.inject(&REQUEST).is_some()).collect()
}

#[test]
fn a_rule_concerns_the_requests_that_it_describes() {
    for (rule, expected) in [
        (json!({}), true),
        (json!({ "service": "blob" }), true),
        (json!({ "service": "dfs" }), false),
        (json!({ "operation": "put blob" }), true),
        (json!({ "operation": "Put Block" }), false),
        (json!({ "method": "put" }), true),
        (json!({ "method": "GET" }), false),
        (json!({ "account": "o*", "container": "c*s", "path": "/cats/*" }), true),
        (json!({ "account": "o" }), false),
        (json!({ "container": "dogs" }), false),
        (json!({ "path": "/cats" }), false),
    ] {
        let mut rule = rule;
        rule["do"] = json!({ "cut": "before" });
        assert_eq!(faults(&[rule.clone()]).inject(&REQUEST).is_some(), expected, "{rule}");
    }
}

#[test]
fn a_rule_counts() {
    let cut = json!({ "cut": "after" });
    assert_eq!(fired(json!({ "do": cut }), 3), [1, 2, 3]);
    assert_eq!(fired(json!({ "after": 1, "times": 2, "do": cut }), 5), [2, 3]);
    assert_eq!(fired(json!({ "times": 0, "do": cut }), 2), [0_usize; 0]);
    assert_eq!(fired(json!({ "probability": 0, "do": cut }), 9), [0_usize; 0]);
}

#[test]
fn chance_repeats_with_its_seed() {
    let rule = |seed: u64| json!({ "probability": 0.5, "seed": seed, "do": { "cut": "after" } });
    let first = fired(rule(1), 100);
    assert_eq!(first, fired(rule(1), 100));
    assert_ne!(first, fired(rule(2), 100));
    assert!((30..70).contains(&first.len()), "{first:?}");
    let faults = faults(&[json!({ "probability": 0.5, "do": { "cut": "after" } })]);
    assert_eq!(faults.all()[0].json()["seed"], 7, "a rule without a seed gets one");
}

#[test]
fn a_rule_ends_with_its_time() {
    let faults = Faults::default();
    faults.add(&[json!({ "seconds": 10, "do": { "cut": "after" } })], Timestamp::from_unix(100, 0), || 0).unwrap();
    let at = |seconds| faults.inject(&FaultRequest { now: Timestamp::from_unix(seconds, 0), ..REQUEST }).is_some();
    assert!(at(109) && !at(110));
}

#[test]
fn one_rule_decides_the_end_and_others_add_to_it() {
    let faults = faults(&[
        json!({ "do": { "delay": { "milliseconds": 5 } } }),
        json!({ "do": { "cut": "after" } }),
        json!({ "do": { "error": { "code": "ServerBusy" } } }),
        json!({ "do": { "key_off": { "key": 2 } } }),
        json!({ "do": { "delay": { "milliseconds": 2 } } }),
        json!({ "do": { "lag": { "seconds": 2 } } }),
    ]);
    let injection = faults.inject(&REQUEST).unwrap();
    assert_eq!(injection.names(), "1, 2, 4, 5");
    assert_eq!((injection.delay.as_millis(), injection.keys_off.as_slice(), injection.lag), (7, &[2][..], None));
    assert!(matches!(injection.ending, Some(Ending::CutAfter)) && injection.refuse().is_ok());
    assert_eq!(faults.all()[2].json()["matched"], 0, "a rule that is not needed does not count the request");
    let part = faults.inject(&FaultRequest { part: true, ..REQUEST }).unwrap();
    assert_eq!(part.refuse().unwrap_err().code().name(), "ServerBusy", "a part of a batch has no connection to cut");
    assert_eq!(faults.inject(&FaultRequest { secondary: true, ..REQUEST }).unwrap().lag, Some(2));
    assert_eq!(faults.longest_lag(), Some(2));
}

#[test]
fn errors_are_those_of_the_service() {
    for (action, status, code, message) in [
        (json!({ "error": { "code": "ServerBusy" } }), 503, "ServerBusy", "The server is busy."),
        (json!({ "error": { "code": "BlobNotFound", "status": 410, "message": "Gone." } }), 410, "BlobNotFound", "Gone."),
        (json!({ "throttle": { "retry_after": 3 } }), 503, "ServerBusy", "The server is busy."),
    ] {
        let error = faults(&[json!({ "do": action })]).inject(&REQUEST).unwrap().refuse().unwrap_err();
        assert_eq!((error.status(), error.code().name(), error.message()), (status, code, message));
        assert_eq!(error.headers().is_empty(), action.get("throttle").is_none());
    }
}

#[test]
fn malformed_rules_are_refused_whole() {
    let valid = json!({ "do": { "cut": "after" } });
    for (rule, reason) in [
        (json!("cut"), "a rule has to be an object"),
        (json!({}), "do has to be an object with one action: error, throttle"),
        (json!({ "do": {} }), "do has to be an object with one action"),
        (json!({ "do": "cut" }), "do has to be an object with one action"),
        (json!({ "do": { "error": "ServerBusy" } }), "the value of error has to be an object"),
        (json!({ "do": { "cut": "later" } }), "unknown variant `later`"),
        (json!({ "do": { "melt": {} } }), "unknown variant `melt`"),
        (json!({ "do": { "cut": "after" }, "colour": 1 }), "unknown field `colour`"),
        (json!({ "do": { "error": { "code": "Nonsense" } } }), "is not an error code"),
        (json!({ "do": { "error": { "code": "ServerBusy", "status": 200 } } }), "status is 200"),
        (
            json!({ "do": { "delay": { "milliseconds": 600_001 } } }),
            "rule 2: milliseconds is 600001, and has to be at most 600000",
        ),
        (json!({ "do": { "drip": { "bytes": 0, "milliseconds": 1 } } }), "bytes is 0"),
        (json!({ "do": { "key_off": { "key": 3 } } }), "key is 3"),
        (json!({ "do": { "cut": "after" }, "probability": 1.5 }), "probability is 1.5"),
        (json!({ "do": { "cut": "after" }, "after": -1 }), "invalid value"),
    ] {
        let faults = Faults::default();
        let error = faults.add(&[valid.clone(), rule.clone()], Timestamp::default(), || 0).unwrap_err().to_string();
        assert!(error.contains(reason), "{rule}: {error}");
        assert!(faults.all().is_empty());
    }
}

#[test]
fn rules_are_removed() {
    let faults = faults(&[json!({ "do": { "cut": "after" } }), json!({ "do": { "cut": "before" } })]);
    assert!(faults.remove(1) && !faults.remove(1));
    assert_eq!(faults.all().iter().map(|rule| rule.id()).collect::<Vec<_>>(), [2]);
    faults.clear();
    assert!(faults.inject(&REQUEST).is_none());
    faults.add(&[json!({ "do": { "cut": "after" } })], Timestamp::default(), || 0).unwrap();
    assert_eq!(faults.all()[0].id(), 3, "ids are not used again");
}
