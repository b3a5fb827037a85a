//! The operation of a request is never guessed: unknown selectors, methods, and operations that are not implemented.

use super::{Stored, refusal, refusal_of};
use crate::server::VERSION;
use lazuli::ServiceKind;

const METHODS: [&str; 7] = ["GET", "HEAD", "PUT", "DELETE", "POST", "MERGE", "PATCH"];
/// Every shape of a path that a service has.
const PATHS: [(ServiceKind, &[&str]); 3] = [
    (ServiceKind::Blob, &["/", "/kept", "/kept/digits", "/digits"]),
    (ServiceKind::Queue, &["/", "/kept", "/kept/messages", "/kept/messages/b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a"]),
    (
        ServiceKind::Table,
        &["/", "/Tables", "/Tables('kept')", "/kept", "/kept()", "/kept(PartitionKey='p',RowKey='r')", "/$batch"],
    ),
];

/// On every path and with every method, a selector that no operation has is refused, whatever else the request brings.
#[tokio::test]
async fn unknown_selectors() {
    let odd = [
        "comp=foo",
        "comp=",
        "comp=list%20",
        "comp=list,list",
        "restype=foo",
        "restype=",
        "restype=container&comp=foo",
        "restype=service&comp=foo",
        "restype=account&comp=foo",
        "COMP=foo",
        "%63omp=foo",
    ];
    for (kind, paths) in PATHS {
        let stored = Stored::of(kind).await;
        for path in paths {
            for method in METHODS {
                for query in odd {
                    let target = format!("{path}?{query}");
                    let request =
                        stored.server.request(method, &target).of(kind).header("x-ms-blob-type", "BlockBlob").body("overwritten");
                    let answer = request.send().await;
                    let row = format!("{kind:?} {method} {target}");
                    assert_eq!(answer.status, 400, "{row}: {} {}", answer.verdict(), answer.text());
                    // Only the Data Lake API of the same port has the method PATCH.
                    let api = if kind == ServiceKind::Blob && method == "PATCH" { ServiceKind::DataLake } else { kind };
                    let code = refusal_of(api, &answer, method, VERSION);
                    // The Table service has the error code in the body, and HEAD has none.
                    let untold = kind == ServiceKind::Table && method == "HEAD" && code.is_empty();
                    assert!(
                        untold
                            || ["InvalidQueryParameterValue", "OutOfRangeInput", "InvalidResourceName"].contains(&code.as_str()),
                        "{row}: {code}"
                    );
                }
            }
            stored.unchanged(path).await;
        }
    }
}

/// A selector of another path or another method counts as unknown.
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
        let answer = stored.server.request(method, target).header("x-ms-blob-type", "BlockBlob").body("overwritten").send().await;
        assert_eq!(answer.verdict(), "400 InvalidQueryParameterValue", "{method} {target}: {}", answer.text());
        refusal(&answer, method, VERSION);
        stored.unchanged(target).await;
    }
    let stats = stored.server.request("GET", "/?restype=service&comp=stats").send().await;
    assert_eq!((stats.verdict().as_str(), stats.element("QueryParameterName")), ("400 InvalidQueryParameterValue", "comp"));
}

