//! Which operation is asked for is never guessed: unknown selectors, verbs, and operations that are not there yet.

use super::{Stored, refusal};
use crate::house::VERSION;

const METHODS: [&str; 5] = ["GET", "HEAD", "PUT", "DELETE", "POST"];
const PATHS: [&str; 4] = ["/", "/kept", "/kept/digits", "/digits"];

/// On every path and with every method, a selector that no operation has is refused, whatever else the request brings.
#[tokio::test]
async fn unknown_selectors() {
    let stored = Stored::new().await;
    let odd = [
        "comp=foo",
        "comp=",
        "comp=list%20",
        "comp=list,list",
        "restype=foo",
        "restype=",
        "resource=file",
        "action=append",
        "restype=container&comp=foo",
        "restype=service&comp=foo",
        "restype=account&comp=foo",
        "COMP=foo",
        "%63omp=foo",
    ];
    for path in PATHS {
        for method in METHODS {
            for query in odd {
                let target = format!("{path}?{query}");
                let ask = stored.house.ask(method, &target).header("x-ms-blob-type", "BlockBlob").body("overwritten");
                let answer = ask.send().await;
                let row = format!("{method} {target}");
                assert_eq!(answer.status, 400, "{row}: {} {}", answer.verdict(), answer.text());
                let code = refusal(&answer, method, VERSION);
                assert!(
                    ["InvalidQueryParameterValue", "OutOfRangeInput", "InvalidResourceName"].contains(&code.as_str()),
                    "{row}: {code}"
                );
            }
        }
        stored.unchanged(path).await;
    }
}

/// A selector that belongs to another path or another method is as good as unknown.
#[tokio::test]
async fn misplaced_selectors() {
    let stored = Stored::new().await;
    for (method, target) in [
        ("PUT", "/kept/digits?restype=container"),
        ("PUT", "/kept/digits?restype=container&comp=block&blockid=YWE%3D"),
        ("PUT", "/kept/digits?comp=acl"),
        ("PUT", "/kept/digits?comp=list"),
        ("DELETE", "/kept/digits?comp=metadata"),
        ("DELETE", "/kept/digits?restype=container"),
        ("DELETE", "/kept?restype=container&comp=metadata"),
        ("DELETE", "/kept?restype=service"),
        ("PUT", "/kept?restype=account"),
        ("PUT", "/kept?restype=container&comp=block"),
        ("PUT", "/other?restype=container&comp=list"),
        ("GET", "/kept?restype=container&comp=blocklist"),
        ("GET", "/?restype=container"),
        ("GET", "/?comp=properties"),
        ("PUT", "/?comp=properties"),
    ] {
        let answer = stored.house.ask(method, target).header("x-ms-blob-type", "BlockBlob").body("overwritten").send().await;
        assert_eq!(answer.verdict(), "400 InvalidQueryParameterValue", "{method} {target}: {}", answer.text());
        refusal(&answer, method, VERSION);
        stored.unchanged(target).await;
    }
    let stats = stored.house.ask("GET", "/?restype=service&comp=stats").send().await;
    assert_eq!((stats.verdict().as_str(), stats.element("QueryParameterName")), ("400 InvalidQueryParameterValue", "comp"));
}

#[tokio::test]
async fn unknown_verbs() {
    let stored = Stored::new().await;
    for method in ["PATCH", "MERGE", "TRACE", "get", "put", "Delete", "PROPFIND", "X"] {
        for path in ["/", "/kept/digits"] {
            let answer = stored.house.ask(method, path).header("x-ms-blob-type", "BlockBlob").body("overwritten").send().await;
            assert_eq!(answer.verdict(), "405 UnsupportedHttpVerb", "{method} {path}: {}", answer.text());
            refusal(&answer, method, VERSION);
        }
    }
    // A verb that is known, where nothing answers to it.
    for (method, target) in [("DELETE", "/"), ("PUT", "/"), ("GET", "/"), ("HEAD", "/"), ("POST", "/"), ("POST", "/kept/digits")]
    {
        let answer = stored.house.ask(method, target).body("").send().await;
        assert_eq!(answer.verdict(), "400 InvalidUri", "{method} {target}: {}", answer.text());
        refusal(&answer, method, VERSION);
    }
    stored.unchanged("a verb").await;
}