/// The same of queues and tables.
#[tokio::test]
async fn misplaced_selectors_of_queues_and_tables() {
    let id = "b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a";
    let message = format!("/kept/messages/{id}?comp=metadata&popreceipt=AgAAAAMAAAAAAAAAOS1PJpEC2AE%3D&visibilitytimeout=0");
    let entity = "/kept(PartitionKey='p',RowKey='r')";
    for (kind, rows) in [
        (
            ServiceKind::Queue,
            vec![
                ("GET", "/kept/messages?comp=list".to_owned()),
                ("GET", "/kept/messages?comp=metadata".to_owned()),
                ("POST", "/kept/messages?comp=acl".to_owned()),
                ("DELETE", "/kept/messages?comp=clear".to_owned()),
                ("DELETE", "/kept/messages?restype=service".to_owned()),
                ("PUT", message.clone()),
                ("DELETE", message),
                ("PUT", "/kept?comp=list".to_owned()),
                ("PUT", "/new?restype=container".to_owned()),
                ("DELETE", "/kept?comp=metadata".to_owned()),
                ("DELETE", "/kept?restype=queue".to_owned()),
                ("GET", "/?comp=metadata".to_owned()),
                ("PUT", "/?comp=properties".to_owned()),
                ("GET", "/?restype=service&comp=stats".to_owned()),
            ],
        ),
        (
            ServiceKind::Table,
            vec![
                ("POST", "/kept?comp=acl".to_owned()),
                ("POST", "/Tables?comp=acl".to_owned()),
                ("GET", "/Tables?comp=list".to_owned()),
                ("DELETE", "/Tables('kept')?comp=acl".to_owned()),
                ("GET", "/kept?restype=service&comp=acl".to_owned()),
                ("PUT", format!("{entity}?comp=acl")),
                ("MERGE", format!("{entity}?comp=properties")),
                ("DELETE", format!("{entity}?restype=table")),
                ("POST", "/$batch?comp=batch".to_owned()),
                ("PUT", "/?comp=properties".to_owned()),
                ("GET", "/?restype=service&comp=stats".to_owned()),
            ],
        ),
    ] {
        let stored = Stored::of(kind).await;
        for (method, target) in rows {
            let request = stored.server.request(method, &target).of(kind).header("if-match", "*").body("{}");
            let answer = request.send().await;
            assert_eq!(answer.verdict(), "400 InvalidQueryParameterValue", "{kind:?} {method} {target}: {}", answer.text());
            refusal_of(kind, &answer, method, VERSION);
            stored.unchanged(&target).await;
        }
    }
}

#[tokio::test]
async fn unknown_verbs() {
    let stored = Stored::new().await;
    for method in ["MERGE", "TRACE", "get", "put", "Delete", "PROPFIND", "X"] {
        for path in ["/", "/kept/digits"] {
            let answer =
                stored.server.request(method, path).header("x-ms-blob-type", "BlockBlob").body("overwritten").send().await;
            assert_eq!(answer.verdict(), "405 UnsupportedHttpVerb", "{method} {path}: {}", answer.text());
            refusal(&answer, method, VERSION);
        }
    }
    // A verb that is known, where nothing answers to it.
    for (method, target) in [("DELETE", "/"), ("PUT", "/"), ("GET", "/"), ("HEAD", "/"), ("POST", "/"), ("POST", "/kept/digits")]
    {
        let answer = stored.server.request(method, target).body("").send().await;
        assert_eq!(answer.verdict(), "400 InvalidUri", "{method} {target}: {}", answer.text());
        refusal(&answer, method, VERSION);
    }
    stored.unchanged("a verb").await;
}

#[tokio::test]
async fn unknown_verbs_of_queues_and_tables() {
    for (kind, paths) in &PATHS[1..] {
        let stored = Stored::of(*kind).await;
        for path in *paths {
            for method in ["TRACE", "get", "put", "Delete", "PROPFIND", "X"] {
                let answer = stored.server.request(method, path).of(*kind).header("if-match", "*").body("{}").send().await;
                assert_eq!(answer.verdict(), "405 UnsupportedHttpVerb", "{kind:?} {method} {path}: {}", answer.text());
                refusal_of(*kind, &answer, method, VERSION);
            }
        }
        stored.unchanged("a verb").await;
    }
    // A verb that is known, where nothing answers to it.
    for (kind, method, target) in [
        (ServiceKind::Queue, "GET", "/kept"),
        (ServiceKind::Queue, "POST", "/kept"),
        (ServiceKind::Queue, "PUT", "/kept/messages"),
        (ServiceKind::Queue, "GET", "/kept/messages/id"),
        (ServiceKind::Queue, "POST", "/"),
        (ServiceKind::Table, "PUT", "/Tables"),
        (ServiceKind::Table, "PUT", "/Tables('kept')"),
        (ServiceKind::Table, "DELETE", "/kept"),
        (ServiceKind::Table, "PUT", "/kept()"),
        (ServiceKind::Table, "GET", "/$batch"),
        (ServiceKind::Table, "POST", "/kept(PartitionKey='p',RowKey='r')"),
        (ServiceKind::Table, "DELETE", "/"),
    ] {
        let stored = Stored::of(kind).await;
        let answer = stored.server.request(method, target).of(kind).header("if-match", "*").body("{}").send().await;
        assert_eq!(answer.verdict(), "400 InvalidUri", "{kind:?} {method} {target}: {}", answer.text());
        refusal_of(kind, &answer, method, VERSION);
        stored.unchanged(target).await;
    }
}
